#!/usr/bin/python3
"""Tests one library that stores arrays through MPI-IO: HDF5, PnetCDF or NetCDF-4.

    file_format_test.py --format hdf5 --program P --mpi mpich --ranks N [--preload LIB]

In the current folder: the program writes a file with stock MPI-IO and one with the preloaded
library, on N ranks each. The two must be equal, byte for byte where the format's library is
deterministic; the format's own tools must accept the second; and ranks of several other counts
must read it back right.
"""

import argparse
import filecmp
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import launch  # noqa: E402

RUN_TIMEOUT_S = 60
STOCK, TESTED, SERIAL = "stock.file", "tested.file", "serial.file"

# Commands that must succeed on the file written through the library under test.
CHECKS = {
    "hdf5": (["h5dump", TESTED], ["h5diff", "--verbose=1", TESTED, SERIAL]),
    "pnetcdf": (["ncvalidator", TESTED], ["ncmpidump", TESTED], ["ncdump", TESTED]),
    "netcdf4": (["ncdump", TESTED], ["h5dump", TESTED], ["h5diff", TESTED, STOCK]),
}

# NetCDF-4 leaves six uninitialised bytes in its file: two runs on stock MPI-IO differ as well.
NOT_REPRODUCIBLE = ("netcdf4",)


class Failure(Exception):
    """A step of the test went wrong; the text says which and how."""


def mpi_step(options, mode, file, ranks, preload):
    """Runs the client program. Raises Failure if it does not succeed."""
    command = launch.mpirun_command(options.mpi, ranks, preload) + [options.program, mode, file]
    outcome = launch.run(command, RUN_TIMEOUT_S)
    how = "preloaded" if preload else "stock"
    if outcome.exit_code != 0:
        state = "hung" if outcome.timed_out else f"exit code {outcome.exit_code}"
        raise Failure(f"{mode} of {file} on {ranks} ranks, {how}: {state}\n{outcome.output}")
    print(f"ok: {mode} of {file} on {ranks} ranks, {how}, {outcome.seconds:.1f} s", flush=True)


def tool_step(command):
    """Runs a tool of the file format. Raises Failure if it does not accept the file."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, errors="replace")
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    print(f"ok: {' '.join(command)}", flush=True)


def first_difference(left, right):
    """Says where two files differ first."""
    a, b = Path(left).read_bytes(), Path(right).read_bytes()
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return f"first difference at byte {at}; sizes {len(a)} and {len(b)}"


def test(options):
    """The whole test; raises Failure at the first step that goes wrong."""
    if options.format == "hdf5":
        mpi_step(options, "serial", SERIAL, 1, None)
    mpi_step(options, "write", STOCK, options.ranks, None)
    mpi_step(options, "write", TESTED, options.ranks, options.preload)
    if options.format not in NOT_REPRODUCIBLE:
        if not filecmp.cmp(STOCK, TESTED, shallow=False):
            raise Failure(f"{STOCK} and {TESTED}: {first_difference(STOCK, TESTED)}")
        print("ok: the files are equal byte for byte", flush=True)
    for command in CHECKS[options.format]:
        tool_step(command)
    for readers in {options.ranks % 4 + 1, 2 * options.ranks % 5 + 1}:
        mpi_step(options, "read", TESTED, readers, options.preload)
    mpi_step(options, "read", STOCK, options.ranks, options.preload)
    mpi_step(options, "read", TESTED, 2, None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--format", required=True, choices=CHECKS)
    parser.add_argument("--program", required=True)
    parser.add_argument("--mpi", required=True, choices=launch.MPIS)
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--preload", help="library to preload; without it, the MPI's own MPI-IO")
    options = parser.parse_args()
    options.program = str(Path(options.program).resolve())
    try:
        test(options)
    except Failure as failure:
        sys.exit(f"FAILED: {failure}")


if __name__ == "__main__":
    main()
