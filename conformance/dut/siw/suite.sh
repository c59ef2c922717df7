#!/bin/bash
# suite.sh [OUTDIR] [OPTION...]: the suite against a real iWARP peer, in both roles: cases of the tiers none, rping and agent.
# Builds the guest if it is missing, boots it with a stock "rping -s", runs "warpcheck run" with the given options, and then the
# same with warpcheck-agent in the guest. After each case health.sh checks the guest; a case during which
# the kernel crashes or siw hangs fails, and ready.sh reboots the guest. If the device is the initiator, the guest starts an
# "rping -c", or its agent connects.
# Cases about TCP segment boundaries run inside the guest, because QEMU's user-mode network makes its own segments; with options,
# and in the tier agent, they are skipped. With tap.sh, all cases run from this host, the segments of both sides are recorded in
# segments.pcapng, and segments.jsonl has the checker's verdict about all of it.
# Cases with rping messages of several segments run in a guest whose rping has buffers of 8192 octets; also not with options.
# The file `expected` lists the known violations of siw; only differences from it count. The guest is always stopped.
# OUTDIR (default: results/siw-suite of the project) then contains the output of "run", that of the cases inside the guest
# in the folder guest, of those with long messages in the folder long, of the tier agent in the folder agent, report.txt of all,
# the consoles console.log, long.log and agent.log, and crashes, the console of runs in the guest that it did not survive.
#   WARPCHECK  the program (default: warpcheck of the project's release build); warpcheck-agent is beside it
#   TIERS      the tiers to run (default "none rping agent")
#   GUEST, OWN_HOST  the addresses of the guest and of this host for the guest, set by tap.sh (default: those of QEMU)
#   WORKDIR, PORT, AGENT, CTL, ACCEL    as in boot.sh (default of PORT, AGENT and CTL: 17174, 17175 and 17000)
#   KERNEL      the kernel's suite, as in build.sh; its file of known violations is expected-SUITE if that exists
#   BOOT_LIMIT  boot timeout of the guest in seconds (default 120)
# Exit code: 0 as expected, 1 a new or worse result, 2 inconclusive, 3 environment, 4 internal error.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
warpcheck=${WARPCHECK:-$root/build/release/warpcheck}
out=${1:-$root/results/siw-suite}
[ $# -eq 0 ] || shift
export WORKDIR=${WORKDIR:-$root/build/siw${KERNEL:+-$KERNEL}} LIMIT=${LIMIT:-3600}
export GUEST=${GUEST:-127.0.0.1} PORT=${PORT:-17174} AGENT=${AGENT:-17175} CTL=${CTL:-17000}
read -ra tiers <<<"${TIERS:-none rping agent}"
fail() { echo "siw suite: $*" >&2; exit 3; }

guest=
recorder=
# shellcheck disable=SC2317  # reached through the trap
at_exit() {
  [ -z "$recorder" ] || kill "$recorder" 2>/dev/null || true
  rm -f "$out/initramfs" "$out/healthy"
  [ -n "$guest" ] || return 0
  kill "$guest" 2>/dev/null || true
  wait "$guest" 2>/dev/null || true
}

# Waits until the guest accepts connections; only its console shows it (see README.md).
await_guest() { # CONSOLE
  local deadline=$((SECONDS + ${BOOT_LIMIT:-120}))
  until grep -q LISTENING "$1"; do
    kill -0 "$guest" 2>/dev/null || fail "the guest ended before it listened: $(tail -n 1 "$1")"
    [ $SECONDS -lt $deadline ] || fail "the guest does not listen after ${BOOT_LIMIT:-120} s"
    sleep 0.1
  done
}

boot() { # CONSOLE ARG...: stops the guest, and boots it with these arguments of boot.sh
  local console=$1
  shift
  if [ -n "$guest" ]; then
    kill "$guest" 2>/dev/null || true
    wait "$guest" 2>/dev/null || true
  fi
  : >"$console"
  INITRD=$out/initramfs "$here/boot.sh" "$@" >"$console" 2>&1 &
  guest=$!
  await_guest "$console"
}

# Records the segments of both sides until `recorded`.
record() {
  dumpcap -q -i "$TAP" -f tcp -w "$out/segments.pcapng" 2>"$out/recorder.log" &
  recorder=$!
  until [ -s "$out/segments.pcapng" ]; do
    kill -0 "$recorder" 2>/dev/null || fail "cannot record on $TAP: $(tail -n 1 "$out/recorder.log")"
    sleep 0.1
  done
}

# Judges what was recorded, of both sides; prints the counts.
recorded() {
  local code=0
  kill -INT "$recorder"
  wait "$recorder" || true
  recorder=
  "$warpcheck" check --format jsonl "$out/segments.pcapng" >"$out/segments.jsonl" || code=$?
  [ $code -lt 3 ] || exit $code
  echo "Segments of both sides: $(tail -n 1 "$out/segments.jsonl")"
}

has_tier() { [[ " ${tiers[*]} " == *" $1 "* ]]; }

# Failed cases are left to the report; cases that could not run are an error here.
later() { [ "$1" -lt 3 ] || exit "$1"; }

selection=(--rping)
for tier in none rping; do ! has_tier "$tier" || selection+=(--tier "$tier"); done
borders='^(mpa-fpdu-002|mpa-fpdu-015|mpa-fpdu-023|mpa-startup-011|mpa-startup-038|rping-server-007|rping-server-010'
borders+='|rping-client-008|rping-client-012)$'
# Also in the tier agent, where QEMU's network loses a Terminate that is followed by RST.
agent_borders='^(mpa-fpdu-025|rdma-untagged-04[12])$'
long='^(rping-client-06[1-3]|rping-server-04[56])$'
skipped=()
[ -n "${TAP:-}" ] || skipped+=("$borders")
[ $# -gt 0 ] || ! has_tier rping || skipped+=("$long")
agent_skip=()
[ -n "${TAP:-}" ] || agent_skip=(--skip "$agent_borders")
skip=()
[ ${#skipped[@]} -eq 0 ] || skip=(--skip "$(IFS='|'; echo "${skipped[*]}")")

boots='^\[guest [0-9.]+\] linux ' # the console when the guest boots
host=${OWN_HOST:-10.0.2.2}
firmware= # the guest's kernel; known after the build
from_outside() { # CONSOLE OCTETS OPTION...: with rping buffers of as many octets
  local console=$1 octets=$2
  shift 2
  "$warpcheck" run "${selection[@]}" --device siw --firmware "$firmware" --force --accept-untested --rping-size "$octets" \
    --peer "$GUEST:$PORT" --profile "$here/siw.lua" --own-host "$host" \
    --initiator "'$here/shell.sh' timeout 20 rping -c -a {host} -p {port} -C 1 -S $octets" --before "'$here/ready.sh'" \
    --health "'$here/health.sh'" --console "$console" --console-pattern "$boots" "$@"
}

# warpcheck-agent has one port for connections, so that QEMU can forward it.
from_agent() {
  AGENT_TOKEN=$here/guest/agent-token HEALTHY=$out/healthy "$warpcheck" run --tier agent --device siw --firmware "$firmware" --force --accept-untested \
    --peer "$GUEST:$PORT" --agent "$AGENT" --token-file "$here/guest/agent-token" --insecure --profile "$here/siw.lua" --own-host "$host" --before "'$here/ready.sh'" --health "'$here/health.sh'" \
    --console "$out/agent.log" --console-pattern "$boots" --out "$out/agent" "$@"
}

# At 10.0.2.15 the guest connects to itself, without QEMU in between.
from_inside() {
  "$here/shell.sh" "cd /tmp; rm -rf guest;" /tester/run "${selection[@]}" --device siw --firmware "'$firmware'" --force --accept-untested \
    --peer 10.0.2.15:7174 --profile /tester/siw.lua --own-host 10.0.2.15 --initiator "'timeout 20 rping -c -a {host} -p {port} -C 1'" --before fresh --only "'$borders'" --out guest
}

# Writes the folder guest in OUTDIR. If siw crashes the guest, and the tester in it, the file crashes has the console, and the run
# starts again in a new guest.
inside() {
  local code try start
  for try in first second third; do
    code=0
    start=$(wc -c <"$out/console.log")
    from_inside || code=$?
    [ $code -ge 3 ] || break
    echo "siw suite: the $try run within the guest ended with $code" >&2
    tail -c "+$((start + 1))" "$out/console.log" >>"$out/crashes"
    "$here/ready.sh"
  done
  later $code
  rm -rf "$out/guest"
  "$here/shell.sh" "tar c -C /tmp guest | gzip | base64" | base64 -d | tar xz -C "$out"
}

[ -x "$warpcheck" ] || fail "no $warpcheck: build the release preset first"
agent=$(dirname "$warpcheck")/warpcheck-agent
[ -x "$agent" ] || ! has_tier agent || fail "no $agent: install libibverbs-dev and librdmacm-dev, and build again"
"$here/build.sh" "$WORKDIR"
firmware="Linux $(sed -nE '/^linux-image-/{s/^[^=]*=([^ ]*).*/\1/p;q}' "$WORKDIR/packages.txt")"
mkdir -p "$out" || fail "cannot use $out"
: >"$out/crashes"
trap at_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
programs=("$warpcheck")
! has_tier agent || programs+=("$agent")
"$here/tester.sh" "$out/initramfs" "${programs[@]}"
cat "$WORKDIR/initramfs.cpio.gz" >>"$out/initramfs"

runs=()
[ -z "${TAP:-}" ] || record
if has_tier none || has_tier rping; then
  boot "$out/console.log" again
  if [ $# -eq 0 ] && [ -z "${TAP:-}" ]; then
    inside
    runs+=("guest=$out/guest")
  fi
  from_outside "$out/console.log" 64 "${skip[@]}" --out "$out" "$@" || later $?
  runs=("host=$out" "${runs[@]}")
fi
if has_tier rping && [ $# -eq 0 ]; then
  boot "$out/long.log" again -S 8192
  from_outside "$out/long.log" 8192 --only "$long" --out "$out/long" || later $?
  runs+=("long=$out/long")
fi
if has_tier agent; then
  boot "$out/agent.log" agent warpcheck-agent --listen 0.0.0.0:7175 --token-file /etc/agent-token --insecure --port 7174
  from_agent "${agent_skip[@]}" "$@" || later $?
  runs+=("agent=$out/agent")
fi

[ -z "${TAP:-}" ] || recorded
code=0
expected=$here/expected${KERNEL:+-$KERNEL}
[ -f "$expected" ] || expected=$here/expected
"$warpcheck" report --expect "$expected" -o "$out/report.txt" "${runs[@]}" || code=$?
# Crashes within the guest belong to one of several cases.
[ ! -s "$out/crashes" ] || [ $code -ne 0 ] || code=1
echo "Other than expected:"
{ grep -E ' \[(new|regressed|better|fixed)\]$|^  crash ' "$out/report.txt"
  grep -a -m1 -E 'BUG:|kernel BUG at|Kernel panic|[Uu]nable to handle|lockup' "$out/crashes" | sed 's/^/  crash within the guest: /' || true
} | grep . || echo "  no case"
grep -E ': [0-9]+ expected, ' "$out/report.txt"
exit $code
