# How tests are made and run. Every test has a timeout that also ends the ranks it started.
#
# For hand-made tests (scripts) these are set:
#   LONGSHORE_MPI            openmpi or mpich
#   LONGSHORE_MPIRUN         list: the mpirun with the flags that tests on few cores need
#   LONGSHORE_PRELOAD_ENV    list: mpirun flags that preload liblongshore.so into the ranks only
#   LONGSHORE_PRELOAD        the value of LD_PRELOAD behind that
#   LONGSHORE_TEST_ENV       list of NAME=VALUE for a test's ENVIRONMENT property; it holds
#                            LONGSHORE_MPI, LONGSHORE_MPIRUN, LONGSHORE_PRELOAD_ENV,
#                            LONGSHORE_PRELOAD, LONGSHORE_LIBRARY, LONGSHORE_MPICC, _MPICXX, _MPIFC,
#                            LONGSHORE_PYTHON, LONGSHORE_CLI, LONGSHORE_BUILD_DIR, so that a script
#                            finds all of this (flags as one string to be split at blanks)
#   LONGSHORE_MPICC, LONGSHORE_MPICXX, LONGSHORE_MPIFC, LONGSHORE_PYTHON
set(LONGSHORE_LIBRARY ${CMAKE_BINARY_DIR}/lib/liblongshore.so)
if(LONGSHORE_SANITIZER_RUNTIME)
  set(LONGSHORE_PRELOAD ${LONGSHORE_SANITIZER_RUNTIME}:${LONGSHORE_LIBRARY})
else()
  set(LONGSHORE_PRELOAD ${LONGSHORE_LIBRARY})
endif()

if(LONGSHORE_MPI STREQUAL "openmpi")
  set(LONGSHORE_MPIRUN ${LONGSHORE_MPIRUN_PROGRAM} --allow-run-as-root --oversubscribe --bind-to none
      --mca mpi_yield_when_idle 1 --mca btl_vader_single_copy_mechanism none)
  set(LONGSHORE_PRELOAD_ENV -x LD_PRELOAD=${LONGSHORE_PRELOAD})
else()
  set(LONGSHORE_MPIRUN ${LONGSHORE_MPIRUN_PROGRAM} -genv MPIR_CVAR_POLLS_BEFORE_YIELD 10)
  set(LONGSHORE_PRELOAD_ENV -genv LD_PRELOAD ${LONGSHORE_PRELOAD})
endif()

# A long history: a race that has lost one of its stacks cannot be told from one inside the MPI.
set(longshore_sanitizer_env
    "ASAN_OPTIONS=detect_leaks=0:abort_on_error=0:exitcode=99"
    "UBSAN_OPTIONS=print_stacktrace=1"
    "TSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/tsan.supp:history_size=7:exitcode=99")
if(LONGSHORE_SANITIZE MATCHES "thread")
  # UCX, below MPICH, puts itself before madvise, which the C library calls for a thread that the
  # sanitizer has already taken leave of: the process would die of that.
  list(APPEND longshore_sanitizer_env "UCX_MEM_EVENTS=no")
endif()
list(JOIN LONGSHORE_MPIRUN " " mpirun_words)
list(JOIN LONGSHORE_PRELOAD_ENV " " preload_words)
set(LONGSHORE_TEST_ENV
    "LONGSHORE_MPI=${LONGSHORE_MPI}"
    "LONGSHORE_MPIRUN=${mpirun_words}"
    "LONGSHORE_PRELOAD_ENV=${preload_words}"
    "LONGSHORE_PRELOAD=${LONGSHORE_PRELOAD}"
    "LONGSHORE_LIBRARY=${LONGSHORE_LIBRARY}"
    "LONGSHORE_MPICC=${LONGSHORE_MPICC}"
    "LONGSHORE_MPICXX=${LONGSHORE_MPICXX}"
    "LONGSHORE_MPIFC=${LONGSHORE_MPIFC}"
    "LONGSHORE_PYTHON=${LONGSHORE_PYTHON}"
    "LONGSHORE_CLI=${CMAKE_BINARY_DIR}/bin/longshore"
    "LONGSHORE_BUILD_DIR=${CMAKE_BINARY_DIR}"
    ${longshore_sanitizer_env})

