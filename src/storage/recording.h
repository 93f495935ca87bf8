// storage/recording.h - a storage that keeps a list of the calls made to it, for tests.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "storage/forwarding.h"

namespace longshore {

struct StorageCall {
  enum class Kind {
    kRead,
    kWrite,
    kSize,
    kResize,
    kAllocate,
    kSync,
    kLock,
    kUnlock,
    kWillNeed,
    kDoneWith,
    kClose
  };

  Kind kind = Kind::kRead;
  bool background = false;      // by start()
  std::vector<Extent> extents;  // of a transfer: one per piece; of a lock or advice: its range
  int64_t size_bytes = 0;       // of resize and allocate
};

// Outlives the storage it belongs to, if the test holds it. Calls stand in the order in which they
// began. All methods may be called by several threads at once.
class CallLog {
 public:
  void add(StorageCall call);
  [[nodiscard]] std::vector<StorageCall> calls() const;
  [[nodiscard]] size_t count(StorageCall::Kind kind) const;
  void clear();

 private:
  mutable std::mutex mutex_;
  std::vector<StorageCall> calls_;
};

class RecordingStorage final : public ForwardingStorage {
 public:
  // REQUIRES: neither is null.
  RecordingStorage(std::unique_ptr<Storage> inner, std::shared_ptr<CallLog> log)
      : ForwardingStorage(std::move(inner)), log_(std::move(log)) {}

  Outcome transfer(IoKind kind, std::span<const IoPiece> pieces) override;
  std::unique_ptr<PendingIo> start(IoKind kind, std::span<const IoPiece> pieces) override;
  [[nodiscard]] Result<int64_t> size() override;
  [[nodiscard]] Status resize(int64_t size_bytes) override;
  [[nodiscard]] Status allocate(int64_t size_bytes) override;
  [[nodiscard]] Status sync() override;
  [[nodiscard]] Status lock(Extent range, bool exclusive) override;
  void unlock(Extent range) override;
  void will_need(Extent range) override;
  void done_with(Extent range) override;
  [[nodiscard]] Status close() override;
  [[nodiscard]] std::string backend() const override {
    return "recording(" + inner().backend() + ")";
  }

 private:
  std::shared_ptr<CallLog> log_;
};

}  // namespace longshore
