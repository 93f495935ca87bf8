# Checks that run with every build: they are part of `all`, and a failure fails the build.

# Includes go down the house only.
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/checks/layers.stamp
  COMMAND ${LONGSHORE_PYTHON} ${CMAKE_SOURCE_DIR}/scripts/check_layers.py ${CMAKE_SOURCE_DIR}
          --stamp ${CMAKE_BINARY_DIR}/checks/layers.stamp
          --depfile ${CMAKE_BINARY_DIR}/checks/layers.d
  DEPENDS ${CMAKE_SOURCE_DIR}/scripts/check_layers.py
  DEPFILE ${CMAKE_BINARY_DIR}/checks/layers.d
  COMMENT "Checking that includes go down the layers only"
  VERBATIM)
add_custom_target(check_layers ALL DEPENDS ${CMAKE_BINARY_DIR}/checks/layers.stamp)

# Compiles each of the headers alone: one generated source per header, of which nothing is linked.
# Headers are the same for both MPIs, so the preset for one of them leaves this out.
option(LONGSHORE_CHECK_HEADERS "Compile each header alone" ON)
function(longshore_check_headers target include_root)
  if(NOT LONGSHORE_CHECK_HEADERS)
    return()
  endif()
  set(sources)
  foreach(header IN LISTS ARGN)
    file(RELATIVE_PATH relative ${include_root} ${header})
    string(REPLACE "/" "__" flat ${relative})
    set(source ${CMAKE_BINARY_DIR}/checks/headers/${target}/${flat}.cc)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${relative}\"\n#include \"${relative}\"\n")
    list(APPEND sources ${source})
  endforeach()
  if(sources)
    add_library(${target} OBJECT ${sources})
    target_include_directories(${target} PRIVATE ${include_root})
    target_link_libraries(${target} PRIVATE longshore_flags longshore_mpi)
    target_compile_options(${target} PRIVATE -O0 -g0)
  endif()
endfunction()
