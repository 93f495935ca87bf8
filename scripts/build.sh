#!/bin/bash
# build.sh BUILD JOBS PRESET...: configures (once) and builds each preset in BUILD/PRESET; all of it,
# or the targets in $TARGETS.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
jobs=$2
shift 2
for preset in "$@"; do
  if [ ! -f "$build/$preset/CMakeCache.txt" ]; then
    mkdir -p "$build/$preset"
    if ! cmake --preset "$preset" -B "$build/$preset" >"$build/$preset/configure.log" 2>&1; then
      cat "$build/$preset/configure.log" >&2
      rm -f "$build/$preset/CMakeCache.txt"
      exit 1
    fi
  fi
  echo "build: $preset"
  # shellcheck disable=SC2086 # the targets are to be split
  cmake --build "$build/$preset" -j "$jobs" ${TARGETS:+--target $TARGETS} -- \
    ${CMAKE_GENERATOR:+--quiet}
done
