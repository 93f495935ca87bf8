#!/usr/bin/env python3
"""What `longshore explain` says is what the library does: explain.py PATTERN_PROGRAM WORKLOADS.

Each pattern is explained, then run for real; the library's own report must name the same strategy for
the same reason. So with the named patterns and the workloads of `longshore bench` of these names.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

from launch import CLI, environment, longshore, watched

PATTERN = sys.argv[1]
WORKLOADS = sys.argv[2]

# ranks, calls, block, stride, shift, count, times, hints
CASES = [
    (4, "write_all", 1024, 4096, 1024, 1000, 1, []),
    (3, "read_all", 512, 1536, 512, 200, 2, []),
    (4, "write_all", 1 << 20, 4 << 20, 1 << 20, 1, 2, []),
    (2, "write_all", 1024, 131072, 65536, 64, 1, []),
    (4, "write_all", 100, 100, 40000, 400, 1, []),
    (2, "write_all", 4096, 8192, 4096, 64, 1, ["romio_cb_write=disable"]),
    (2, "write_all", 4096, 8192, 4096, 64, 1, ["cb_nodes=1", "longshore_pipeline=write_comm"]),
    (4, "write_all", 4096, 16384, 4096, 64, 1, ["striping_unit=65536", "striping_factor=4"]),
    (4, "write_all", 4096, 16384, 4096, 64, 1,
     ["longshore_exchange=shm+rma_lock", "longshore_partition=cyclic", "cb_buffer_size=65536"]),
    (4, "write", 64, 256, 64, 1, 20, []),
    (1, "write", 64, 64, 64, 1, 20, []),
    (2, "write", 65536, 131072, 65536, 1, 5, []),
    (2, "write", 512, 1024, 512, 64, 3, []),
    (2, "write", 512, 1024, 512, 64, 3, ["longshore_write_behind=off"]),
    (2, "write", 512, 1024, 512, 64, 3, ["romio_ds_write=enable"]),
    (2, "read", 1024, 2048, 1024, 64, 3, []),
    (2, "read", 8192, 65536, 8192, 16, 3, []),
    (2, "read", 64, 128, 64, 1, 9, []),
]


def hint_words(hints):
    return [word for hint in hints for word in ("--hint", hint)]


def explained(case):
    ranks, calls, block, stride, shift, count, times, hints = case
    text = ("ranks=%d calls=%s block=%d stride=%d shift=%d count=%d times=%d" %
            (ranks, calls, block, stride, shift, count, times))
    out, _ = longshore("explain", "data", "--json", "--pattern", text, *hint_words(hints))
    return json.loads(out)


def reported(case):
    ranks, calls, block, stride, shift, count, times, hints = case
    pathlib.Path("data").unlink(missing_ok=True)
    watched(["--stats=stats.json", *hint_words(hints)], ranks, PATTERN, os.path.abspath("data"), calls,
            *map(str, (block, stride, shift, count, times)))
    with open("stats.json", encoding="utf-8") as file:
        return json.loads(file.readlines()[-1])


def check(case):
    told = explained(case)
    done = reported(case)
    decision = told["decision"]
    (choice,) = done["choices"]
    assert (choice["call"], choice["how"], choice["why"]) == (
        decision["call"], decision["how"], decision["why"]), (case, choice, decision)
    assert choice["calls"] in (case[6], case[6] * case[0]), choice
    assert told["layout"]["stripe_bytes"] == done["stripe_bytes"], (told["layout"], done)
    costs = [each["predicted"]["total_ms"] for each in told["alternatives"]]
    assert len(costs) > 1 and min(costs) > 0, costs
    print("the same: %s %s" % (case, decision["how"]))


def check_named(name):
    out, _ = longshore("explain", "data", "--json", "--pattern", name)
    decision = json.loads(out)["decision"]
    watched(["--stats=stats.json"], 4, WORKLOADS, name, "--bytes", 4 << 20, "--file",
            os.path.abspath("data"))
    with open("stats.json", encoding="utf-8") as file:
        (choice,) = json.loads(file.readline())["choices"]
    assert choice["call"] == decision["call"] and choice["how"] == decision["how"], (choice, decision)
    print("the same: %s %s" % (name, decision["how"]))


def check_command_line():
    out, _ = longshore("explain", ".")
    assert "blocks of" in out and "round_robin_4k" in out, out
    out, _ = longshore("explain", "--pattern", "round_robin_4k ranks=16 hosts=4")
    assert "nothing was measured" in out and "because" in out and "pipeline comm" in out, out
    assert "records_64" in longshore("explain", "--list")[0]
    assert "is not understood" in longshore("explain", "--pattern", "ranks=x", code=2)[1]
    assert "no such file" in longshore("explain", "/nowhere/at/all", code=127)[1]
    assert "no such file" in longshore("explain", "/etc/passwd/x", code=127)[1]
    assert "ignored" in longshore("explain", "--hint", "cb_nodes=x", code=2)[1]
    assert "mean cb_nodes" in longshore("explain", "--hint", "cb_node=1", code=2)[1]


def check_tune():
    longshore("tune", "--seconds", "0.1", "--output", "site")
    out, _ = longshore("explain", "--profile", LONGSHORE_PROFILE="site")
    assert "local_call_us" in out and not [x for x in os.listdir(".") if "tune" in x], out
    longshore("tune", "--dir", "/nowhere", code=1)
    longshore("tune", "--seconds", "x", code=2)


def open_scratch(pid):
    """The file that tune measures, while it is open."""
    for fd in pathlib.Path("/proc", str(pid), "fd").iterdir():
        try:
            target = os.readlink(fd)
        except FileNotFoundError:
            continue
        if ".longshore-tune-" in target:
            return target
    return None


def check_interrupted_tune():
    os.makedirs("tuned", exist_ok=True)
    for number in (signal.SIGINT, signal.SIGTERM):
        with subprocess.Popen([CLI, "tune", "--dir", "tuned", "--seconds", "120"], env=environment(),
                              stderr=subprocess.PIPE, text=True) as tune:
            deadline = time.monotonic() + 60
            while not (open_scratch(tune.pid) or "").endswith(" (deleted)"):
                assert time.monotonic() < deadline and tune.poll() is None, os.listdir("tuned")
                time.sleep(0.01)
            tune.send_signal(number)
            said = tune.communicate(timeout=60)[1]
            assert tune.returncode == 130 and "interrupted" in said, (tune.returncode, said)
        assert not os.listdir("tuned"), os.listdir("tuned")


def check_profile():
    out, _ = longshore("explain", "--profile")
    pathlib.Path("site").write_text(out + "local_call_us = 5000 # slow\n", encoding="utf-8")
    words = ["explain", "--json", "--pattern", "ranks=2 calls=write block=1M"]
    fast = json.loads(longshore(*words)[0])
    slow = json.loads(longshore(*words, LONGSHORE_PROFILE="site")[0])
    assert slow["profile"]["local_call_us"] == 5000
    ratio = [each["alternatives"][0]["predicted"]["total_ms"] for each in (slow, fast)]
    assert ratio[0] > ratio[1] + 4, ratio
    pathlib.Path("site").write_text("nonsense = 1\n", encoding="utf-8")
    assert "nonsense" in longshore(*words, LONGSHORE_PROFILE="site", code=2)[1]
    longshore(*words, LONGSHORE_PROFILE="/nowhere", code=2)


def main():
    check_command_line()
    check_profile()
    check_tune()
    check_interrupted_tune()
    for case in CASES:
        check(case)
    for line in longshore("explain", "--list")[0].splitlines():
        if not line.startswith(" "):
            check_named(line.split()[0])
    print("%d patterns: explained as they are done" % len(CASES))


if __name__ == "__main__":
    main()
