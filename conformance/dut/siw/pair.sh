#!/bin/bash
# pair.sh [OUTDIR]: two guests with stock programs of rdma-core and perftest talk to each other over siw, and "warpcheck watch"
# judges them live on the bridge between them: neither side is ours. "rping -c", ib_write_bw,
# ib_read_lat and ib_send_bw connect to the other guest's servers; all of it happens twice, watched as JSON Lines, then as text with
# --explain.
# pair.sh build: only builds the guest
# Builds the guest with these programs, if it is missing, and always stops it. Runs itself in the namespace of tap.sh.
# OUTDIR (default: results/siw-pair of the project) then contains watch.jsonl, watch.txt, packets/ (what the first watch has
# captured), the programs' own output, and the consoles of the guests.
#   BUILD       folder of warpcheck (default: build/release of the project)
#   WORKDIR     folder of the guest (default: build/siw-pair of the project, or siw-pair-$KERNEL with KERNEL)
#   WAIVE       known violations, for --waive of watch (default: pair.waive)
#   ACCEL, LIMIT   as in boot.sh
#   BOOT_LIMIT  boot timeout of the guests in seconds (default 120)
# Exit code: the graver one of the two watches: 0 each connection conforms, apart from WAIVE; 1 violations; 2 not everything judged;
# 3 environment, a program failed, or the watch has not seen each connection; 4 internal error.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=${BUILD:-$root/build/release}
out=${1:-$root/results/siw-pair}
export WORKDIR=${WORKDIR:-$root/build/siw-pair${KERNEL:+-$KERNEL}}
export GUEST_PACKAGES="perftest zlib1g" GUEST_PROGRAMS="ib_write_bw ib_read_lat ib_send_bw"
fail() { echo "siw pair: $*" >&2; exit 3; }
[ "${1:-}" != build ] || exec "$here/build.sh" "$WORKDIR"
[ -n "${TAP:-}" ] || exec "$here/tap.sh" "$0" "$@"

RESPONDER=$GUEST INITIATOR=192.0.2.3 BRIDGE=bridge0
PINGS=10 CONNECTIONS=7 # one of rping, and two of each program of perftest: one carries only its parameters
LIMIT_PROGRAM=120 # seconds
declare -A process # by name
# shellcheck disable=SC2317  # reached through the trap
at_exit() {
  local rc=$? name
  for name in "${!process[@]}"; do kill "${process[$name]}" 2>/dev/null || true; done
  wait
  [ "$rc" -lt 3 ] || tail -n 5 "$out"/{responder,initiator}.console 2>/dev/null || true
}

# until_line NAME FILE PATTERN: waits until the process has printed it.
until_line() {
  timeout "${BOOT_LIMIT:-120}" grep -qm1 "$3" <(tail --pid="${process[$1]}" -fn +1 "$out/$2") ||
    fail "no line with $3 in $2: $(tail -qn 1 "$out/$2"*)"
}

# Both TAP devices are ports of a bridge, which is the host's own interface.
connect_guests() {
  ip link add $BRIDGE type bridge || fail "no right to create a bridge, or a kernel without bridges"
  ip addr del "$OWN_HOST/24" dev "$TAP"
  ip tuntap add dev tap1 mode tap
  for tap in "$TAP" tap1; do ip link set "$tap" master $BRIDGE up; done
  ip addr add "$OWN_HOST/24" dev $BRIDGE
  ip link set $BRIDGE up
}

boot() { # NAME TAP ADDRESS
  : >"$out/$1.console"
  TAP=$2 ADDRESS=$3 "$here/boot.sh" rping >>"$out/$1.console" 2>&1 &
  process[$1]=$!
}

on() { # ADDRESS COMMAND...
  GUEST=$1 timeout $LIMIT_PROGRAM "$here/shell.sh" "${@:2}"
}

