#!/bin/bash
# suite.sh [OUTDIR] [OPTION...]: the suite against a real iWARP peer, in both roles: cases of tier none and of tier rping.
# Builds the guest if it is not there, boots it with a stock "rping -s", and runs "warpcheck run", with the options given here
# too. Before each case the guest's rping is begun anew (ready.sh); where the device is the initiator, the guest starts an "rping -c".
# Cases about the borders of TCP segments are run within the guest, for QEMU's user-mode network makes segments of its own; with
# options of yours they are left out.
# What siw is known to do wrong stands in the file expected; only what differs from that counts. The guest is stopped
# whatever happens. OUTDIR (default: results/siw-suite of the project) then has what "run" writes, the same of the cases
# within the guest in the folder guest, report.txt of both, and console.log.
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
# shellcheck disable=SC2317  # reached through the trap
at_exit() {
  rm -f "$out/initramfs"
  [ -n "$guest" ] || return 0
  kill "$guest" 2>/dev/null || true
  wait "$guest" 2>/dev/null || true
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

# That cases fail is for the report to judge; what keeps them from being run is not.
later() { [ "$1" -lt 3 ] || exit "$1"; }

selection=(--tier none --tier rping --rping)
borders='^(mpa-fpdu-002|mpa-fpdu-015|mpa-fpdu-023|mpa-startup-011|mpa-startup-038|rping-server-007|rping-server-010'
borders+='|rping-client-008|rping-client-012)$'

# from_outside FOLDER OPTION...: the guest sees this host as 10.0.2.2.
from_outside() {
  "$warpcheck" run "${selection[@]}" --peer "127.0.0.1:$PORT" --profile "$here/siw.lua" --own-host 10.0.2.2 \
    --initiator "'$here/shell.sh' timeout 20 rping -c -a {host} -p {port} -C 1" --before "'$here/ready.sh'" \
    --skip "$borders" --out "$@"
}

# from_inside PATTERN: as 10.0.2.15 the guest talks to itself, without QEMU between.
from_inside() {
  "$here/shell.sh" "cd /tmp; rm -rf guest;" /tester/run "${selection[@]}" --peer 10.0.2.15:7174 --profile /tester/siw.lua \
    --own-host 10.0.2.15 --initiator "'timeout 20 rping -c -a {host} -p {port} -C 1'" --before fresh --only "'$1'" --out guest
}

# inside FOLDER PATTERN: leaves the folder guest in FOLDER. If siw brings down the guest, and the tester in it, that is no
# verdict: it is begun anew.
inside() {
  local code try
  for try in first second third; do
    code=0
    from_inside "$2" || code=$?
    [ $code -ge 3 ] || break
    echo "siw suite: the $try run within the guest ended with $code" >&2
    "$here/ready.sh"
  done
  later $code
  rm -rf "$1/guest"
  "$here/shell.sh" "tar c -C /tmp guest | gzip | base64" | base64 -d | tar xz -C "$1"
}

# judge FOLDER: of the runs there, host and guest. Prints what is other than expected.
judge() {
  local code=0 runs=()
  [ ! -e "$1/results.jsonl" ] || runs+=("host=$1")
  [ ! -e "$1/guest/results.jsonl" ] || runs+=("guest=$1/guest")
  "$warpcheck" report --expect "$here/expected" -o "$1/report.txt" "${runs[@]}" || code=$?
  grep -E "$other" "$1/report.txt" || echo "  no case"
  grep -E ': [0-9]+ expected, ' "$1/report.txt"
  return $code
}
other=' \[(new|regressed|better|fixed)\]$'

# others WHICH: a pattern of the cases that were other than expected, of those that are run within the guest (-E) or not (-vE).
others() {
  local ids
  ids=$(sed -nE "s/^ *[a-z ]+ ([a-z0-9-]+): .*$other/\1/p" "$out/report.txt" | { grep "$1" "$borders" || true; } |
    paste -sd'|')
  [ -z "$ids" ] || echo "^($ids)\$"
}

[ -x "$warpcheck" ] || fail "no $warpcheck: build the release preset first"
"$here/build.sh" "$WORKDIR"
mkdir -p "$out" || fail "cannot use $out"
: >"$out/console.log"
trap at_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
"$here/tester.sh" "$warpcheck" "$out/initramfs"
cat "$WORKDIR/initramfs.cpio.gz" >>"$out/initramfs"
INITRD=$out/initramfs "$here/boot.sh" again >"$out/console.log" 2>&1 &
guest=$!
await_guest

if [ $# -eq 0 ]; then
  inside "$out" "$borders"
fi
from_outside "$out" "$@" || later $?
echo "Other than expected:"
code=0
judge "$out" || code=$?
if [ $code -ge 3 ] || ! grep -qE "$other" "$out/report.txt"; then exit $code; fi

# siw hangs now and then, whatever it is asked, and some things it does by chance: what is other than expected has to be so twice.
echo "Again:"
rm -rf "$out/again"
mkdir "$out/again"
timeout 5 "$here/shell.sh" reboot -f >/dev/null 2>&1 || true # it takes its shell with it
"$here/ready.sh"
pattern=$(others -E)
[ -z "$pattern" ] || inside "$out/again" "$pattern"
pattern=$(others -vE)
[ -z "$pattern" ] || from_outside "$out/again" --only "$pattern" || later $?
code=0
judge "$out/again" || code=$?
exit $code
