#!/usr/bin/env python3
"""Measures over the hosts of the testbed, which must be up (docs/cluster.md): the papers' experiments
in small. Results go to BUILD/bench-cluster-NAME.json and a picture beside it."""
import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLUSTER = Path(os.environ.get("LONGSHORE_CLUSTER", "/tmp/longshore-cluster"))
TWO_PHASES = ["--hint", "romio_cb_write=enable", "--hint", "romio_cb_read=enable"]

# Words for `longshore bench`. Sizes are small and repetitions few: hosts, daemons and links share one
# machine, and a launch over hosts takes a second or two.
SWEEPS = {
    # BT-IO independent and collective, and what else the set has, beside stock and the limit.
    "set": ["--set", "cluster", "-n", "4,8", "--repetitions", "3", "--scale", "0.5"],
    # Y-Lib: even parts, or an aggregator for each target, for two, for all; on 2 and 4 hosts.
    "ylib": ["round_robin_4k", "-n", "2,4", "--compare", "longshore", *TWO_PHASES,
             "--sweep", "longshore_partition=even,one_to_k",
             "--sweep", "longshore_targets_per_aggregator=1,2,4",
             "--sweep", "striping_factor=1,2,4", "--repetitions", "2", "--scale", "0.125"],
    # Four aggregators with four cycles each: a call of one cycle overlaps nothing.
    "pipelines": ["random_1k", "-n", "8", "--compare", "longshore", *TWO_PHASES,
                  "--hint", "cb_nodes=4", "--hint", "cb_buffer_size=1048576",
                  "--sweep", "longshore_pipeline=none,comm,write,write_comm,write_comm_2",
                  "--sweep", "longshore_exchange=shm+two_sided,shm+gathered,two_sided",
                  "--repetitions", "3", "--scale", "0.25"],
    # Two phases or every rank for itself, where ranks touch little of a range and where all of it.
    "sparse": ["sparse_64", "random_1k", "-n", "4", "--compare", "stock,longshore",
               "--sweep", "longshore_sparse=automatic,enable,disable",
               "--repetitions", "3", "--scale", "0.25"],
}
QUICK = ["--repetitions", "1", "--scale", "0.125", "--timeout", "60"]

# The same files by their name on the mount, and through libcephfs.
CEPHFS_WORKLOADS = ["contiguous", "tile_256", "btio_a", "btio_a_rows"]
CEPHFS_REPETITIONS = 3


def bench(name, options, more):
    """One sweep by `longshore bench`, on a host, where the files are. Its exit code."""
    kept = options.build / f"bench-cluster-{name}"
    words = SWEEPS[name] + (QUICK if options.quick else ["--timeout", "180"]) + more
    return subprocess.run(
        [ROOT / "cluster/host", "lsc0", options.build / options.mpi[0] / "bin/longshore", "bench",
         *words, "--mpi", ",".join(options.mpi), "--dir", CLUSTER / "shared",
         "--launcher", f"{ROOT}/cluster/mpirun --mpi {{mpi}}",
         "--json", f"{kept}.json", "--plot", f"{kept}.svg"], check=False).returncode


def launch(options, mpi, workload, name):
    """One workload on Longshore, 4 ranks on 4 hosts. Its result as the program prints it."""
    tree = options.build / mpi
    done = subprocess.run(
        [ROOT / "cluster/mpirun", "--mpi", mpi, "-n", "4",
         "--preload", tree / "lib/liblongshore.so", tree / "bin/longshore-workload", workload,
         "--scale", "0.125" if options.quick else "0.25",
         "--file", name, "--plain", CLUSTER / "shared/cephfs-or-mount"],
        check=True, capture_output=True, text=True, timeout=180)
    return json.loads(done.stdout)


def megabytes_per_second(result):
    return {way: result["bytes"] / result[f"{way}_seconds"] / 1e6 for way in ("write", "read")}


def cephfs(options):
    """libcephfs beside the mount, launch by launch in turn. 1 if bytes were wrong."""
    names = {"mount": CLUSTER / "shared/cephfs-or-mount", "cephfs:": "cephfs:/cephfs-or-mount"}
    rows = []
    print(f"{'':24}{'write: mount':>14}{'cephfs:':>10}{'ratio':>7}"
          f"{'read: mount':>14}{'cephfs:':>10}{'ratio':>7}")
    for mpi in options.mpi:
        for workload in CEPHFS_WORKLOADS:
            figures = {key: [] for key in names}
            for _ in range(1 if options.quick else CEPHFS_REPETITIONS):
                for key, name in names.items():
                    result = launch(options, mpi, workload, name)
                    if not result["verified"]:
                        print(f"{workload} on {mpi}, {key}: {result['wrong']}", file=sys.stderr)
                        return 1
                    figures[key].append(megabytes_per_second(result))
            row = {"mpi": mpi, "workload": workload, "figures": figures}
            rows.append(row)
            line = f"{mpi:8} {workload:15}"
            for way in ("write", "read"):
                mount, native = (statistics.median(each[way] for each in figures[key])
                                 for key in names)
                line += f"{mount:14.0f}{native:10.0f}{native / mount:7.2f}"
            print(line, flush=True)
    (options.build / "bench-cluster-cephfs.json").write_text(json.dumps(rows, indent=1) + "\n")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=lambda text: Path(text).resolve(), default=ROOT / "build")
    parser.add_argument("--mpi", action="append", help="openmpi or mpich (default: both)")
    parser.add_argument("--only", action="append", choices=[*SWEEPS, "cephfs"])
    parser.add_argument("--quick", action="store_true", help="smaller, and each launch once")
    options, more = parser.parse_known_args()
    options.mpi = options.mpi or ["openmpi", "mpich"]
    worst = 0
    for name in options.only or [*SWEEPS, "cephfs"]:
        print(f"--- {name}", flush=True)
        code = cephfs(options) if name == "cephfs" else bench(name, options, more)
        worst = max(worst, code)
    return worst


if __name__ == "__main__":
    sys.exit(main())
