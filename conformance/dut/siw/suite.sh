#!/bin/bash
# suite.sh [OUTDIR] [OPTION...]: the suite against a real iWARP peer, in both roles: cases of tier none and of tier rping.
# Builds the guest if it is not there, boots it with a stock "rping -s", and runs "warpcheck run", with the options given here
# too. Before each case the guest's rping is begun anew (ready.sh); where the device is the initiator, the guest starts an "rping -c".
# What siw is known to do wrong stands in the file expected; only what differs from that counts. The guest is stopped
# whatever happens. OUTDIR (default: results/siw-suite of the project) then has what "run" writes, and console.log.
#   WARPCHECK  the program (default: warpcheck of the project's release build)
#   WORKDIR, PORT, CTL, ACCEL    as in boot.sh; PORT and CTL 17174 and 17000 here
#   BOOT_LIMIT  seconds the guest may take until it listens (default 120)
# Exit code: 0 as expected, 1 something new or worse, 2 something could not be judged, 3 environment, 4 internal error.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
warpcheck=${WARPCHECK:-$root/build/release/warpcheck}
out=${1:-$root/results/siw-suite}
[ $# -eq 0 ] || shift
export WORKDIR=${WORKDIR:-$root/build/siw} PORT=${PORT:-17174} CTL=${CTL:-17000} LIMIT=${LIMIT:-3600}
fail() { echo "siw suite: $*" >&2; exit 3; }

guest=
stop_guest() {
  [ -n "$guest" ] || return 0
  kill "$guest" 2>/dev/null || true
  wait "$guest" 2>/dev/null || true
  guest=
}

# Waits until the guest takes connections; the console alone tells (see README.md).
await_guest() {
  local deadline=$((SECONDS + ${BOOT_LIMIT:-120}))
  until grep -q LISTENING "$out/console.log"; do
    kill -0 "$guest" 2>/dev/null || fail "the guest ended before it listened: $(tail -n 1 "$out/console.log")"
    [ $SECONDS -lt $deadline ] || fail "the guest does not listen after ${BOOT_LIMIT:-120} s"
    sleep 0.1
  done
}

# QEMU's user-mode network makes TCP segments of its own: what cases about their borders see is chance.
segments='^(mpa-fpdu-002|mpa-fpdu-015|mpa-fpdu-023|rping-server-007|rping-server-010|rping-client-008)$'
# A Read of no octets that comes while its own Read of 64 waits siw answers now and then by 64 octets of its memory.
chance='^rping-server-012$'

[ -x "$warpcheck" ] || fail "no $warpcheck: build the release preset first"
"$here/build.sh" "$WORKDIR"
mkdir -p "$out" || fail "cannot use $out"
: >"$out/console.log"
trap stop_guest EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
"$here/boot.sh" again >"$out/console.log" 2>&1 &
guest=$!
await_guest

# The guest sees this host as 10.0.2.2.
"$warpcheck" run --tier none --tier rping --peer "127.0.0.1:$PORT" --profile "$here/siw.lua" \
  --rping --own-host 10.0.2.2 \
  --initiator "'$here/shell.sh' timeout 20 rping -c -a {host} -p {port} -C 1" --before "'$here/ready.sh'" \
  --skip "$segments|$chance" --expect "$here/expected" --out "$out" "$@"
