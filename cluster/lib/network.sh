# shellcheck shell=bash disable=SC2154,SC2034 # names of the others
# network.sh: hosts as namespaces, joined by a switch with rate-limited links. To be sourced.
#
# A host is a process that sleeps in a network, hostname, IPC and mount namespace of its own; all
# else enters these. The namespaces end with their last process, so nothing needs a name in
# /run/netns.

network_prefix=10.77.0

# host_address NAME: each host's address follows from its name.
host_address() {
  case $1 in
    "$compute_prefix"*) echo "$network_prefix.$((10 + ${1#"$compute_prefix"}))" ;;
    "$storage_prefix"*) echo "$network_prefix.$((110 + ${1#"$storage_prefix"}))" ;;
    *) echo "$network_prefix.210" ;;
  esac
}

# start_host NAME: begins a host; it is there when hosts/NAME/pid is.
# Its own IPC namespace and /dev/shm: MPICH's UCX and Open MPI would share memory between hosts else.
start_host() {
  local folder=$cluster_dir/hosts/$1
  mkdir -p "$folder"
  # shellcheck disable=SC2016 # the inner shell expands
  setsid unshare --net --uts --ipc --mount --propagation slave -- /bin/sh -ec '
    hostname "$1"
    mount -t tmpfs tmpfs /dev/shm
    mount -t tmpfs tmpfs "$3"
    ip link set lo up
    stat -L -c %i /proc/self/ns/net >"$2/net"
    echo $$ >"$2/pid.new"
    mv "$2/pid.new" "$2/pid"
    exec sleep infinity' sh "$1" "$folder" "$cluster_dir/tmp" </dev/null &
  disown
}

# start_hosts NAME...: begins hosts and waits for all of them.
start_hosts() {
  local name
  for name in "$@"; do
    start_host "$name"
  done
  for name in "$@"; do
    wait_until 20 test -e "$cluster_dir/hosts/$name/pid"
  done
}

# in_net NAME COMMAND...: the command in the host's network, but with our mounts.
in_net() {
  local pid
  pid=$(host_pid "$1")
  shift
  nsenter --target "$pid" --net -- "$@"
}

start_switch() {
  start_hosts "$switch_host"
  in_net "$switch_host" ip link add br0 type bridge
  in_net "$switch_host" ip link set br0 up
}

# plug_in NAME RATE: connects the host to the switch, RATE in both directions ("none": no limit).
plug_in() {
  local name=$1 rate=$2 address
  address=$(host_address "$name")
  in_net "$switch_host" ip link add "$name" type veth peer name eth0 netns "$(host_pid "$name")"
  in_net "$switch_host" ip link set "$name" master br0 up
  in_net "$name" ip addr add "$address/24" dev eth0
  in_net "$name" ip link set eth0 up
  # Launchers may name a host by its address.
  ln -s "$name" "$cluster_dir/hosts/$address"
  if [ "$rate" != none ]; then
    limit_rate "$name" eth0 "$rate"
    limit_rate "$switch_host" "$name" "$rate"
  fi
}

# limit_rate HOST DEVICE RATE: of what leaves through the device. A token bucket: netem, which has
# latency too, is in few kernels.
limit_rate() {
  in_net "$1" tc qdisc add dev "$2" root tbf rate "$3" burst 256kb latency 20ms
}
