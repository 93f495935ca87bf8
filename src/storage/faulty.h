// storage/faulty.h - a storage that fails as a FaultPlan says.
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.h"
#include "storage/fault_plan.h"
#include "storage/forwarding.h"

namespace longshore {

class FaultyStorage final : public ForwardingStorage {
 public:
  // Delays pass on `clock`, which must outlive this. REQUIRES: inner is not null.
  FaultyStorage(std::unique_ptr<Storage> inner, FaultPlan plan, Clock& clock);

  // A delay holds up the call.
  Outcome transfer(IoKind kind, std::span<const IoPiece> pieces) override;
  // A delay holds up wait(), as far as it has not passed by then.
  std::unique_ptr<PendingIo> start(IoKind kind, std::span<const IoPiece> pieces) override;
  [[nodiscard]] Result<int64_t> size() override;
  [[nodiscard]] Status resize(int64_t size_bytes) override;
  [[nodiscard]] Status allocate(int64_t size_bytes) override;
  [[nodiscard]] Status sync() override;
  [[nodiscard]] Status lock(Extent range, bool exclusive) override;
  // The file is closed even if the plan makes this fail.
  [[nodiscard]] Status close() override;
  [[nodiscard]] std::string backend() const override { return "faulty(" + inner().backend() + ")"; }

 private:
  class Pending;
  // What all rules together do to one call.
  struct Verdict {
    int64_t delay_ns = 0;
    std::optional<int64_t> keep_bytes;  // cut the call here
    int sys_errno = 0;                  // and fail, unless 0
    std::optional<int64_t> flip_byte;
  };

  [[nodiscard]] Verdict judge(FaultOp op, std::span<const IoPiece> pieces);
  [[nodiscard]] Status check(FaultOp op);
  Outcome settle(const Verdict& verdict, IoKind kind, std::span<const IoPiece> pieces,
                 Outcome outcome);
  void flip(int64_t index, IoKind kind, std::span<const IoPiece> pieces);

  FaultPlan plan_;
  Clock& clock_;
  std::mutex mutex_;
  std::vector<int64_t> seen_;  // calls each rule has met
};

// Wraps a file that was just opened: itself if the plan has no rules, an error (and the file is
// closed) if one fails opens. The text comes from LONGSHORE_FAULTS, say:
//   inject_faults(std::move(file), parse_fault_plan(text)->select(rank, path), clock)
[[nodiscard]] Result<std::unique_ptr<Storage>> inject_faults(std::unique_ptr<Storage> inner,
                                                             FaultPlan plan, Clock& clock);

}  // namespace longshore
