#!/bin/bash
# suite_test.sh WARPCHECK: the suite against siw has the expected results. A case with another result runs again: a race in siw, or
# a busy host, is reported, but fails the test only if the result repeats. TEST_SHARD_INDEX and TEST_TOTAL_SHARDS choose a part of
# the cases. Exit code 77 if the guest cannot be built, because its packages or build tools are not available.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
export BOOT_LIMIT=${BOOT_LIMIT:-400} # a busy host
trap 'rm -rf "$out"' EXIT
"$here/build.sh" || exit 77
# Over a TAP device the cases about TCP segments are exact; QEMU's own network is for hosts without the right to have one.
network=$here/tap.sh
"$network" true 2>/dev/null || network=

# A better result than expected is a change, too.
differing() { # RUN: the ids of cases
  sed -nE 's/^  [a-z ]+ ([a-z0-9-]+): .* \[(new|regressed|better|fixed)\]$/\1/p' "$1/report.txt"
}
has_row() { # FOLDER ID
  grep -qs "\"case\":\"$2\"" "$out/first/$1/results.jsonl"
}
suite() { # RUN OPTION...: prints what differs
  local run=$1 code=0
  shift
  WARPCHECK=$warpcheck $network "$here/suite.sh" "$out/$run" "$@" >"$out/$run.table" || code=$?
  differences "$run"
  [ $code -lt 3 ] || failed "$run" $code # an inconclusive case runs again, too
}
differences() { # RUN
  sed -n '/^Other than expected:/,$p' "$out/$1.table"
}
failed() { # RUN CODE: what differs comes last, because a log may show only the end
  grep -vE '^(pass|n/a) ' "$out/$1.table"
  tail -n 30 "$out/$1"/{console,long,agent}.log || true
  differences "$1"
  exit "$2"
}

warpcheck=$1
suite first
cases=$(differing "$out/first" | paste -sd'|')
if [ -n "$cases" ]; then
  tiers=
  for id in ${cases//|/ }; do # a case that did not begin has a row, but no log
    if has_row agent "$id"; then
      tiers+=" agent"
    elif has_row . "$id"; then
      tiers+=" none rping"
    else
      failed first 1 # suite.sh does not select among the others
    fi
  done
  echo "Once more: $cases"
  unset TEST_SHARD_INDEX TEST_TOTAL_SHARDS
  TIERS=$tiers suite again --only "^($cases)\$"
  [ -z "$(differing "$out/again")" ] || failed again 1
elif ! grep -qx '  no case' "$out/first.table"; then
  failed first 1 # a crash that belongs to no case
fi
