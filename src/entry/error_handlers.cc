#include "entry/error_handlers.h"

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "comm/real.h"
#include "entry/alias.h"
#include "entry/handles.h"

namespace longshore {
namespace {

// C functions by handler, as long as the program has not freed the handler.
struct Functions {
  std::mutex mutex;
  std::unordered_map<MPI_Errhandler, CHandler> by_handler;
};

Functions& functions() {
  static auto* all = new Functions();
  return *all;
}

std::atomic<CHandler> null_handler{nullptr};

CHandler function_of(MPI_Errhandler handler) {
  const std::lock_guard lock(functions().mutex);
  const auto found = functions().by_handler.find(handler);
  return found == functions().by_handler.end() ? nullptr : found->second;
}

void forget(MPI_Errhandler handler) {
  const std::lock_guard lock(functions().mutex);
  functions().by_handler.erase(handler);
}

}  // namespace

CHandler default_handler() { return null_handler; }

}  // namespace longshore

extern "C" int PMPI_File_create_errhandler(MPI_File_errhandler_function* function,
                                           MPI_Errhandler* errhandler) {
  using namespace longshore;
  const int code = LONGSHORE_REAL(PMPI_File_create_errhandler)(function, errhandler);
  if (code == MPI_SUCCESS) {
    const std::lock_guard lock(functions().mutex);
    functions().by_handler[*errhandler] = function;
  }
  return code;
}
LONGSHORE_ALIAS(MPI_File_create_errhandler);

extern "C" int PMPI_Errhandler_free(MPI_Errhandler* errhandler) {
  longshore::forget(*errhandler);
  return LONGSHORE_REAL(PMPI_Errhandler_free)(errhandler);
}
LONGSHORE_ALIAS(MPI_Errhandler_free);

#ifdef MPICH_VERSION
// MPICH's C++ binding makes a handler as if in C and then says that it is not.
extern "C" void MPII_Errhandler_set_cxx(MPI_Errhandler errhandler, void (*caller)(void)) {
  longshore::forget(errhandler);
  using Function = void(MPI_Errhandler, void (*)(void));
  static auto* const next = longshore::real<Function>("MPII_Errhandler_set_cxx");
  next(errhandler, caller);
}
#endif

extern "C" int PMPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler) {
  using namespace longshore;
  const int code = LONGSHORE_REAL(PMPI_File_set_errhandler)(file, errhandler);
  if (code != MPI_SUCCESS) {
    return code;
  }
  if (file == MPI_FILE_NULL) {
    null_handler = function_of(errhandler);
  } else if (auto open = find(file)) {
    open->handler = function_of(errhandler);
  }
  return code;
}
LONGSHORE_ALIAS(MPI_File_set_errhandler);

extern "C" int PMPI_File_get_errhandler(MPI_File file, MPI_Errhandler* errhandler) {
  return LONGSHORE_REAL(PMPI_File_get_errhandler)(file, errhandler);
}
LONGSHORE_ALIAS(MPI_File_get_errhandler);

extern "C" int PMPI_File_call_errhandler(MPI_File fh, int errorcode) {
  return LONGSHORE_REAL(PMPI_File_call_errhandler)(fh, errorcode);
}
LONGSHORE_ALIAS(MPI_File_call_errhandler);
