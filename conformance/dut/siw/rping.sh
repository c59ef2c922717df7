#!/bin/bash
# rping.sh [OUTDIR]: one complete exchange with a real iWARP peer: recorded, checked and decoded.
# Builds the guest if it is missing, boots it with a stock "rping -s", plays generator/examples/rping_client.lua against
# it, then runs "warpcheck check" and tshark with the plugin on the recording. The guest is always stopped.
# OUTDIR (default: results/siw of the project) then contains rping.pcapng, check.txt, decode.txt and the guest's console.log.
#   BUILD       folder of warpcheck and the plugin (default: build/release of the project)
#   WORKDIR, PORT, CTL, PCAP, ACCEL    as in boot.sh
#   BOOT_LIMIT  boot timeout of the guest in seconds (default 120)
# Exit code: 0 conforms, 1 violations, 2 inconclusive, 3 environment, 4 internal error.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=${BUILD:-$root/build/release}
out=${1:-$root/results/siw}
export WORKDIR=${WORKDIR:-$root/build/siw} PORT=${PORT:-7174}
fail() { echo "siw rping: $*" >&2; exit 3; }
# shellcheck source=conformance/dut/siw/exits.sh
. "$here/exits.sh"

guest=
stop_guest() {
  [ -n "$guest" ] || return 0
  kill "$guest" 2>/dev/null || true
  wait "$guest" 2>/dev/null || true
  guest=
}
# shellcheck disable=SC2317  # reached through the trap
at_exit() {
  local rc=$?
  stop_guest
  [ "$rc" -eq 0 ] || [ ! -s "$out/console.log" ] || { echo "last lines of the guest's console:"; tail -n 15 "$out/console.log"; } >&2
}

# Waits for a console line with $1. Fails if the guest ends, or after $2 seconds.
console_says() {
  local deadline=$((SECONDS + $2))
  until grep -q "$1" "$out/console.log"; do
    kill -0 "$guest" 2>/dev/null && [ $SECONDS -lt $deadline ] || return 1
    sleep 0.1
  done
}

[ -x "$build/warpcheck" ] || fail "no $build/warpcheck: build the release preset first"
command -v tshark >/dev/null || fail "missing on this host: tshark, get it with: apt-get install tshark"
"$here/build.sh" "$WORKDIR"
mkdir -p "$out" || fail "cannot use $out"
rm -f "$out"/{rping.pcapng,check.txt,decode.txt}
: >"$out/console.log"

trap at_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
"$here/boot.sh" rping >"$out/console.log" 2>&1 &
guest=$!
# Only the console shows it: QEMU accepts connections on the forwarded port long before the guest listens.
if ! console_says LISTENING "${BOOT_LIMIT:-120}"; then
  kill -0 "$guest" 2>/dev/null && fail "the guest does not listen after ${BOOT_LIMIT:-120} s"
  fail "the guest ended before it listened: $(tail -n 1 "$out/console.log")"
fi

play=0
"$build/warpcheck" play "$root/generator/examples/rping_client.lua" --peer "127.0.0.1:$PORT" --record "$out/rping.pcapng" || play=$?
console_says 'DISCONNECT EVENT' 5 || echo "siw rping: the guest has not noticed the end of a connection" >&2
stop_guest
echo "The peer's own account:"
grep -E 'server ping data|rdma (read|write) completion|DISCONNECT|failed|error|bogus' "$out/console.log" | sed 's/^/  /' || true
[ -s "$out/rping.pcapng" ] || { [ "$play" -eq 0 ] || exit "$(graver "$play" 0)"; fail "play left no $out/rping.pcapng"; }

check=0
"$build/warpcheck" check "$out/rping.pcapng" | tee "$out/check.txt" || check=${PIPESTATUS[0]}
BUILD=$build "$root/scripts/tshark.sh" -r "$out/rping.pcapng" -Y iwarp 2>"$out/decode.log" | tee "$out/decode.txt" ||
  fail "$(grep -m1 ^tshark: "$out/decode.log" || echo "tshark failed, see $out/decode.log")"
[ -s "$out/decode.txt" ] || fail "tshark shows no iWARP frame in $out/rping.pcapng"
exit "$(graver "$play" "$check")"
