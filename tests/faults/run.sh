#!/bin/sh
# run.sh SUITE PROGRAM: the fault tests that need more than one mpirun or a prepared surrounding.
# Wants LONGSHORE_MPIRUN and LONGSHORE_PRELOAD_ENV (see cmake/LongshoreTests.cmake); an empty
# LONGSHORE_PRELOAD_ENV runs the MPI's own MPI-IO. Ends with 77 if the machine does not let it run.
set -u
suite=$1
program=$2
failures=0

# launch SECONDS RANKS PROGRAM ARGUMENT...
launch() {
  limit=$1
  ranks=$2
  shift 2
  # shellcheck disable=SC2086  # the variables hold lists of words
  timeout -k 5 "$limit" $LONGSHORE_MPIRUN ${LONGSHORE_PRELOAD_ENV-} -n "$ranks" "$@"
}

must_pass() {
  "$@" || { echo "FAILED: $*" >&2; failures=$((failures + 1)); }
}

# must_die COMMAND...: it ends by itself, well before its time limit, with an error and before its
# end. A rank killed by SIGKILL gives mpirun the same exit status as a time limit: hence the clock.
must_die() {
  begin=$(date +%s)
  output=$("$@" 2>&1)
  code=$?
  seconds=$(($(date +%s) - begin))
  if [ "$code" -eq 0 ] || [ "$seconds" -ge 30 ] || echo "$output" | grep -q SURVIVED; then
    echo "FAILED (code $code after $seconds s): $*" >&2
    echo "$output" >&2
    failures=$((failures + 1))
  fi
  echo "ended after $seconds s with code $code: $*"
}

# full_disk NODE_SIZE...: a file system of 1 MiB, seen by this script and its children only; the
# program runs once for each size of a host, 0 for the real one.
full_disk() {
  if [ -z "${FAULTS_IN_NAMESPACE-}" ]; then
    flags=-m
    [ "$(id -u)" -eq 0 ] || flags=-rm
    unshare $flags true 2>/dev/null || { echo "SKIPPED: cannot make a mount namespace"; exit 77; }
    FAULTS_IN_NAMESPACE=1 exec unshare $flags "$0" "$suite" "$program"
  fi
  mkdir -p small
  mount -t tmpfs -o size=1048576 none small || { echo "SKIPPED: cannot mount a tmpfs"; exit 77; }
  for node_size in "$@"; do
    LONGSHORE_NODE_SIZE=$node_size
    [ "$node_size" -gt 0 ] && export LONGSHORE_NODE_SIZE || unset LONGSHORE_NODE_SIZE
    must_pass launch 110 4 "$program" full "$PWD/small" 1048576
  done
  umount small
}

permissions() {
  mkdir -p closed_folder
  echo text > closed_folder/readable
  echo text > closed_folder/closed
  chmod 0444 closed_folder/readable
  chmod 0000 closed_folder/closed
  chmod 0555 closed_folder
  if [ "$(id -u)" -eq 0 ]; then
    # The program must be reachable for a user without rights.
    folder=$(mktemp -d)
    chmod 0755 "$folder"
    cp -rp closed_folder "$folder/"
    cp "$program" "$folder/program"
    (
      cd "$folder" || exit 1
      run_unprivileged "$folder"
    )
    failures=$((failures + $?))
    rm -rf "$folder"
  else
    must_pass launch 60 2 "$program" unprivileged "$PWD/closed_folder"
  fi
}

# run_unprivileged FOLDER: as nobody, with a copy of the library if it lies out of reach.
run_unprivileged() {
  library=${LONGSHORE_LIBRARY-}
  if [ -n "$library" ] && [ -n "${LONGSHORE_PRELOAD_ENV-}" ]; then
    cp "$library" "$1/liblongshore.so"
    LONGSHORE_PRELOAD_ENV=$(echo "$LONGSHORE_PRELOAD_ENV" | sed "s#$library#$1/liblongshore.so#")
  fi
  export HOME="$1" TMPDIR=/tmp
  # shellcheck disable=SC2086
  timeout -k 5 60 setpriv --reuid=65534 --regid=65534 --clear-groups \
    $LONGSHORE_MPIRUN ${LONGSHORE_PRELOAD_ENV-} -n 2 "$1/program" unprivileged "$1/closed_folder"
}

