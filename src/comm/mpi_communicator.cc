#include "comm/mpi_communicator.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "comm/cores.h"
#include "comm/counters_shared.h"
#include "comm/mpi_mailbox.h"
#include "comm/mpi_region.h"
#include "comm/patience.h"
#include "comm/real.h"

namespace longshore {

namespace {

// A datatype for bytes at absolute addresses. MPI keeps what a message under way needs of it.
class PiecesType {
 public:
  template <typename Byte>
  explicit PiecesType(std::span<const std::span<Byte>> pieces) {
    std::vector<int> lengths;
    std::vector<MPI_Aint> addresses;
    for (const auto& piece : pieces) {
      lengths.push_back(static_cast<int>(piece.size()));
      PMPI_Get_address(piece.data(), &addresses.emplace_back());
    }
    PMPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), addresses.data(),
                              MPI_BYTE, &type_);
    PMPI_Type_commit(&type_);
  }
  ~PiecesType() { PMPI_Type_free(&type_); }
  PiecesType(const PiecesType&) = delete;
  PiecesType& operator=(const PiecesType&) = delete;
  [[nodiscard]] MPI_Datatype handle() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

class MpiMessageSet final : public MessageSet {
 public:
  explicit MpiMessageSet(MPI_Comm comm) : comm_(comm) {}

  void send(std::span<const std::byte> data, int to, int tag) override {
    MPI_Request request = MPI_REQUEST_NULL;
    note(
        PMPI_Isend(data.data(), static_cast<int>(data.size()), MPI_BYTE, to, tag, comm_, &request));
    requests_.push_back(request);
  }

  int receive(std::span<std::byte> buffer, int from, int tag) override {
    MPI_Request request = MPI_REQUEST_NULL;
    const int source = from == kAnyRank ? MPI_ANY_SOURCE : from;
    note(PMPI_Irecv(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, source, tag, comm_,
                    &request));
    return add_receive(request);
  }

  void send_pieces(std::span<const std::span<const std::byte>> pieces, int to, int tag) override {
    MPI_Request request = MPI_REQUEST_NULL;
    const PiecesType type(pieces);
    note(PMPI_Isend(MPI_BOTTOM, 1, type.handle(), to, tag, comm_, &request));
    requests_.push_back(request);
  }

  int receive_pieces(std::span<const std::span<std::byte>> pieces, int from, int tag) override {
    MPI_Request request = MPI_REQUEST_NULL;
    const int source = from == kAnyRank ? MPI_ANY_SOURCE : from;
    const PiecesType type(pieces);
    note(PMPI_Irecv(MPI_BOTTOM, 1, type.handle(), source, tag, comm_, &request));
    return add_receive(request);
  }

  Status wait() override {
    for (Patience patience;; patience.pause()) {
      auto done = test();
      if (!done) {
        return fail(done.error());
      }
      if (*done) {
        return {};
      }
    }
  }

  Result<bool> test() override {
    if (!first_error_ && !requests_.empty()) {
      statuses_.resize(requests_.size());
      int done = 0;
      note(LONGSHORE_REAL(PMPI_Testall)(static_cast<int>(requests_.size()), requests_.data(), &done,
                                        statuses_.data()));
      if (done == 0 && !first_error_) {
        return false;
      }
      collect();
    }
    if (first_error_) {
      return fail(*first_error_);
    }
    return true;
  }

  int64_t received(int index) const override { return received_[static_cast<size_t>(index)]; }
  int sender(int index) const override { return senders_[static_cast<size_t>(index)]; }

 private:
  int add_receive(MPI_Request request) {
    requests_.push_back(request);
    receives_.push_back(requests_.size() - 1);
    return static_cast<int>(receives_.size() - 1);
  }

  void note(int code) {
    if (auto status = mpi_status(code, "message"); !status && !first_error_) {
      first_error_ = status.error();
    }
  }

  void collect() {
    received_.clear();
    senders_.clear();
    for (const size_t index : receives_) {
      int count = 0;
      PMPI_Get_count(&statuses_[index], MPI_BYTE, &count);
      received_.push_back(count);
      senders_.push_back(statuses_[index].MPI_SOURCE);
    }
    receives_.clear();
    requests_.clear();
  }

