#!/bin/sh
# kernels.sh [SUITE...]: tests siw (conformance/dut/siw/suite.sh) of several kernels and publishes the results: those of the given
# Debian suites (default: bookworm and bookworm-backports, Linux 6.1 and 6.12). Needs the release build. As root, or with user
# namespaces, it uses a TAP device (conformance/dut/siw/tap.sh), otherwise QEMU's own network.
# Suites that are newer than the host need tools that do not run on it; use a newer host for them.
#   OUT  folder for the results, in siw-SUITE of each (default: results of the project)
# docs/reports/siw then has results.html, all runs side by side, and SUITE.jsonl.gz, the results of each.
# Exit code: the highest of those of suite.sh.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
siw=$root/conformance/dut/siw
out=${OUT:-$root/results}
warpcheck=$root/build/release/warpcheck
[ $# -gt 0 ] || set -- bookworm bookworm-backports
network=$siw/tap.sh
KERNEL=$1 "$network" true || network=
worst=0
reports=$root/docs/reports/siw
mkdir -p "$reports"
for suite in "$@"; do
    echo "== siw of Debian $suite"
    mkdir -p "$out/siw-$suite"
    code=0
    KERNEL=$suite $network "$siw/suite.sh" "$out/siw-$suite" >"$out/siw-$suite/table" || code=$?
    sed -n '/^Other than expected:/,$p' "$out/siw-$suite/table"
    echo "exit code $code; see $out/siw-$suite"
    [ "$code" -lt 3 ] || exit "$code"
    [ "$code" -le "$worst" ] || worst=$code
    cat "$out/siw-$suite/results.jsonl" "$out/siw-$suite/agent/results.jsonl" | gzip -n9 >"$reports/$suite.jsonl.gz"
done
for suite; do
    shift
    set -- "$@" "$suite-rping=$out/siw-$suite" "$suite-agent=$out/siw-$suite/agent"
done
"$warpcheck" report --format html -o "$reports/results.html" "$@" || [ $? -lt 3 ]
exit "$worst"
