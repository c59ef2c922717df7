#!/bin/bash
# relay.sh [OUTDIR] [REGEX]: the cases of "warpcheck run --relay" with siw as initiator and as responder: "rping -c" of one guest
# connects through the relay, which impairs one unit of each conversation, to "rping -s" of another guest. Neither side is ours.
# REGEX selects cases by their ids (default: all).
# A second relay is between the first one and the responder. It delays the Reply, since siw sends it before it watches the connection
# (README.md). And for the cases that need CRCs, which siw does not ask for, it sets C=1 in the Request: the responder then confirms
# it to the initiator, and both use CRCs. These cases are in the folder crc.
# Before each conversation, relay_start.sh restarts the programs of both guests, and reboots a guest whose siw hangs or whose kernel
# has failed. Each such event is a line of the file crashes, with the conversation before it.
# The file expected-relay lists the known violations of siw; only differences from it count. Builds the guest if it is missing, and
# always stops it. Runs itself in the namespace of tap.sh.
# OUTDIR (default: results/siw-relay of the project) then contains the output of "run", that of the cases with CRCs in the folder crc,
# report.txt of both, crashes, and the consoles of the guests.
#   WARPCHECK  the program (default: warpcheck of the project's release build)
#   WORKDIR    folder of the guest, as in boot.sh
#   EXPECTED   known violations (default: expected-relay)
#   ACCEL, LIMIT   as in boot.sh (default of LIMIT: 7200)
#   BOOT_LIMIT boot timeout of the guests in seconds (default 120)
# Exit code: 0 as expected, 1 a new or worse result, 2 inconclusive, 3 environment, 4 internal error.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
warpcheck=${WARPCHECK:-$root/build/release/warpcheck}
out=${1:-$root/results/siw-relay}
only=${2:-.}
export WORKDIR=${WORKDIR:-$root/build/siw${KERNEL:+-$KERNEL}} LIMIT=${LIMIT:-7200}
fail() { echo "siw relay: $*" >&2; exit 3; }
[ -n "${TAP:-}" ] || exec "$here/tap.sh" "$0" "$@"

# shellcheck source=conformance/dut/siw/guests.sh
. "$here/guests.sh"
export RESPONDER INITIATOR PINGS=3
NEED_CRC='crc-|startup-31' # ids, without "relay-"
# shellcheck disable=SC2317  # reached through the trap
at_exit() {
  local rc=$?
  end_processes
  rm -f "$out"/{initiator,responder}.seen "$out/conversation"
  [ "$rc" -lt 3 ] || tail -n 5 "$out"/{responder,initiator}.console 2>/dev/null || true
}

# How long the guests need to answer says how long to wait for an answer: a busy host makes them slow. WAIT is for a guest that reboots.
measure_answer() {
  local begun=$SECONDS address
  for address in "$RESPONDER" "$INITIATOR"; do GUEST=$address "$here/answers.sh" || fail "$address does not answer"; done
  export LIMIT_ANSWER=$((25 + 5 * (SECONDS - begun)))
  WAIT=$((${BOOT_LIMIT:-120} + 3 * LIMIT_ANSWER))
}

# second_relay NAME IMPAIRMENT...: starts a relay to the responder; its port is in $port.
second_relay() {
  local name=$1 rules=()
  shift
  for rule; do rules+=(--impairment "$rule"); done
  : >"$out/$name.relay"
  "$warpcheck" relay --listen "$OWN_HOST:0" --to "$RESPONDER:7174" --no-judge "${rules[@]}" >>"$out/$name.relay" 2>&1 &
  process["$name.relay"]=$!
  until_line "$name.relay" "$name.relay" relaying
  port=$(sed -nE 's/^relaying [0-9.]+:([0-9]+) to .*/\1/p' "$out/$name.relay")
}

# conversations FOLDER REGEX IMPAIRMENT...: the selected cases through a second relay with these impairments, into OUTDIR/FOLDER. The
# exit code is that of "run".
conversations() {
  local folder=$1 selected=(--only "$2" --listen "$OWN_HOST:0") port
  second_relay "$folder" "${@:3}"
  selected+=(--to "$OWN_HOST:$port")
  "$warpcheck" run --relay "${selected[@]}" --list >/dev/null 2>&1 || return 0 # REGEX selects none of them
  runs+=("$folder=$out/$folder")
  OUT=$out/$folder CONSOLES=$out \
    "$warpcheck" run --relay "${selected[@]}" --start "'$here/relay_start.sh' {host} {port}" --wait "$WAIT" --force \
    --accept-untested --device siw --firmware "$firmware" --out "$out/$folder"
}

# Failed cases are left to the report; cases that could not run are an error here.
later() { [ "$1" -lt 3 ] || exit "$1"; }

[ -x "$warpcheck" ] || fail "no $warpcheck: build the release preset first"
firmware="Linux $(sed -nE '/^linux-image-/{s/^[^=]*=([^ ]*).*/\1/p;q}' "$WORKDIR/packages.txt")"
mkdir -p "$out" || fail "cannot use $out"
rm -rf "$out"/{plain,crc,conversation}
: >"$out/crashes"
trap at_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
connect_guests
boot_both again
measure_answer
for role in responder initiator; do wc -c <"$out/$role.console" >"$out/$role.seen"; done

runs=()
late_reply=at=startup,direction=responder,delay=100
conversations plain "^(?=.*(?:$only))relay-(?!$NEED_CRC)" $late_reply || later $?
conversations crc "^(?=.*(?:$only))relay-(?=$NEED_CRC)" $late_reply at=startup,direction=initiator,set=mpa.c:1 || later $?
[ ${#runs[@]} -gt 0 ] || fail "$only selects no case"

# After the last conversation.
OUT=$out CONSOLES=$out "$here/relay_start.sh" || later $?

code=0
"$warpcheck" report --expect "${EXPECTED:-$here/expected-relay}" -o "$out/report.txt" "${runs[@]}" || code=$?
grep -E ' \[(new|regressed|better|fixed)\]$' "$out/report.txt" || echo "  no case"
cat "$out/crashes"
exit $code
