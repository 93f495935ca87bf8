#!/bin/bash
# check_format.sh [--fix]: clang-format 14 over our C and C++ files; exits 1 if one is not formatted.
set -euo pipefail
cd "$(dirname "$0")/.."
format=$(command -v clang-format-14 || command -v clang-format)
mapfile -d '' -t files < <(find src tools tests bench -type f \
  \( -name '*.h' -o -name '*.cc' -o -name '*.c' \) -print0 | sort -z)
if [ "${1-}" = --fix ]; then
  exec "$format" -i "${files[@]}"
fi
exec "$format" --dry-run -Werror "${files[@]}"
