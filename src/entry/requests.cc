#include "entry/requests.h"

#include <atomic>
#include <span>
#include <unordered_map>
#include <utility>

#include "comm/real.h"
#include "entry/alias.h"
#include "entry/errors.h"

namespace longshore {

namespace {

// Requests that the program has not completed yet.
struct Alive {
  std::atomic<int> count{0};
  std::mutex mutex;
  std::unordered_map<MPI_Request, std::shared_ptr<Transfer>> transfers;
};

// Never destroyed: the program may complete requests while the process exits.
Alive& alive() {
  static auto* all = new Alive();
  return *all;
}

// Runs in the program's thread, inside its completion call.
int query(void* state, MPI_Status* status) {
  const auto& transfer = *static_cast<const Transfer*>(state);
  set_status(status, transfer.outcome().bytes);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;  // errors are reported by the completion calls below
}

int release(void* state) {
  const auto request = static_cast<const Transfer*>(state)->request;
  const std::lock_guard lock(alive().mutex);
  alive().transfers.erase(request);
  --alive().count;
  return MPI_SUCCESS;
}

// I/O under way cannot be cancelled; the request completes as if nobody had asked.
int cancel(void*, int) { return MPI_SUCCESS; }

std::shared_ptr<Transfer> transfer_of(MPI_Request request) {
  if (request == MPI_REQUEST_NULL) {
    return nullptr;
  }
  const std::lock_guard lock(alive().mutex);
  const auto found = alive().transfers.find(request);
  return found == alive().transfers.end() ? nullptr : found->second;
}

// Our transfers among an array of requests, by index; null for others.
std::vector<std::shared_ptr<Transfer>> transfers_of(int count, const MPI_Request* requests) {
  std::vector<std::shared_ptr<Transfer>> found(static_cast<size_t>(count < 0 ? 0 : count));
  for (size_t i = 0; i < found.size(); ++i) {
    found[i] = transfer_of(requests[i]);
  }
  return found;
}

bool none_alive() { return alive().count.load(std::memory_order_relaxed) == 0; }

// The code a completed transfer ends with, after its error handler was called.
int ending(const std::shared_ptr<Transfer>& transfer) {
  return !transfer || transfer->outcome().ok() ? MPI_SUCCESS
                                               : raise(transfer->handle, transfer->outcome().error);
}

// Reports the transfers that a call completed: `nth(i)` is the i-th of them. On a failure the
// statuses tell which and the call returns MPI_ERR_IN_STATUS.
template <typename Nth>
int ending_of_many(int code, int completed, MPI_Status* statuses, Nth nth) {
  if (code != MPI_SUCCESS) {
    return code;
  }
  std::vector<int> codes;
  bool failed = false;
  for (int i = 0; i < completed; ++i) {
    codes.push_back(ending(nth(i)));
    failed = failed || codes.back() != MPI_SUCCESS;
  }
  if (!failed) {
    return MPI_SUCCESS;
  }
  for (int i = 0; i < completed && statuses != MPI_STATUSES_IGNORE; ++i) {
    statuses[i].MPI_ERROR = codes[static_cast<size_t>(i)];
  }
  return MPI_ERR_IN_STATUS;
}

}  // namespace

void Transfer::finish(Outcome moved) {
  if (representation && operation.kind == IoKind::kRead && moved.bytes > 0) {
    auto taken = representation->from_file(
        std::span(converted).first(static_cast<size_t>(moved.bytes)), user);
    moved.bytes = taken ? *taken : 0;
    if (!taken && moved.ok()) {
      moved.error = taken.error();
    }
  } else if (representation && !converted.empty()) {
    // A write counts what the program gave, not what it became.
    auto in_memory = decode(user.type);
    const auto whole = static_cast<int64_t>(converted.size());
    moved.bytes = in_memory ? in_memory->size_bytes * user.count * moved.bytes / whole : 0;
  }
  const std::lock_guard lock(mutex_);
  outcome_ = std::move(moved);
  finished_ = true;
  changed_.notify_all();
}

void Transfer::wait() {
  const Urgency someone_waits;
  if (auto carrier = file.lock()) {
    carrier->assist(operation, [this] { return finished_.load(); });
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return finished_.load(); });
}

void Transfer::set_answered() {
  const std::lock_guard lock(mutex_);
  answered_ = true;
  changed_.notify_all();
}

void Transfer::wait_for_answer() {
  wait();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return answered_; });
}

Status start_request(std::shared_ptr<Transfer> transfer, MPI_Request* request) {
  if (PMPI_Grequest_start(query, release, cancel, transfer.get(), &transfer->request) !=
      MPI_SUCCESS) {
    return fail(ErrorClass::kIntern, "no request to be had");
  }
  *request = transfer->request;
  const std::lock_guard lock(alive().mutex);
  ++alive().count;
  alive().transfers[*request] = std::move(transfer);
  return {};
}

void complete_request(Transfer& transfer) {
  PMPI_Grequest_complete(transfer.request);
  transfer.set_answered();
}

