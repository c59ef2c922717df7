#!/bin/bash
# matrix.sh [OPTION...]: "warpcheck matrix" with the peers of matrix/peers/peers.json and of matrix.json: stock rping, ib_write_bw and
# ib_read_lat of two guests, with siw of Linux 6.1 and 6.12 (on Debian 12). Builds the guests, if they are missing, boots them on a
# bridge in the namespace of tap.sh, and always stops them. The options are those of the command; default of --out: results/siw-matrix.
# matrix.sh build: only builds the guests
#   BUILD       folder of warpcheck (default: build/release of the project)
#   WORKDIR     folder of the guest with Linux 6.1 (default: build/siw-matrix of the project); the other one's has -6.12 in addition
#   ACCEL       as in boot.sh
#   LIMIT       seconds after which the guests are killed (default 14400)
#   BOOT_LIMIT  boot timeout of the guests in seconds (default 400)
# Exit code: that of the command, 3 environment.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=${BUILD:-$root/build/release}
export WORKDIR=${WORKDIR:-$root/build/siw-matrix} LIMIT=${LIMIT:-14400}
fail() { echo "siw matrix: $*" >&2; exit 3; }

if [ -z "${TAP:-}" ]; then
  export GUEST_PACKAGES="perftest zlib1g" GUEST_MODULES=sch_netem GUEST_PROGRAMS="$here/guest/held ib_write_bw ib_read_lat ip tc"
  "$here/build.sh" "$WORKDIR"
  KERNEL=bookworm-backports "$here/build.sh" "$WORKDIR-6.12"
  [ "${1:-}" != build ] || exit 0
  exec "$here/tap.sh" "$0" "$@"
fi

[ -x "$build/warpcheck" ] || fail "no $build/warpcheck: build the release preset first"
consoles=$(mktemp -d)
guests=()
# shellcheck disable=SC2317  # reached through the trap
at_exit() {
  local rc=$? guest
  for guest in "${guests[@]}"; do kill "$guest" 2>/dev/null || true; done
  wait
  [ "$rc" -lt 3 ] || tail -n 5 "$consoles"/* 2>/dev/null || true
  rm -rf "$consoles"
}
trap at_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Both TAP devices are ports of a bridge, which is the host's own interface.
ip link add bridge0 type bridge || fail "no right to create a bridge, or a kernel without bridges"
ip addr del "$OWN_HOST/24" dev "$TAP"
ip tuntap add dev tap1 mode tap
for tap in "$TAP" tap1; do ip link set "$tap" master bridge0 up; done
ip addr add "$OWN_HOST/24" dev bridge0
ip link set bridge0 up

boot() { # TAP ADDRESS WORKDIR
  TAP=$1 ADDRESS=$2 WORKDIR=$3 "$here/boot.sh" again >"$consoles/$2" 2>&1 &
  guests+=($!)
}
boot "$TAP" 192.0.2.2 "$WORKDIR"
boot tap1 192.0.2.3 "$WORKDIR-6.12"
deadline=$((SECONDS + ${BOOT_LIMIT:-400}))
for guest in 192.0.2.2 192.0.2.3; do
  until GUEST=$guest timeout 10 "$here/shell.sh" true 2>/dev/null; do
    [ $SECONDS -lt $deadline ] || fail "$guest does not answer on the bridge"
    sleep 0.2
  done
done
# Without --out among the options, the results get a folder of their own.
out=(--out "$root/results/siw-matrix")
for option; do case $option in -o* | --out*) out=() ;; esac; done
[ ${#out[@]} -eq 0 ] || mkdir -p "$root/results"
"$build/warpcheck" matrix "${out[@]}" "$@" "$root/conformance/matrix/peers/peers.json" "$here/matrix.json"
