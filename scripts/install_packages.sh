#!/usr/bin/env bash
# Installs what scripts/packages.txt names and the machine lacks. Does nothing, and needs no rights, when all
# is there; without rights it says which packages to install. With --build, those are left out that only the
# tests need.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive

leave_out=''
[[ ${1-} == --build ]] && leave_out='/^# check/,$d'
list="$(dirname "${BASH_SOURCE[0]}")/packages.txt"

missing_packages() {
  local package
  sed "$leave_out;s/#.*//" "$list" | while read -r package; do
    [[ -n $package ]] || continue
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true) == installed ]] || echo "$package"
  done
}

if ! command -v dpkg-query >/dev/null; then
  echo "Not a Debian system: install the equivalents of scripts/packages.txt yourself." >&2
  exit 0
fi
mapfile -t missing < <(missing_packages)
((${#missing[@]})) || exit 0

as_root=()
if ((EUID != 0)); then
  if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root=(sudo -n DEBIAN_FRONTEND=noninteractive)
  elif command -v sudo >/dev/null && [[ -t 0 ]]; then
    as_root=(sudo DEBIAN_FRONTEND=noninteractive) # a person is there to give the password
  else
    echo "Missing packages; as root run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
fi

log="$(mktemp)"
trap 'rm -f "$log"' EXIT
# Runs quietly; shows the end of what it said if it fails.
quietly() { ${as_root[@]+"${as_root[@]}"} "$@" >"$log" 2>&1 </dev/null; }
give_up() {
  echo "$1 failed:" >&2
  tail -n 30 "$log" >&2
  exit 1
}

echo "Updating the package lists"
quietly apt-get update || { sleep 5; quietly apt-get update; } || give_up "apt-get update"
echo "Installing ${missing[*]}"
quietly apt-get install -y --no-install-recommends "${missing[@]}" || give_up "apt-get install"