void set_status(MPI_Status* status, int64_t bytes) {
  if (status == MPI_STATUS_IGNORE) {
    return;
  }
  PMPI_Status_set_elements_x(status, MPI_BYTE, bytes);
  PMPI_Status_set_cancelled(status, 0);
}

}  // namespace longshore

extern "C" int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
  using namespace longshore;
  if (none_alive()) {
    return LONGSHORE_REAL(PMPI_Wait)(request, status);
  }
  auto transfer = transfer_of(*request);
  if (transfer) {
    transfer->wait();
  }
  const int code = LONGSHORE_REAL(PMPI_Wait)(request, status);
  return code == MPI_SUCCESS ? ending(transfer) : code;
}
LONGSHORE_ALIAS(MPI_Wait);

extern "C" int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  using namespace longshore;
  if (none_alive()) {
    return LONGSHORE_REAL(PMPI_Test)(request, flag, status);
  }
  auto transfer = transfer_of(*request);
  const int code = LONGSHORE_REAL(PMPI_Test)(request, flag, status);
  return code == MPI_SUCCESS && *flag != 0 ? ending(transfer) : code;
}
LONGSHORE_ALIAS(MPI_Test);

extern "C" int PMPI_Waitall(int count, MPI_Request requests[], MPI_Status* statuses) {
  using namespace longshore;
  if (none_alive()) {
    return LONGSHORE_REAL(PMPI_Waitall)(count, requests, statuses);
  }
  auto ours = transfers_of(count, requests);
  for (const auto& transfer : ours) {
    if (transfer) {
      // Beside null requests MPICH 4.0 aborts for a generalized one that is not complete yet.
      transfer->wait_for_answer();
    }
  }
  const int code = LONGSHORE_REAL(PMPI_Waitall)(count, requests, statuses);
  return ending_of_many(
      code, count, statuses, [&](int i) -> auto& { return ours[static_cast<size_t>(i)]; });
}
LONGSHORE_ALIAS(MPI_Waitall);

extern "C" int PMPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status* statuses) {
  using namespace longshore;
  if (none_alive()) {
    return LONGSHORE_REAL(PMPI_Testall)(count, requests, flag, statuses);
  }
  auto ours = transfers_of(count, requests);
  const int code = LONGSHORE_REAL(PMPI_Testall)(count, requests, flag, statuses);
  return ending_of_many(
      code, *flag != 0 ? count : 0,
      statuses, [&](int i) -> auto& { return ours[static_cast<size_t>(i)]; });
}
LONGSHORE_ALIAS(MPI_Testall);

extern "C" int PMPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  using namespace longshore;
  if (none_alive()) {
    return LONGSHORE_REAL(PMPI_Waitany)(count, requests, index, status);
  }
  auto ours = transfers_of(count, requests);
  const int code = LONGSHORE_REAL(PMPI_Waitany)(count, requests, index, status);
  const bool some = code == MPI_SUCCESS && *index != MPI_UNDEFINED;
  return some ? ending(ours[static_cast<size_t>(*index)]) : code;
}
LONGSHORE_ALIAS(MPI_Waitany);

extern "C" int PMPI_Testany(int count, MPI_Request requests[], int* index, int* flag,
                            MPI_Status* status) {
  using namespace longshore;
  if (none_alive()) {
    return LONGSHORE_REAL(PMPI_Testany)(count, requests, index, flag, status);
  }
  auto ours = transfers_of(count, requests);
  const int code = LONGSHORE_REAL(PMPI_Testany)(count, requests, index, flag, status);
  const bool some = code == MPI_SUCCESS && *flag != 0 && *index != MPI_UNDEFINED;
  return some ? ending(ours[static_cast<size_t>(*index)]) : code;
}
LONGSHORE_ALIAS(MPI_Testany);

extern "C" int PMPI_Waitsome(int incount, MPI_Request requests[], int* outcount, int indices[],
                             MPI_Status* statuses) {
  using namespace longshore;
  if (none_alive()) {
    return LONGSHORE_REAL(PMPI_Waitsome)(incount, requests, outcount, indices, statuses);
  }
  auto ours = transfers_of(incount, requests);
  const int code = LONGSHORE_REAL(PMPI_Waitsome)(incount, requests, outcount, indices, statuses);
  return ending_of_many(
      code, *outcount == MPI_UNDEFINED ? 0 : *outcount,
      statuses, [&](int i) -> auto& { return ours[static_cast<size_t>(indices[i])]; });
}
LONGSHORE_ALIAS(MPI_Waitsome);

extern "C" int PMPI_Testsome(int incount, MPI_Request requests[], int* outcount, int indices[],
                             MPI_Status* statuses) {
  using namespace longshore;
  if (none_alive()) {
    return LONGSHORE_REAL(PMPI_Testsome)(incount, requests, outcount, indices, statuses);
  }
  auto ours = transfers_of(incount, requests);
  const int code = LONGSHORE_REAL(PMPI_Testsome)(incount, requests, outcount, indices, statuses);
  return ending_of_many(
      code, *outcount == MPI_UNDEFINED ? 0 : *outcount,
      statuses, [&](int i) -> auto& { return ours[static_cast<size_t>(indices[i])]; });
}
LONGSHORE_ALIAS(MPI_Testsome);
