#include "entry/handles.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <shared_mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "comm/real.h"
#include "file/report.h"
#include "storage/storage.h"

namespace longshore {

namespace {

// None of these is ever destroyed: the program may close files while the process exits.
struct Table {
  std::shared_mutex mutex;
  std::unordered_map<MPI_File, std::shared_ptr<OpenFile>> files;
  std::atomic<uint64_t> left{0};  // how many have been closed: what was found before may be gone
};

Table& table() {
  static auto* all = new Table();
  return *all;
}

struct Spare {
  std::mutex mutex;
  std::vector<MPI_File> handles;
};

Spare& spare() {
  static auto* all = new Spare();
  return *all;
}

constexpr size_t kSpareHandles = 64;

// Runs at the begin of MPI_Finalize, while the MPI can still close files.
int close_spare_handles(MPI_Comm, int, void*, void*) {
  rescue_open_files();  // nothing is left to do unless a program found another way to MPI_Finalize
  const std::lock_guard lock(spare().mutex);
  for (auto& handle : spare().handles) {
    LONGSHORE_REAL(PMPI_File_close)(&handle);
  }
  spare().handles.clear();
  release_idle_storage();
  return MPI_SUCCESS;
}

pid_t process_with_files = 0;

// A program may also exit without MPI_Finalize. Children that it forked have no files of their own.
void tell_of_open_files() {
  if (getpid() != process_with_files) {
    return;
  }
  const std::shared_lock lock(table().mutex);
  for (const auto& [handle, open] : table().files) {
    open->file->tell_left_open();
  }
}

void arrange_closing() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (const auto wanted = wanted_reports(); wanted.stats || wanted.trace) {
      process_with_files = getpid();
      std::atexit(tell_of_open_files);
    }
    int keyval = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, close_spare_handles, &keyval, nullptr);
    PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
  });
}

// By the MPI's own routines throughout: what the program has of handlers does not change.
void inherit_error_handler(MPI_File handle) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (LONGSHORE_REAL(PMPI_File_get_errhandler)(MPI_FILE_NULL, &handler) != MPI_SUCCESS) {
    return;
  }
  LONGSHORE_REAL(PMPI_File_set_errhandler)(handle, handler);
  LONGSHORE_REAL(PMPI_Errhandler_free)(&handler);
}

// A file opened by MPICH has the error handler of MPI_FILE_NULL but counts no reference to it, and
// drops one when it gets another or is closed: the handler would be gone while it is in use. A
// handler that one gets has one reference more, which becomes the file's.
void count_inherited_handler([[maybe_unused]] MPI_File handle) {
#ifdef MPICH_VERSION
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  LONGSHORE_REAL(PMPI_File_get_errhandler)(handle, &handler);
#endif
}

}  // namespace

void rescue_open_files() {
  static std::once_flag once;
  std::call_once(once, [] {
    const std::shared_lock lock(table().mutex);
    for (const auto& [handle, open] : table().files) {
      open->file->begin_rescue();
    }
    for (const auto& [handle, open] : table().files) {
      open->file->end_rescue();
      open->comm->end_lease();  // its threads use MPI
    }
  });
}

KeptType::KeptType(MPI_Datatype type) : type_(type) {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = MPI_COMBINER_NAMED;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  derived_ = combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_F90_REAL &&
             combiner != MPI_COMBINER_F90_COMPLEX && combiner != MPI_COMBINER_F90_INTEGER;
  if (derived_) {
    PMPI_Type_dup(type, &type_);
  }
}

KeptType::~KeptType() {
  if (derived_) {
    PMPI_Type_free(&type_);
  }
}

KeptType::KeptType(KeptType&& other) noexcept { *this = std::move(other); }

KeptType& KeptType::operator=(KeptType&& other) noexcept {
  std::swap(type_, other.type_);
  std::swap(derived_, other.derived_);
  return *this;
}

MPI_Datatype KeptType::copy() const {
  MPI_Datatype result = type_;
  if (derived_) {
    PMPI_Type_dup(type_, &result);
  }
  return result;
}

Result<MPI_File> take_handle() {
  {
    std::unique_lock lock(spare().mutex);
    if (!spare().handles.empty()) {
      MPI_File handle = spare().handles.back();
      spare().handles.pop_back();
      lock.unlock();
      inherit_error_handler(handle);
      return handle;
    }
  }
  MPI_File handle = MPI_FILE_NULL;
  const int code = LONGSHORE_REAL(PMPI_File_open)(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDWR,
                                                  MPI_INFO_NULL, &handle);
  if (code != MPI_SUCCESS) {
    return fail(ErrorClass::kIntern, "the MPI library made no file handle");
  }
  count_inherited_handler(handle);
  arrange_closing();  // after the MPI's own arrangements for files, since the last comes first
  return handle;
}

void give_back_handle(MPI_File handle) {
  LONGSHORE_REAL(PMPI_File_set_errhandler)(handle, MPI_ERRORS_RETURN);
  {
    const std::lock_guard lock(spare().mutex);
    if (spare().handles.size() < kSpareHandles) {
      spare().handles.push_back(handle);
      return;
    }
  }
  LONGSHORE_REAL(PMPI_File_close)(&handle);
}

void enter(std::shared_ptr<OpenFile> file) {
  const std::unique_lock lock(table().mutex);
  const MPI_File handle = file->handle;
  table().files[handle] = std::move(file);
}

void leave(MPI_File handle) {
  const std::unique_lock lock(table().mutex);
  table().files.erase(handle);
  ++table().left;
}

std::shared_ptr<OpenFile> find(MPI_File handle) {
  const std::shared_lock lock(table().mutex);
  const auto found = table().files.find(handle);
  return found == table().files.end() ? nullptr : found->second;
}

OpenFile* find_for_call(MPI_File handle) {
  struct Recent {
    MPI_File handle = MPI_FILE_NULL;
    uint64_t left = 0;
    OpenFile* open = nullptr;
  };
  static thread_local Recent recent;
  const uint64_t left = table().left;
  if (recent.open == nullptr || recent.handle != handle || recent.left != left) {
    recent = {handle, left, find(handle).get()};
  }
  return recent.open;
}

}  // namespace longshore
