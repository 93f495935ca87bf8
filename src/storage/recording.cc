#include "storage/recording.h"

#include <algorithm>
#include <limits>

namespace longshore {

namespace {

using Kind = StorageCall::Kind;

StorageCall transfer_call(IoKind kind, std::span<const IoPiece> pieces, bool background) {
  StorageCall call;
  call.kind = kind == IoKind::kRead ? Kind::kRead : Kind::kWrite;
  call.background = background;
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  for (const IoPiece& piece : pieces) {
    const bool beyond = piece.offset > kMax - piece.length;
    call.extents.push_back({piece.offset, beyond ? kMax : piece.offset + piece.length});
  }
  return call;
}

}  // namespace

void CallLog::add(StorageCall call) {
  const std::lock_guard guard(mutex_);
  calls_.push_back(std::move(call));
}

std::vector<StorageCall> CallLog::calls() const {
  const std::lock_guard guard(mutex_);
  return calls_;
}

size_t CallLog::count(StorageCall::Kind kind) const {
  const std::lock_guard guard(mutex_);
  return static_cast<size_t>(std::count_if(calls_.begin(), calls_.end(),
                                           [&](const auto& call) { return call.kind == kind; }));
}

void CallLog::clear() {
  const std::lock_guard guard(mutex_);
  calls_.clear();
}

Outcome RecordingStorage::transfer(IoKind kind, std::span<const IoPiece> pieces) {
  log_->add(transfer_call(kind, pieces, false));
  return ForwardingStorage::transfer(kind, pieces);
}

std::unique_ptr<PendingIo> RecordingStorage::start(IoKind kind, std::span<const IoPiece> pieces) {
  log_->add(transfer_call(kind, pieces, true));
  return ForwardingStorage::start(kind, pieces);
}

Result<int64_t> RecordingStorage::size() {
  log_->add({Kind::kSize, false, {}, 0});
  return ForwardingStorage::size();
}

Status RecordingStorage::resize(int64_t size_bytes) {
  log_->add({Kind::kResize, false, {}, size_bytes});
  return ForwardingStorage::resize(size_bytes);
}

Status RecordingStorage::allocate(int64_t size_bytes) {
  log_->add({Kind::kAllocate, false, {}, size_bytes});
  return ForwardingStorage::allocate(size_bytes);
}

Status RecordingStorage::sync() {
  log_->add({Kind::kSync, false, {}, 0});
  return ForwardingStorage::sync();
}

Status RecordingStorage::lock(Extent range, bool exclusive) {
  log_->add({Kind::kLock, false, {range}, 0});
  return ForwardingStorage::lock(range, exclusive);
}

void RecordingStorage::unlock(Extent range) {
  log_->add({Kind::kUnlock, false, {range}, 0});
  ForwardingStorage::unlock(range);
}

void RecordingStorage::will_need(Extent range) {
  log_->add({Kind::kWillNeed, false, {range}, 0});
  ForwardingStorage::will_need(range);
}

void RecordingStorage::done_with(Extent range) {
  log_->add({Kind::kDoneWith, false, {range}, 0});
  ForwardingStorage::done_with(range);
}

Status RecordingStorage::close() {
  log_->add({Kind::kClose, false, {}, 0});
  return ForwardingStorage::close();
}

}  // namespace longshore
