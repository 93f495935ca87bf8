#!/usr/bin/python3
"""What `up` asks Ceph's monitor for, by few connections: each start of `ceph` takes half a second.

  new-osds N      makes N OSDs known and prints their UUIDs, in order
  make-fs N       waits for N OSDs, makes the pools and the file system, waits for its server
  wait-osds N     waits until N OSDs are up
  osd-of INODE    prints the OSD that has the first byte of the file with that number
  layout PATH N   new files below the folder PATH of a mount: stripes of 1 MiB over N objects

$CEPH_CONF names the configuration. Exits 1, with the reason, if the time is over.
"""
import json
import os
import sys
import time
import uuid

TIMEOUT_SECONDS = 40


def connect():
    import rados  # only those commands need it that talk to the monitor

    cluster = rados.Rados(conffile=os.environ["CEPH_CONF"])
    cluster.connect(timeout=TIMEOUT_SECONDS)
    return cluster


def ask(cluster, prefix, **arguments):
    """One command of the monitor; its answer as a value, or as text if it is none."""
    command = json.dumps({"prefix": prefix, "format": "json", **arguments})
    code, answer, reason = cluster.mon_command(command, b"", timeout=TIMEOUT_SECONDS)
    if code != 0:
        sys.exit(f"{prefix}: {reason or os.strerror(-code)}")
    try:
        return json.loads(answer)
    except ValueError:
        return answer.decode()


def wait_for(what, ready):
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not ready():
        if time.monotonic() > deadline:
            sys.exit(f"no {what} within {TIMEOUT_SECONDS} s")
        time.sleep(0.1)


def wait_osds(cluster, count):
    wait_for(f"{count} OSDs", lambda: ask(cluster, "osd stat")["num_up_osds"] >= count)


def new_osds(cluster, count):
    for number in range(count):
        name = str(uuid.uuid4())
        ask(cluster, "osd new", uuid=name, id=number)
        print(name)


def mds_active(cluster):
    maps = ask(cluster, "mds stat")["fsmap"]["filesystems"]
    return any(info["state"] == "up:active" for fs in maps for info in fs["mdsmap"]["info"].values())


def make_fs(cluster, osds):
    wait_osds(cluster, osds)
    ask(cluster, "osd pool create", pool="fsmeta", pg_num=4)
    ask(cluster, "osd pool create", pool="fsdata", pg_num=64)
    ask(cluster, "fs new", fs_name="longshore", metadata="fsmeta", data="fsdata")
    wait_for("active metadata server", lambda: mds_active(cluster))


def set_layout(path, stripe_count):
    layout = f"stripe_unit=1048576 stripe_count={stripe_count} object_size=4194304 pool=fsdata"
    os.setxattr(path, "ceph.dir.layout", layout.encode())


def osd_of(cluster, inode):
    placement = ask(cluster, "osd map", pool="fsdata", object=f"{inode:x}.00000000")
    print(placement["acting_primary"])


def main(command, *arguments):
    if command == "layout":
        set_layout(arguments[0], int(arguments[1]))
        return
    {"new-osds": new_osds, "make-fs": make_fs, "wait-osds": wait_osds,
     "osd-of": osd_of}[command](connect(), int(arguments[0]))


if __name__ == "__main__":
    main(*sys.argv[1:])
