// comm/mpi_region.h - Region over an MPI window.
#pragma once
#include <mpi.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "comm/communicator.h"
#include "comm/rivals.h"
#include "core/result.h"

namespace longshore {

class MpiCommunicator;

class MpiRegion final : public Region {
 public:
  // Collective over `comm`, which must outlive this. Fails alike on all ranks.
  [[nodiscard]] static Result<std::unique_ptr<Region>> make(MpiCommunicator& comm,
                                                            std::span<std::byte> memory);
  void put(int target, std::span<const RemotePiece> pieces) override;
  void get(int target, std::span<const RemotePiece> pieces) override;
  [[nodiscard]] Status fence() override;
  [[nodiscard]] Status lock_shared(int target) override;
  [[nodiscard]] Status unlock(int target) override;
  void release() override;

 private:
  explicit MpiRegion(MpiCommunicator& comm) : comm_(comm) {}
  void note(int code);
  [[nodiscard]] Status outcome();

  MpiCommunicator& comm_;
  Rivals::Ticket ticket_{Rivals::windows};
  MPI_Win window_ = MPI_WIN_NULL;
  std::optional<Error> first_error_;
};

}  // namespace longshore
