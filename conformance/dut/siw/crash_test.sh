#!/bin/bash
# crash_test.sh WARPCHECK: a crash of the guest's kernel fails the case during which it happens, and the run goes on. Exit code 77
# as in suite_test.sh.
#   PORT, CTL  as in boot.sh (default: 17176 and 17002)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
export PORT=${PORT:-17176} CTL=${CTL:-17002} LIMIT=600
LIMIT_BOOT=120 # seconds

guest=''
# shellcheck disable=SC2317  # reached through the trap
at_exit() {
  [ -z "$guest" ] || { kill "$guest" 2>/dev/null || true; wait "$guest" 2>/dev/null || true; }
  rm -rf "$out"
}
fail() { echo "$*"; cat "$out/table"; tail -n 20 "$out/console.log"; exit 1; }

"$here/build.sh" || exit 77
trap at_exit EXIT
: >"$out/console.log"
: >"$out/table"
"$here/boot.sh" again >"$out/console.log" 2>&1 &
guest=$!
deadline=$((SECONDS + LIMIT_BOOT))
until grep -q LISTENING "$out/console.log"; do
  if ! kill -0 "$guest" 2>/dev/null || [ $SECONDS -ge $deadline ]; then fail "the guest does not listen"; fi
  sleep 0.1
done

# Instead of connecting to {host} and {port}, the device crashes.
code=0
"$1" run -v --peer "127.0.0.1:$PORT" --profile "$here/siw.lua" --own-host 10.0.2.2 --only '^(mpa-initiator-001|mpa-startup-001)$' \
  --initiator ": {host} {port}; '$here/shell.sh' 'echo c >/proc/sysrq-trigger'" --before "'$here/ready.sh'" \
  --health "'$here/health.sh'" --console "$out/console.log" --out "$out/run" >"$out/table" || code=$?
[ $code -eq 1 ] || fail "run ends with $code"
grep -q '^FAIL *mpa-initiator-001 ' "$out/table" || fail "the case does not fail"
grep -q 'because *the device crashed: .*Kernel panic - not syncing: sysrq triggered crash' "$out/table" || fail "not because of the crash"
grep -q '^console: .*Kernel panic' "$out/run/mpa-initiator-001.log" || fail "the log does not have the console"
grep -q '^pass *mpa-startup-001 ' "$out/table" || fail "the next case does not pass"
tail -n 1 "$out/table"
