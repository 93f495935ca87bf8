// entry/caller.h - which library a call came from.
//
// MPICH's Fortran and C++ bindings pass the program's callback functions through the C routines as
// if they were C functions. Which convention a callback follows can only be told by who passed it.
#pragma once
#include <dlfcn.h>

#include <cstring>

namespace longshore {

// Whether a return address lies in a shared library whose file name has this part.
[[nodiscard]] inline bool called_from(const void* return_address, const char* library_part) {
  Dl_info info{};
  return dladdr(return_address, &info) != 0 && info.dli_fname != nullptr &&
         std::strstr(info.dli_fname, library_part) != nullptr;
}

[[nodiscard]] inline bool called_from_mpich_fortran(const void* return_address) {
  return called_from(return_address, "libmpichfort");
}

[[nodiscard]] inline bool called_from_mpich_cxx(const void* return_address) {
  return called_from(return_address, "libmpichcxx");
}

}  // namespace longshore
