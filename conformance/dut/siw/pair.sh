#!/bin/bash
# pair.sh [OUTDIR]: two guests with stock programs of rdma-core and perftest talk to each other over siw, and "warpcheck watch"
# judges them live on the bridge between them: neither side is ours. "rping -c", ib_write_bw,
# ib_read_lat and ib_send_bw connect to the other guest's servers; all of it happens twice, watched as JSON Lines, then as text with
# --explain.
# siw sometimes does not notice a message, and the program waits for ever; and perftest sometimes crashes. A program that makes no
# progress, as no packet passes the bridge, is killed. It is started up to 3 times in all; this is printed with the octets that wait
# in the receive queue of TCP, and the watch judges that connection, too. A busy host only makes the guests slow.
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
declare -A at=([server]=$RESPONDER [client]=$INITIATOR)
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

# program_ended ROLE PROGRAM: waits for the process. Returns false if it makes no progress, or has crashed; $lost says which.
program_ended() {
  lost=
  if ! until_ended "$1"; then
    lost="makes no progress; octets that siw has received and not read (address, its port, peer, octets): $(
      unread "$RESPONDER"; unread "$INITIATOR")"
  elif [ "$ended" -ge 128 ]; then
    lost="ends with $ended"
  fi
  [ -n "$lost" ] || [ "$ended" -eq 0 ] || fail "$2 as a $1 ends with $ended: $(tail -n 1 "$out/$2.log")"
  [ -z "$lost" ]
}

# Ends the processes of a program that is lost; a process may have ended by itself.
kill_program() { # PROGRAM ROLE...
  local role program=$1
  shift
  for role; do
    [ -n "${process[$role]:-}" ] || continue
    on "${at[$role]}" "killall -9 $program" || true
    until_ended "$role" || fail "$program as a $role does not end when it is killed"
  done
}

ping() {
  local i
  on "$INITIATOR" rping -c -v -V -C $PINGS -a "$RESPONDER" -p 7174 >"$out/rping.log" &
  process["client"]=$!
  program_ended client rping || { kill_program rping client; return 1; }
  # rping ends with 0 even if its server disappears.
  for ((i = 0; i < PINGS; i++)); do
    grep -q "^ping data: rdma-ping-$i: " "$out/rping.log" || fail "ping $i has not come back"
  done
}

# perftest PROGRAM PORT OPTION...: as server in one guest and as client in the other.
perftest() {
  local program=$1 port=$2
  on "$RESPONDER" "$program" "${@:3}" -R -F -d siw0 -p "$port" >"$out/$program.server.log" &
  process["server"]=$!
  on "$RESPONDER" "until grep -q ':$(printf %04X "$port") [0-9A-F]*:0000 0A' /proc/net/tcp; do usleep 20000; done" ||
    fail "$program does not listen"
  on "$INITIATOR" "$program" "${@:3}" -R -F -d siw0 -p "$port" "$RESPONDER" >"$out/$program.log" &
  process["client"]=$!
  { program_ended client "$program" && program_ended server "$program"; } || { kill_program "$program" client server; return 1; }
}

attempt() { # PROGRAM [ARG...]
  if [ "$1" = rping ]; then ping; else perftest "$@"; fi
}

try() { # as attempt, up to TRIES times until the program is not lost
  local try
  for ((try = 1; try <= TRIES; try++)); do
    ! attempt "$@" || return 0
    echo "siw pair: $1 $lost" >&2
  done
  fail "$1 is lost $TRIES times"
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
  try rping
  try ib_write_bw 7176 -n 50 -s 4096
  try ib_read_lat 7177 -n 50 -s 512
  try ib_send_bw 7178 -n 50 -s 4096
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
