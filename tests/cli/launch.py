"""How the tests of the command start it: the LONGSHORE_* environment says with what."""

import os
import subprocess

CLI = os.environ["LONGSHORE_CLI"]
MPIRUN = os.environ["LONGSHORE_MPIRUN"].split()


def environment():
    """Ours, without what would change the library's mind."""
    clean = {key: value for key, value in os.environ.items()
             if key not in ("LONGSHORE_HINTS", "LONGSHORE_STATS", "LONGSHORE_TRACE",
                            "LONGSHORE_PROFILE", "LONGSHORE_VERBOSE")}
    runtime = os.environ["LONGSHORE_PRELOAD"].removesuffix(os.environ["LONGSHORE_LIBRARY"])
    if runtime:
        clean["LD_PRELOAD"] = runtime.rstrip(":")  # a sanitizer's
    return clean


def longshore(*words, code=0, **more):
    """Runs the command; returns what it said on its two streams."""
    done = subprocess.run([CLI, *map(str, words)], env={**environment(), **more},
                          capture_output=True, text=True, timeout=240, check=False)
    assert code is None or done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr


def watched(options, ranks, *program, code=0):
    """longshore run OPTIONS mpirun -n RANKS PROGRAM; returns its standard error."""
    return longshore("run", *options, *MPIRUN, "-n", ranks, *program, code=code)[1]
