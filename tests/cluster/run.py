#!/usr/bin/env python3
"""Tests over the hosts of the testbed; brings it up and takes it down. The last line counts.

    run.py [--build build] [--mpi openmpi] [--only REGEX] [--list]

The suites that run on one machine run over 2 and 4 hosts on CephFS, which each host has mounted by
itself, and so do the programs of this folder. The logs are in <build>/cluster-test/.
"""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CLUSTER = ROOT / "cluster"
PYTHON = "/usr/bin/python3"  # Debian's, which has mpi4py
SCRIPT_COUNT = re.compile(r"^(\d+) passed, (\d+) failed$", re.M)
# What the interfaces may carry for a collective write, as a multiple of what the pattern needs.
TRAFFIC_LIMIT = "1.1"
# A call must not take longer than this after the killed daemon is back.
RECOVERY_SECONDS = 120
DOWN_SECONDS = 6
# With thousands of pieces of a byte or two in some of them, each a request to Ceph.
RANDOM_CASES = ("--seed", 74, "--cases", 18)
# What `longshore explain` must say of a file on the testbed.
FOUND_LAYOUT = "cephfs, stripes of 1 MiB over 4 targets"
# Each runs with five sets of hints; all of them would take several minutes a site.
MIXED_CASES = ("independent_and_collective", "own_and_others_writes", "shared_pointer")


@dataclass
class Test:
    """A command; it passes if its exit code is 0, or, if `says` is given, if it fails and says so.
    What it `finds` must be in its output."""

    name: str
    command: list
    seconds: int = 150
    says: str = ""
    finds: str = ""


@dataclass
class Site:
    """Where a test runs: an MPI over some hosts, and the folder on the mounts."""

    build: pathlib.Path
    mpi: str
    hosts: int
    ranks_per_host: int
    shared: pathlib.Path
    extra: list = field(default_factory=list)

    @property
    def label(self):
        return f"{self.mpi}.{self.hosts}x{self.ranks_per_host}"

    def tree(self, *parts):
        return str(self.build.joinpath(self.mpi, *parts))

    def mpirun(self, *words, preload=True, variables=()):
        command = [CLUSTER / "mpirun", "--mpi", self.mpi, "--hosts", self.hosts,
                   "--ranks-per-host", self.ranks_per_host, "--wdir", self.shared]
        if preload:
            command += ["--preload", self.tree("lib", "liblongshore.so")]
        for variable in variables:
            command += ["-x", variable]
        return [str(word) for word in [*command, *words]]


def suites(site):
    """The suites of one machine: what `make test` runs, in part."""
    rma = [] if site.mpi == "openmpi" else ["--without-exchange", "rma"]
    return [
        Test("mpi", site.mpirun(site.tree("bin", "mpi_gtest"), preload=False)),
        Test("random", site.mpirun(site.tree("tests/random/random_test"), "--dir", site.shared,
                                   *RANDOM_CASES, "--hang-seconds", 100), 240),
        Test("combinations", site.mpirun(site.tree("tests/collective/combinations"), "--dir",
                                         site.shared, "--every", 17, "--seed", site.hosts, *rma)),
    ] + [Test(f"mixed.{case}", site.mpirun(site.tree("tests/independent/independent_mixed"),
                                           "--dir", site.shared, "--case", case))
         for case in MIXED_CASES]


def clients(site):
    """Real clients. The script runs on a host, where the files are that it looks at. Files to compare
    with are written on one host: over four, stock ROMIO loses bytes of HDF5's file on these mounts."""
    launcher = f"{CLUSTER}/mpirun --mpi {site.mpi} --hosts {site.hosts}"
    stock = f"{CLUSTER}/mpirun --mpi {site.mpi} --hosts 1"
    formats = ["hdf5"] + (["pnetcdf"] if site.mpi == "openmpi" else [])
    tests = []
    for name in formats:
        script = [PYTHON, str(ROOT / "tests/clients/file_format_test.py"), "--format", name,
                  "--program", site.tree(f"tests/clients/{name}_client"), "--mpi", site.mpi,
                  "--ranks", str(site.hosts), "--preload", site.tree("lib/liblongshore.so")]
        tests.append(Test(name, [str(CLUSTER / "host"), "lsc0", "env",
                                 f"LONGSHORE_MPIRUN={launcher}",
                                 f"LONGSHORE_STOCK_MPIRUN={stock}", "sh", "-c",
                                 'mkdir -p "$0" && cd "$0" && rm -f ./* && exec "$@"',
                                 str(site.shared / f"{name}.{site.label}"), *script], 300))
    if site.mpi == "openmpi":
        tests.append(Test("mpi4py", site.mpirun(PYTHON, ROOT / "tests/clients/mpi4py_client.py")))
    return tests


