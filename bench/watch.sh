#!/bin/bash
# watch.sh BUILD: at which rate `warpcheck watch` begins to drop packets. It runs on one processor, on one end of a pair of virtual
# interfaces; another processor sends a capture into the other end. Needs two processors, and root or user namespaces.
#   RATES  in Mbit/s, tried in this order until packets are dropped [500 1000 1250 1500 2000 3000 4000]
#   MIB    size of the captures [1024]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${work:-}" ]; then
    # shellcheck source=bench/contest.sh
    . "$here/contest.sh"
    work=$(mktemp -d) mib=${MIB:-1024}
    export work build mib
    trap 'rm -rf "$work"' EXIT
    unshare -rn "$0" "$build"
    exit
fi

ip link add sender type veth peer name watched
for end in sender watched; do
    echo 1 >"/proc/sys/net/ipv6/conf/$end/disable_ipv6" # which would send packets of its own
    ip link set "$end" up
done

field() { sed -n "/\"type\":\"summary\"/s/.*\"$1\":\([0-9]*\).*/\1/p" "$work/out"; } # NAME, of the summary

# The watch, until it is killed; then how many seconds of the processor it took
watch() {
    # shellcheck disable=SC2016 # the inner shell expands it
    sh -c 'echo $$ >"$work/process" && exec taskset -c 0 "$build/warpcheck" watch -i watched --format jsonl' >"$work/said" 2>"$work/err" ||
        [ $? -le 2 ] || cat "$work/err" >&2
    times >"$work/times" # of this shell, and of its children
}

# run RATE: one line: Mbit/s and packets a second that were sent, packets, FPDUs judged, packets dropped, and which part of its
# processor's time the watch took
run() {
    local sent
    mkfifo "$work/said"
    watch &
    exec 4<"$work/said"
    rm "$work/said"
    read -r _ <&4 # the interface is open
    cat <&4 >"$work/out" &
    sent=$(taskset -c 1 "$build/bench/iw_replay" sender "$work/capture.pcap" "$1")
    kill -TERM "$(cat "$work/process")"
    wait
    exec 4<&-
    dropped=$(field lost) reached=${sent##* }
    awk -v name="$name" -v fpdus="$(field fpdus)" -v dropped="${dropped:=0}" -v took="$(sed -n '2s/[ms]/ /gp' "$work/times")" '{
        seconds = $2 * 8 / 1e6 / $3
        split(took, time, " ") # minutes and seconds of the program, minutes and seconds of the kernel for it
        printf "%-16s %8d %10d %10d %10d %8d %7.0f %%\n", name, $3, $1 / seconds, $1, fpdus, dropped, 100 * (time[1] * 60 + time[2] + time[3] * 60 + time[4]) / seconds
    }' <<<"$sent"
}

echo "watch on one processor, another sends; asked: no packet dropped at 1000 Mbit/s of 1400 octets. Load average: $(cut -d ' ' -f 1-3 /proc/loadavg)"
printf '%-16s %8s %10s %10s %10s %8s %9s\n' "" Mbit/s packets/s packets FPDUs dropped processor
for octets in 1400 64; do
    name="$octets octets"
    "$build/bench/iw_traffic" "$work/capture.pcap" $((mib * 1048576 / (octets + 125))) "$octets" connections=8
    for rate in ${RATES:-500 1000 1250 1500 2000 3000 4000}; do
        run "$rate"
        # If the sender cannot reach this rate, it cannot reach the next.
        if [ "$dropped" -gt 0 ] || [ "$reached" -lt $((rate * 9 / 10)) ]; then break; fi
    done
done