  MPI_Comm comm_;
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;
  std::vector<size_t> receives_;
  std::vector<int64_t> received_;
  std::vector<int> senders_;
  std::optional<Error> first_error_;
};

// LONGSHORE_NODE_SIZE=k makes every k ranks pretend to be a host: lets one machine test what
// happens between hosts. 0 if unset.
int pretended_node_size() {
  const char* text = std::getenv("LONGSHORE_NODE_SIZE");
  return text == nullptr ? 0 : std::max(0, std::atoi(text));
}

// Equal on two ranks if they can share memory: same machine, host name and shared memory.
uint64_t shared_memory_key(int rank) {
  if (const int pretended = pretended_node_size(); pretended > 0) {
    return static_cast<uint64_t>(rank / pretended);
  }
  std::string identity(256, '\0');
  gethostname(identity.data(), identity.size() - 1);
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  struct stat shared {};
  stat("/dev/shm", &shared);
  struct stat ipc {};
  stat("/proc/self/ns/ipc", &ipc);
  identity += boot + ":" + std::to_string(shared.st_dev) + ":" + std::to_string(shared.st_ino) +
              ":" + std::to_string(ipc.st_ino);
  return std::hash<std::string>{}(identity);
}

}  // namespace

Status mpi_status(int code, const char* what) {
  if (code == MPI_SUCCESS) {
    return {};
  }
  return fail(ErrorClass::kIntern, std::string("MPI ") + what + " failed");
}

Status wait_politely(MPI_Request& request) {
  for (Patience patience;; patience.pause()) {
    int done = 0;
    if (auto status =
            mpi_status(LONGSHORE_REAL(PMPI_Test)(&request, &done, MPI_STATUS_IGNORE), "collective");
        !status || done != 0) {
      return status;
    }
  }
}

bool threads_may_call_mpi() {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

Status duplicate_politely(MPI_Comm parent, MPI_Comm* copy) {
  MPI_Request request = MPI_REQUEST_NULL;
  auto status = mpi_status(PMPI_Comm_idup(parent, copy, &request), "duplicate");
  if (status) {
    status = wait_politely(request);
  }
  if (status) {
    PMPI_Comm_set_errhandler(*copy, MPI_ERRORS_RETURN);
  }
  return status;
}

Result<std::unique_ptr<MpiCommunicator>> MpiCommunicator::duplicate(MPI_Comm parent) {
  std::unique_ptr<MpiCommunicator> made(new MpiCommunicator());
  if (auto status = duplicate_politely(parent, &made->comm_); !status) {
    return fail(status.error());
  }
  PMPI_Comm_rank(made->comm_, &made->rank_);
  PMPI_Comm_rank(MPI_COMM_WORLD, &made->world_rank_);
  PMPI_Comm_size(made->comm_, &made->size_);
  if (auto status = agree(*made, made->find_nodes()); !status) {
    return fail(status.error());
  }
  if (auto status = made->make_counter(); !status) {
    return fail(status.error());
  }
  if (auto status = made->make_board(); !status) {
    return fail(status.error());
  }
  return made;
}

MpiCommunicator::~MpiCommunicator() = default;

void MpiCommunicator::release() {
  counter_.reset();
  mailbox_.reset();
  if (comm_ != MPI_COMM_NULL) {
    PMPI_Comm_free(&comm_);
  }
}

void MpiCommunicator::start_lease() {
  if (auto* served = dynamic_cast<ServedCounter*>(counter_.get())) {
    served->start();
  }
}

void MpiCommunicator::end_lease() {
  if (auto* served = dynamic_cast<ServedCounter*>(counter_.get())) {
    served->stop();
  }
}

Result<Mailbox*> MpiCommunicator::mailbox() {
  if (!mailbox_) {
    auto made = MpiMailbox::make(*this, comm_);
    if (!made) {
      return fail(made.error());
    }
    mailbox_ = std::move(*made);
  }
  return mailbox_.get();
}

Status MpiCommunicator::find_nodes() {
  struct Place {
    uint64_t key = 0;
    CoreSet cores;
  };
  const Place mine{shared_memory_key(rank_), cores_of_process()};
  std::vector<Place> places(static_cast<size_t>(size_));
  auto status =
      all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(places)));
  std::map<uint64_t, int> node_of_key;
  std::vector<CoreSet> cores;
  for (const Place& place : places) {
    const auto [at, fresh] = node_of_key.emplace(place.key, nodes_.nodes());
    if (fresh) {
      nodes_.leader_of_node.push_back(static_cast<int>(nodes_.node_of_rank.size()));
    }
    nodes_.node_of_rank.push_back(at->second);
    cores.push_back(place.cores);
  }
  nodes_.cores = fewest_cores(nodes_, cores);
  return status;
}

