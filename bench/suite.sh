#!/bin/bash
# suite.sh BUILD: how long `warpcheck run` takes against the embedded peer, and whether its verdicts are reproducible.
#   RUNS     runs of each [5]; the fastest counts
#   REPEATS  runs whose verdicts must agree, on an idle machine and with all cores loaded [200]
set -euo pipefail
[ -x "${1:-}/warpcheck" ] || { echo "suite.sh: BUILD is missing: bench/suite.sh build/release" >&2; exit 3; }
build=$(realpath "$1")
runs=${RUNS:-5} repeats=${REPEATS:-200}
work=$(mktemp -d)
load=
# shellcheck disable=SC2086 # one word per process
trap 'kill $load 2>/dev/null || true; rm -rf "$work"' EXIT
warpcheck=$build/warpcheck

# seconds ARGUMENT...: time of the fastest `warpcheck run`
seconds() {
    for _ in $(seq "$runs"); do
        /usr/bin/env bash -c 'TIMEFORMAT=%R; time "$@" >/dev/null' - "$warpcheck" run "$@" 2>&1 | tail -1
    done | sort -g | head -1
}
count() { "$warpcheck" run --list --format jsonl "$@" | wc -l; }
row() { printf '%-52s %10s  %s\n' "$1" "$2" "$3"; }
rate() { awk -v n="$1" -v s="$2" 'BEGIN { printf "%.0f", n / s }'; }

echo "the suite against the embedded peer over TCP on the loopback; fastest of $runs. Load average: $(cut -d' ' -f1-3 /proc/loadavg)"
cases=$(count)
row "base cases" "$cases" "600 or more"
row "base run with all evidence, s" "$(seconds --force --out "$work/evidence")" "10 or less"
row "cases a second without evidence" "$(rate "$cases" "$(seconds --no-out)")" "150 or more"
row "base run in memory, s" "$(seconds --simulate --no-out)" ""
combinations=$(count --strength 4)
row "combinations of four settings" "$combinations" "5000 or more"
row "combinations a second in memory" "$(rate "$combinations" "$(runs=1 seconds --simulate --no-out --strength 4)")" ""

repeat() { "$warpcheck" run --no-out --repeat "$repeats" | tail -1; }
echo "$repeats times, idle: $(repeat)"
for _ in $(seq "$(nproc)"); do
    while :; do :; done &
    load="$load $!"
done
echo "$repeats times, all cores loaded: $(repeat)"
