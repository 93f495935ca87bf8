# shellcheck shell=bash disable=SC2154,SC2034 # names of the others
# common.sh: what the commands of cluster/ share. To be sourced.
#
# A cluster lives below one folder, $LONGSHORE_CLUSTER, and in Linux namespaces: nothing of it has a
# name outside of these, so two clusters with different folders do not meet.
#
#   hosts/NAME/pid   the process that keeps the host's namespaces alive
#   hosts/NAME/net   the inode of the host's network namespace: whose processes `down` ends
#   shared/          on a compute host: CephFS, through that host's own client
#   tmp/             on a host: its own memory file system, and its TMPDIR
#   log/             of `up`, of the daemons and of the clients
#   ceph.conf        for the daemons, the clients and libcephfs
#
# Hosts: lsc0, lsc1, ... compute; lss0, lss1, ... store; lsm has Ceph's monitor and metadata server;
# lsw is the switch.

cluster_home=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cluster_dir=${LONGSHORE_CLUSTER:-/tmp/longshore-cluster}
# The part of the name before the host's number is in all of them.
compute_prefix=lsc
storage_prefix=lss
monitor_host=lsm
switch_host=lsw

# die WORDS: says why on stderr and ends the shell with 1.
die() {
  echo "cluster: $*" >&2
  exit 1
}

# need_root: Namespaces and mounts are root's.
need_root() {
  [ "$(id -u)" -eq 0 ] || die "needs root, for namespaces and mounts"
}

# host_names PREFIX: the hosts of the cluster with that prefix, in order of their numbers.
host_names() {
  local path
  for path in "$cluster_dir"/hosts/"$1"*/; do
    [ -d "$path" ] && basename "$path"
  done | sort -V
}

# is_up: true if the cluster's hosts are there.
is_up() {
  [ -e "$cluster_dir/ready" ]
}

# host_pid NAME_OR_ADDRESS: the process that keeps the host; 1 if there is no such host.
host_pid() {
  cat "$cluster_dir/hosts/$1/pid" 2>/dev/null
}

# on_host NAME COMMAND...: replaces this shell by the command, on the host: its network, hostname,
# shared memory and mounts. Signals and the exit code are the command's own. The working directory
# is that of the same name on the host.
on_host() {
  local pid
  pid=$(host_pid "$1") || die "no host $1 in $cluster_dir: is the cluster up?"
  shift
  exec nsenter --target "$pid" --net --uts --ipc --mount --wdns="$PWD" -- \
    env "LONGSHORE_CLUSTER=$cluster_dir" "TMPDIR=$cluster_dir/tmp" \
    "CEPH_CONF=$cluster_dir/ceph.conf" CEPH_ARGS= "$@"
}

# wait_until SECONDS COMMAND...: tries until the command succeeds; 1 if it never does.
wait_until() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.1
  done
}