Status MpiCommunicator::make_counter() {
  if (nodes_.nodes() == 1) {
    auto shared = ShmCounter::make(*this);
    if (!shared) {
      return fail(shared.error());
    }
    counter_ = std::move(*shared);
    if (counter_) {
      return {};
    }
  }
  auto served = ServedCounter::make(comm_);
  if (!served) {
    return fail(served.error());
  }
  counter_ = std::move(*served);
  return {};
}

Status MpiCommunicator::make_board() {
  if (nodes_.nodes() > 1 || size_ == 1) {
    return {};
  }
  auto board = Board::make(*this, [this] { progress(); });
  if (!board) {
    return fail(board.error());
  }
  board_ = std::move(*board);
  return {};
}

void MpiCommunicator::progress() {
  int there = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &there, MPI_STATUS_IGNORE);
}

Result<NodeMemory*> MpiCommunicator::node_memory(NodeUse use, std::span<const int> owners,
                                                 size_t bytes) {
  SegmentMemory& memory = use == NodeUse::kTrays ? trays_ : buffers_;
  if (auto status = memory.provide(*this, owners, bytes); !status) {
    return fail(status.error());
  }
  return &memory;
}

Result<Arena*> MpiCommunicator::arena(size_t bytes) {
  if (!arena_ || arena_->memory().size() < bytes) {
    auto made = SegmentArena::make(*this, bytes);
    if (!made) {
      return fail(made.error());
    }
    arena_ = std::move(*made);
  }
  return arena_.get();
}

Result<std::unique_ptr<Region>> MpiCommunicator::expose(std::span<std::byte> memory) {
  return MpiRegion::make(*this, memory);
}

std::unique_ptr<MessageSet> MpiCommunicator::messages() {
  return std::make_unique<MpiMessageSet>(comm_);
}

Result<std::unique_ptr<PendingBarrier>> MpiCommunicator::begin_barrier() {
  class Pending final : public PendingBarrier {
   public:
    Result<bool> done() override {
      int done = 0;
      const auto status =
          mpi_status(LONGSHORE_REAL(PMPI_Test)(&request, &done, MPI_STATUS_IGNORE), "barrier");
      return status ? Result<bool>(done != 0) : fail(status.error());
    }
    MPI_Request request = MPI_REQUEST_NULL;
  };
  auto pending = std::make_unique<Pending>();
  if (auto status = mpi_status(PMPI_Ibarrier(comm_, &pending->request), "barrier"); !status) {
    return fail(status.error());
  }
  return pending;
}

Status MpiCommunicator::barrier() {
  if (size_ == 1) {
    return {};
  }
  if (on_board(0)) {
    board_->step({}, [](int, std::span<const std::byte>) {});
    return {};
  }
  MPI_Request request = MPI_REQUEST_NULL;
  if (auto status = mpi_status(PMPI_Ibarrier(comm_, &request), "barrier"); !status) {
    return status;
  }
  return wait_politely(request);
}

Status MpiCommunicator::broadcast(std::span<std::byte> data, int root) {
  if (size_ == 1) {
    return {};
  }
  if (on_board(data.size())) {
    const auto mine = rank_ == root ? std::span<const std::byte>(data) : std::span<std::byte>();
    board_->step(mine, [&](int rank, std::span<const std::byte> bytes) {
      if (rank == root && rank != rank_) {
        std::copy(bytes.begin(), bytes.end(), data.begin());
      }
    });
    return {};
  }
  MPI_Request request = MPI_REQUEST_NULL;
  if (auto status = mpi_status(
          PMPI_Ibcast(data.data(), static_cast<int>(data.size()), MPI_BYTE, root, comm_, &request),
          "broadcast");
      !status) {
    return status;
  }
  return wait_politely(request);
}

