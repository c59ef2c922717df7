#!/bin/bash
# pair_test.sh WARPCHECK: "warpcheck watch" judges stock programs of two siw guests: rping conforms, perftest apart from the known
# violations of pair.waive, and that one is found. Exit code 77 as in suite_test.sh, or if there is no right to have a TAP device.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
BUILD=$(dirname "$1")
export BUILD BOOT_LIMIT=${BOOT_LIMIT:-400} # a busy host
"$here/pair.sh" build || exit 77
"$here/tap.sh" true || exit 77
fail() { echo "$*"; exit 1; }

"$here/pair.sh" "$out" || fail "pair.sh ends with $?"
findings() { # of streams: the requirements that they violate
  sed -nE 's/^\{"type":"finding",.*"requirement":"([^"]*)".*/\1/p' "$out/watch.jsonl" | sort | uniq -c
}
[[ $(findings) =~ ^\ *[0-9]+\ RFC5044-4.1-02$ ]] || fail "other findings than PAD: $(findings)"
