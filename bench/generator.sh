#!/bin/bash
# generator.sh BUILD: compares what `warpcheck load`, iperf3 and plain sockets move on the loopback, in turn; and measures the
# memory of a responder with many connections.
#   RUNS         runs of each [5]; the fastest counts
#   SECONDS_EACH duration of a run [2]
#   ROUNDS       round trips of a run [100000]
#   CONNECTIONS  connections to one responder [10000]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bench/contest.sh
. "$here/contest.sh"
runs=${RUNS:-5} seconds=${SECONDS_EACH:-2} rounds=${ROUNDS:-100000} connections=${CONNECTIONS:-10000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v iperf3 >/dev/null || {
    echo "generator.sh: iperf3 is missing (Debian: apt-get install iperf3): nothing to compare with" >&2
    exit 3
}

# Octets per second.
iperf() {
    iperf3 -s -1 -B 127.0.0.1 -p 20199 >"$work/server" 2>&1 &
    for _ in $(seq 100); do
        grep -q listening "$work/server" && break
        sleep 0.05
    done
    iperf3 -c 127.0.0.1 -p 20199 -t "$seconds" -J >"$work/iperf"
    wait $!
    awk -F'[:,]' '/"sum_received"/ { found = 1 } found && /"bits_per_second"/ { printf "%.0f\n", $2 / 8; exit }' "$work/iperf"
}
# number KEY: the first value of that key in the report
number() { grep -oE "\"$1\":[0-9]+" "$work/load" | head -1 | grep -oE '[0-9]+$'; }
load() { "$build/warpcheck" load --json "$@" >"$work/load"; }
writes() { load --mix write --size 1M --depth 2 --duration "$seconds" "$@" && number octets_per_second; }
large() { writes; }
joined() { writes --mulpdu 1442; }
aligned() { writes --mulpdu 1442 --aligned; }
bare_send() { "$build/bench/iw_bare" send 1448 "$seconds"; }
bare_echo() { "$build/bench/iw_bare" echo 64 "$rounds"; }
echoes() { load --mix send --size 64 --depth 1 --count "$rounds" && number p50_ns | awk '{ print $1 / 1000 }'; }

most() { sort -g "$work/$1" | tail -1; }
least() { sort -g "$work/$1" | head -1; }
gigabytes() { awk -v a="$1" 'BEGIN { printf "%.2f", a / 1e9 }'; }
row() { printf '%-44s %9s %9s %6s  %s\n' "$1" "$2" "$3" "$(ratio "$2" "$3")" "$4"; }

echo "load and the responder in two processes on the loopback, one connection, CRC on; fastest of $runs. Load average: $(cut -d' ' -f1-3 /proc/loadavg)"
run_all iperf large joined bare_send aligned bare_echo echoes
printf '%-44s %9s %9s %6s  %s\n' "" load bare ratio asked
row "Writes of 1 MiB to iperf3, GB/s" "$(gigabytes "$(most large)")" "$(gigabytes "$(most iperf)")" "0.80 or more"
row "the same in FPDUs of 1448 octets" "$(gigabytes "$(most joined)")" "$(gigabytes "$(most iperf)")" ""
row "a write per FPDU of 1448 to send(), GB/s" "$(gigabytes "$(most aligned)")" "$(gigabytes "$(most bare_send)")" "0.80 or more"
row "echo of 64 octets, median us" "$(least echoes)" "$(least bare_echo)" "1.25 or less"

# The responder alone, then with all connections open and served; peak memory counts.
memory() { awk -v key="$1:" '$1 == key { print $2 }' "/proc/$responder/status"; }
mkfifo "$work/pipe"
"$build/warpcheck" serve --listen 127.0.0.1:0 --quiet --echo >"$work/pipe" &
responder=$!
exec 3<"$work/pipe"
read -r line <&3
read -r _ <&3
before=$(memory VmRSS)
load --peer "127.0.0.1:${line##*:}" --mix send --size 64 --depth 1 --connections "$connections" --count $((3 * connections))
after=$(memory VmHWM)
served=$(number count)
kill -INT "$responder"
wait "$responder"
echo
echo "$connections connections to one responder: $(number opened) open, $served of $((3 * connections)) Sends echoed;" \
    "$(awk -v a="$after" -v b="$before" -v n="$connections" 'BEGIN { printf "%.1f", (a - b) / n }') KiB each (asked: 32 or less)"
