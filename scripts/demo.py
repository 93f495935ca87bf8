#!/usr/bin/env python3
"""The demo: one checkpoint program, unchanged, on stock MPI-IO and on Longshore, on both MPIs.

Runs bench/checkpoint.c under each in turn (interleaved, so that a busy moment hits both), compares
the files byte for byte and shows the medians. Exits 1 if a run fails or the files differ. It
measures this machine's file system as it is, page cache included, and says no more than that.
"""
import argparse
import filecmp
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SPEED = re.compile(r"^(write|read): .* ([\d.]+) MB/s$", re.M)
MPI_NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}
BAR_WIDTH = 36
RUN_TIMEOUT_S = 120


def mpirun(mpi, ranks):
    """The launcher with the flags that more ranks than cores need; the same for both libraries."""
    program = shutil.which(f"mpirun.{mpi}") or shutil.which("mpirun")
    words = ["timeout", "-k", "10", str(RUN_TIMEOUT_S), program]
    if mpi == "openmpi":
        words += ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1",
                  "--mca", "btl_vader_single_copy_mechanism", "none"]
        if os.geteuid() == 0:
            words.append("--allow-run-as-root")
    return words + ["-n", str(ranks)]


class Series:
    """The runs of one library on one MPI."""

    def __init__(self, tree, mpi, library, folder, arguments):
        self.library = library
        self.file = folder / f"{mpi}-{library}.dat"
        prefix = [str(tree / "bin" / "longshore"), "run"] if library == "longshore" else []
        self.command = [*prefix, *mpirun(mpi, arguments.ranks), str(tree / "bin" / "checkpoint"),
                        "--size", str(arguments.size), "--variables", str(arguments.variables),
                        "--file", str(self.file), "--keep"]
        self.speeds = {"write": [], "read": []}

    def run(self, counted):
        self.file.unlink(missing_ok=True)
        done = subprocess.run(self.command, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0 or "verified: yes" not in done.stdout:
            print(done.stdout)
            sys.exit(f"demo: failed with code {done.returncode}: {' '.join(self.command)}")
        if counted:
            for direction, speed in SPEED.findall(done.stdout):
                self.speeds[direction].append(float(speed))

    def median(self, direction):
        return statistics.median(self.speeds[direction])


def measure(tree, mpi, folder, arguments):
    """Runs both libraries in turn; returns {library: Series}."""
    series = {library: Series(tree, mpi, library, folder, arguments)
              for library in ("stock", "longshore")}
    for trial in range(arguments.trials + 1):
        for one in series.values():
            one.run(counted=trial > 0)  # the first warms up
        print(".", end="", flush=True)
    return series


def verdict(stock, ours, direction):
    """In words; a difference is claimed only where the two ranges do not overlap."""
    a, b = stock.speeds[direction], ours.speeds[direction]
    ratio = ours.median(direction) / stock.median(direction)
    if min(b) > max(a):
        return f"{ratio:.2f}x the speed"
    if max(b) < min(a):
        return f"{ratio:.2f}x the speed: slower"
    return f"{ratio:.2f}x, within the spread: no clear difference"


def bar(value, largest):
    return "█" * max(1, round(BAR_WIDTH * value / largest))


def show(mpi, series, largest):
    stock, ours = series["stock"], series["longshore"]
    for direction in ("write", "read"):
        print(f"\n  {MPI_NAMES[mpi]}, collective {direction}: Longshore has "
              f"{verdict(stock, ours, direction)}")
        for one in (stock, ours):
            speeds = one.speeds[direction]
            print(f"    {one.library:10} {bar(one.median(direction), largest):{BAR_WIDTH}} "
                  f"{one.median(direction):8.1f} MB/s  ({min(speeds):.0f} to {max(speeds):.0f})")


def show_all(results, arguments):
    largest = max(one.median(direction) for series in results.values()
                  for one in series.values() for direction in ("write", "read"))
    for mpi, series in results.items():
        show(mpi, series, largest)
    same = {mpi: filecmp.cmp(series["stock"].file, series["longshore"].file, shallow=False)
            for mpi, series in results.items()}
    print("\n  MPI        stock write  Longshore write   stock read  Longshore read   files")
    for mpi, series in results.items():
        cells = [series[library].median(direction) for direction in ("write", "read")
                 for library in ("stock", "longshore")]
        print(f"  {MPI_NAMES[mpi]:10} {cells[0]:11.1f} {cells[1]:16.1f} {cells[2]:12.1f} "
              f"{cells[3]:15.1f}   {'identical' if same[mpi] else 'DIFFERENT'}")
    print(f"  (MB/s, medians of {arguments.trials} interleaved runs, open to close, data may still "
          "be in the page cache)")
    return all(same.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--folder", type=pathlib.Path, help="where the files go")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--size", type=int, default=128, help="grid points along each edge")
    parser.add_argument("--variables", type=int, default=8)
    parser.add_argument("--trials", type=int, default=3)
    arguments = parser.parse_args()

    megabytes = arguments.size**3 * 8 * arguments.variables / 1e6
    print(f"A checkpoint of {arguments.variables} variables on a {arguments.size}^3 grid "
          f"({megabytes:.0f} MB in one shared file),\n{arguments.ranks} ranks on "
          f"{os.cpu_count()} cores, the same program on stock MPI-IO and on Longshore ", end="",
          flush=True)
    with tempfile.TemporaryDirectory(dir=arguments.folder or arguments.build) as folder:
        results = {mpi: measure(arguments.build.resolve() / mpi, mpi,
                                pathlib.Path(folder).resolve(), arguments)
                   for mpi in MPI_NAMES}
        print()
        same = show_all(results, arguments)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
