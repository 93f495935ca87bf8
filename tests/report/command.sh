#!/bin/bash
# command.sh WORKLOAD_PROGRAM: `longshore report` on what this build's bench, statistics and traces
# really write, and on files that are no good. Counts its cases at the end.
set -uo pipefail
workload=$1
. "$(dirname "$0")/../cli/judge.sh"

# has TEXT FILE: the file has the text in it.
has() {
  grep -qF -- "$1" "$2"
  judge $? "\"$1\" in $2" "$(grep -o '<section id="summary".*' -A 20 "$2" | head -c 2000)"
}

if [ -n "${LONGSHORE_PRELOAD%"$LONGSHORE_LIBRARY"}" ]; then
  # A sanitizer's run time must be preloaded before the library.
  export LD_PRELOAD=${LONGSHORE_PRELOAD%":$LONGSHORE_LIBRARY"}
fi
unset LONGSHORE_HINTS LONGSHORE_VERBOSE LONGSHORE_STATS LONGSHORE_TRACE
report=("$LONGSHORE_CLI" report)

# What is really written.
bench=("$LONGSHORE_CLI" bench --mpi "$LONGSHORE_MPI" --dir . --repetitions 1 --scale 0.02)
expect 0 '' "${bench[@]}" contiguous -n 1,2 --json bench.json
expect 0 '' "${bench[@]}" tile_256 -n 2 --compare longshore --sweep cb_nodes=1,2 --json sweep.json
read -ra mpirun <<<"$LONGSHORE_MPIRUN"
read -ra preload <<<"$LONGSHORE_PRELOAD_ENV"
LONGSHORE_STATS=json LONGSHORE_TRACE=$PWD/trace.json expect 0 '' timeout 60 bash -c \
  '"$@" 2>stderr' bash "${mpirun[@]}" "${preload[@]}" -n 2 "$workload" tile_256 --bytes 1048576 \
  --file "$PWD/data"
echo 'some other line' >>stderr
expect 0 'report: all.html' "${report[@]}" -o all.html bench.json sweep.json stderr trace.json \
  trace.json.2
has 'Measured (bench.json): 1 workload (contiguous) with '"$LONGSHORE_MPI"' on 1 and 2 ranks' all.html
has 'Fastest value of cb_nodes' all.html
has 'Statistics (stderr): 2 opened files' all.html
has "KiB written and 0 B read" all.html
has 'Timeline (trace.json) of ' all.html
has 'census' all.html
expect 0 '<!DOCTYPE html>' "${report[@]}" -o - bench.json
! grep -qE '(src|href)="?(https?:)?//' all.html
judge $? 'nothing is loaded from elsewhere' "$(grep -oE '(src|href)="?(https?:)?//.{40}' all.html)"

# What is no good: each is named, and no page is made.
: >empty
head -c 700 bench.json >cut.json
head -c 300 trace.json >cut_trace.json
echo 'hello' >words
echo '{"a":1,"b":[2]}' >other.json
echo '{"version":99,"runs":[]}' >newer.json
echo '{"version":1,"runs":[]}' >nothing.json
echo '{"kind":"check","results":[]}' >no_results.json
echo '{"traceEvents":[{"ph":"M"}]}' >no_events.json
printf '{"a" 1}' >broken.json
grep '^{' stderr | tail -n 1 | head -c 40 >cut_stats
truncate -s 300M huge.json
rm -f bad.html
expect 2 'empty: is empty' "${report[@]}" -o bad.html empty
expect 2 'cut.json: its JSON ends too early, after 700 bytes' "${report[@]}" -o bad.html cut.json
expect 2 'cut_trace.json: its JSON ends too early' "${report[@]}" -o bad.html cut_trace.json
expect 2 'words: no JSON' "${report[@]}" -o bad.html words
expect 2 'other.json: JSON of another kind (it has a, b)' "${report[@]}" -o bad.html other.json
expect 2 'newer.json: no results of `longshore bench` of a version' "${report[@]}" newer.json
expect 2 'nothing.json: results of bench without any launch' "${report[@]}" -o bad.html nothing.json
expect 2 'without any measurement' "${report[@]}" -o bad.html no_results.json
expect 2 'without any complete event' "${report[@]}" -o bad.html no_events.json
expect 2 'broken.json: no JSON: it goes wrong at line 1, byte 6' "${report[@]}" -o bad.html broken.json
expect 2 'cut_stats: line 1 begins as statistics but' "${report[@]}" -o bad.html cut_stats
expect 2 'huge.json: is too large (300 MiB; at most 256)' "${report[@]}" -o bad.html huge.json
expect 2 'No such file' "${report[@]}" -o bad.html not_there.json
expect 2 'is a folder' "${report[@]}" -o bad.html .
expect 2 'words: no JSON' "${report[@]}" -o bad.html empty bench.json words
expect 2 'is one of the inputs' "${report[@]}" -o bench.json bench.json
expect 2 '' "${report[@]}"
expect 1 'cannot write' "${report[@]}" -o no/such/folder/page.html bench.json
[ ! -e bad.html ]
judge $? 'no page of what is no good' "$(ls)"
has '"runs"' bench.json
rm -f huge.json

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
