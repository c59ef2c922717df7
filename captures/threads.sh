#!/bin/sh
# threads.sh WARPCHECK: checks all captures on one thread and on four. Both reports are the same, and under ThreadSanitizer
# (preset tsan) no thread races with another.
set -eu
if [ ! -f "${1:-}" ] || [ ! -x "$1" ]; then
    echo "threads.sh: WARPCHECK is missing: captures/threads.sh build/release/warpcheck" >&2
    exit 3
fi
warpcheck=$(realpath "$1")
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for threads in 1 4; do
    rc=0
    find . -name '*.pcap*' -print0 | sort -z | xargs -0 -n 1000 "$warpcheck" check --threads $threads >"$work/$threads" || rc=$?
    echo "exit code $rc" >>"$work/$threads"
done
cmp "$work/1" "$work/4"
grep -q ' iWARP streams, .*: violates' "$work/4"
