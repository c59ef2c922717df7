#!/bin/bash
# check.sh BUILD: compares time and memory of `warpcheck check` with `tcpdump -w /dev/null` and with tshark and its own iWARP
# dissector, and those of `warpcheck explain` with `check`. All run in turn on the same captures in the page cache. Also measures
# how both grow on adverse captures.
#   RUNS       runs of each [5]; the fastest counts
#   MIB        size of the captures for tcpdump, and for pcapng against pcap [1024]
#   FPDUS      FPDUs of the captures for tshark [100000], and of the smaller adverse ones
#   LARGE_MIB  size of the capture of one long connection [4608]
#   TMPDIR     needs space for the largest capture and 5 GiB more
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bench/contest.sh
. "$here/contest.sh"
runs=${RUNS:-5} mib=${MIB:-1024} fpdus=${FPDUS:-100000} large_mib=${LARGE_MIB:-4608}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
capture=$work/capture.pcap

measure() { "$build/bench/iw_measure" "$@"; }
alone() { measure "$build/warpcheck" check --threads 1 "$capture"; }
many() { measure "$build/warpcheck" check "$capture"; }
other() { measure "$build/warpcheck" check --threads 1 "$work/same.pcapng"; }
story() { measure "$build/warpcheck" explain "$capture"; }
dump() { measure tcpdump -r "$capture" -w /dev/null; }
builtin_one() { BUILD=$work/none measure "$here/../scripts/tshark.sh" -r "$capture" -q -z io,phs; }
traffic() { "$build/bench/iw_traffic" "$capture" "$@"; }

# The minimum of a column, that of the least disturbed run: 1 elapsed time, 2 processor time, 3 memory in KiB.
least() { awk -v c="$1" 'NR == 1 || $c < m { m = $c } END { print m }' "$work/$2"; }

# row NAME OCTETS: as many FPDUs as reach the size, one per packet, with an ACK after every second one
against_tcpdump() {
    local name=$1 octets=$2
    traffic $((mib * 1048576 / (octets + 125))) "$octets" connections=8
    run_all dump alone many
    printf '%-30s %7s  %7s %5s %5s  %7s %5s %5s\n' "$name" "$(least 1 dump)" \
        "$(least 1 alone)" "$(ratio "$(least 1 alone)" "$(least 1 dump)")" "$(ratio "$(least 2 alone)" "$(least 2 dump)")" \
        "$(least 1 many)" "$(ratio "$(least 1 many)" "$(least 1 dump)")" "$(ratio "$(least 2 many)" "$(least 2 dump)")"
}

against_tshark() {
    local name=$1 octets=$2
    traffic "$fpdus" "$octets" connections=8
    run_all builtin_one alone many
    printf '%-30s %7s  %7s %5s %5s  %7s %5s %5s\n' "$name" "$(least 1 builtin_one)" \
        "$(least 1 alone)" "$(ratio "$(least 1 builtin_one)" "$(least 1 alone)")" "$(ratio "$(least 2 builtin_one)" "$(least 2 alone)")" \
        "$(least 1 many)" "$(ratio "$(least 1 builtin_one)" "$(least 1 many)")" "$(ratio "$(least 2 builtin_one)" "$(least 2 many)")"
}

# The same capture as pcap and as pcapng, on one thread
against_pcap() {
    local name=$1 octets=$2
    traffic $((mib * 1048576 / (octets + 125))) "$octets" connections=8
    editcap -F pcapng "$capture" "$work/same.pcapng"
    run_all alone other
    printf '%-30s %7s %7s %5s\n' "$name" "$(least 2 alone)" "$(least 2 other)" "$(ratio "$(least 2 other)" "$(least 2 alone)")"
    rm "$work/same.pcapng"
}

# explained NAME FPDUS PAYLOAD [OPTION...]: `explain` against `check`, on all processors
explained() {
    local name=$1
    shift
    traffic "$@"
    run_all many story
    printf '%-30s %7s %7s %5s %5s\n' "$name" "$(least 1 many)" "$(least 1 story)" "$(ratio "$(least 1 story)" "$(least 1 many)")" \
        "$(ratio "$(least 2 story)" "$(least 2 many)")"
}