# Keeps of a list of files those that -DLONGSHORE_TEST_FILES=<regex> asks for.
function(longshore_filter_tests list_name)
  if(LONGSHORE_TEST_FILES)
    list(FILTER ${list_name} INCLUDE REGEX "${LONGSHORE_TEST_FILES}")
    set(${list_name} ${${list_name}} PARENT_SCOPE)
  endif()
endfunction()

# longshore_add_unit_tests(target SOURCES file... LIBS library...
#                          [TIMEOUT seconds] [LABELS label...])
# A GoogleTest program that runs without mpiexec, registered as one test `<target>`.
function(longshore_add_unit_tests target)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LIBS;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${target} ${ARG_SOURCES})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE ${ARG_LIBS} GTest::gmock GTest::gtest longshore_flags)
  add_test(NAME ${target} COMMAND timeout -k 10 ${ARG_TIMEOUT} $<TARGET_FILE:${target}>)
  set_tests_properties(${target} PROPERTIES LABELS "unit;${ARG_LABELS}" ENVIRONMENT
                                            "${LONGSHORE_TEST_ENV}")
endfunction()

# longshore_add_mpi_run(name COMMAND program [argument...] [RANKS n...] [PRELOAD] [TIMEOUT seconds]
#                       [ENV NAME=VALUE...] [LABELS label...] [SERIAL])
# Runs a program under this build's mpirun once per rank count, as test `<name>.np<n>`. TIMEOUT
# (default 120) ends the mpirun and with it the ranks. Each test runs in a folder of its own,
# empty at the start: `<build>/scratch/<name>.np<n>`.
function(longshore_add_mpi_run name)
  cmake_parse_arguments(ARG "PRELOAD;SERIAL" "TIMEOUT" "COMMAND;RANKS;ENV;LABELS" ${ARGN})
  if(NOT ARG_RANKS)
    set(ARG_RANKS 1 2 3 4 5 8)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  set(preload)
  if(ARG_PRELOAD)
    set(preload ${LONGSHORE_PRELOAD_ENV})
  endif()
  foreach(ranks IN LISTS ARG_RANKS)
    set(test ${name}.np${ranks})
    set(scratch ${CMAKE_BINARY_DIR}/scratch/${test})
    add_test(NAME ${test}
             COMMAND ${CMAKE_SOURCE_DIR}/scripts/in_scratch.sh ${scratch} timeout -k 15
                     ${ARG_TIMEOUT} ${LONGSHORE_MPIRUN} ${preload} -n ${ranks} ${ARG_COMMAND})
    set(processors 2)
    if(ranks EQUAL 1)
      set(processors 1)
    endif()
    math(EXPR hard_timeout "${ARG_TIMEOUT} + 30")
    set_tests_properties(
      ${test} PROPERTIES PROCESSORS ${processors} LABELS "mpi;${ARG_LABELS}" TIMEOUT ${hard_timeout}
                         ENVIRONMENT "${LONGSHORE_TEST_ENV};${ARG_ENV}")
    if(ARG_SERIAL)
      set_tests_properties(${test} PROPERTIES RUN_SERIAL ON)
    endif()
  endforeach()
endfunction()

# longshore_add_mpi_test(name SOURCES file... RANKS n... [PRELOAD|LINK|STOCK] [ARGS argument...]
#                        [COMPILE_FLAGS flag...] [LINK_FLAGS flag...] [TIMEOUT seconds]
#                        [ENV NAME=VALUE...] [LABELS label...] [SERIAL])
# An ordinary MPI program, in C, C++ or Fortran by its first file's suffix, built with the MPI's own
# wrapper as a user would, and run as longshore_add_mpi_run does: with the library preloaded
# (PRELOAD, the default), linked with -llongshore (LINK), or without it (STOCK).
function(longshore_add_mpi_test name)
  cmake_parse_arguments(ARG "PRELOAD;LINK;STOCK;SERIAL" "TIMEOUT"
                        "SOURCES;RANKS;ARGS;COMPILE_FLAGS;LINK_FLAGS;ENV;LABELS" ${ARGN})
  set(link_flags ${ARG_LINK_FLAGS})
  if(ARG_LINK)
    list(APPEND link_flags -L${CMAKE_BINARY_DIR}/lib -llongshore -Wl,-rpath,${CMAKE_BINARY_DIR}/lib)
  endif()
  longshore_add_mpi_program(${name} SOURCES ${ARG_SOURCES} COMPILE_FLAGS ${ARG_COMPILE_FLAGS}
                            LINK_FLAGS ${link_flags})
  set(how PRELOAD)
  if(ARG_LINK OR ARG_STOCK)
    set(how)
  endif()
  set(serial)
  if(ARG_SERIAL)
    set(serial SERIAL)
  endif()
  longshore_add_mpi_run(
    ${name} COMMAND ${CMAKE_CURRENT_BINARY_DIR}/${name} ${ARG_ARGS} RANKS ${ARG_RANKS} ${how}
    TIMEOUT ${ARG_TIMEOUT} ENV ${ARG_ENV} LABELS ${ARG_LABELS} ${serial})
