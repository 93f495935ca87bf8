#!/usr/bin/env python3
"""LONGSHORE_STATS and LONGSHORE_TRACE: reports.py WORKLOAD_PROGRAM.

A collective write and read of known size must be told in the counters, as text and as JSON, and in
a timeline that names all ranks. The library and mpirun come from the LONGSHORE_* environment.
"""

import json
import os
import subprocess
import sys

BYTES = 8 << 20
RANKS = 2


def run(workload, **environment):
    """Runs the workload on Longshore; returns what it said on standard error."""
    mpirun = os.environ["LONGSHORE_MPIRUN"].split()
    preload = os.environ["LONGSHORE_PRELOAD_ENV"].split()
    command = [*mpirun, *preload, "-n", str(RANKS), workload, "round_robin_4k", "--bytes", str(BYTES),
               "--file", os.path.abspath("data")]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stderr


def check_counters(write, read):
    assert write["bytes_written"] == BYTES and write["bytes_read"] == 0, write
    assert read["bytes_read"] == BYTES and read["bytes_written"] == 0, read
    for counters in (write, read):
        assert counters["bytes_copied"] == BYTES, "one copy through shared memory"
        assert counters["messages"] == 0, "no message on one host"
        assert counters["storage_ns"] > 0 and counters["plan_ns"] > 0
        assert counters["rmw_bytes"] == 0


def check_trace(path):
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    assert {event["pid"] for event in events} == set(range(RANKS))
    assert {"census", "begin exchange", "end exchange"} <= {event["name"] for event in events}
    assert all(event["ph"] == "X" and event["dur"] >= 0 for event in events)


def main():
    workload = sys.argv[1]
    text = run(workload, LONGSHORE_STATS="1")
    assert "bytes_written           %d" % BYTES in text, text
    told = run(workload, LONGSHORE_STATS="json")
    check_counters(*[json.loads(line) for line in told.splitlines() if line.startswith("{")])
    run(workload, LONGSHORE_STATS=os.path.abspath("stats"), LONGSHORE_TRACE="trace.json")
    with open("stats", encoding="utf-8") as file:
        check_counters(*[json.loads(line) for line in file])
    check_trace("trace.json")
    check_trace("trace.json.2")
    assert "longshore" not in run(workload), "silent unless asked"
    print("reports are right")


if __name__ == "__main__":
    main()
