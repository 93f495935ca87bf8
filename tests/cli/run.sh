#!/bin/bash
# run.sh PROBE: `longshore run` in the ways people call it. Counts its cases at the end.
set -uo pipefail
probe=$1
read -ra mpirun <<<"$LONGSHORE_MPIRUN"
passed=0
failed=0

# expect CODE TEXT COMMAND...: the command ends with CODE and its output has TEXT in it.
expect() {
  local want_code=$1 want_text=$2 output code
  shift 2
  output=$(timeout -k 5 60 "$@" 2>&1)
  code=$?
  if [ "$code" -eq "$want_code" ] && [[ $output == *"$want_text"* ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'wanted code %s and "%s", got code %s from: %s\n%s\n' \
      "$want_code" "$want_text" "$code" "$*" "$output"
  fi
}
run=("$LONGSHORE_CLI" run)
if [ -n "${LONGSHORE_PRELOAD%"$LONGSHORE_LIBRARY"}" ]; then
  # A sanitizer's run time must be preloaded before the library.
  export LD_PRELOAD=${LONGSHORE_PRELOAD%":$LONGSHORE_LIBRARY"}
fi
unset LONGSHORE_HINTS LONGSHORE_VERBOSE

expect 0 'stock ranks=2 hints=- verbose=-' "${mpirun[@]}" -n 2 "$probe"
expect 0 'longshore ranks=2 hints=- verbose=-' "${run[@]}" "${mpirun[@]}" -n 2 "$probe"
expect 0 'longshore ranks=2' "${run[@]}" -- "${mpirun[@]}" -n 2 "$probe"
expect 0 'longshore ranks=1' "${run[@]}" timeout 30 "${mpirun[@]}" -n 1 "$probe"
expect 0 'longshore ranks=2' "${run[@]}" "${mpirun[@]}" -n 1 "$probe" : -n 1 "$probe"
expect 0 'longshore ranks=1 hints=- verbose=-' "${run[@]}" "$probe"
expect 0 'hints=cb_nodes=1;cb_buffer_size=65536 verbose=1' "${run[@]}" --verbose \
  --hint cb_nodes=1 --hint cb_buffer_size=65536 "${mpirun[@]}" -n 2 "$probe"
expect 7 'longshore ranks=1' "${run[@]}" "$probe" 7
expect 7 'longshore ranks=2' "${run[@]}" "${mpirun[@]}" -n 2 "$probe" 7
expect 143 'longshore ranks=1' bash -c '"$@"; exit $?' sh "${run[@]}" "$probe" signal
expect 127 'command not found' "${run[@]}" no-such-program
printf '#!/bin/sh\n' >not-executable
expect 126 'Permission denied' "${run[@]}" --mpi "$LONGSHORE_MPI" ./not-executable
expect 126 'Is a directory' "${run[@]}" --mpi "$LONGSHORE_MPI" "$PWD"
expect 2 'add --mpi' "${run[@]}" sh -c 'exit 0'
expect 0 'from a script' "${run[@]}" --mpi "$LONGSHORE_MPI" sh -c 'echo from a script'
expect 2 'key=value' "${run[@]}" --hint nonsense "${mpirun[@]}" -n 1 "$probe"
expect 2 '' "${run[@]}"
expect 2 '' "$LONGSHORE_CLI"
expect 2 '' "$LONGSHORE_CLI" no-such-command
expect 0 'longshore 0' "$LONGSHORE_CLI" --version
expect 0 'run' "$LONGSHORE_CLI" --help
expect 0 'Usage: longshore run' "${run[@]}" --help
expect 127 'LONGSHORE_LIB_DIR' env LONGSHORE_LIB_DIR=/nowhere "${run[@]}" "${mpirun[@]}" -n 1 "$probe"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
