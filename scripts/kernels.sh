#!/bin/sh
# kernels.sh [SUITE...]: runs the suite against siw (conformance/dut/siw/suite.sh) of several kernels: those of the given Debian
# suites (default: bookworm and bookworm-backports, Linux 6.1 and 6.12), into results/siw-SUITE. Needs the release build.
# Suites that are newer than the host need tools that do not run on it; use a newer host for them.
# Exit code: the highest of those of suite.sh.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- bookworm bookworm-backports
worst=0
for suite in "$@"; do
    echo "== siw of Debian $suite"
    mkdir -p "$root/results/siw-$suite"
    code=0
    KERNEL=$suite "$root/conformance/dut/siw/suite.sh" "$root/results/siw-$suite" >"$root/results/siw-$suite/table" || code=$?
    sed -n '/^Other than expected:/,$p' "$root/results/siw-$suite/table"
    echo "exit code $code; see $root/results/siw-$suite"
    [ "$code" -le "$worst" ] || worst=$code
done
exit "$worst"