def promises(site):
    """What is new with several hosts, and twins that show that the judges can fail."""
    consistency = site.tree("tests/cluster/cluster_consistency")
    traffic = site.tree("tests/cluster/cluster_traffic")
    file = site.shared / f"traffic.{site.label}"
    tests = [Test("consistency", site.mpirun(consistency, "--dir", site.shared), 240)]
    tests += [Test(f"traffic.{pattern}", site.mpirun(traffic, pattern, file, TRAFFIC_LIMIT))
              for pattern in ("round_robin", "tile", "contiguous")]
    tests += without_a_mount(site)
    if site.hosts == 4:
        tests += [
            Test("consistency.planted",
                 site.mpirun(consistency, "--dir", site.shared, "--case", "sync_barrier_sync",
                             variables=["LONGSHORE_FAULTS=write:flip=0:after=1:count=1"]),
                 says="FAIL rank"),
            Test("traffic.planted", site.mpirun(traffic, "round_robin", file, "0.9"),
                 says="at most 0.9 times"),
        ]
    return tests


def without_a_mount(site):
    """The same CephFS through libcephfs, and what is found out of a file's layout by both ways."""
    conf = f"CEPH_CONF={site.shared.parent / 'ceph.conf'}"
    file = site.shared / f"explained.{site.label}"
    explain = [str(CLUSTER / "host"), "lsc0", "env", conf, "sh", "-c",
               f'echo > {file} && exec "$0" explain "$1"', site.tree("bin/longshore")]
    return [
        Test("cephfs", site.mpirun(site.tree("tests/cephfs/cephfs_coherence"),
                                   f"cephfs:/coherence.{site.label}", variables=[conf])),
        Test("explain.mount", explain + [str(file)], finds=FOUND_LAYOUT),
        Test("explain.cephfs", explain + [f"cephfs:/{file.name}"], finds=FOUND_LAYOUT),
    ]


def watched(site):
    """What `longshore run` tells of ranks on all hosts."""
    ranks = site.hosts * site.ranks_per_host

    def test(name, hosts, **how):
        mpirun = site.mpirun(preload=False)
        return Test(name, [str(word) for word in [
            CLUSTER / "host", "lsc0", PYTHON, ROOT / "tests/cluster/watched.py",
            site.tree("bin/longshore"), site.mpi, hosts, ranks,
            site.shared / f"{name}.{site.label}", site.tree("tests/cluster/cluster_turns"),
            *mpirun]], **how)

    tests = [test("watched", site.hosts)]
    if site.hosts == 4:
        tests.append(test("watched.planted", 5, says="FAIL: the summary does not count"))
    return tests


def tests_of(site):
    tests = suites(site) + clients(site) + promises(site) + watched(site)
    for test in tests:
        test.name = f"{site.label}.{test.name}"
    return tests


class Runner:
    def __init__(self, logs, only):
        self.logs = logs
        self.only = re.compile(only)
        self.passed = 0
        self.failed = 0
        logs.mkdir(parents=True, exist_ok=True)

    def wanted(self, name):
        return self.only.search(name) is not None

    def run(self, test):
        if not self.wanted(test.name):
            return
        started = time.monotonic()
        code, output = run_command(test.command, test.seconds)
        reason = verdict(test, code, output)
        counts = SCRIPT_COUNT.findall(output)
        self.count(test.name, reason, output, time.monotonic() - started,
                   [int(number) for number in counts[-1]] if counts else None)

    def count(self, name, reason, output, seconds, counts=None):
        """Says how a test ended; `counts` are a script's own numbers of passed and failed."""
        (self.logs / f"{name}.log").write_text(output)
        print(f"{'FAILED' if reason else 'ok':6} {name} {seconds:.0f} s {reason}", flush=True)
        if reason:
            print("\n".join("    " + line for line in notable(output)), flush=True)
        if counts and not (reason and counts[1] == 0):
            self.passed += counts[0]
            self.failed += counts[1]
        else:
            self.passed += 0 if reason else 1
            self.failed += 1 if reason else 0


def notable(output):
    """The lines that say what went wrong, or the last ones."""
    lines = output.splitlines()
    found = [line for line in lines if re.search(r"FAIL|HANG|MISMATCH|replay:", line)]
    return [line[:220] for line in (found or lines)[-12 if not found else 0:][:12]]


def verdict(test, code, output):
    """Why the test failed; empty if it passed."""
    if code is None:
        return f"no end within {test.seconds} s"
    if test.says:
        return "" if code != 0 and test.says in output else f"did not fail with: {test.says}"
    if code == 0 and test.finds not in output:
        return f"does not say: {test.finds}"
    return "" if code == 0 else f"exit code {code}"


