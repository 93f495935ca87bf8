#!/bin/bash
# setup.sh [TARGET]: makes sure that the packages of packages.txt are installed, those for TARGET
# included. Says nothing and takes no time if they are; installs the missing ones as root or by
# `sudo -n`; otherwise names them and exits 1.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

mapfile -t wanted < <(awk -v target="${1-}" '!/^#/ && ($2 == "" || $2 == target) {print $1}' \
  "$here/packages.txt")
if ! command -v dpkg-query >/dev/null; then
  echo "setup: not a Debian machine; these packages, or their like, are taken to be there:" >&2
  echo "  ${wanted[*]}" >&2
  exit 0
fi
mapfile -t installed < <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" \
  2>/dev/null | awk '$1 == "installed" {print $2}' || true)
mapfile -t missing < <(comm -23 <(printf '%s\n' "${wanted[@]}" | sort -u) \
  <(printf '%s\n' "${installed[@]}" | sort -u))
if [ "${#missing[@]}" -eq 0 ]; then
  exit 0
fi

if [ "$(id -u)" -eq 0 ]; then
  as_root=(env)
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  as_root=(sudo -n env)
else
  echo "setup: these packages are missing, and installing them needs root:" >&2
  echo "  apt-get install ${missing[*]}" >&2
  exit 1
fi
echo "setup: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${as_root[@]}" apt-get -q update &&
  "${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends \
    "${missing[@]}"; } >"$log" 2>&1; then
  tail -n 30 "$log" >&2
  echo "setup: apt-get failed" >&2
  exit 1
fi
