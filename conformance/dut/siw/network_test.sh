#!/bin/bash
# network_test.sh WARPCHECK: the suite over networks that need netem, which the kernel of the guest has: no case fails, and a defect
# is still found. Exit code 77 as in suite_test.sh.
#   CTL  as in boot.sh (default: 17004; PORT 17178)
#   PART  I/N: part I of N parts of the cases (default: 1/50, because an emulated guest is slow)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
out=$(mktemp -d)
export WORKDIR=${WORKDIR:-$root/build/siw-network${KERNEL:+-$KERNEL}} PORT=${PORT:-17178} CTL=${CTL:-17004} LIMIT=${LIMIT:-3000}
LIMIT_BOOT=${BOOT_LIMIT:-180} # seconds
part=${PART:-1/50}

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

# guest_run 'CODES' OPTION...: runs the suite in the guest; expects one of these exit codes.
guest_run() {
  local wanted=$1 code=0
  shift
  "$here/shell.sh" "cd /tmp && /tester/run $*" >"$out/table" || code=$?
  echo "$*: $(grep -E '^[0-9]+ cases?: ' "$out/table" || tail -n 1 "$out/table")"
  [[ " $wanted " != *" $code "* ]] || return 0
  complain "exit $code: run $*"
  grep -E -A 8 '^(FAIL|ERROR|INCONCL) ' "$out/table" || tail -n 20 "$out/table"
}

# What a network that loses or reorders packets leaves open may be inconclusive, but no case may fail.
for network in loss-1 loss-5 reorder wan; do
  guest_run '0 2' --network $network --shard "$part" --accept-untested --no-out
done
for network in duplicate delay-20ms; do
  guest_run 0 --network $network --shard "$part" --accept-untested --no-out
done
# Packets do get lost, and that proves nothing about the peer.
guest_run 2 --network loss=99%,wait=1s --only "'^mpa-crc-001\$'" --no-out
grep -q 'the network loses or reorders packets, which would explain this' "$out/table" || complain "silence is judged"
# Packets do get delayed: TCP's handshake, the startup, and a Terminate take three round trips.
guest_run 0 --network delay=500ms --only "'^mpa-crc-001\$'" --out slow
"$here/shell.sh" "cat /tmp/slow/results.jsonl" >"$out/results"
took=$(sed -n 's/.*"type":"case".*"duration_ms":\([0-9]*\).*/\1/p' "$out/results")
[ "${took:-0}" -ge 3000 ] || complain "a case took $took ms"
# A defect is still found.
guest_run 1 --network loss-1 --no-out --defect crc-wrong --only "'^mpa-crc-00[1-3]\$'"
exit $failed
