// comm/real.h - the MPI library's own functions behind the names that the library takes over.
#pragma once
#include <dlfcn.h>

namespace longshore {

// The next definition of `name` after ours; never null for a name that the MPI defines. `Function`
// is the type of the function.
template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace longshore

// The MPI's PMPI_X, looked up once.
#define LONGSHORE_REAL(function)                                                 \
  ([] {                                                                          \
    static auto* const found = ::longshore::real<decltype(function)>(#function); \
    return found;                                                                \
  }())