# inject PLAN CALL=CLASS...
inject() {
  LONGSHORE_FAULTS=$1
  export LONGSHORE_FAULTS
  shift
  echo "LONGSHORE_FAULTS=$LONGSHORE_FAULTS: $*"
  must_pass launch 60 4 "$program" "$@"
}

injections() {
  all_reads_io="read_all=IO read_at_all=IO iread_at_all=IO read_split=IO"
  # shellcheck disable=SC2086
  {
    inject read:rank=1:path=data $all_reads_io
    inject read:after=2:rank=2:path=data $all_reads_io
    inject read:after=1:count=1:keep=100:rank=0:path=data $all_reads_io
    inject read:offset=60000:path=data $all_reads_io
  }
  inject write:after=1:errno=ENOSPC:rank=3:path=data write_all=NO_SPACE write_at_all=NO_SPACE \
    iwrite_all=NO_SPACE write_split=NO_SPACE
  inject write:errno=EDQUOT:path=data write_all=QUOTA iwrite_all=QUOTA
  inject write:after=2:keep=33:errno=EIO:rank=0:path=data write_all=IO write_split=IO
  inject write:errno=EACCES:rank=1:path=data,read:errno=EIO:rank=2:path=data write_all=ACCESS \
    read_all=IO
  inject read:rank=1:path=data read_straight=IO
  inject write:errno=ENOSPC:rank=3:path=data write_straight=NO_SPACE
  inject sync:errno=EIO:rank=1:path=data sync=IO
  inject resize:errno=ENOSPC:path=data set_size=NO_SPACE
  inject allocate:errno=ENOSPC:path=data preallocate=NO_SPACE
  inject allocate:errno=EOPNOTSUPP:path=data,write:errno=EDQUOT:path=data preallocate=QUOTA
  inject open:errno=EACCES:rank=1:path=data open=ACCESS
  inject open:errno=ENOENT:rank=3:path=data open=NO_SUCH_FILE
  inject close:errno=EIO:rank=2:path=data close=IO
}

# Our segments in shared memory whose maker is gone.
orphans() {
  for segment in /dev/shm/longshore-*; do
    pid=${segment#/dev/shm/longshore-}
    [ ! -e "$segment" ] || [ -d "/proc/${pid%%-*}" ] || echo "$segment"
  done
}

# killed ARGUMENT...: no process and no segment is left of a program with a killed rank.
killed() {
  copy=$PWD/killed_rank.$$
  cp "$program" "$copy"
  before=$(orphans)
  must_die launch 40 4 "$copy" "$@"
  tries=0
  while pgrep -f "$copy" > /dev/null; do
    tries=$((tries + 1))
    if [ "$tries" -gt 10 ]; then
      echo "FAILED: processes left behind:" >&2
      pgrep -af "$copy" >&2
      failures=$((failures + 1))
      break
    fi
    sleep 1
  done
  for segment in $(orphans); do
    case $before in
      *"$segment"*) ;;
      *) echo "FAILED: left behind: $segment" >&2; failures=$((failures + 1)) ;;
    esac
  done
}

case $suite in
  full) full_disk 0 ;;
  full_pages) full_disk 0 1 ;;
  permissions) permissions ;;
  injections) injections ;;
  killed)
    killed
    killed small
    LONGSHORE_NODE_SIZE=1
    export LONGSHORE_NODE_SIZE
    killed small
    ;;
  fatal)
    must_die launch 60 2 "$program" fatal
    must_die launch 60 2 "$program" fatal_open
    # It says why.
    must_pass sh -c "echo '$(echo "$output" | tr -d "'")' | grep -q 'longshore: NO_SUCH_FILE: '"
    ;;
  *)
    echo "run.sh: no such suite: $suite" >&2
    exit 2
    ;;
esac
[ "$failures" -eq 0 ]
