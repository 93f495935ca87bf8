#!/usr/bin/env python3
"""Runs every suite with ctest on each MPI and ends with one line: `N passed, N failed`.

A GoogleTest or unittest program counts with its cases, and a script that prints a last `N passed,
N failed` counts with those; any other test counts as one. Skipped cases are listed with their reason.
A tree may be named with a label, as asan-mpich:random: only tests with that label run there.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
GTEST_PASSED = re.compile(r"^\[  PASSED  \] (\d+) test", re.M)
GTEST_FAILED = re.compile(r"^\s*(\d+) FAILED TESTS?$", re.M)
GTEST_SKIPPED = re.compile(r"^\[  SKIPPED \] (\S+\.\S+)(?: \(\d+ ms\))?$", re.M)
SCRIPT_COUNT = re.compile(r"^(\d+) passed, (\d+) failed", re.M)
UNITTEST_RAN = re.compile(r"^Ran (\d+) tests? in", re.M)
SCRIPT_SKIPPED = re.compile(r"^SKIPPED:? (.+)$", re.M)


class Tally:
    def __init__(self):
        self.passed = 0
        self.failed = 0
        self.failures = []
        self.skipped = []

    def add(self, name, ok, output):
        """One test's outcome: ok is None if the test said that it cannot run here."""
        if ok is None:
            lines = output.strip().splitlines()
            self.skipped.append(f"{name}: {lines[-1] if lines else 'no reason given'}")
            return
        passed, failed = cases_in(output)
        if not ok:
            failed = max(failed, 1)
            self.failures.append(name)
        elif passed + failed == 0:
            passed = 1
        self.passed += passed
        self.failed += failed
        reasons = set(GTEST_SKIPPED.findall(output)) | set(SCRIPT_SKIPPED.findall(output))
        self.skipped += [f"{name}: {reason}" for reason in sorted(reasons)]


def cases_in(output):
    """(passed, failed) as the output of a test says; (0, 0) if it does not count cases."""
    counts = SCRIPT_COUNT.findall(output)
    if counts:
        return int(counts[-1][0]), int(counts[-1][1])
    ran = UNITTEST_RAN.findall(output)
    if ran and output.rstrip().endswith("OK"):
        return int(ran[-1]), 0
    passed = GTEST_PASSED.findall(output)
    failed = GTEST_FAILED.findall(output)
    return int(passed[-1]) if passed else 0, int(failed[-1]) if failed else 0


def run_ctest(tree, labels, arguments):
    """Runs one build tree's tests, those that have all `labels`. Returns ctest's report as a list of (name, ok, output)."""
    report = tree / "test-report.xml"
    report.unlink(missing_ok=True)
    command = ["ctest", "--test-dir", str(tree), "-j", str(arguments.jobs), "--output-on-failure",
               "--no-tests=error", "--output-junit", str(report), "--timeout", "900",
               "--test-output-size-passed", "4000000", "--test-output-size-failed", "4000000"]
    for label in labels:
        command += ["-L", f"^{label}$"]
    for label in arguments.exclude_label:
        command += ["-LE", f"^{label}$"]
    if arguments.verbose:
        command.append("--verbose")
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    results = []
    if report.is_file():
        cases = ElementTree.parse(report).getroot().iter("testcase")
        results = [(case.get("name"), outcome_of(case), case.findtext("system-out") or "")
                   for case in cases]
    if code != 0 and all(ok is not False for _, ok, _ in results):
        results.append(("ctest", False, f"ctest ended with code {code}"))
    return results


def outcome_of(case):
    """True: passed; None: skipped by its own decision; False: anything else."""
    skipped = case.find("skipped")
    if skipped is not None and skipped.get("message", "").startswith("SKIP_"):
        return None
    return case.get("status") == "run"


def check_format(tally):
    code = subprocess.run([ROOT / "scripts" / "check_format.sh"], check=False).returncode
    tally.add("format", code == 0, "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--label", action="append", default=[], help="only tests with this label")
    parser.add_argument("--exclude-label", action="append", default=[])
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("trees", nargs="+", help="openmpi, mpich, asan-openmpi, asan-openmpi:random, ...")
    arguments = parser.parse_args()

    started = time.monotonic()
    tally = Tally()
    if not arguments.label:
        check_format(tally)
    for tree in arguments.trees:
        print(f"test: {tree}", flush=True)
        folder, _, label = tree.partition(":")
        labels = arguments.label + ([label] if label else [])
        for name, ok, output in run_ctest(arguments.build.resolve() / folder, labels, arguments):
            tally.add(f"{tree}: {name}", ok, output)
    for label in arguments.exclude_label:
        print(f"not run: tests with the label {label}")
    for line in tally.skipped:
        print(f"skipped: {line}")
    for name in tally.failures:
        print(f"failed: {name}")
    print(f"in {time.monotonic() - started:.0f} s")
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
