#include "comm/communicator_pool.h"

#include <array>
#include <deque>
#include <list>
#include <mutex>

#include "comm/patience.h"

namespace longshore {

namespace {

struct Slot {
  std::unique_ptr<MpiCommunicator> comm;
  bool busy = false;
};

// What hangs on one communicator of the program. Lives on while a slot is lent, even if the program
// has freed its communicator meanwhile.
struct Cache {
  std::mutex mutex;
  MPI_Comm control = MPI_COMM_NULL;  // agrees on which slot is lent next
  std::deque<Slot> slots;            // references stay valid while it grows
  bool orphaned = false;

  [[nodiscard]] bool idle() const {
    for (const auto& slot : slots) {
      if (slot.busy) {
        return false;
      }
    }
    return true;
  }

  void free_all() {
    for (auto& slot : slots) {
      slot.comm->release();
    }
    slots.clear();
    if (control != MPI_COMM_NULL) {
      PMPI_Comm_free(&control);
    }
  }
};

using CachePtr = std::shared_ptr<Cache>;

std::mutex registry_mutex;
// Never destroyed: MPI may still call back while the process exits.
std::list<std::weak_ptr<Cache>>& registry() {
  static auto* all = new std::list<std::weak_ptr<Cache>>();
  return *all;
}
bool finalizing = false;

int on_communicator_freed(MPI_Comm, int, void* value, void*) {
  std::unique_ptr<CachePtr> holder(static_cast<CachePtr*>(value));
  const std::lock_guard lock((*holder)->mutex);
  (*holder)->orphaned = true;
  if ((*holder)->idle() && !finalizing) {
    (*holder)->free_all();
  }
  return MPI_SUCCESS;
}

// Runs first of all in MPI_Finalize, while MPI still works.
int on_finalize(MPI_Comm, int, void*, void*) {
  const std::lock_guard lock(registry_mutex);
  finalizing = true;
  for (auto& weak : registry()) {
    if (auto cache = weak.lock(); cache && cache->idle()) {
      cache->free_all();
    }
  }
  registry().clear();
  return MPI_SUCCESS;
}

int pool_keyval() {
  static const int keyval = [] {
    int at_free = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_communicator_freed, &at_free, nullptr);
    int at_finalize = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &at_finalize, nullptr);
    PMPI_Comm_set_attr(MPI_COMM_SELF, at_finalize, nullptr);
    return at_free;
  }();
  return keyval;
}

Result<CachePtr> cache_of(MPI_Comm program_comm) {
  void* value = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(program_comm, pool_keyval(), &value, &found);
  if (found != 0) {
    return *static_cast<CachePtr*>(value);
  }
  auto cache = std::make_shared<Cache>();
  if (auto status = duplicate_politely(program_comm, &cache->control); !status) {
    return fail(status.error());
  }
  PMPI_Comm_set_attr(program_comm, pool_keyval(), new CachePtr(cache));
  const std::lock_guard lock(registry_mutex);
  registry().push_back(cache);
  return cache;
}

// Rank 0 picks, because a slot may be given back a little later on another rank.
Result<size_t> choose_slot(Cache& cache) {
  int rank = 0;
  PMPI_Comm_rank(cache.control, &rank);
  int64_t chosen = 0;
  if (rank == 0) {
    const std::lock_guard lock(cache.mutex);
    while (chosen < static_cast<int64_t>(cache.slots.size()) &&
           cache.slots[static_cast<size_t>(chosen)].busy) {
      ++chosen;
    }
  }
  MPI_Request request = MPI_REQUEST_NULL;
  auto status =
      mpi_status(PMPI_Ibcast(&chosen, 1, MPI_INT64_T, 0, cache.control, &request), "bcast");
  if (status) {
    status = wait_politely(request);
  }
  if (!status) {
    return fail(status.error());
  }
  return static_cast<size_t>(chosen);
}

// Waits for a give-back of this rank that rank 0 has already seen on its side.
void take(Cache& cache, size_t index) {
  for (Patience patience;; patience.pause()) {
    const std::lock_guard lock(cache.mutex);
    if (!cache.slots[index].busy) {
      cache.slots[index].busy = true;
      return;
    }
  }
}

void give_back(const CachePtr& cache, size_t index) {
  const std::lock_guard lock(cache->mutex);
  cache->slots[index].comm->end_lease();
  cache->slots[index].busy = false;
  if (cache->orphaned && cache->idle()) {
    cache->free_all();
  }
}

}  // namespace

Result<std::shared_ptr<MpiCommunicator>> borrow_communicator(MPI_Comm program_comm) {
  auto cache = cache_of(program_comm);
  if (!cache) {
    return fail(cache.error());
  }
  auto index = choose_slot(**cache);
  if (!index) {
    return fail(index.error());
  }
  if (*index >= (*cache)->slots.size()) {
    auto made = MpiCommunicator::duplicate((*cache)->control);
    if (!made) {
      return fail(made.error());
    }
    const std::lock_guard lock((*cache)->mutex);
    (*cache)->slots.push_back({std::move(*made), false});
  }
  take(**cache, *index);
  auto* comm = (*cache)->slots[*index].comm.get();
  comm->start_lease();
  return std::shared_ptr<MpiCommunicator>(
      comm, [cache = *cache, slot = *index](MpiCommunicator*) { give_back(cache, slot); });
}

}  // namespace longshore