endfunction()

# longshore_add_mpi_program(name SOURCES file... [COMPILE_FLAGS flag...] [LINK_FLAGS flag...])
# Only the building of longshore_add_mpi_test: makes ${CMAKE_CURRENT_BINARY_DIR}/<name>.
function(longshore_add_mpi_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;COMPILE_FLAGS;LINK_FLAGS" ${ARGN})
  set(sources)
  foreach(source IN LISTS ARG_SOURCES)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    list(APPEND sources ${source})
  endforeach()
  list(GET sources 0 first)
  cmake_path(GET first EXTENSION LAST_ONLY suffix)
  set(module_flags)
  if(suffix MATCHES "^\\.(f|f90|f08|F|F90)$")
    if(NOT LONGSHORE_MPIFC)
      message(FATAL_ERROR "${name} needs a Fortran wrapper of ${LONGSHORE_MPI}: install gfortran")
    endif()
    set(wrapper ${LONGSHORE_MPIFC})
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${name}.modules)
    set(module_flags -J${CMAKE_CURRENT_BINARY_DIR}/${name}.modules)
  elseif(suffix STREQUAL ".c")
    set(wrapper ${LONGSHORE_MPICC})
    set(module_flags -std=gnu11 -Wall)
  else()
    set(wrapper ${LONGSHORE_MPICXX})
    set(module_flags -std=c++20 -Wall -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX)
  endif()
  set(library)
  if(TARGET longshore)
    set(library longshore)
  endif()
  add_custom_command(
    OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}
    COMMAND ${wrapper} -O1 -g ${module_flags} ${ARG_COMPILE_FLAGS} -o
            ${CMAKE_CURRENT_BINARY_DIR}/${name} ${sources} ${ARG_LINK_FLAGS}
    DEPENDS ${sources} ${library}
    COMMENT "Building ${name} with ${wrapper}"
    VERBATIM)
  add_custom_target(${name}_program ALL DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${name})
endfunction()

# longshore_add_script_test(name COMMAND program [argument...] [TIMEOUT seconds] [LABELS label...]
#                           [ENV NAME=VALUE...] [PROCESSORS n] [SERIAL])
# A script that starts its own mpiruns from the LONGSHORE_* environment (see above). TIMEOUT
# (default 300) ends the script; it must itself end what it starts on SIGTERM, or give each mpirun a
# `timeout`. It runs in an empty folder of its own.
function(longshore_add_script_test name)
  cmake_parse_arguments(ARG "SERIAL" "TIMEOUT;PROCESSORS" "COMMAND;LABELS;ENV" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if(NOT ARG_PROCESSORS)
    set(ARG_PROCESSORS 2)
  endif()
  add_test(NAME ${name} COMMAND ${CMAKE_SOURCE_DIR}/scripts/in_scratch.sh
                                ${CMAKE_BINARY_DIR}/scratch/${name} timeout -k 15 ${ARG_TIMEOUT}
                                ${ARG_COMMAND})
  math(EXPR hard_timeout "${ARG_TIMEOUT} + 30")
  set_tests_properties(
    ${name} PROPERTIES PROCESSORS ${ARG_PROCESSORS} LABELS "script;${ARG_LABELS}" TIMEOUT
                       ${hard_timeout} ENVIRONMENT "${LONGSHORE_TEST_ENV};${ARG_ENV}")
  if(ARG_SERIAL)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()
