#!/bin/bash
# installed.sh SOURCE: installs this build below the current folder, then uses it from there by
# pkg-config and by the installed command, as a user of a package would.
set -euo pipefail
source=$1
prefix=$PWD/prefix
cmake --install "$LONGSHORE_BUILD_DIR" --prefix "$prefix" >install.log
library=$prefix/lib/longshore/$LONGSHORE_MPI/liblongshore.so
test -f "$library" || { echo "not installed: $library"; exit 1; }

# The pkg-config file names the prefix chosen when configuring; --define-prefix follows the file.
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
flags=$(pkg-config --define-variable=prefix="$prefix" --libs "longshore-$LONGSHORE_MPI")
# shellcheck disable=SC2086 # flags and mpirun words are to be split
"$LONGSHORE_MPICC" -O1 -o linked "$source/bench/checkpoint.c" $flags
ldd ./linked >ldd.log  # not a pipe: grep -q would end it early, and pipefail call that a failure
grep -q "liblongshore.so => $library" ldd.log || { cat ldd.log; exit 1; }
# shellcheck disable=SC2086
$LONGSHORE_MPIRUN -n 2 ./linked --size 16 --variables 1

"$LONGSHORE_MPICC" -O1 -o plain "$source/bench/checkpoint.c"
# shellcheck disable=SC2086
"$prefix/bin/longshore" run --verbose $LONGSHORE_MPIRUN -n 2 ./plain --size 16 --variables 1 2>run.log
grep -q "$library" run.log || { cat run.log; exit 1; }
