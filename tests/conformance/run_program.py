#!/usr/bin/python3
"""Runs programs of the conformance suites as expected.tsv says, and judges them.

    run_program.py --build DIR --mpi mpich [--preload LIB] [--suite S] [--program P] [--ranks N]

Without --suite and --program all rows of expected.tsv for that MPI run, those marked slow only
with --slow. Exit code 0 if every program did what the table expects.
"""

import argparse
import csv
import re
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "clients"))
import launch  # noqa: E402

TABLE = Path(__file__).resolve().parent / "expected.tsv"
OUTPUT_LINES_SHOWN = 60


@dataclass
class Row:
    """One line of expected.tsv; its header there explains the columns."""

    suite: str
    program: str
    mpi: str
    ranks: str
    speed: str
    timeout_s: str
    check: str
    arguments: str
    expectation: str


def read_table(mpi):
    """Returns the rows that hold for `mpi`."""
    with open(TABLE, encoding="utf-8", newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    rows = [Row(*fields) for fields in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]
    return [row for row in rows if row.mpi in ("any", mpi)]


def run_row(row, options, scratch):
    """Runs the program of `row` in the empty folder `scratch`."""
    build = Path(options.build).resolve()
    sources = build / "mpich-src/src/mpi/romio/test"
    words = shlex.split(row.arguments.replace("{file}", str(scratch / "testfile"))
                        .replace("{sources}", str(sources)))
    command = launch.mpirun_command(options.mpi, row.ranks, options.preload)
    command.append(str(build / row.suite / row.program))
    return launch.run(command + words, int(row.timeout_s), scratch)


def verdict(row, outcome):
    """Returns "pass", or in words what went wrong."""
    if outcome.timed_out:
        return f"hung: killed after {row.timeout_s} s"
    if outcome.exit_code != 0:
        return f"exit code {outcome.exit_code}"
    if row.check != "exit" and re.search(row.check, outcome.output) is None:
        return f"the output lacks '{row.check}'"
    return "pass"


def judge(row, options):
    """Runs `row`, prints one line (and the output, if it is not as expected); returns True if the
    program did as expected. One that is not expected to pass may, but it must end in time."""
    scratch = Path(options.build).resolve() / "scratch" / f"{row.suite}.{row.program}.{row.ranks}"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    outcome = run_row(row, options, scratch)
    shutil.rmtree(scratch)
    result = verdict(row, outcome)
    as_expected = result == "pass" or (row.expectation != "pass" and not outcome.timed_out)
    print(f"{'ok  ' if as_expected else 'FAIL'} {row.suite}/{row.program} {options.mpi} "
          f"ranks={row.ranks} {outcome.seconds:.1f}s: {result}"
          + ("" if row.expectation == "pass" else f" (expected: {row.expectation})"), flush=True)
    if not as_expected:
        print("".join(f"    {line}\n" for line in outcome.output.splitlines()[-OUTPUT_LINES_SHOWN:]))
    return as_expected


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, help="folder that build_suite.py filled")
    parser.add_argument("--mpi", required=True, choices=launch.MPIS)
    parser.add_argument("--preload", help="library to preload; without it, the MPI's own MPI-IO")
    parser.add_argument("--suite", help="run this suite only")
    parser.add_argument("--program", help="run this program only")
    parser.add_argument("--ranks", help="run the rows with this rank count only")
    parser.add_argument("--slow", action="store_true", help="run the slow rows as well")
    options = parser.parse_args()
    rows = [row for row in read_table(options.mpi)
            if options.suite in (None, row.suite) and options.program in (None, row.program)
            and options.ranks in (None, row.ranks) and (options.slow or row.speed == "quick")]
    if not rows:
        sys.exit("expected.tsv has no such program")
    failed = [row for row in rows if not judge(row, options)]
    print(f"{len(rows) - len(failed)} of {len(rows)} as expected")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
