#!/bin/bash
# bench.sh: `longshore bench` on this build's MPI, small; and what it does when things go wrong.
# Counts its cases at the end.
set -uo pipefail
. "$(dirname "$0")/judge.sh"

if [ -n "${LONGSHORE_PRELOAD%"$LONGSHORE_LIBRARY"}" ]; then
  # A sanitizer's run time must be preloaded before the library.
  export LD_PRELOAD=${LONGSHORE_PRELOAD%":$LONGSHORE_LIBRARY"}
fi
unset LONGSHORE_HINTS LONGSHORE_VERBOSE
mkdir -p files
bench=("$LONGSHORE_CLI" bench --mpi "$LONGSHORE_MPI" --dir files --repetitions 1 --scale 0.02)

# check_json FILE: every launch is there and right.
check_json() {
  "$LONGSHORE_PYTHON" - "$1" <<'PYTHON'
import json
import sys

results = json.load(open(sys.argv[1], encoding="utf-8"))
runs = results["runs"]
assert len(runs) == 2 * 3, len(runs)
assert all(run["outcome"] == "ok" for run in runs), runs
assert all(run["bytes"] > 0 and run["write_seconds"] > 0 and run["read_seconds"] > 0 for run in runs)
rows = results["summary"]
assert {(row["workload"], row["op"]) for row in rows} == {
    (name, op) for name in ("contiguous", "round_robin_4k") for op in ("write", "read")}, rows
assert all(row["to_stock"] > 0 and row["to_limit"] > 0 for row in rows), rows
assert all(row["stock_mb_s"]["runs"] == 1 for row in rows), rows
machine = results["machine"]
assert machine["hostname"] and machine["cores"] > 0 and machine["kernel"].startswith("Linux "), machine
assert list(machine["file_systems"]) == ["files"] and machine["file_systems"]["files"], machine
assert len(machine["mpi"]) == 1 and all(machine["mpi"].values()), machine
PYTHON
}

two=(contiguous round_robin_4k -n 2)
expect 0 'round_robin_4k   2  files  write' "${bench[@]}" "${two[@]}" --json results.json
check_json results.json
judge $? 'results.json' "$(head -c 3000 results.json)"
expect 0 '0 launches' "${bench[@]}" "${two[@]}" --json results.json --resume
expect 2 'other settings' "${bench[@]}" "${two[@]}" --json results.json --resume --hint cb_nodes=1

# Every workload, so that each pattern is checked byte for byte on this MPI and on Longshore.
dense=(tile_256 tile_1m random_1k flash ior_segments)
expect 0 'ior_segments' "${bench[@]}" "${dense[@]}" -n 3 --compare stock,longshore
expect 0 'sparse_64' "${bench[@]}" sparse_64 -n 2 --compare longshore
expect 0 'btio_b' "${bench[@]}" btio_w btio_a btio_b -n 4 --compare longshore
expect 0 'flash' "${bench[@]}" flash round_robin_4k -n 2 --compare longshore,stock --independent
rows=(round_robin_4k_rows random_1k_rows records_64 strided_view)
expect 0 'records_64' "${bench[@]}" "${rows[@]}" -n 3 --compare stock,longshore
# Stock may leave bytes in holes, which is only told; Longshore must not.
expect 0 'access_ranges' "${bench[@]}" shipping_4k access_ranges -n 2
expect 0 'Cold reads' "${bench[@]}" access_ranges_once -n 2 --cold --compare longshore,limit \
  --sweep longshore_prefetch=automatic,0,2
expect 0 'btio_b_rows' "${bench[@]}" btio_w_rows btio_a_rows btio_b_rows -n 4 --compare longshore
expect 0 '| collective ' "${bench[@]}" btio_w btio_w_rows -n 1 --compare longshore
expect 0 'longshore_write_behind' "${bench[@]}" records_64 -n 2 --compare longshore \
  --sweep longshore_write_behind=two_stage,one_stage,off
expect 0 'cb_nodes=2' "${bench[@]}" tile_256 -n 2 --compare longshore --sweep cb_nodes=1,2

# A wrong byte is found, named, and gives 1.
expect 1 'WRONG BYTES' "${bench[@]}" contiguous -n 2 --compare longshore --corrupt
expect 1 'wrong at offset 0' "${bench[@]}" sparse_64 -n 2 --compare longshore --corrupt
expect 1 'wrong at offset' "${bench[@]}" shipping_4k -n 2 --compare longshore --corrupt

# So is one that the library's storage spoils in the file or on its way to memory, with each way in
# which calls are made.
for name in btio_w_rows records_64 strided_view access_ranges; do
  for op in write read; do
    expect 1 'rank 0 read a wrong byte' env "LONGSHORE_FAULTS=$op:flip=0:count=1" "${bench[@]}" \
      "$name" -n 1 --compare longshore
  done
done

# A launch that never ends: it is killed with what it started, and its variant not tried again.
mkdir -p fake
cat >"fake/mpirun.$LONGSHORE_MPI" <<'FAKE'
#!/bin/bash
echo "$$" >>"$FAKE_PIDS"
setsid sleep 600 &
echo "$!" >>"$FAKE_PIDS"
wait
FAKE
ln -s /bin/true fake/gnuplot
chmod +x "fake/mpirun.$LONGSHORE_MPI"
export FAKE_PIDS=$PWD/pids
expect 1 'timeout' env "PATH=$PWD/fake:$PATH" "${bench[@]}" contiguous -n 2 --compare longshore \
  --timeout 1 --repetitions 3
[ "$(wc -l <pids)" -eq 2 ]
judge $? 'one launch, not three' "$(cat pids)"
left=0
while read -r pid; do
  if kill -0 "$pid" 2>/dev/null; then
    left=$((left + 1))
  fi
done <pids
[ "$left" -eq 0 ]
judge $? 'no process is left' "$(cat pids)"
[ -z "$(ls -A files)" ]
judge $? 'no file is left' "$(ls -A files)"

# What cannot be written is found before anything is measured; what is there is not touched.
expect 2 '/etc/passwd/j: Not a directory' "${bench[@]}" "${two[@]}" --json /etc/passwd/j
expect 2 '/nodir/x.svg: No such file' env "PATH=$PWD/fake:$PATH" "${bench[@]}" "${two[@]}" \
  --plot /nodir/x.svg
expect 2 'positive' "${bench[@]}" "${two[@]}" --repetitions 0

expect 2 'is no workload' "${bench[@]}" no_such_workload
expect 2 'say which workloads' "${bench[@]}"
expect 2 '' "${bench[@]}" contiguous --no-such-option
expect 2 'collective independent' "${bench[@]}" --set all
expect 0 'btio_w' "$LONGSHORE_CLI" bench --list
expect 0 '16 MiB  independent ' "$LONGSHORE_CLI" bench --list
expect 0 '--sweep' "$LONGSHORE_CLI" bench --help

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
