#!/bin/bash
# confine.sh BUILD: what confinement costs: `warpcheck check --confine required` against `--confine off` on the same capture, in turn.
#   RUNS   runs of each [11]; the median counts
#   MIB    size of the captures [256]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bench/contest.sh
. "$here/contest.sh"
runs=${RUNS:-11} mib=${MIB:-256}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
capture=$work/capture.pcap

off() { "$build/bench/iw_measure" "$build/warpcheck" check --confine off "$@" "$capture"; }
required() { "$build/bench/iw_measure" "$build/warpcheck" check --confine required "$@" "$capture"; }
off_one() { off --threads 1; }
off_many() { off; }
required_one() { required --threads 1; }
required_many() { required; }

median() { cut -d ' ' -f "$1" "$work/$2" | sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
row() {
    printf '%-26s %8s %8s %6s  %8s %8s %6s\n' "$1" "$(median 2 off_one)" "$(median 2 required_one)" \
        "$(ratio "$(median 2 required_one)" "$(median 2 off_one)")" "$(median 1 off_many)" "$(median 1 required_many)" \
        "$(ratio "$(median 1 required_many)" "$(median 1 off_many)")"
}

echo "                            one thread, processor s     all threads, elapsed s"
echo "                                off   confined  ratio       off confined  ratio"
for octets in 64 8192; do
    "$build/bench/iw_traffic" "$capture" $((mib * 1048576 / (octets + 125))) $octets connections=8
    run_all off_one required_one off_many required_many
    row "FPDUs of $octets octets"
done
"$build/bench/iw_traffic" "$capture" 1 64 connections=1
run_all off_one required_one off_many required_many
row "one FPDU: the start alone"
