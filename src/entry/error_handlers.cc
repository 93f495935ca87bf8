#include "entry/error_handlers.h"

#include <mutex>
#include <unordered_map>

#include "comm/real.h"
#include "entry/alias.h"
#include "entry/caller.h"
#include "entry/handles.h"

namespace longshore {
namespace {

struct Known {
  Handler handler;
  int references = 0;  // that the program has, by creating or getting the handler
};

// What is known of handlers, as long as the program has a reference: the MPI may use a handle again
// once it is freed.
struct Functions {
  std::mutex mutex;
  std::unordered_map<MPI_Errhandler, Known> by_handler;
  Handler of_null;
};

Functions& functions() {
  static auto* all = new Functions();
  return *all;
}

// REQUIRES: the mutex is held.
Handler function_of(MPI_Errhandler handler) {
  const auto found = functions().by_handler.find(handler);
  return found == functions().by_handler.end() ? Handler{} : found->second.handler;
}

// The program has got one reference more.
void add_reference(MPI_Errhandler errhandler, const Handler& handler) {
  const std::lock_guard lock(functions().mutex);
  Known& known = functions().by_handler[errhandler];
  known.handler = handler;
  ++known.references;
}

void drop_reference(MPI_Errhandler errhandler) {
  const std::lock_guard lock(functions().mutex);
  const auto found = functions().by_handler.find(errhandler);
  if (found != functions().by_handler.end() && --found->second.references == 0) {
    functions().by_handler.erase(found);
  }
}

Handler handler_of(MPI_File file) {
  const auto open = find(file);
  if (open) {
    const std::lock_guard lock(functions().mutex);
    return open->handler;
  }
  return file == MPI_FILE_NULL ? default_handler() : Handler{};
}

Handler::Language language_of_caller(const void* return_address) {
  if (called_from_mpich_cxx(return_address)) {
    return Handler::Language::kCxx;
  }
  return called_from_mpich_fortran(return_address) ? Handler::Language::kFortran
                                                   : Handler::Language::kC;
}

}  // namespace

int Handler::call(MPI_File handle, int code) const {
  switch (language) {
    case Language::kC: function(&handle, &code); break;
    case Language::kFortran: {
      MPI_Fint number = LONGSHORE_REAL(PMPI_File_c2f)(handle);
      reinterpret_cast<void (*)(MPI_Fint*, int*)>(function)(&number, &code);
      break;
    }
    case Language::kCxx:
      LONGSHORE_REAL(PMPI_File_call_errhandler)(handle, code);
      return MPI_SUCCESS;
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
  if (code == MPI_SUCCESS) {
    add_reference(*errhandler, {function, language_of_caller(__builtin_return_address(0))});
  }
  return code;
}
LONGSHORE_ALIAS(MPI_File_create_errhandler);

extern "C" int PMPI_Errhandler_free(MPI_Errhandler* errhandler) {
  using namespace longshore;
  drop_reference(*errhandler);
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
  using namespace longshore;
  const int code = LONGSHORE_REAL(PMPI_File_get_errhandler)(file, errhandler);
  if (const Handler handler = handler_of(file); code == MPI_SUCCESS && handler.function) {
    add_reference(*errhandler, handler);
  }
  return code;
}
LONGSHORE_ALIAS(MPI_File_get_errhandler);

extern "C" int PMPI_File_call_errhandler(MPI_File fh, int errorcode) {
  using namespace longshore;
  const Handler handler = handler_of(fh);
  if (handler.function == nullptr) {
    return LONGSHORE_REAL(PMPI_File_call_errhandler)(fh, errorcode);
  }
  static_cast<void>(handler.call(fh, errorcode));
  return MPI_SUCCESS;
}
LONGSHORE_ALIAS(MPI_File_call_errhandler);