Status MpiCommunicator::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  if (size_ == 1) {
    std::copy(mine.begin(), mine.end(), all.begin());
    return {};
  }
  if (on_board(mine.size())) {
    board_->step(mine, [&](int rank, std::span<const std::byte> box) {
      std::copy(box.begin(), box.end(),
                all.begin() + rank * static_cast<std::ptrdiff_t>(mine.size()));
    });
    return {};
  }
  const int bytes = static_cast<int>(mine.size());
  MPI_Request request = MPI_REQUEST_NULL;
  if (auto status = mpi_status(PMPI_Iallgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes,
                                               MPI_BYTE, comm_, &request),
                               "allgather");
      !status) {
    return status;
  }
  return wait_politely(request);
}

namespace {

Status reduce_in_place(std::span<int64_t> values, MPI_Op op, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (auto status =
          mpi_status(PMPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                                     MPI_INT64_T, op, comm, &request),
                     "allreduce");
      !status) {
    return status;
  }
  return wait_politely(request);
}

}  // namespace

namespace {

void combine_records(void* in, void* inout, int* count, MPI_Datatype* type) {
  int bytes = 0;
  PMPI_Type_size(*type, &bytes);
  const auto length = static_cast<int64_t>(static_cast<size_t>(bytes) / sizeof(int64_t));
  const auto* from = static_cast<const int64_t*>(in);
  auto* to = static_cast<int64_t*>(inout);
  for (int record = 0; record < *count; ++record, from += length, to += length) {
    const int64_t maxima = from[0];
    for (int64_t i = 1; i < length; ++i) {
      to[i] = i <= maxima ? std::max(to[i], from[i]) : to[i] + from[i];
    }
  }
}

Status reduce_records(std::vector<int64_t>& record, MPI_Comm comm) {
  static const MPI_Op op = [] {
    MPI_Op made = MPI_OP_NULL;
    PMPI_Op_create(combine_records, 1, &made);
    return made;
  }();
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_contiguous(static_cast<int>(record.size()), MPI_INT64_T, &type);
  PMPI_Type_commit(&type);
  MPI_Request request = MPI_REQUEST_NULL;
  auto status = mpi_status(
      PMPI_Iallreduce(MPI_IN_PLACE, record.data(), 1, type, op, comm, &request), "allreduce");
  if (status) {
    status = wait_politely(request);
  }
  PMPI_Type_free(&type);
  return status;
}

}  // namespace

template <typename Combine>
void MpiCommunicator::reduce_on_board(std::span<int64_t> values, Combine combine) {
  const std::vector<int64_t> mine(values.begin(), values.end());
  board_->step(std::as_bytes(std::span(mine)), [&](int rank, std::span<const std::byte> box) {
    const auto* theirs = reinterpret_cast<const int64_t*>(box.data());
    for (size_t i = 0; i < values.size() && rank != rank_; ++i) {
      values[i] = combine(values[i], theirs[i]);
    }
  });
}

Status MpiCommunicator::all_max(std::span<int64_t> values) {
  if (on_board(values.size_bytes())) {
    reduce_on_board(values, [](int64_t a, int64_t b) { return std::max(a, b); });
    return {};
  }
  return size_ == 1 ? Status{} : reduce_in_place(values, MPI_MAX, comm_);
}

Status MpiCommunicator::all_sum(std::span<int64_t> values) {
  if (on_board(values.size_bytes())) {
    reduce_on_board(values, std::plus<>());
    return {};
  }
  return size_ == 1 ? Status{} : reduce_in_place(values, MPI_SUM, comm_);
}

// Sums ride on the maximum's reduction as values of their own kind: record = number of maxima,
// maxima, sums.
Status MpiCommunicator::all_max_and_sum(std::span<int64_t> maxima, std::span<int64_t> sums) {
  std::vector<int64_t> record{static_cast<int64_t>(maxima.size())};
  record.insert(record.end(), maxima.begin(), maxima.end());
  record.insert(record.end(), sums.begin(), sums.end());
  if (auto status = reduce_records(record, comm_); !status) {
    return status;
  }
  std::copy_n(record.begin() + 1, maxima.size(), maxima.begin());
  std::copy_n(record.begin() + 1 + static_cast<std::ptrdiff_t>(maxima.size()), sums.size(),
              sums.begin());
  return {};
}

}  // namespace longshore
