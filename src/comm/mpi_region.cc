#include "comm/mpi_region.h"

#include <utility>

#include "comm/mpi_communicator.h"

namespace longshore {

namespace {

// The two sides of a transfer as datatypes, so that all of its pieces are one operation.
class TypePair {
 public:
  explicit TypePair(std::span<const RemotePiece> pieces) {
    std::vector<int> lengths;
    std::vector<MPI_Aint> here;
    std::vector<MPI_Aint> there;
    for (const auto& piece : pieces) {
      lengths.push_back(static_cast<int>(piece.length));
      here.push_back(reinterpret_cast<MPI_Aint>(piece.local));
      there.push_back(piece.remote_offset);
    }
    const int count = static_cast<int>(pieces.size());
    PMPI_Type_create_hindexed(count, lengths.data(), here.data(), MPI_BYTE, &local);
    PMPI_Type_create_hindexed(count, lengths.data(), there.data(), MPI_BYTE, &remote);
    PMPI_Type_commit(&local);
    PMPI_Type_commit(&remote);
  }
  ~TypePair() {
    PMPI_Type_free(&local);
    PMPI_Type_free(&remote);
  }
  TypePair(const TypePair&) = delete;
  TypePair& operator=(const TypePair&) = delete;

  MPI_Datatype local = MPI_DATATYPE_NULL;
  MPI_Datatype remote = MPI_DATATYPE_NULL;
};

}  // namespace

Result<std::unique_ptr<Region>> MpiRegion::make(MpiCommunicator& comm,
                                                std::span<std::byte> memory) {
  std::unique_ptr<MpiRegion> region(new MpiRegion(comm));
  // Waits politely, which creating a window does not.
  if (auto met = agree(comm, Rivals::check_none(Rivals::mailboxes)); !met) {
    return fail(met.error());
  }
  const auto status =
      mpi_status(PMPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size()), 1,
                                 MPI_INFO_NULL, comm.handle(), &region->window_),
                 "window");
  if (auto common = agree(comm, status); !common) {
    return fail(common.error());
  }
  PMPI_Win_set_errhandler(region->window_, MPI_ERRORS_RETURN);
  return region;
}

void MpiRegion::note(int code) {
  if (auto status = mpi_status(code, "one-sided transfer"); !status && !first_error_) {
    first_error_ = status.error();
  }
}

Status MpiRegion::outcome() {
  if (auto error = std::exchange(first_error_, std::nullopt)) {
    return fail(*error);
  }
  return {};
}

void MpiRegion::put(int target, std::span<const RemotePiece> pieces) {
  if (!pieces.empty()) {
    const TypePair types(pieces);
    note(PMPI_Put(MPI_BOTTOM, 1, types.local, target, 0, 1, types.remote, window_));
  }
}

void MpiRegion::get(int target, std::span<const RemotePiece> pieces) {
  if (!pieces.empty()) {
    const TypePair types(pieces);
    note(PMPI_Get(MPI_BOTTOM, 1, types.local, target, 0, 1, types.remote, window_));
  }
}

Status MpiRegion::fence() {
  if (auto met = comm_.barrier(); !met) {  // the long wait is a polite one
    return met;
  }
  note(PMPI_Win_fence(0, window_));
  return outcome();
}

Status MpiRegion::lock_shared(int target) {
  return mpi_status(PMPI_Win_lock(MPI_LOCK_SHARED, target, 0, window_), "lock");
}

Status MpiRegion::unlock(int target) {
  note(PMPI_Win_unlock(target, window_));
  return outcome();
}

void MpiRegion::release() {
  if (window_ != MPI_WIN_NULL) {
    (void)comm_.barrier();
    PMPI_Win_free(&window_);
  }
}

}  // namespace longshore
