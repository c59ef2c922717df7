#!/bin/bash
# matrix.sh [OPTION...]: "warpcheck matrix" with the peers of matrix/peers/peers.json and of matrix.json: stock rping, ib_write_bw and
# ib_read_lat of two guests, with siw of Linux 6.1 and 6.12 (on Debian 12). Builds the guests, if they are missing, boots them on a
# bridge in the namespace of tap.sh, and always stops them. The options are those of the command; default of --out: results/siw-matrix.
# matrix.sh build: only builds the guests
#   BUILD       folder of warpcheck (default: build/release of the project)
#   WORKDIR     folder of the guest with Linux 6.1 (default: build/siw-matrix of the project); the other one's has -6.12 in addition
#   ACCEL       as in boot.sh
#   LIMIT       seconds after which the guests are killed (default 14400)
#   BOOT_LIMIT  boot timeout of the guests in seconds (default 120)
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

# shellcheck source=conformance/dut/siw/guests.sh
. "$here/guests.sh"
[ -x "$build/warpcheck" ] || fail "no $build/warpcheck: build the release preset first"
out=$(mktemp -d) # of the consoles
# shellcheck disable=SC2317  # reached through the trap
at_exit() {
  local rc=$?
  end_processes
  [ "$rc" -lt 3 ] || tail -n 5 "$out"/*.console 2>/dev/null || true
  rm -rf "$out"
}
trap at_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
connect_guests
boot responder "$TAP" "$RESPONDER" again
WORKDIR=$WORKDIR-6.12 boot initiator tap1 $INITIATOR again
until_booted

# Without --out among the options, the results get a folder of their own.
folder=(--out "$root/results/siw-matrix")
for option; do case $option in -o* | --out*) folder=() ;; esac; done
[ ${#folder[@]} -eq 0 ] || mkdir -p "$root/results"
"$build/warpcheck" matrix "${folder[@]}" "$@" "$root/conformance/matrix/peers/peers.json" "$here/matrix.json"
