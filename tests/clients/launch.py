"""Starts MPI programs for the tests: one place that knows each MPI's mpirun.

The library under test is preloaded into the ranks only, never into mpirun or into this script,
so that what launches a test does not depend on what is tested.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

MPIS = ("openmpi", "mpich")
TERMINATE_GRACE_S = 5


@dataclass
class Outcome:
    """What a finished, or killed, run left behind. `exit_code` is None if it was killed."""

    exit_code: int | None
    output: str
    seconds: float

    @property
    def timed_out(self):
        return self.exit_code is None


def tool(name, mpi):
    """Returns the path of a compiler wrapper or launcher of `mpi`, e.g. tool("mpicc", "mpich").
    Exits with a message if it is not installed."""
    path = shutil.which(f"{name}.{mpi}") or shutil.which(name)
    if path is None:
        sys.exit(f"{name}.{mpi} is not installed")
    return path


def mpirun_words(mpi, preload):
    """Returns mpirun with the flags for more ranks than cores: what the build says in
    LONGSHORE_MPIRUN, or the same by hand when a script is started without ctest. Without a library
    to preload LONGSHORE_STOCK_MPIRUN goes first: where stock MPI-IO cannot be trusted."""
    given = os.environ.get("LONGSHORE_MPIRUN")
    if not preload:
        given = os.environ.get("LONGSHORE_STOCK_MPIRUN", given)
    if given:
        return given.split()
    if mpi == "openmpi":
        return [tool("mpirun", mpi), "--oversubscribe", "--bind-to", "none",
                "--mca", "mpi_yield_when_idle", "1",
                "--mca", "btl_vader_single_copy_mechanism", "none"]
    return [tool("mpirun", mpi), "-genv", "MPIR_CVAR_POLLS_BEFORE_YIELD", "10"]


def require_effective(libraries):
    """Exits with a message if a library does not exist or none of them takes over MPI_File_open:
    the programs would run on stock MPI-IO, and every test would pass without testing anything."""
    for library in libraries:
        if not os.path.exists(library):
            sys.exit(f"the library to preload does not exist: {library}")
    symbols = subprocess.run(["nm", "-D", "--defined-only", *libraries], check=True, text=True,
                             capture_output=True).stdout
    if " T MPI_File_open\n" not in symbols:
        sys.exit(f"MPI_File_open is not in {' '.join(libraries)}")


def mpirun_command(mpi, ranks, preload=None, environment=()):
    """Returns the mpirun words that precede the program's own words.

    `preload` is for every rank: a library, or several with colons between. `environment` holds
    (name, value) pairs for every rank. Exits with a message if preloading would be in vain.
    """
    pairs = list(environment)
    if preload:
        libraries = [os.path.abspath(library) for library in preload.split(":")]
        require_effective(libraries)
        pairs.append(("LD_PRELOAD", ":".join(libraries)))
    command = mpirun_words(mpi, preload) + ["-n", str(ranks)]
    if mpi == "openmpi":
        return command + [word for name, value in pairs for word in ("-x", f"{name}={value}")]
    return command + [word for name, value in pairs for word in ("-genv", name, value)]


def launch_environment():
    """Returns this process's environment with what lets Open MPI run in a container as root."""
    environment = dict(os.environ)
    environment.pop("LD_PRELOAD", None)
    environment["OMPI_ALLOW_RUN_AS_ROOT"] = "1"
    environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
    return environment


def run(command, timeout_s, cwd=None):
    """Runs `command` with stderr joined to stdout; kills its whole process group at the timeout.

    SIGPIPE stays ignored: Open MPI's mpirun handles it but for its last moments, in which a daemon
    that has already gone would end it with a signal after a program without errors.
    """
    started = time.monotonic()
    process = subprocess.Popen(command, cwd=cwd, env=launch_environment(), text=True,
                               errors="replace", stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               start_new_session=True, restore_signals=False)
    try:
        output, _ = process.communicate(timeout=timeout_s)
        exit_code = process.returncode
    except subprocess.TimeoutExpired:
        output = end_group(process)
        exit_code = None
    if "cannot be preloaded" in output:
        exit_code = 127
    return Outcome(exit_code, output, time.monotonic() - started)


def end_group(process):
    """Ends the process group of `process`, politely first, and returns its remaining output."""
    os.killpg(process.pid, signal.SIGTERM)
    try:
        output, _ = process.communicate(timeout=TERMINATE_GRACE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
    return output
