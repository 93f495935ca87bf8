#!/bin/bash
# self_test.sh: `longshore check --self-test` on 2 ranks of this build's MPI, on both MPI-IOs: of 100
# equal operations at most 2 are called slower, of 100 slowed by 30% at least 95 are found. Counts its
# cases at the end.
set -uo pipefail
. "$(dirname "$0")/judge.sh"
mkdir -p files
check=("$LONGSHORE_CLI" check --mpi "$LONGSHORE_MPI" --dir files -n 2 --self-test --budget 240)

for mpi_io in stock longshore; do
  output=$(timeout -k 5 700 "${check[@]}" --mpi-io "$mpi_io" 2>&1)
  code=$?
  [ "$code" -eq 0 ] && [[ $output == *'self-test: good'* ]]
  judge $? "self-test on $mpi_io" "$output"
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