# Waits until the guest answers ARP and its shell listens.
until_shell() {
  local deadline=$((SECONDS + ${BOOT_LIMIT:-120}))
  until GUEST=$1 "$here/shell.sh" true 2>/dev/null; do
    [ $SECONDS -lt $deadline ] || fail "$1 does not answer on the bridge"
    sleep 0.1
  done
}

ping() {
  local i
  on $INITIATOR rping -c -v -V -C $PINGS -a "$RESPONDER" -p 7174 >"$out/rping.log" || fail "rping -c ends with $?"
  # rping ends with 0 even if its server disappears.
  for ((i = 0; i < PINGS; i++)); do
    grep -q "^ping data: rdma-ping-$i: " "$out/rping.log" || fail "ping $i has not come back"
  done
}

# perftest PORT PROGRAM OPTION...: as server in one guest and as client in the other
perftest() {
  local port=$1 program=$2
  shift
  on "$RESPONDER" "$@" -R -F -d siw0 -p "$port" >"$out/$program.server.log" &
  process[$program]=$!
  on "$RESPONDER" "until grep -q ':$(printf %04X "$port") [0-9A-F]*:0000 0A' /proc/net/tcp; do usleep 20000; done" ||
    fail "$program does not listen"
  on $INITIATOR "$@" -R -F -d siw0 -p "$port" "$RESPONDER" >"$out/$program.log" ||
    fail "$program ends with $?: $(tail -n 1 "$out/$program.log")"
  wait "${process[$program]}" || fail "$program as a server ends with $?"
  unset "process[$program]"
}

# Waits until both guests have closed all connections, but that of the shell (port 7000, 1B58). 0A is LISTEN, 06 TIME_WAIT.
until_closed() {
  local address
  for address in "$RESPONDER" $INITIATOR; do
    on "$address" "while awk 'NR > 1 && \$2 !~ /:1B58\$/ && \$4 !~ /0A|06/' /proc/net/tcp | grep -q .; do usleep 20000; done" ||
      fail "$address does not close its connections"
  done
}

exchange() {
  ping
  perftest 7176 ib_write_bw -n 50 -s 4096
  perftest 7177 ib_read_lat -n 50 -s 512
  perftest 7178 ib_send_bw -n 50 -s 4096
  until_closed
}

# watched FILE OPTION...: the exchange, watched. The exit code of the watch is in $code.
watched() {
  local file=$1
  shift
  : >"$out/$file"
  "$build/warpcheck" watch -i $BRIDGE --waive "${WAIVE:-$here/pair.waive}" "$@" >>"$out/$file" 2>"$out/$file.err" &
  process[watch]=$!
  until_line watch "$file" watch
  exchange
  kill -INT "${process[watch]}"
  code=0
  wait "${process[watch]}" || code=$?
  unset "process[watch]"
  cat "$out/$file.err" >&2
}

# The more severe of two exit codes: 4, 3, then 1 before 2.
graver() {
  local rc
  for rc in 4 3 1 2; do
    if [ "$1" -eq $rc ] || [ "$2" -eq $rc ]; then echo $rc; return; fi
  done
  [ $(($1 + $2)) -eq 0 ] && echo 0 || echo 4 # any other code is a crash
}

[ -x "$build/warpcheck" ] || fail "no $build/warpcheck: build the release preset first"
mkdir -p "$out" || fail "cannot use $out"
rm -rf "$out"/packets
trap at_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
connect_guests
boot responder "$TAP" "$RESPONDER"
boot initiator tap1 $INITIATOR
until_line responder responder.console LISTENING
until_line initiator initiator.console LISTENING
until_shell "$RESPONDER"
until_shell $INITIATOR

watched watch.jsonl --format jsonl --ring 256M,2 --out "$out/packets"
verdict=$code
watched watch.txt --format text --explain
cat "$out/watch.txt"
verdict=$(graver "$verdict" "$code")
[ "$(grep -c '"type":"stream"' "$out/watch.jsonl")" -ge $CONNECTIONS ] || fail "the watch has not seen $CONNECTIONS connections"
exit "$verdict"
