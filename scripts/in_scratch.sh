#!/bin/sh
# in_scratch.sh FOLDER COMMAND...: runs the command in FOLDER, which is emptied first and, if the
# command succeeds, removed afterwards: tests leave gigabytes behind otherwise.
set -u
folder=$1
shift
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder" || exit 1
"$@"
code=$?
if [ "$code" -eq 124 ] || [ "$code" -eq 137 ]; then
  echo "in_scratch.sh: timed out: $*" >&2
fi
if [ "$code" -eq 0 ]; then
  cd / && rm -rf "$folder"
fi
exit "$code"
