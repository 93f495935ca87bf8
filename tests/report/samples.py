"""Made-up inputs for `longshore report`, of each kind, all equal on every run."""

import json
import random


def _bench_run(case, variant, repetition, seconds, outcome="ok", bytes_=16 << 20):
    workload, ranks, directory, mpi = case
    return {"workload": workload, "ranks": ranks, "dir": directory, "mpi": mpi, "variant": variant,
            "repetition": repetition, "outcome": outcome, "dense": workload != "sparse_64",
            "independent": False, "cold": False, "dirty_holes": False, "bytes": bytes_,
            "write_seconds": seconds if outcome == "ok" else 0,
            "read_seconds": 0.7 * seconds if outcome == "ok" else 0,
            "detail": "" if outcome == "ok" else "it did not end"}


def bench(scale=1.0, seed=1):
    """Three workloads, two MPIs, 2 and 4 ranks, three repetitions; stock does not end once."""
    dice = random.Random(seed)
    base = {"stock": 0.04, "longshore": 0.022, "limit": 0.014}
    runs = []
    for workload in ("tile_256", "random_1k", "sparse_64"):
        for ranks in (2, 4):
            for mpi in ("openmpi", "mpich"):
                for variant, seconds in base.items():
                    lost = (workload, ranks, mpi, variant) == ("sparse_64", 4, "mpich", "stock")
                    for repetition in range(3):
                        slow = 1.4 if workload == "random_1k" and variant == "longshore" else 1
                        runs.append(_bench_run(
                            (workload, ranks, "shm", mpi), variant, repetition,
                            scale * seconds * slow * dice.uniform(0.9, 1.15) * (1 + ranks / 8),
                            "timeout" if lost else "ok", int(scale * (16 << 20))))
    return {"version": 1, "settings": {"scale": scale, "hints": [], "collective": True},
            "machine": {"hostname": "sample", "cores": 2, "kernel": "Linux 6.1.0",
                        "architecture": "x86_64", "file_systems": {"shm": "tmpfs"},
                        "mpi": {"openmpi": "Open MPI v4.1.4", "mpich": "MPICH Version: 4.0.2"}},
            "runs": runs, "summary": []}


def sweep():
    """Two hints, five by three values."""
    dice = random.Random(2)
    runs = []
    for ranks in (2, 4):
        for size in (65536, 262144, 1048576, 4194304, 16777216):
            for pipeline in ("none", "write", "write_comm"):
                variant = "longshore cb_buffer_size=%d longshore_pipeline=%s" % (size, pipeline)
                for repetition in range(3):
                    failed = size == 65536 and pipeline == "none" and ranks == 4
                    runs.append(_bench_run(
                        ("tile_1m", ranks, "shm", "openmpi"), variant, repetition,
                        0.02 * (1 + 65536 / size + size / 3e7) * dice.uniform(0.95, 1.1),
                        "failed" if failed else "ok"))
    return {"version": 1, "settings": {"scale": 1}, "runs": runs, "summary": []}


RULES = (("1", "explicit offset vs seek"), ("2", "collective vs split"),
         ("3", "blocking vs nonblocking and wait"), ("4", "default vs atomic"),
         ("10", "non-contiguous type vs contiguous calls"), ("11", "collective vs independent"))


def check():
    """Six rules on two MPI-IOs; stock breaks rule 11, and one result is undecided."""
    dice = random.Random(3)
    results = []
    for mpi_io in ("stock", "longshore"):
        for rule, name in RULES:
            for operation in ("write", "read"):
                for bytes_ in (512, 1 << 20, 4096, 65536):  # as verdicts come, in any order
                    ratio = dice.uniform(0.8, 1.04)
                    verdict, width, advice = "pass", 0.05, ""
                    if mpi_io == "stock" and rule == "11" and bytes_ <= 4096:
                        ratio, verdict = dice.uniform(2, 4), "fail"
                        advice = "romio_cb_write=disable for accesses that do not interleave"
                    elif rule == "3" and bytes_ == 512:
                        ratio, verdict, width = 1.08, "undecided", 0.25
                    results.append({
                        "mpi": "openmpi", "mpi_io": mpi_io, "ranks": 4, "dir": "/dev/shm",
                        "rule": rule, "name": name, "operation": operation, "bytes": bytes_,
                        "ratio": ratio, "low": ratio * (1 - width), "high": ratio * (1 + width),
                        "trials": 24, "verdict": verdict, "a_seconds": 0.001 * ratio,
                        "b_seconds": 0.001, "advice": advice})
    return {"kind": "check", "version": 1, "host": {"name": "sample", "cores": 2},
            "tolerance": 0.1, "results": results}


def stats(files=("/scratch/out.h5", "/scratch/restart.nc")):
    """Lines, as text."""
    lines = []
    for number, file in enumerate(files, 1):
        lines.append(json.dumps({
            "file": file, "plan_ns": 812345 * number, "exchange_ns": 9123456 * number,
            "wait_ns": 4123456, "storage_ns": 15123456, "bytes_read": 0 if number == 1 else 8 << 20,
            "bytes_written": 8 << 20, "bytes_copied": 8 << 20, "messages": 0, "storage_calls": 16,
            "rmw_bytes": 4096 * (number - 1)}, separators=(",", ":")))
    return "\n".join(lines) + "\n"


def trace(ranks=4, cycles=40, file="/scratch/out.h5"):
    dice = random.Random(4)
    events = []
    for rank in range(ranks):
        time = 5e6 + dice.uniform(0, 300)
        for cycle in range(cycles):
            for name, lane, length in (("census", "calls", 60), ("begin exchange", "calls", 220),
                                       ("end exchange", "calls", 90), ("write", "storage", 400)):
                duration = length * dice.uniform(0.6, 1.5)
                begin = time if lane == "calls" else time - 300
                events.append({"name": name, "ph": "X", "pid": rank, "tid": lane,
                               "ts": round(begin, 3), "dur": round(duration, 3),
                               "args": {"cycle": cycle}})
                time += duration if lane == "calls" else 30
    return {"displayTimeUnit": "ms", "otherData": {"file": file}, "traceEvents": events}


def poisoned(value, poison):
    """The same, with the poison in every text that is not a keyword of the format."""
    kept = {"stock", "longshore", "limit", "openmpi", "mpich", "ok", "X", "check", "timeout"}
    if isinstance(value, dict):
        return {key: poisoned(one, poison) for key, one in value.items()}
    if isinstance(value, list):
        return [poisoned(one, poison) for one in value]
    return value + poison if isinstance(value, str) and value not in kept else value


def write_all(folder, poison=""):
    """Writes a file of each kind; returns their paths."""
    inputs = {"check.json": check(), "bench.json": bench(), "bench4.json": bench(4.0, 5),
              "sweep.json": sweep(), "trace.json": trace()}
    paths = []
    for name, content in inputs.items():
        path = "%s/%s" % (folder, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(poisoned(content, poison) if poison else content, file)
        paths.append(path)
    path = "%s/stats" % folder
    with open(path, "w", encoding="utf-8") as file:
        file.write(stats(("/scratch/" + poison, "b")) if poison else stats())
    return [*paths[:4], path, paths[4]]
