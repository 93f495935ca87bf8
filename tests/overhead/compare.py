#!/usr/bin/env python3
"""Compares `overhead` with and without the library, in alternating runs.

Each pair of runs gives a ratio ours/stock; a bootstrap over the pairs gives an interval for the
median ratio. The test fails only if even the interval's lower end is above the bound: noise can
hide a small loss, but not make one up.

Wants LONGSHORE_MPIRUN and LONGSHORE_PRELOAD_ENV in the environment; LONGSHORE_OVERHEAD_PAIRS=25
there makes the long form.
"""
import argparse
import json
import os
import random
import shlex
import statistics
import subprocess
import sys
import tempfile

MEASURES = ("write_at", "read_at", "open_close")


def run_once(program, ranks, preload, folder):
    command = shlex.split(os.environ["LONGSHORE_MPIRUN"])
    if preload:
        command += shlex.split(os.environ["LONGSHORE_PRELOAD_ENV"])
    command += ["-n", str(ranks), program, folder]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or len(lines) != 1:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return json.loads(lines[0])


def run_pairs(program, ranks, pairs, folder):
    """Returns two lists of results. The order within a pair alternates, against drift."""
    stock, ours = [], []
    for i in range(pairs):
        for preload in ((False, True) if i % 2 == 0 else (True, False)):
            (ours if preload else stock).append(run_once(program, ranks, preload, folder))
    return stock, ours


def interval(ratios, generator):
    """A 95% bootstrap interval of the median."""
    medians = sorted(
        statistics.median(generator.choices(ratios, k=len(ratios))) for _ in range(2000))
    return medians[50], medians[1949]


def report(ranks, stock, ours, bound):
    """Prints a row per measure; returns the names of those that are surely too slow."""
    too_slow = []
    generator = random.Random(1)
    for measure in MEASURES:
        ratios = [b[measure] / a[measure] for a, b in zip(stock, ours)]
        low, high = interval(ratios, generator)
        verdict = "too slow" if low > bound else "ok"
        print(f"{ranks:5d} {measure:12s} {statistics.median(a[measure] for a in stock):10.1f} "
              f"{statistics.median(b[measure] for b in ours):10.1f} "
              f"{statistics.median(ratios):7.3f}  [{low:.3f}, {high:.3f}]  {verdict}")
        if low > bound:
            too_slow.append(f"{measure} on {ranks} ranks")
    return too_slow


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--pairs", type=int,
                        default=int(os.environ.get("LONGSHORE_OVERHEAD_PAIRS", "7")))
    parser.add_argument("--bound", type=float, default=1.05)
    arguments = parser.parse_args()
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else "."
    too_slow = []
    print("ranks measure        stock us    ours us   ratio  95% interval     verdict")
    with tempfile.TemporaryDirectory(dir=base) as folder:
        for ranks in (1, 2):
            stock, ours = run_pairs(arguments.program, ranks, arguments.pairs, folder)
            too_slow += report(ranks, stock, ours, arguments.bound)
    if too_slow:
        sys.exit(f"slower than stock by more than {arguments.bound - 1:.0%}: {', '.join(too_slow)}")


if __name__ == "__main__":
    main()
