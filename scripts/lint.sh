#!/bin/bash
# lint.sh BUILD [FILE...]: clang-tidy 14 over the given files, or all of src/ and tools/, as the
# Open MPI build compiles them.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
shift
tidy=$(command -v clang-tidy-14 || command -v clang-tidy)
if [ "$#" -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <(find src tools -name '*.cc' | sort)
fi
printf '%s\0' "${files[@]}" |
  xargs -0 -n 4 -P "$(nproc)" "$tidy" -p "$build/openmpi" --quiet --extra-arg=-Wno-unknown-warning-option
