#!/bin/bash
# suite_test.sh WARPCHECK: the suite against siw, all as expected. Exit code 77 where the guest cannot be built, since its
# packages or what builds it are not to be had.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$here/build.sh" || exit 77
WARPCHECK=$1 "$here/suite.sh" "$out" >"$out/table" || {
  code=$?
  grep -vE '^(pass|n/a) ' "$out/table"
  tail -n 30 "$out/console.log"
  exit $code
}
tail -n 1 "$out/table"
