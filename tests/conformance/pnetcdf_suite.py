#!/usr/bin/python3
"""Builds PnetCDF from Debian's source package for one MPI and runs its own parallel tests.

    pnetcdf_suite.py --cache DIR --build DIR --mpi mpich [--preload LIB]

Debian has PnetCDF for Open MPI only; built here, it is a client for both. Needs autoconf, automake,
libtool and m4, for the archive has no configure. Exit code 0 if every test of `make ptest` passes.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import fetch_source

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "clients"))
import launch  # noqa: E402

BUILT = ".built"
TESTS_TIMEOUT_S = 1500


def step(command, cwd):
    """Runs a step of the build; exits with its last words if it fails."""
    done = subprocess.run(command, cwd=cwd, text=True, errors="replace", check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        tail = "\n".join(done.stdout.splitlines()[-40:])
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{tail}")


def build(archive, root, mpi):
    """Builds library and tests under `root`, unless a former run has done so."""
    if (root / BUILT).exists():
        return
    for tool in ("autoreconf", "automake", "libtoolize", "m4"):
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is not installed")
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    with tarfile.open(archive) as tar:
        tar.extractall(root)
    source = next(path for path in root.iterdir() if path.is_dir())
    step(["autoreconf", "-i"], source)
    step([str(source / "configure"), "--disable-fortran", "--disable-cxx", "--disable-shared",
          f"MPICC={launch.tool('mpicc', mpi)}", "CFLAGS=-O1 -w"], root)
    jobs = f"-j{min(2, os.cpu_count() or 1)}"
    step(["make", jobs], root)
    step(["make", jobs, "tests"], root)
    (root / BUILT).touch()


def run_tests(root, options):
    """Runs `make ptest`; returns the number of tests that passed and the lines of the others."""
    out = root / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    mpirun = " ".join(launch.mpirun_command(options.mpi, "NP", options.preload))
    outcome = launch.run(["make", "-k", "ptest", f"TESTMPIRUN={mpirun}", f"TESTOUTDIR={out}"],
                         TESTS_TIMEOUT_S, root / "test")
    lines = re.findall(r"^\*\*\* TESTING .*$", outcome.output, re.MULTILINE)
    failures = [line for line in lines if not line.endswith(("pass", "skip"))]
    print("".join(f"SKIPPED: {line}\n" for line in lines if line.endswith("skip")), end="")
    if outcome.exit_code != 0:
        failures.append("hung" if outcome.timed_out else f"make: exit code {outcome.exit_code}")
        failures += outcome.output.splitlines()[-40:]
    return len(lines), failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", required=True, help="folder of downloaded source archives")
    parser.add_argument("--build", required=True, help="folder for sources and programs")
    parser.add_argument("--mpi", required=True, choices=launch.MPIS)
    parser.add_argument("--preload", help="library to preload; without it, the MPI's own MPI-IO")
    options = parser.parse_args()
    root = Path(options.build).resolve() / "pnetcdf"
    build(fetch_source.fetch(options.cache, "pnetcdf", "libpnetcdf-dev"), root, options.mpi)
    count, failures = run_tests(root, options)
    print("\n".join(failures))
    print(f"{count} tests of PnetCDF, {'all passed' if not failures else 'not all passed'}")
    sys.exit(0 if count > 0 and not failures else 1)


if __name__ == "__main__":
    main()
