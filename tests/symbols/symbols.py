#!/usr/bin/env python3
"""Compares the MPI-IO names that the installed MPI exports with those that liblongshore.so does.

  symbols.py exported           none is missing, and nothing is exported that is not meant to be
  symbols.py resolved COMMAND   runs COMMAND with the MPI's names, one per line, on its input; it
                                must say for each name which library the name leads to

Reads LONGSHORE_LIBRARY from the environment. Prints each offence; exits 1 if there is any.
"""
import os
import pathlib
import re
import subprocess
import sys

MPI_IO_NAME = re.compile(r"^P?MPI_(File_|Register_datarep)")
MPI_LIBRARY = re.compile(r"^\s*(libmpi(?:ch)?\.so\.\S+) => (\S+)", re.M)


def output_of(*command, text=None):
    return subprocess.run(command, check=True, text=True, input=text,
                          stdout=subprocess.PIPE).stdout


def exported_names(library):
    lines = output_of("nm", "-D", "--defined-only", str(library)).splitlines()
    return {line.split()[-1].split("@")[0] for line in lines if line.strip()}


def mpi_library(library):
    match = MPI_LIBRARY.search(output_of("ldd", str(library)))
    if not match:
        sys.exit(f"{library} is not linked with an MPI: preloaded into a program that loads its "
                 "MPI privately it would find none")
    return match.group(2)


def mpi_io_names(library):
    names = {name for name in exported_names(mpi_library(library)) if MPI_IO_NAME.match(name)}
    if len(names) < 100:
        sys.exit(f"only {len(names)} MPI-IO names found in {mpi_library(library)}")
    return names


def allowed_names():
    text = (pathlib.Path(__file__).parent / "allowed.txt").read_text(encoding="utf-8")
    return {line for line in text.splitlines() if line and not line.startswith("#")}


def check_exported(library):
    ours = exported_names(library)
    theirs = mpi_io_names(library)
    faults = [f"missing: {name}" for name in sorted(theirs - ours)]
    faults += [f"not meant to be exported: {name}"
               for name in sorted(ours - theirs - allowed_names())]
    return len(theirs), faults


def check_resolved(library, command):
    names = mpi_io_names(library)
    answers = output_of(*command, text="".join(f"{name}\n" for name in sorted(names)))
    seen = dict(line.split(" ", 1) for line in answers.splitlines() if " " in line)
    faults = [f"{name} leads to {seen.get(name, 'nowhere')}" for name in sorted(names)
              if os.path.basename(seen.get(name, "")) != os.path.basename(library)]
    return len(names), faults


def main():
    library = os.environ["LONGSHORE_LIBRARY"]
    if sys.argv[1] == "exported":
        count, faults = check_exported(library)
    else:
        count, faults = check_resolved(library, sys.argv[2:])
    for fault in faults:
        print(fault)
    print(f"{count} names of the MPI, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
