# shellcheck shell=bash disable=SC2154,SC2034 # names of the others
# ceph.sh: a small real Ceph on the storage hosts, and its clients on the compute hosts. To be
# sourced. No manager daemon runs: nothing here needs one (but `ceph df` and the like wait for it).

# write_ceph_conf STORE: memstore, or bluestore on sparse files.
# An OSD that works for half a minute on one request (ten thousand writes of a byte, under load) lets
# its own lease run out, and with one copy of everything it never renews it: all waits for ever. So
# the lease is long, but where a killed daemon comes back: its successor waits until it has run out.
write_ceph_conf() {
  local lease_ratio=0.8
  if [ "$1" = memstore ]; then lease_ratio=30; fi
  mkdir -p "$cluster_dir"/{mon,mds,run}
  sed -e "s|@FSID@|$(cat /proc/sys/kernel/random/uuid)|" \
    -e "s|@MONITOR@|$(host_address "$monitor_host")|" -e "s|@NETWORK@|$network_prefix.0/24|" \
    -e "s|@STORE@|$1|" -e "s|@LEASE_RATIO@|$lease_ratio|" -e "s|@DIR@|$cluster_dir|g" \
    "$cluster_home/lib/ceph.conf.in" >"$cluster_dir/ceph.conf"
}

# ceph_admin COMMAND...: one of ceph_admin.py, on the monitor's host. Debian's own Python, which has
# the module rados.
ceph_admin() {
  (on_host "$monitor_host" timeout 60 /usr/bin/python3 "$cluster_home/lib/ceph_admin.py" "$@")
}

start_monitor() {
  local conf=$cluster_dir/ceph.conf map=$cluster_dir/monmap
  monmaptool --create --clobber --fsid "$(awk '$1 == "fsid" {print $3}' "$conf")" \
    --addv a "[v2:$(host_address "$monitor_host"):6789]" "$map"
  (on_host "$monitor_host" timeout 30 ceph-mon -c "$conf" --mkfs -i a --monmap "$map")
  (on_host "$monitor_host" timeout 30 ceph-mon -c "$conf" -i a)
}

# make_osd NUMBER UUID: an empty store.
make_osd() {
  mkdir -p "$cluster_dir/osd$1"
  (on_host "$storage_prefix$1" timeout 60 ceph-osd -c "$cluster_dir/ceph.conf" -i "$1" --mkfs \
    --osd-uuid "$2")
}

# start_osd NUMBER: of a store that make_osd made, also after the daemon was killed.
start_osd() {
  (on_host "$storage_prefix$1" timeout 60 ceph-osd -c "$cluster_dir/ceph.conf" -i "$1")
}

# start_osds NUMBER_OF_THEM: all at the same time; 1 if one fails.
start_osds() {
  local uuids number jobs=()
  mapfile -t uuids < <(ceph_admin new-osds "$1")
  [ "${#uuids[@]}" -eq "$1" ]
  for number in "${!uuids[@]}"; do
    { make_osd "$number" "${uuids[$number]}" && start_osd "$number"; } &
    jobs+=($!)
  done
  for number in "${jobs[@]}"; do
    wait "$number"
  done
}

start_metadata_server() {
  (on_host "$monitor_host" timeout 30 ceph-mds -c "$cluster_dir/ceph.conf" -i m)
}

# mount_ceph NAME: on one compute host, by a client of its own. The mount is in that host's mount
# namespace: hosts share no page cache, and all name a file alike.
mount_ceph() {
  (on_host "$1" timeout 60 ceph-fuse -c "$cluster_dir/ceph.conf" "$cluster_dir/shared")
}

# mount_all NAME...: all at the same time; 1 if one fails.
mount_all() {
  local name jobs=()
  for name in "$@"; do
    mount_ceph "$name" &
    jobs+=($!)
  done
  for name in "${jobs[@]}"; do
    wait "$name"
  done
}

# unmount_ceph NAME: a client writes back and says goodbye, for which it needs live daemons; if it
# cannot within the time, the mount goes without.
unmount_ceph() {
  (on_host "$1" timeout -k 5 20 umount "$cluster_dir/shared") ||
    (on_host "$1" timeout -k 5 20 umount -l "$cluster_dir/shared")
}
