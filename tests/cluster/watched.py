#!/usr/bin/env python3
"""`longshore run --stats --trace` over hosts: watched.py COMMAND_OF_LONGSHORE MPI HOSTS RANKS FOLDER
TURNS_PROGRAM MPIRUN...

Runs where the files are that it looks at: on a host. The summary and the timeline must have the ranks
of all hosts, and the timeline the writes in the order in which the ranks made them.
"""
import itertools
import json
import pathlib
import subprocess
import sys


def timeline_of(path):
    events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
    return [event for event in events if event["ph"] == "X"]


def complaints(text, line, events, hosts, ranks):
    """What is wrong with the summary, the line of statistics and the timeline."""
    found = []
    if f"up to {ranks} ranks on {hosts} hosts" not in text:
        found.append("the summary does not count all ranks and hosts")
    if (line["ranks"], line["hosts"]) != (ranks, hosts):
        found.append(f"the statistics have {line['ranks']} ranks on {line['hosts']} hosts")
    if line["independent_write_bytes"] != ranks << 20:
        found.append(f"the statistics have {line['independent_write_bytes']} bytes written")
    # A write of a rank is on two of its tracks: the program's calls, and storage.
    writes = sorted((event["ts"], event["pid"]) for event in events if event["name"] == "write")
    if [rank for rank, _ in itertools.groupby(rank for _, rank in writes)] != list(range(ranks)):
        found.append(f"the timeline has these writes: {writes}")
    if {event["pid"] for event in events if event["name"] == "close"} != set(range(ranks)):
        found.append("the timeline has not the close of every rank")
    return found


def main():
    command, mpi, hosts, ranks, folder, program, *mpirun = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    stats, trace = folder / "stats", folder / "trace.json"
    ended = subprocess.run([command, "run", "--mpi", mpi, f"--stats={stats}", "--trace", trace,
                            *mpirun, program, folder / "data"], check=False,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(ended.stdout)
    if ended.returncode != 0:
        print(f"FAIL: exit code {ended.returncode}")
        return 1
    (line,) = map(json.loads, stats.read_text(encoding="utf-8").splitlines())
    found = complaints(ended.stdout, line, timeline_of(trace), int(hosts), int(ranks))
    for complaint in found:
        print("FAIL:", complaint)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
