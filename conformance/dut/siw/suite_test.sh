#!/bin/bash
# suite_test.sh WARPCHECK: the suite against siw has the expected results. Exit code 77 if the guest cannot be built, because its
# packages or build tools are not available.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$here/build.sh" || exit 77
code=0
# Over a TAP device the cases about TCP segments are exact; QEMU's own network is for hosts without the right to have one.
network=$here/tap.sh
"$network" true 2>/dev/null || network=
# A better result than expected is a change, too.
# The file `expected` does not have the cases of tier agent yet.
WARPCHECK=$1 TIERS='none rping' $network "$here/suite.sh" "$out/run" >"$out/table" || code=$?
[ $code -ne 0 ] || grep -qx '  no case' "$out/table" || code=1
# First what differs: the output of a failed test may be cut.
sed -n '/^Other than expected:/,$p' "$out/table"
if [ $code -ne 0 ]; then
  grep -vE '^(pass|n/a) ' "$out/table"
  tail -n 30 "$out/run/console.log"
  exit $code
fi
