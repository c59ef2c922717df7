#!/bin/bash
# serve_test.sh WARPCHECK: "rping -c" of rdma-core, in the guest, with "warpcheck serve --rping" as its server: each ping
# returns the octets that the client sent, and the recording conforms. Exit code 77 as in suite_test.sh.
#   PORT, CTL  as in boot.sh (default: 17175 and 17001)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
export PORT=${PORT:-17175} CTL=${CTL:-17001} LIMIT=600
PINGS=10 LIMIT_BOOT=120 # seconds

guest='' server=''
# shellcheck disable=SC2317  # reached through the trap
at_exit() {
  local process
  for process in $guest $server; do kill "$process" 2>/dev/null || true; wait "$process" 2>/dev/null || true; done
  rm -rf "$out"
}
fail() { echo "$*"; tail -n 20 "$out"/{console,serve,client}.log 2>/dev/null || true; exit 1; }

# until_line FILE PATTERN PROCESS: waits for a line in the output of the process.
until_line() {
  local deadline=$((SECONDS + LIMIT_BOOT))
  until grep -q "$2" "$1"; do
    if ! kill -0 "$3" 2>/dev/null || [ $SECONDS -ge $deadline ]; then fail "no line with $2 in $1"; fi
    sleep 0.1
  done
}

"$here/build.sh" || exit 77
trap at_exit EXIT
: >"$out/console.log"
: >"$out/serve.log"
"$1" serve --rping --listen 127.0.0.1:0 --record "$out/served.pcapng" >"$out/serve.log" 2>&1 &
server=$!
"$here/boot.sh" again >"$out/console.log" 2>&1 &
guest=$!
until_line "$out/serve.log" '^listening on ' "$server"
until_line "$out/console.log" LISTENING "$guest"

port=$(sed -n 's/^listening on 127\.0\.0\.1://p' "$out/serve.log")
"$here/shell.sh" timeout 60 rping -c -v -V -C $PINGS -a 10.0.2.2 -p "$port" >"$out/client.log" || fail "rping -c ends with $?"
# rping ends with 0 even if its server disappears.
for ((i = 0; i < PINGS; i++)); do
  grep -q "^ping data: rdma-ping-$i: " "$out/client.log" || fail "ping $i has not come back"
done
! grep mismatch "$out/client.log" || fail "a ping has come back with other octets"

kill -INT "$server"
wait "$server" || fail "serve ends with $?"
server=
"$1" check "$out/served.pcapng" >"$out/check" || fail "the recording does not conform: $(cat "$out/check")"
tail -n 1 "$out/check"
