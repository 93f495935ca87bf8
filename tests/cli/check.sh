#!/bin/bash
# check.sh SLOW: `longshore check` on this build's MPI, small; SLOW is a library with a slow
# MPI_File_write_at. Counts its cases at the end.
#
# Nothing here depends on how fast or busy the machine is, but for the planted slowness, which is far
# beyond any noise: verdicts of real rules are not judged.
set -uo pipefail
slow=$1
read -ra mpirun <<<"$LONGSHORE_MPIRUN"
. "$(dirname "$0")/judge.sh"

# check_json FILE SCRIPT: the results in the file are as the Python lines say.
check_json() {
  "$LONGSHORE_PYTHON" - "$1" <<PYTHON
import json
import sys

report = json.load(open(sys.argv[1], encoding="utf-8"))
assert report["kind"] == "check" and report["version"] == 1, report
results = report["results"]
$2
PYTHON
}

sanitizer=
if [ -n "${LONGSHORE_PRELOAD%"$LONGSHORE_LIBRARY"}" ]; then
  # A sanitizer's run time must be preloaded before the library.
  sanitizer=${LONGSHORE_PRELOAD%":$LONGSHORE_LIBRARY"}
  export LD_PRELOAD=$sanitizer
fi
unset LONGSHORE_HINTS LONGSHORE_VERBOSE
mkdir -p files
check=("$LONGSHORE_CLI" check --mpi "$LONGSHORE_MPI" --dir files)
program=$LONGSHORE_BUILD_DIR/bin/longshore-check

# The table of rules: every number of the paper, each rule told apart, and named on both sides.
"$program" --list >rules.json
"$LONGSHORE_PYTHON" - <<'PYTHON'
import json

rules = json.load(open("rules.json", encoding="utf-8"))
numbers = {rule["rule"] for rule in rules}
assert numbers == {"1", "2", "4", "5", "6", "7", "8", "9", "10", "11", "12"}, numbers
names = [rule["name"] for rule in rules]
assert len(set(names)) == len(names), names
for rule in rules:
    assert (rule["kind"] == "expectation") == (int(rule["rule"]) >= 10), rule
    assert rule["a"] != rule["b"] and rule["advice"] and rule["directions"], rule
variants = {rule["variant"] for rule in rules if rule["rule"] == "10"}
assert {"dense", "sparse"} <= variants, variants
variants = {rule["variant"] for rule in rules if rule["rule"] == "11"}
assert {"interleaved", "elsewhere", "separate"} <= variants, variants
sweep = [rule for rule in rules if rule["variant"].startswith("cb_buffer_size")]
assert len(sweep) >= 4, sweep
PYTHON
judge $? 'rules.json' "$(head -c 2000 rules.json)"

# Both MPI-IOs, all rules, a tiny budget: nothing need be decided, but all is there.
expect '0|1' 'undecided' "${check[@]}" -n 2 --quick --sizes 512 --budget 4 --json all.json
check_json all.json '
assert {r["mpi_io"] for r in results} == {"stock", "longshore"}, results
rules = {r["rule"] for r in results} | {r["rule"] for r in report["skipped"]}
assert rules == {"1", "2", "4", "5", "6", "7", "8", "9", "10", "11", "12"}, rules
assert all(r["verdict"] in ("pass", "fail", "undecided") for r in results), results
assert not any("wrong" in r for r in results), results
assert not report["mishaps"], report["mishaps"]
'
judge $? 'all.json' "$(head -c 3000 all.json)"

# A slow operation is found, and the rule that it does not touch is not called a fail for it.
if [ "$LONGSHORE_MPI" = openmpi ]; then
  planted=("${mpirun[@]}" -x "LD_PRELOAD=${sanitizer:+$sanitizer:}$slow")
else
  planted=("${mpirun[@]}" -genv LD_PRELOAD "${sanitizer:+$sanitizer:}$slow")
fi
expect 1 'times as long as MPI_File_seek + MPI_File_write' "${check[@]}" --mpi-io stock -n 1 \
  --rules 1 --sizes 512 --budget 40 --json slow.json -- "${planted[@]}"
check_json slow.json '
write = [r for r in results if r["operation"] == "write"]
assert len(write) == 1 and write[0]["verdict"] == "fail", results
assert write[0]["low"] > 1.1 and write[0]["trials"] >= 8, results
'
judge $? 'slow.json' "$(cat slow.json)"

# The self-test can fail: with a tolerance beyond 30% nothing is found on any machine.
expect 1 'self-test: NOT GOOD' "${check[@]}" --mpi-io stock -n 2 --self-test --tolerance 0.9 --budget 5

# Wrong bytes are found in every rule, and are a fail.
expect 1 'WRONG BYTES' "${check[@]}" --mpi-io stock -n 2 --quick --sizes 512 --budget 120 --corrupt \
  --json wrong.json
check_json wrong.json '
assert results and all("wrong" in r and r["verdict"] == "fail" for r in results), results
'
judge $? 'wrong.json' "$(head -c 3000 wrong.json)"

# Without the library there is the MPI-IO of the MPI.
mkdir -p alone
cp "$program" alone/
expect '0|1' 'stock only' env "LONGSHORE_LIB_DIR=$PWD/alone" "${check[@]}" -n 1 --quick --rules 6 \
  --sizes 512 --budget 2
expect 127 'liblongshore.so' env "LONGSHORE_LIB_DIR=$PWD/alone" "${check[@]}" --mpi-io longshore

# A launch that fails is no pass.
expect 3 'exit code 9' "${check[@]}" --mpi-io stock -n 1 --rules 1 -- \
  bash -c 'exit 9' "mpirun.$LONGSHORE_MPI"
[ -z "$(ls -A files)" ]
judge $? 'no file is left' "$(ls -A files)"

expect 2 '/nodir/x: No such file or directory' "${check[@]}" --json /nodir/x -- \
  bash -c 'echo measured >measured' "mpirun.$LONGSHORE_MPI"
[ ! -e measured ]
judge $? 'nothing is measured for results that cannot be written' ''
expect 2 'positive' "${check[@]}" --budget 0
expect 2 'numbers from 1 to 12' "${check[@]}" --rules 13
expect 2 'of stock,longshore,both' "${check[@]}" --mpi-io ours
expect 2 'multiples of 512' "${check[@]}" --sizes 1000
expect 2 '' "${check[@]}" --no-such-option
expect 0 '--tolerance' "$LONGSHORE_CLI" check --help

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
