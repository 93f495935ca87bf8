// Data representations: MPI_Register_datarep and the extents of types in a file.
#include <mpi.h>

#include <utility>

#include "entry/alias.h"
#include "entry/caller.h"
#include "entry/with_file.h"

namespace longshore {
namespace {

template <typename Extent>
int type_extent(MPI_File handle, MPI_Datatype type, Extent* extent) {
  return with_file_into(handle, extent, [&](OpenFile& open) -> Result<int64_t> {
    auto decoded = open.representation->decode_type(type);
    return decoded ? Result<int64_t>(decoded->extent_bytes) : fail(decoded.error());
  });
}

// Wraps the program's function of either count type; null stays null.
template <typename Function>
RegisteredFunctions::Convert converter(Function* function, void* state) {
  if (function == nullptr) {
    return nullptr;
  }
  return [=](void* user, MPI_Datatype type, int64_t items, void* file, MPI_Offset position) {
    return function(user, type, static_cast<int>(items), file, position, state);
  };
}

template <typename Function>
RegisteredFunctions c_functions(Function* read, Function* write,
                                MPI_Datarep_extent_function* extent, void* state) {
  RegisteredFunctions functions{converter(read, state), converter(write, state), nullptr};
  if (extent != nullptr) {
    functions.extent = [=](MPI_Datatype type, MPI_Aint* bytes) {
      return extent(type, bytes, state);
    };
  }
  return functions;
}

// Fortran's form takes everything by reference and returns its code in the last argument.
RegisteredFunctions::Convert fortran_converter(MPI_Datarep_conversion_function* function,
                                               void* state) {
  using Fortran = void(void*, MPI_Fint*, MPI_Fint*, void*, MPI_Offset*, void*, MPI_Fint*);
  const void* null_function = dlsym(RTLD_DEFAULT, "mpi_conversion_fn_null_");
  if (function == nullptr || reinterpret_cast<void*>(function) == null_function) {
    return nullptr;
  }
  return [=](void* user, MPI_Datatype type, int64_t items, void* file, MPI_Offset position) {
    MPI_Fint number = PMPI_Type_c2f(type);
    auto count = static_cast<MPI_Fint>(items);
    MPI_Fint code = MPI_SUCCESS;
    reinterpret_cast<Fortran*>(reinterpret_cast<void*>(function))(user, &number, &count, file,
                                                                  &position, state, &code);
    return code;
  };
}

RegisteredFunctions fortran_functions(MPI_Datarep_conversion_function* read,
                                      MPI_Datarep_conversion_function* write,
                                      MPI_Datarep_extent_function* extent, void* state) {
  RegisteredFunctions functions{fortran_converter(read, state), fortran_converter(write, state),
                                nullptr};
  functions.extent = [=](MPI_Datatype type, MPI_Aint* bytes) {
    using Fortran = void(MPI_Fint*, MPI_Aint*, void*, MPI_Fint*);
    MPI_Fint number = PMPI_Type_c2f(type);
    MPI_Fint code = MPI_SUCCESS;
    reinterpret_cast<Fortran*>(reinterpret_cast<void*>(extent))(&number, bytes, state, &code);
    return code;
  };
  return functions;
}

int register_functions(const char* name, RegisteredFunctions functions) {
  return answer(MPI_FILE_NULL,
                register_representation(name == nullptr ? "" : name, std::move(functions)));
}

}  // namespace
}  // namespace longshore

extern "C" int PMPI_File_get_type_extent(MPI_File fh, MPI_Datatype datatype, MPI_Aint* extent) {
  return longshore::type_extent(fh, datatype, extent);
}
LONGSHORE_ALIAS(MPI_File_get_type_extent);

extern "C" int PMPI_Register_datarep(const char* datarep, MPI_Datarep_conversion_function* read,
                                     MPI_Datarep_conversion_function* write,
                                     MPI_Datarep_extent_function* extent, void* extra_state) {
  using namespace longshore;
  const bool fortran = called_from_mpich_fortran(__builtin_return_address(0));
  return register_functions(datarep, fortran ? fortran_functions(read, write, extent, extra_state)
                                             : c_functions(read, write, extent, extra_state));
}
LONGSHORE_ALIAS(MPI_Register_datarep);

#if MPI_VERSION >= 4
extern "C" int PMPI_File_get_type_extent_c(MPI_File fh, MPI_Datatype datatype, MPI_Count* extent) {
  return longshore::type_extent(fh, datatype, extent);
}
LONGSHORE_ALIAS(MPI_File_get_type_extent_c);

extern "C" int PMPI_Register_datarep_c(const char* datarep, MPI_Datarep_conversion_function_c* read,
                                       MPI_Datarep_conversion_function_c* write,
                                       MPI_Datarep_extent_function* extent, void* extra_state) {
  using namespace longshore;
  return register_functions(datarep, c_functions(read, write, extent, extra_state));
}
LONGSHORE_ALIAS(MPI_Register_datarep_c);
#endif
