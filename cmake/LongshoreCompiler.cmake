# Language level, warnings, sanitizers, compiler cache: what every target of ours gets.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Sources are named by absolute paths, so that build trees in different places can share results.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER env CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
endif()

find_package(Threads REQUIRED)

add_library(longshore_flags INTERFACE)
target_compile_options(
  longshore_flags
  INTERFACE -Wall
            -Wextra
            -Wshadow
            -Wconversion
            -Wno-sign-conversion
            -Wformat=2
            -Werror
            $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
            $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
            $<$<COMPILE_LANGUAGE:CXX>:-Wextra-semi>
            -fno-omit-frame-pointer)
target_link_libraries(longshore_flags INTERFACE Threads::Threads)

if(LONGSHORE_SANITIZE)
  target_compile_options(longshore_flags INTERFACE -fsanitize=${LONGSHORE_SANITIZE} -UNDEBUG
                                                   -fno-sanitize-recover=all)
  target_link_options(longshore_flags INTERFACE -fsanitize=${LONGSHORE_SANITIZE})
  # A preloaded library needs the sanitizer's run time before everything else in the process.
  if(LONGSHORE_SANITIZE MATCHES "thread")
    set(runtime libtsan.so)
  else()
    set(runtime libasan.so)
  endif()
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${runtime}
                  OUTPUT_VARIABLE LONGSHORE_SANITIZER_RUNTIME OUTPUT_STRIP_TRAILING_WHITESPACE)
  file(REAL_PATH "${LONGSHORE_SANITIZER_RUNTIME}" LONGSHORE_SANITIZER_RUNTIME)
endif()

# Tests call python3 scripts that use Debian's packages: a python of the user's own may lack them.
find_program(LONGSHORE_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(LONGSHORE_PYTHON python3 REQUIRED)
