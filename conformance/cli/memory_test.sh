#!/bin/bash
# The memory that `check` and `explain` take for each open connection: by two captures of different size, 100,000 connections
# must fit into 64 MiB and 8 KiB each.
# Usage: memory_test.sh WARPCHECK IW_TRAFFIC IW_MEASURE
set -euo pipefail
warpcheck=$1 traffic=$2 measure=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
few=2000 many=8000 fpdus=8 most=100000

# peak COMMAND CONNECTIONS PAYLOAD [OPTION...]: the peak memory in KiB
peak() {
    local command=$1 connections=$2 payload=$3
    shift 3
    "$traffic" "$work/capture.pcap" $((fpdus * connections)) "$payload" connections="$connections" "$@"
    "$measure" "$warpcheck" "$command" --threads 2 "$work/capture.pcap" | cut -d ' ' -f 3
}

failed=0
# fits COMMAND PAYLOAD [OPTION...]
fits() {
    local small large each all limit=$((65536 + 8 * most))
    small=$(peak "$1" "$few" "${@:2}")
    large=$(peak "$1" "$many" "${@:2}")
    each=$(((large - small) * 1024 / (many - few)))
    all=$((small + each * (most - few) / 1024))
    echo "$*: $each octets for each connection, $all KiB for $most"
    if [ "$all" -gt "$limit" ]; then
        echo "more than $limit KiB"
        failed=1
    fi
}

for command in check explain; do
    fits "$command" 64
    fits "$command" 1400 mss=1448
done
exit "$failed"
