#!/bin/bash
# lifecycle.sh: that `cluster/up` refuses to start twice, cleans up when it fails half-way, and that
# `cluster/down` leaves nothing behind, in a cluster of its own. Ends with `N passed, N failed`.
set -uo pipefail
cluster=$(cd "$(dirname "$0")/../../cluster" && pwd)
export LONGSHORE_CLUSTER=${TMPDIR:-/tmp}/longshore-lifecycle.$$
trap '"$cluster/down"' EXIT
passed=0
failed=0

# expect WORDS COMMAND...: counts.
expect() {
  local what=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $what"
  fi
}

# Everything that a cluster could leave: processes, and with them namespaces; mounts; files. What it
# starts has the folder's name in its environment; so would our own helpers.
leftovers() {
  env -u LONGSHORE_CLUSTER grep -lsF "LONGSHORE_CLUSTER=$LONGSHORE_CLUSTER" /proc/[0-9]*/environ
  grep -F "$LONGSHORE_CLUSTER" /proc/mounts
  ls -d "$LONGSHORE_CLUSTER" 2>/dev/null
}

nothing_left() {
  local left
  left=$(leftovers)
  [ -z "$left" ] || {
    echo "$left"
    return 1
  }
}

on_each_host() {
  local host
  for host in lsc0 lsc1; do
    [ "$("$cluster/host" "$host" hostname)" = "$host" ] || return 1
    "$cluster/host" "$host" mountpoint -q "$LONGSHORE_CLUSTER/shared" || return 1
  done
}

# A program that is at work in the mount, another that ignores requests to end, a dead daemon.
disturb() {
  "$cluster/host" lsc0 sh -c "cd $LONGSHORE_CLUSTER/shared && exec tail -f /dev/null" &
  "$cluster/host" lsc1 sh -c "trap '' TERM HUP; while :; do sleep 100; done" &
  kill -KILL "$(cat "$LONGSHORE_CLUSTER/run/osd.1.pid")"
  sleep 0.5
}

expect "up" "$cluster/up" --hosts 2 --storage 2 --rate none
expect "a cluster that is up would be seen" [ "$(leftovers | wc -l)" -gt 10 ]
expect "hosts have names and mounts" on_each_host
expect "a second up is refused" bash -c '! "$1/up" --hosts 2 2>/dev/null' bash "$cluster"
expect "and did no harm" on_each_host
disturb 2>/dev/null
expect "down" "$cluster/down"
wait 2>/dev/null
expect "down leaves nothing behind" nothing_left

# A storage daemon that cannot start.
broken=$(mktemp -d)
printf '#!/bin/sh\necho no disk today >&2\nexit 1\n' >"$broken/ceph-osd"
chmod +x "$broken/ceph-osd"
said=$(PATH=$broken:$PATH "$cluster/up" --hosts 2 --storage 2 2>&1)
expect "up with a broken daemon fails" [ $? -ne 0 ]
rm -rf "$broken"
expect "it names the step" grep -q 'failed at "Ceph on 2 storage hosts"' <<<"$said"
expect "and shows the log" grep -q 'no disk today' <<<"$said"
expect "and leaves nothing behind" nothing_left
expect "down of nothing succeeds" "$cluster/down"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
