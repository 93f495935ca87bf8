#include "entry/error_handlers.h"

#include <mutex>
#include <unordered_map>

#include "comm/real.h"
#include "entry/alias.h"
#include "entry/caller.h"
#include "entry/handles.h"

namespace longshore {
namespace {

// Functions by handler, as long as the program has not freed the handler.
struct Functions {
  std::mutex mutex;
  std::unordered_map<MPI_Errhandler, Handler> by_handler;
  Handler of_null;
};

Functions& functions() {
  static auto* all = new Functions();
  return *all;
}

// REQUIRES: the mutex is held.
Handler function_of(MPI_Errhandler handler) {
  const auto found = functions().by_handler.find(handler);
  return found == functions().by_handler.end() ? Handler{} : found->second;
}

}  // namespace

int Handler::call(MPI_File handle, int code) const {
  if (fortran) {
    MPI_Fint number = LONGSHORE_REAL(PMPI_File_c2f)(handle);
    reinterpret_cast<void (*)(MPI_Fint*, int*)>(function)(&number, &code);
  } else {
    function(&handle, &code);
  }
  return code;
}

Handler default_handler() {
  const std::lock_guard lock(functions().mutex);
  return functions().of_null;
}

}  // namespace longshore

extern "C" int PMPI_File_create_errhandler(MPI_File_errhandler_function* function,
                                           MPI_Errhandler* errhandler) {
  using namespace longshore;
  const int code = LONGSHORE_REAL(PMPI_File_create_errhandler)(function, errhandler);
  const void* caller = __builtin_return_address(0);
  if (code == MPI_SUCCESS && !called_from_mpich_cxx(caller)) {
    const std::lock_guard lock(functions().mutex);
    functions().by_handler[*errhandler] = {function, called_from_mpich_fortran(caller)};
  }
  return code;
}
LONGSHORE_ALIAS(MPI_File_create_errhandler);

extern "C" int PMPI_Errhandler_free(MPI_Errhandler* errhandler) {
  using namespace longshore;
  {
    const std::lock_guard lock(functions().mutex);
    functions().by_handler.erase(*errhandler);
  }
  return LONGSHORE_REAL(PMPI_Errhandler_free)(errhandler);
}
LONGSHORE_ALIAS(MPI_Errhandler_free);

extern "C" int PMPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler) {
  using namespace longshore;
  const int code = LONGSHORE_REAL(PMPI_File_set_errhandler)(file, errhandler);
  if (code != MPI_SUCCESS) {
    return code;
  }
  const auto open = find(file);
  const std::lock_guard lock(functions().mutex);
  if (file == MPI_FILE_NULL) {
    functions().of_null = function_of(errhandler);
  } else if (open) {
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
  using namespace longshore;
  const auto open = find(fh);
  const Handler handler = open ? open->handler : default_handler();
  if (handler.function == nullptr || (!open && fh != MPI_FILE_NULL)) {
    return LONGSHORE_REAL(PMPI_File_call_errhandler)(fh, errorcode);
  }
  static_cast<void>(handler.call(fh, errorcode));
  return MPI_SUCCESS;
}
LONGSHORE_ALIAS(MPI_File_call_errhandler);
