#!/bin/bash
# relay.sh BUILD: compares `warpcheck relay` with a bare relay of splice() on the loopback, in turn.
#   RUNS         runs of each [5]; the fastest counts
#   SECONDS_EACH duration of a run [2]
#   ROUNDS       round trips of a run [50000]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bench/contest.sh
. "$here/contest.sh"
runs=${RUNS:-5} seconds=${SECONDS_EACH:-2} rounds=${ROUNDS:-50000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

relay=("$build/warpcheck" relay --listen 127.0.0.1:0 --quiet)
rule=(--impairment "at=fpdu+18446744073709551615,drop") # never due
send() { "$build/bench/iw_relayed" send 65536 "$seconds" "$@"; }
echo_64() { "$build/bench/iw_relayed" echo 64 "$rounds" "$@"; }
bare_send() { send; }
bare_echo() { echo_64; }
relay_send() { send "${relay[@]}" --no-judge; }
relay_echo() { echo_64 "${relay[@]}" --no-judge; }
record_send() { send "${relay[@]}" --no-judge --record "$work/record.pcapng"; }
record_echo() { echo_64 "${relay[@]}" --no-judge --record "$work/record.pcapng"; }
impair_send() { send "${relay[@]}" --no-judge "${rule[@]}"; }
impair_echo() { echo_64 "${relay[@]}" --no-judge "${rule[@]}"; }

most() { sort -g "$work/$1" | tail -1; }
least() { sort -g "$work/$1" | head -1; }
gigabytes() { awk -v a="$1" 'BEGIN { printf "%.2f", a / 1e9 }'; }
row() { printf '%-34s %9s %9s %9s  %s\n' "$@"; }
rate() { row "$1" "$(gigabytes "$(most "$2")")" "$(gigabytes "$(most bare_send)")" "$(ratio "$(most "$2")" "$(most bare_send)")" "$3"; }
delay() { row "$1" "$(least "$2")" "$(least bare_echo)" "$(awk -v a="$(least "$2")" -v b="$(least bare_echo)" 'BEGIN { printf "%+.1f", a - b }')" "$3"; }

echo "one connection on the loopback, three processes; fastest of $runs. Load average: $(cut -d' ' -f1-3 /proc/loadavg)"
run_all bare_send relay_send record_send impair_send bare_echo relay_echo record_echo impair_echo
row "" relay bare "ratio" asked
rate "bulk, GB/s" relay_send "0.70 or more"
rate "the same, recorded" record_send ""
rate "the same, with a rule" impair_send ""
row "" relay bare "more" asked
delay "echo of 64 octets, median us" relay_echo "+30 or less"
delay "the same, recorded" record_echo ""
delay "the same, with a rule" impair_echo ""
