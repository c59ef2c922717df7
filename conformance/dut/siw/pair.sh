#!/bin/bash
# pair.sh [OUTDIR]: two guests with stock programs of rdma-core and perftest talk to each other over siw, and "warpcheck watch"
# judges them live on the bridge between them: neither side is ours. "rping -c", ib_write_bw,
# ib_read_lat and ib_send_bw connect to the other guest's servers; all of it happens twice, watched as JSON Lines, then as text with
# --explain.
# siw sometimes does not notice the first message of a connection, and its program waits for ever. This is told by octets that wait in
# the receive queue of TCP while no packet passes, not by the time: a busy host only makes the guests slow. A program of perftest
# that waits in this way is killed, and started again, up to 3 times in all; this is printed, and the watch judges that connection, too.
# pair.sh build: only builds the guest
# Builds the guest with these programs, if it is missing, and always stops it. Runs itself in the namespace of tap.sh.
# OUTDIR (default: results/siw-pair of the project) then contains watch.jsonl, watch.txt, packets/ (what the first watch has
# captured), the programs' own output, and the consoles of the guests.
#   BUILD       folder of warpcheck (default: build/release of the project)
#   WORKDIR     folder of the guest (default: build/siw-pair of the project, or siw-pair-$KERNEL with KERNEL)
#   WAIVE       known violations, for --waive of watch (default: pair.waive)
#   ACCEL, LIMIT   as in boot.sh
#   BOOT_LIMIT  boot timeout of the guests in seconds (default 120)
#   LIMIT_STALL seconds without a packet after which a program that has not ended makes no progress (default 300)
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

# shellcheck source=conformance/dut/siw/guests.sh
. "$here/guests.sh"
# shellcheck source=conformance/dut/siw/exits.sh
. "$here/exits.sh"
LIMIT_STALL=${LIMIT_STALL:-300} TRIES=3
PINGS=10 CONNECTIONS=7 # one of rping, and two of each program of perftest: one carries only its parameters
# shellcheck disable=SC2317  # reached through the trap
at_exit() {
  local rc=$?
  end_processes
  [ "$rc" -lt 3 ] || tail -n 5 "$out"/{responder,initiator}.console 2>/dev/null || true
}

# until_ended NAME: waits for the process; its exit code is in $ended. Returns false if it has not ended, and no packet has passed the
# bridge for LIMIT_STALL seconds. A busy host makes the guests slow, but then packets still pass.
until_ended() {
  local passed='' now stalls_at=0
  ended=
  while kill -0 "${process[$1]}" 2>/dev/null; do
    now=$(grep '^ *tap' /proc/net/dev) # /sys has the interfaces of another namespace
    [ "$now" = "$passed" ] || stalls_at=$((SECONDS + LIMIT_STALL))
    passed=$now
    [ $SECONDS -lt $stalls_at ] || return 1
    sleep 0.1
  done
  ended=0
  wait "${process[$1]}" || ended=$?
  unset "process[$1]"
}

# Prints the TCP connections of a guest with octets that have arrived, but that siw has not read. 01 is ESTABLISHED, 1B58 the shell.
unread() { # ADDRESS
  on "$1" "awk 'NR > 1 && \$4 == \"01\" && \$2 !~ /:1B58\$/ && \$5 !~ /:00000000\$/ {print \$2, \$3, \$5}' /proc/net/tcp" | sed "s/^/$1: /"
}

ping() {
  local i
  on "$INITIATOR" rping -c -v -V -C $PINGS -a "$RESPONDER" -p 7174 >"$out/rping.log" &
  process["rping"]=$!
  until_ended rping || fail "rping -c makes no progress; not read: $(unread "$RESPONDER"; unread "$INITIATOR")"
  [ "$ended" -eq 0 ] || fail "rping -c ends with $ended"
  # rping ends with 0 even if its server disappears.
  for ((i = 0; i < PINGS; i++)); do
    grep -q "^ping data: rdma-ping-$i: " "$out/rping.log" || fail "ping $i has not come back"
  done
}

# attempt PORT PROGRAM OPTION...: as server in one guest and as client in the other. Returns false if they wait for ever because siw
# has not noticed octets that it has received; these are in $lost.
attempt() {
  local port=$1 program=$2 role
  shift
  on "$RESPONDER" "$@" -R -F -d siw0 -p "$port" >"$out/$program.server.log" &
  process["server"]=$!
  on "$RESPONDER" "until grep -q ':$(printf %04X "$port") [0-9A-F]*:0000 0A' /proc/net/tcp; do usleep 20000; done" ||
    fail "$program does not listen"
  on "$INITIATOR" "$@" -R -F -d siw0 -p "$port" "$RESPONDER" >"$out/$program.log" &
  process["client"]=$!
  if until_ended client; then
    [ "$ended" -eq 0 ] || fail "$program ends with $ended: $(tail -n 1 "$out/$program.log")"
    until_ended server || fail "$program as a server does not end"
    [ "$ended" -eq 0 ] || fail "$program as a server ends with $ended"
    return 0
  fi
  lost=$(unread "$RESPONDER"; unread "$INITIATOR")
  [ -n "$lost" ] || fail "$program makes no progress, but siw has read all that has arrived"
  on "$INITIATOR" killall -9 "$program"
  on "$RESPONDER" killall -9 "$program" || true # it may end with the client
  for role in client server; do until_ended $role || fail "$program as a $role does not end when it is killed"; done
  return 1
}

perftest() { # as attempt, up to TRIES times
  local try
  for ((try = 1; try <= TRIES; try++)); do
    ! attempt "$@" || return 0
    echo "siw pair: $2: siw has not noticed what it has received (address, its port, peer, octets waiting):" "$lost" >&2
  done
  fail "$2: siw has lost $TRIES connections in this way"
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
  "$build/warpcheck" watch -i "$BRIDGE" --waive "${WAIVE:-$here/pair.waive}" "$@" >>"$out/$file" 2>"$out/$file.err" &
  process["watch"]=$!
  until_line watch "$file" watch
  exchange
  kill -INT "${process[watch]}"
  code=0
  wait "${process[watch]}" || code=$?
  unset "process[watch]"
  cat "$out/$file.err" >&2
}

[ -x "$build/warpcheck" ] || fail "no $build/warpcheck: build the release preset first"
mkdir -p "$out" || fail "cannot use $out"
rm -rf "$out"/packets
trap at_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
connect_guests
boot_both rping

watched watch.jsonl --format jsonl --ring 256M,2 --out "$out/packets"
verdict=$code
watched watch.txt --format text --explain
cat "$out/watch.txt"
verdict=$(graver "$verdict" "$code")
[ "$(grep -c '"type":"stream"' "$out/watch.jsonl")" -ge $CONNECTIONS ] || fail "the watch has not seen $CONNECTIONS connections"
exit "$verdict"
