#!/bin/bash
# relay_test.sh WARPCHECK: the cases of "warpcheck run --relay" with siw in both roles have the results of expected-relay. Cases with
# another result run again: a race in siw, or a busy host, is reported, but fails the test only if it repeats. Exit code 77 as in
# suite_test.sh, or if there is no right to have a TAP device.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export WARPCHECK=$1 BOOT_LIMIT=${BOOT_LIMIT:-400} # a busy host
"$here/tap.sh" true || exit 77 # builds the guest, too
failed() { cat "$out/$1.table"; echo "the $1 run: $2"; exit 1; }

relay() { # RUN [REGEX]
  code=0
  "$here/relay.sh" "$out/$1" "${@:2}" >"$out/$1.table" 2>&1 || code=$?
  [ $code -lt 3 ] || failed "$1" "exit code $code"
  differing=$(sed -nE 's/^  [a-z ]+ (relay-[a-z0-9-]+): .* \[(new|regressed|better|fixed)\]$/\1/p' "$out/$1/report.txt" | paste -sd '|')
}
relay first
cases=$(cat "$out"/first/{plain,crc}/results.jsonl | grep -c '^{"type":"case"')
[ "$cases" -eq "$("$WARPCHECK" run --relay --to 127.0.0.1:1 --list | wc -l)" ] || failed first "$cases cases"
[ $code -eq 0 ] || [ -n "$differing" ] || failed first "exit code $code, but no case differs"
if [ -n "$differing" ]; then
  echo "other results than expected: $differing"
  relay second "^(${differing})\$"
  [ -z "$differing" ] || failed second "again: $differing"
fi
