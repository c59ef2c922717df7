#!/bin/bash
# network_test.sh WARPCHECK: the suite over networks that need netem, which the kernel of the guest has: no case fails, and a defect
# is still found. Exit code 77 as in suite_test.sh.
#   CTL  as in boot.sh (default: 17004; PORT 17178)
#   ONLY  a pattern of cases (default: a part of all kinds; an emulated guest is slow)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
out=$(mktemp -d)
export WORKDIR=${WORKDIR:-$root/build/siw-network${KERNEL:+-$KERNEL}} PORT=${PORT:-17178} CTL=${CTL:-17004} LIMIT=${LIMIT:-3000}
LIMIT_BOOT=${BOOT_LIMIT:-180} # seconds
only=${ONLY:-.}

guest=''
# shellcheck disable=SC2317  # reached through the trap
at_exit() {
  [ -z "$guest" ] || { kill "$guest" 2>/dev/null || true; wait "$guest" 2>/dev/null || true; }
  rm -rf "$out"
}
failed=0
complain() { echo "FAILED: $*"; failed=1; }

GUEST_MODULES="veth sch_netem sch_tbf" GUEST_PROGRAMS="ip tc" GUEST_PACKAGES=zlib1g "$here/build.sh" || exit 77
trap at_exit EXIT
"$here/tester.sh" "$out/tester" "$1" || exit 77
cat "$out/tester" "$WORKDIR/initramfs.cpio.gz" >"$out/initrd"
: >"$out/console.log"
INITRD=$out/initrd "$here/boot.sh" rping >"$out/console.log" 2>&1 &
guest=$!
deadline=$((SECONDS + LIMIT_BOOT))
until grep -q LISTENING "$out/console.log"; do
  if ! kill -0 "$guest" 2>/dev/null || [ $SECONDS -ge $deadline ]; then
    tail -n 20 "$out/console.log"
    echo "the guest does not listen"
    exit 1
  fi
  sleep 0.1
done

# guest_run CODE OPTION...: runs the suite in the guest; expects this exit code.
guest_run() {
  local wanted=$1 code=0
  shift
  "$here/shell.sh" "cd /tmp && /tester/run $*" >"$out/table" || code=$?
  [ $code -eq "$wanted" ] || { complain "exit $code instead of $wanted: run $*"; grep -vE '^(n/a|untested) ' "$out/table" | tail -n 60; }
}

for network in loss-1 loss-5 reorder duplicate delay-20ms wan mtu-576; do
  # What a network that loses packets leaves open is inconclusive, and may be so.
  guest_run_code=0
  "$here/shell.sh" "cd /tmp && /tester/run --network $network --accept-untested --no-out --only '$only'" >"$out/table" || guest_run_code=$?
  echo "$network: $(grep -E '^[0-9]+ cases?: ' "$out/table" || tail -n 1 "$out/table")"
  if [ $guest_run_code -ne 0 ] && [ $guest_run_code -ne 2 ]; then
    complain "exit $guest_run_code over $network"
    grep -E -A 8 '^(FAIL|ERROR) ' "$out/table" || tail -n 20 "$out/table"
  fi
done
guest_run 1 --network loss-1 --no-out --defect crc-wrong --only "'^mpa-crc-00[1-3]\$'"
grep -q '^FAIL ' "$out/table" || complain "no case fails for a defect"
exit $failed