# memory NAME CONNECTIONS FPDUS PAYLOAD [OPTION...]: peak memory compared with 64 MiB plus 8 KiB per connection
over=0
memory() {
    local name=$1 connections=$2 limit peak told
    shift 2
    traffic "$@" connections="$connections"
    many >"$work/many"
    story >"$work/story"
    limit=$((65536 + 8 * connections)) peak=$(least 3 many) told=$(least 3 story)
    [ "$peak" -le "$limit" ] && [ "$told" -le "$limit" ] || over=$((over + 1))
    printf '%-30s %6s MiB %8s %8s KiB %8s KiB %5s %8s KiB %5s\n' "$name" "$(($(stat -c %s "$capture") / 1048576))" "$connections" \
        "$limit" "$peak" "$(ratio "$peak" "$limit")" "$told" "$(ratio "$told" "$limit")"
}

# growth NAME PAYLOAD [OPTION...]: time and memory for a capture four times as long, and the exit code of the longer one
growth() {
    local name=$1 size times=() memories=() code=0
    shift
    for size in "$fpdus" $((4 * fpdus)); do
        traffic "$size" "$@"
        run_all alone
        times+=("$(least 2 alone)") memories+=("$(least 3 alone)")
    done
    "$build/warpcheck" check "$capture" >/dev/null 2>&1 || code=$?
    printf '%-30s %7s %7s %6s %8s %8s %5s\n' "$name" "${times[@]}" "$(ratio "${times[1]}" "${times[0]}")" \
        "${memories[@]}" "$code"
}

echo "Captures of $mib MiB, 8 connections, CRC on, every rule; seconds on the clock, fastest of $runs."
echo "To tcpdump: on the clock (time), and of all processors (cpu)"
printf '%-30s %7s  %7s %5s %5s  %7s %5s %5s\n' "" tcpdump "1 thread" time cpu "$(nproc) threads" time cpu
against_tcpdump "1400 octets" 1400
against_tcpdump "64 octets" 64
echo
echo "The same captures as pcap and as pcapng, one thread: processor seconds"
printf '%-30s %7s %7s %5s\n' "" pcap pcapng cpu
against_pcap "1400 octets" 1400
against_pcap "64 octets" 64
echo
echo "Captures of $fpdus FPDUs; how many times faster than tshark on the clock (time), and of all processors (cpu)"
printf '%-30s %7s  %7s %5s %5s  %7s %5s %5s\n' "" tshark "1 thread" time cpu "$(nproc) threads" time cpu
against_tshark "1400 octets" 1400
against_tshark "64 octets" 64
echo
echo "explain against check on $(nproc) threads: on the clock (time), and of all processors (cpu); asked: at most 1.60"
printf '%-30s %7s %7s %5s %5s\n' "" check explain time cpu
explained "1400 octets, 8 connections" $((mib * 1048576 / 1525)) 1400 connections=8
explained "64 octets, 8 connections" $((mib * 1048576 / 189)) 64 connections=8
explained "64 octets, 20,000 connections" $((mib * 1048576 / 189)) 64 connections=20000
explained "64 octets, 100,000 connections" 800000 64 connections=100000
echo
echo "Peak memory; asked: at most 64 MiB and 8 KiB for each connection"
printf '%-30s %10s %8s %12s %12s %5s %12s %5s\n' "" capture conns "at most" check "" explain ""
memory "one connection, 1400 octets" 1 $((large_mib * 1048576 / 1525)) 1400
memory "8 connections, 1400 octets" 8 $((large_mib * 1048576 / 1525)) 1400
memory "100,000 connections" 100000 800000 64
memory "100,000 connections, unaligned" 100000 800000 1400 mss=1448
echo
echo "Captures made to hurt, of $fpdus FPDUs and of four times as many: processor seconds (4 is linear), KiB, exit code"
printf '%-30s %7s %7s %6s %8s %8s %5s\n' "" small large growth small large exit
growth "64 octets in reverse, by 64" 64 acks=0 reverse=64
growth "64 octets in reverse, by 4096" 64 acks=0 reverse=4096
growth "a gap in every FPDU" 1400 mss=700 drop=2
growth "every second FPDU missing" 64 drop=2
growth "4,000,000,000 STags" 64 stags=4000000000
growth "TO beyond 2^64" 1400 to=18446744073709551000
fpdus=$((fpdus * 25))
growth "FPDUs without payload" 0

if [ "$over" -gt 0 ]; then
    echo "$over captures took more memory than asked"
    exit 1
fi