def run_command(command, seconds):
    """(exit code, output); the code is None if it did not end in time. Ends what it started:
    mpirun gets a SIGTERM first, upon which it ends its ranks."""
    # SIGPIPE stays ignored: Open MPI's mpirun may meet it in its last moments.
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace",
                               start_new_session=True, restore_signals=False)
    try:
        return_output, _ = process.communicate(timeout=seconds)
        return process.returncode, return_output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            output, _ = process.communicate(timeout=15)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
        return None, output


class Testbed:
    """A cluster for the time of a `with`."""

    def __init__(self, *options):
        self.options = options

    def __enter__(self):
        subprocess.run([CLUSTER / "up", *self.options], check=True)

    def __exit__(self, *_):
        subprocess.run([CLUSTER / "down"], check=True)


def kill_name(site, mode):
    return f"{site.label}.killed_daemon.{mode}"


def survive(runner, site, mode):
    """A storage daemon is killed while ranks write, and comes back. See survive.cc."""
    name = kill_name(site, mode)
    if not runner.wanted(name):
        return
    started = time.monotonic()
    stop = runner.logs / f"{name}.stop"
    stop.unlink(missing_ok=True)
    log = runner.logs / f"{name}.log"
    command = site.mpirun(site.tree("tests/cluster/cluster_survive"), mode,
                          site.shared / name, stop)
    with open(log, "w", encoding="utf-8") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, start_new_session=True,
                                   restore_signals=False)
        reason = disturb(process, log, stop, site.shared / name)
    text = log.read_text(errors="replace")
    runner.count(name, reason or judge_rounds(process.returncode, text), text,
                 time.monotonic() - started)


def disturb(process, log, stop, file):
    """Kills a daemon that has a part of the file while `process` writes it, and starts it again. Why
    it went wrong, or ''."""
    try:
        if not wait_for(lambda: "round 1 " in log.read_text(errors="replace"), 60):
            return "no second round within 60 s"
        daemon = subprocess.run([CLUSTER / "osd", "of", file], check=True, text=True,
                                stdout=subprocess.PIPE).stdout.strip()
        subprocess.run([CLUSTER / "osd", "kill", daemon], check=True)
        time.sleep(DOWN_SECONDS)
        subprocess.run([CLUSTER / "osd", "start", daemon], check=True)
        stop.touch()
        process.wait(timeout=RECOVERY_SECONDS)
        return ""
    except subprocess.TimeoutExpired:
        return f"no end within {RECOVERY_SECONDS} s after the daemon was back"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            if not wait_for(lambda: process.poll() is not None, 15):
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def judge_rounds(code, text):
    """Why the run failed; also if no round was held up: then the daemon was not missed."""
    if code != 0:
        return f"exit code {code}"
    rounds = re.findall(r"^round \d+ ([\d.]+)( failed)?$", text, re.M)
    held_up = any(failed or float(seconds) > DOWN_SECONDS / 2 for seconds, failed in rounds)
    return "" if held_up else "no round was held up by the missing daemon"


def wait_for(condition, seconds):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--mpi", action="append", choices=("openmpi", "mpich"))
    parser.add_argument("--only", default="", help="tests whose name has this regular expression")
    parser.add_argument("--list", action="store_true", help="only their names")
    return parser.parse_args()


def main():
    # So that the testbed goes down then, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options = parse()
    # A cluster that a person has up is left alone.
    folder = os.environ.setdefault("LONGSHORE_CLUSTER", "/tmp/longshore-cluster-test")
    build = options.build.resolve()
    sites = [Site(build, mpi, hosts, ranks, pathlib.Path(folder) / "shared")
             for mpi in options.mpi or ("openmpi", "mpich") for hosts, ranks in ((2, 2), (4, 1))]
    tests = [test for site in sites for test in tests_of(site)]
    if options.list:
        print("\n".join(test.name for test in tests))
        return 0
    started = time.monotonic()
    runner = Runner(build / "cluster-test", options.only)
    runner.run(Test("lifecycle", [str(ROOT / "tests/cluster/lifecycle.sh")]))
    if any(runner.wanted(test.name) for test in tests):
        with Testbed():
            for test in tests:
                runner.run(test)
    # On a store that keeps its data when its daemon is killed.
    kills = [(site, mode) for site in sites if site.hosts == 4
             for mode in ("collective", "independent")]
    if any(runner.wanted(kill_name(*kill)) for kill in kills):
        with Testbed("--store", "bluestore"):
            for site, mode in kills:
                survive(runner, site, mode)
    print(f"in {time.monotonic() - started:.0f} s")
    print(f"{runner.passed} passed, {runner.failed} failed")
    return 1 if runner.failed else 0


if __name__ == "__main__":
    sys.exit(main())
