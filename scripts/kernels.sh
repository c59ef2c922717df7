#!/bin/sh
# kernels.sh [SUITE...]: tests siw (conformance/dut/siw/suite.sh) of several kernels and publishes the results: those of the given
# Debian suites (default: bookworm and bookworm-backports, Linux 6.1 and 6.12). Needs the release build. As root, or with user
# namespaces, it uses a TAP device (conformance/dut/siw/tap.sh), otherwise QEMU's own network.
# Suites that are newer than the host need tools that do not run on it; use a newer host for them.
#   OUT  folder for the results, in siw-SUITE of each (default: results of the project)
# docs/reports/siw then has their results: SUITE.jsonl.gz (tiers none and rping), SUITE-long.jsonl.gz (rping with long messages) and
# SUITE-agent.jsonl.gz; and results.html: these and all that were published before, side by side.
# Exit code: the highest of those of suite.sh.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
siw=$root/conformance/dut/siw
out=${OUT:-results} # relative: the published files name files of it
warpcheck=$root/build/release/warpcheck
[ $# -gt 0 ] || set -- bookworm bookworm-backports
network=$siw/tap.sh
KERNEL=$1 "$network" true || {
    echo "kernels: without a TAP device: over QEMU's own network" >&2
    network=
}
worst=0
reports=$root/docs/reports/siw
mkdir -p "$reports"
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
publish() { # RUN NAME: without the path of this folder
    sed "s#$root/##g" "$1/results.jsonl" | gzip -n9 >"$reports/$2.jsonl.gz"
}
for suite; do
    echo "== siw of Debian $suite"
    mkdir -p "$out/siw-$suite"
    code=0
    KERNEL=$suite $network "$siw/suite.sh" "$out/siw-$suite" >"$out/siw-$suite/table" || code=$?
    sed -n '/^Other than expected:/,$p' "$out/siw-$suite/table"
    echo "exit code $code; see $out/siw-$suite"
    [ "$code" -lt 3 ] || exit "$code"
    [ "$code" -le "$worst" ] || worst=$code
    # The page shows no logs of cases, which would be most of it: they and the captures are in the folder of the run.
    publish "$out/siw-$suite" "$suite"
    publish "$out/siw-$suite/long" "$suite-long"
    publish "$out/siw-$suite/agent" "$suite-agent"
done
for published in "$reports"/*.jsonl.gz; do
    name=${published##*/}
    gunzip -c "$published" >"$pages/${name%.jsonl.gz}"
done
(cd "$pages" && "$warpcheck" report --format html -o "$reports/results.html" -- *) || [ $? -lt 3 ]
exit "$worst"
