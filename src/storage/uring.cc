#include "storage/uring.h"

#ifdef LONGSHORE_HAVE_LIBURING
#include <utility>
#include <vector>

#include "storage/posix.h"
#include "storage/ring_transfer.h"

namespace longshore {

namespace {

// Everything but transfers is posix; so are transfers for which there is no ring.
class UringStorage final : public PosixStorage {
 public:
  UringStorage(FileDescriptor file, std::string path, const OpenOptions& options,
               std::shared_ptr<RingPool> rings)
      : PosixStorage(std::move(file), std::move(path), options), rings_(std::move(rings)) {}

  Outcome transfer(IoKind kind, std::span<const IoPiece> pieces) override;
  std::unique_ptr<PendingIo> start(IoKind kind, std::span<const IoPiece> pieces) override;
  [[nodiscard]] std::string backend() const override { return "io_uring"; }

 private:
  class Pending;
  std::shared_ptr<RingPool> rings_;
};

// A transfer that the kernel carries on by itself, with its own copy of the piece list.
class UringStorage::Pending final : public PendingIo {
 public:
  Pending(const UringStorage& owner, std::unique_ptr<Ring> ring, IoKind kind,
          std::span<const IoPiece> pieces)
      : owner_(owner),
        pieces_(pieces.begin(), pieces.end()),
        transfer_(owner.rings_, std::move(ring), owner.fd(), kind, pieces_) {}

  // True if nothing but waiting is left to do.
  bool launch() { return transfer_.launch(RingTransfer::Mode::kBackground); }
  Outcome wait() override { return owner_.with_path(transfer_.finish()); }

 private:
  const UringStorage& owner_;
  std::vector<IoPiece> pieces_;
  RingTransfer transfer_;
};

Outcome UringStorage::transfer(IoKind kind, std::span<const IoPiece> pieces) {
  // A single call gains nothing from a ring.
  std::unique_ptr<Ring> ring = pieces.size() > 1 ? rings_->take() : nullptr;
  if (ring == nullptr) {
    return PosixStorage::transfer(kind, pieces);
  }
  RingTransfer transfer(rings_, std::move(ring), fd(), kind, pieces);
  return with_path(transfer.finish());
}

std::unique_ptr<PendingIo> UringStorage::start(IoKind kind, std::span<const IoPiece> pieces) {
  std::unique_ptr<Ring> ring = rings_->take();
  if (ring == nullptr) {
    return PosixStorage::start(kind, pieces);
  }
  auto pending = std::make_unique<Pending>(*this, std::move(ring), kind, pieces);
  if (pending->launch()) {
    return pending;
  }
  // More runs than the ring is deep: someone has to feed it.
  return run_on_worker(
      [rest = std::shared_ptr<Pending>(std::move(pending))] { return rest->wait(); });
}

}  // namespace

Result<std::unique_ptr<Storage>> open_uring(const std::string& path, const OpenOptions& options) {
  Result<FileDescriptor> file = open_file(path, options);
  if (!file) {
    return fail(std::move(file.error()));
  }
  std::shared_ptr<RingPool> rings = RingPool::shared();
  if (!rings->usable()) {
    return std::make_unique<PosixStorage>(std::move(*file), path, options);
  }
  return std::make_unique<UringStorage>(std::move(*file), path, options, std::move(rings));
}

}  // namespace longshore

#else

namespace longshore {

Result<std::unique_ptr<Storage>> open_uring(const std::string& path, const OpenOptions& options) {
  return open_storage(path, options, "posix");
}

}  // namespace longshore
#endif  // LONGSHORE_HAVE_LIBURING
