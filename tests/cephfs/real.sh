#!/bin/sh
# real.sh PROGRAM: the program on a real CephFS: ranks of one host, ranks as if each had a host of
# its own, and without pages. Ends with 77 if there is no CephFS at hand.
set -u
program=$1
if [ -z "${LONGSHORE_TEST_CEPH-}" ]; then
  echo "SKIPPED: LONGSHORE_TEST_CEPH does not name a folder of a CephFS"
  exit 77
fi
file=cephfs:$LONGSHORE_TEST_CEPH/longshore_coherence_$$
failures=0
for setting in LONGSHORE_NODE_SIZE=0 LONGSHORE_NODE_SIZE=1 LONGSHORE_HINTS=longshore_write_behind=off; do
  export "${setting?}"
  # shellcheck disable=SC2086  # the variables hold lists of words
  timeout -k 5 90 $LONGSHORE_MPIRUN ${LONGSHORE_PRELOAD_ENV-} -n 4 "$program" "$file" ||
    { echo "FAILED with $setting" >&2; failures=$((failures + 1)); }
  unset "${setting%%=*}"
done
exit $failures
