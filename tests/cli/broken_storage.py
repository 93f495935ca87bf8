"""broken_storage.py: does every workload of `longshore bench` notice that the library moves wrong bytes?

Each is run on Longshore three times, on 2 ranks, or 4 where it needs a square: as it is, which must
pass, and with a storage that spoils a byte of what it writes or reads, which must be called wrong
bytes. The workloads are those that the command lists, so that a new one is tried without a word here.
"""

import concurrent.futures
import json
import os
import pathlib
import subprocess

import launch

PROGRAM = pathlib.Path(os.environ["LONGSHORE_BUILD_DIR"]) / "bin" / "longshore-workload"
SCALE = "0.01"
FAULTS = {"none": "", "write": "write:flip=0:count=1", "read": "read:flip=0:count=1"}


def listed():
    """name -> number of ranks, of every workload there is."""
    text = subprocess.run([PROGRAM, "--list"], env=launch.environment(), capture_output=True,
                          text=True, check=True).stdout
    ranks = {one["name"]: 4 if one["square"] else 2 for one in json.loads(text)}
    shown = {line.split()[0] for line in launch.longshore("bench", "--list")[0].splitlines()}
    assert shown == set(ranks) and len(ranks) > 20, (shown, ranks)
    return ranks


def outcomes(names, ranks, fault):
    """name -> (outcome, detail) of one launch each."""
    results = pathlib.Path(f"{fault}.{ranks}.json")
    # What went wrong is in the file, so that each workload that does not notice can be named.
    launch.longshore("bench", *names, "-n", ranks, "--mpi", os.environ["LONGSHORE_MPI"], "--compare",
                     "longshore", "--repetitions", 1, "--scale", SCALE, "--dir", "/dev/shm", "--json",
                     results, code=None, LONGSHORE_FAULTS=FAULTS[fault])
    runs = json.loads(results.read_text(encoding="utf-8"))["runs"]
    return {run["workload"]: (run["outcome"], run["detail"]) for run in runs}


def all_outcomes(workloads, fault):
    got = {}
    for ranks in sorted(set(workloads.values())):
        names = [name for name, needed in workloads.items() if needed == ranks]
        got |= outcomes(names, ranks, fault)
    return got


def main():
    workloads = listed()
    passed = failed = 0
    # At the same time: a launch mostly waits for its mpirun.
    with concurrent.futures.ThreadPoolExecutor() as pool:
        got = dict(zip(FAULTS, pool.map(lambda fault: all_outcomes(workloads, fault), FAULTS)))
    for fault, rule in FAULTS.items():
        wanted = "wrong" if rule else "ok"
        for name in workloads:
            outcome = got[fault].get(name, ("not run", ""))
            if outcome[0] == wanted:
                passed += 1
            else:
                failed += 1
                print(f"{name}, fault {fault}: wanted {wanted}, got {outcome}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
