#!/bin/bash
# dissector.sh BUILD: compares time and memory of tshark with the plugin, with its own dissector, and with the payload as plain
# data. All run in turn on the same captures in the page cache.
#   RUNS   runs of each [5]; the fastest counts
#   FPDUS  FPDUs in the captures [100000]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bench/contest.sh
. "$here/contest.sh"
runs=${RUNS:-5} fpdus=${FPDUS:-100000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
# All enter tshark the same way, so that all pay for it.
tshark() { BUILD=$1 "$build/bench/iw_measure" "$here/../scripts/tshark.sh" "${@:2}" -q -z io,phs; }
ours() { tshark "$build" "$@"; }
builtin_one() { tshark "$work/none" "$@"; }
plain() { tshark "$work/none" "$@" --disable-heuristic iwarp_mpa_tcp -d tcp.port==20100,data; }

# Keeps the minimum of each column: that of the least disturbed run.
least() { awk -v c="$1" 'NR == 1 || $c < m { m = $c } END { print m }' "$2"; }

# measure NAME FILE: writes seconds and KiB of each contender to $work/CONTENDER
measure() {
    rm -f "$work"/{ours,builtin_one,plain}
    for _ in $(seq "$runs"); do
        for contender in ours builtin_one plain; do "$contender" -r "$1" >>"$work/$contender"; done
    done
}

compare() {
    local name=$1 file=$work/capture.pcap contender
    shift
    "$build/bench/iw_traffic" "$file" "$@"
    measure "$file"
    for contender in ours builtin_one plain; do
        declare "${contender}_s=$(least 2 "$work/$contender")" "${contender}_k=$(least 3 "$work/$contender")"
    done
    # shellcheck disable=SC2154  # declared above
    printf '%-34s %7s %7s %7s   %5s %5s   %5s\n' "$name" "$ours_s" "$builtin_one_s" "$plain_s" \
        "$(ratio "$ours_s" "$builtin_one_s")" "$(ratio "$ours_s" "$plain_s")" "$(ratio "$ours_k" "$builtin_one_k")"
}

# How time grows for a capture four times as long, with the plugin and for plain data; without tshark's startup time.
growth() {
    local name=$1 contender size row
    shift
    "$build/bench/iw_traffic" "$work/empty.pcap" 1 "$@"
    "$build/bench/iw_traffic" "$work/small.pcap" "$((fpdus / 2))" "$@"
    "$build/bench/iw_traffic" "$work/large.pcap" "$((fpdus * 2))" "$@"
    printf '%-34s' "$name"
    for contender in ours plain; do
        row=
        for size in empty small large; do
            rm -f "$work/$contender"
            for _ in $(seq "$runs"); do "$contender" -r "$work/$size.pcap" >>"$work/$contender"; done
            row="$row $(least 2 "$work/$contender")"
        done
        awk '{ printf " %7.2f", ($3 - $1) / ($2 - $1) }' <<<"$row"
    done
    echo
}

echo "tshark -q -z io,phs, $fpdus FPDUs, every 16th message a Send, CRC on; processor seconds, fastest of $runs"
printf '%-34s %7s %7s %7s   %5s %5s   %5s\n' "" plugin builtin plain "/blt" "/pln" "mem/blt"
compare "1400 octets, one FPDU a segment" "$fpdus" 1400
compare "64 octets, one FPDU a segment" "$fpdus" 64
compare "1400 octets, without ACKs" "$fpdus" 1400 acks=0
compare "1400 octets, unaligned" "$fpdus" 1400 mss=1448
compare "1400 octets, Writes of 49 segments" "$((fpdus * 3 / 2))" 1400 segments=49
echo
echo "Time on a capture four times as long; 4 is linear"
printf '%-34s %7s %7s\n' "" plugin plain
growth "1400 octets, unaligned" 1400 mss=1448
growth "1400 octets, without ACKs" 1400 acks=0
growth "64 octets, unaligned" 64 mss=1448
growth "64 octets, unaligned, no ACKs" 64 mss=1448 acks=0
