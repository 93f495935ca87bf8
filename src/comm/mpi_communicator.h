// comm/mpi_communicator.h - Communicator over a private duplicate of the program's communicator.
#pragma once
#include <mpi.h>

#include <memory>

#include "comm/board.h"
#include "comm/communicator.h"
#include "comm/node_memory.h"
#include "comm/segment_arena.h"
#include "core/result.h"

namespace longshore {

class MpiCommunicator final : public Communicator {
 public:
  // Collective over `parent`, which stays the caller's. Fails alike on all ranks.
  [[nodiscard]] static Result<std::unique_ptr<MpiCommunicator>> duplicate(MPI_Comm parent);
  ~MpiCommunicator() override;

  // Gives the duplicate back to MPI; collective. Without it the handle leaks (a destructor does not
  // communicate).
  void release();

  // Between borrowers: collective in the sense that all ranks do it around the same lease. A
  // counter that needs a thread has it only while leased.
  void start_lease();
  void end_lease();

  [[nodiscard]] MPI_Comm handle() const { return comm_; }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] int world_rank() const override { return world_rank_; }
  [[nodiscard]] const NodeMap& nodes() const override { return nodes_; }
  [[nodiscard]] std::unique_ptr<MessageSet> messages() override;
  [[nodiscard]] Status barrier() override;
  [[nodiscard]] Result<std::unique_ptr<PendingBarrier>> begin_barrier() override;
  [[nodiscard]] Status broadcast(std::span<std::byte> data, int root) override;
  [[nodiscard]] Status all_gather(std::span<const std::byte> mine,
                                  std::span<std::byte> all) override;
  [[nodiscard]] Status all_max(std::span<int64_t> values) override;
  [[nodiscard]] Status all_sum(std::span<int64_t> values) override;
  [[nodiscard]] Status all_max_and_sum(std::span<int64_t> maxima, std::span<int64_t> sums) override;
  void progress() override;
  [[nodiscard]] Result<NodeMemory*> node_memory(NodeUse use, std::span<const int> owners,
                                                size_t bytes) override;
  [[nodiscard]] Result<Arena*> arena(size_t bytes) override;
  [[nodiscard]] Result<std::unique_ptr<Region>> expose(std::span<std::byte> memory) override;
  [[nodiscard]] SharedCounter& counter() override { return *counter_; }
  [[nodiscard]] Result<Mailbox*> mailbox() override;

 private:
  MpiCommunicator() = default;
  [[nodiscard]] Status find_nodes();
  [[nodiscard]] Status make_counter();
  [[nodiscard]] Status make_board();
  [[nodiscard]] bool on_board(size_t bytes) const { return board_ && bytes <= Board::kBoxBytes; }
  template <typename Combine>
  void reduce_on_board(std::span<int64_t> values, Combine combine);

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  int world_rank_ = 0;
  NodeMap nodes_;
  std::unique_ptr<SharedCounter> counter_;
  std::unique_ptr<Mailbox> mailbox_;  // once asked for
  std::unique_ptr<Board> board_;      // if all ranks are on one host
  SegmentMemory buffers_;
  SegmentMemory trays_;
  std::unique_ptr<SegmentArena> arena_;
};

// Status of an MPI return code; `what` names the call.
[[nodiscard]] Status mpi_status(int code, const char* what);

// Polls until the request is complete, with Patience between polls.
[[nodiscard]] Status wait_politely(MPI_Request& request);

// A duplicate that returns errors; collective, waits with Patience.
[[nodiscard]] Status duplicate_politely(MPI_Comm parent, MPI_Comm* copy);

// True if several threads may call MPI at once.
[[nodiscard]] bool threads_may_call_mpi();

}  // namespace longshore
