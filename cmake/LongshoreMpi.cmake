# The MPI, taken from its own compiler wrapper rather than from find_package(MPI): both MPIs may be
# installed side by side, and only the wrapper knows for sure which headers go with which library.
#
# Sets LONGSHORE_MPICC, LONGSHORE_MPICXX, LONGSHORE_MPIFC (empty if there is none),
# LONGSHORE_MPIRUN_PROGRAM, and makes the target longshore_mpi.
if(NOT LONGSHORE_MPI MATCHES "^(openmpi|mpich)$")
  message(FATAL_ERROR "LONGSHORE_MPI is '${LONGSHORE_MPI}'; it must be openmpi or mpich")
endif()

# Debian's name (mpicc.mpich) first, then the plain one, as on a machine with a single MPI.
find_program(LONGSHORE_MPICC NAMES mpicc.${LONGSHORE_MPI} mpicc REQUIRED)
find_program(LONGSHORE_MPICXX NAMES mpicxx.${LONGSHORE_MPI} mpicxx REQUIRED)
find_program(LONGSHORE_MPIFC NAMES mpif90.${LONGSHORE_MPI} mpif90)
find_program(LONGSHORE_MPIRUN_PROGRAM NAMES mpirun.${LONGSHORE_MPI} mpirun REQUIRED)

execute_process(COMMAND ${LONGSHORE_MPICC} -show OUTPUT_VARIABLE mpi_command
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(mpi_command UNIX_COMMAND "${mpi_command}")
list(POP_FRONT mpi_command)  # the compiler

add_library(longshore_mpi INTERFACE)
foreach(word IN LISTS mpi_command)
  if(word MATCHES "^-I(.+)$")
    target_include_directories(longshore_mpi SYSTEM INTERFACE ${CMAKE_MATCH_1})
  elseif(word MATCHES "^-L(.+)$")
    target_link_directories(longshore_mpi INTERFACE ${CMAKE_MATCH_1})
    list(APPEND LONGSHORE_MPI_LIBRARY_DIRS ${CMAKE_MATCH_1})
  elseif(word MATCHES "^-l")
    target_link_libraries(longshore_mpi INTERFACE ${word})
  elseif(word MATCHES "^-Wl,")
    target_link_options(longshore_mpi INTERFACE ${word})
  endif()
endforeach()
# The C++ bindings of old are not wanted.
target_compile_definitions(longshore_mpi INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)

# The wrapper must be the MPI that was asked for.
if(LONGSHORE_MPI STREQUAL "openmpi")
  set(expected_macro OPEN_MPI)
else()
  set(expected_macro MPICH_VERSION)
endif()
file(WRITE ${CMAKE_BINARY_DIR}/probe/which_mpi.c
     "#include <mpi.h>\n#ifndef ${expected_macro}\n#error another MPI\n#endif\n"
     "int main(void) { return 0; }\n")
execute_process(COMMAND ${LONGSHORE_MPICC} -fsyntax-only ${CMAKE_BINARY_DIR}/probe/which_mpi.c
                RESULT_VARIABLE wrong_mpi OUTPUT_QUIET ERROR_QUIET)
if(wrong_mpi)
  message(FATAL_ERROR "${LONGSHORE_MPICC} does not belong to ${LONGSHORE_MPI}; "
                      "give -DLONGSHORE_MPICC=, -DLONGSHORE_MPICXX= and -DLONGSHORE_MPIRUN_PROGRAM=")
endif()
message(STATUS "MPI: ${LONGSHORE_MPI} by ${LONGSHORE_MPICC}, started by ${LONGSHORE_MPIRUN_PROGRAM}")
