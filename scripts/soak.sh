#!/bin/bash
# soak.sh [SECONDS]: runs `warpcheck serve` for SECONDS (1800) against hostile clients: abandoned startups, false lengths, endless
# messages, slow readers and writers, vanishing connections, and initiators with each defect. Ordinary clients must be served all
# the time. At the end the responder must be as at the start: same descriptors, same memory (except what the heap keeps), no leak,
# no sanitizer finding.
#   WARPCHECK  the program (default: that of build/debug, with AddressSanitizer and UBSan)
#   FIRST      number of the first defect (default: 1)
set -u
cd "$(dirname "$0")/.." || exit 3
warpcheck=$(realpath -e "${WARPCHECK:-build/debug/warpcheck}" 2>/dev/null) || {
    echo "soak.sh: ${WARPCHECK:-build/debug/warpcheck} is missing: run scripts/build.sh debug" >&2
    exit 3
}
limit=${1:-1800}
growth_max=$((32 * 1024)) peak_max=$((256 * 1024)) # KiB
region=1048576
work=$(mktemp -d) || exit 3
server=
# The remaining lanes are jobs of this shell.
# shellcheck disable=SC2046
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
export ASAN_OPTIONS=quarantine_size_mb=4:exitcode=86 UBSAN_OPTIONS=exitcode=86

: >"$work/failures"
complain() {
    echo "FAILED: $*" | tee -a "$work/failures" >&2
}

memory() { # VmRSS or VmHWM, in KiB
    sed -n "s/^$1:[^0-9]*\([0-9]*\).*/\1/p" "/proc/$server/status"
}

descriptors() {
    find "/proc/$server/fd" -mindepth 1 2>/dev/null | wc -l
}

# settle NUMBER: waits until the responder has at most that many descriptors. Its own timeout for a startup or a close is at most
# ten seconds.
settle() {
    for ((i = 0; i < 600; i++)); do
        [ "$(descriptors)" -gt "$1" ] || return 0
        sleep 0.1
    done
    return 1
}

# client WHAT [OPTION...]: plays one conversation. It must succeed and must not find a violation of the responder.
client() {
    local what=$1 log=$work/$BASHPID.log code
    shift
    "$warpcheck" play scripts/soak.lua --quiet --peer "127.0.0.1:$port" --timeout 120 --arg "stag=$stag" --arg "to=$to" \
        --arg "what=$what" "$@" >"$log" 2>&1
    code=$?
    echo "$what" >>"$work/played"
    [ $code -eq 0 ] || complain "$what $*: exit code $code: $(tail -n 20 "$log")"
}

# lane COMMAND...: repeats the command until the time is over.
lane() {
    while [ $SECONDS -lt "$limit" ] && [ ! -s "$work/failures" ]; do
        "$@"
    done
}

slow_reader() {
    "$warpcheck" play scripts/soak.lua --quiet --peer "127.0.0.1:$port" --timeout 120 --arg "stag=$stag" --arg "to=$to" \
        --arg what=slow_reader >/dev/null 2>&1 &
    reader=$!
    trap '[ -z "$reader" ] || kill -KILL $reader' EXIT
    sleep 1
    for _ in 1 2 3; do
        kill -STOP $reader
        sleep 1
        kill -CONT $reader
        sleep 0.05
    done
    kill -KILL $reader 2>/dev/null || complain "slow_reader: has ended by itself"
    wait $reader 2>/dev/null
    reader=
    echo slow_reader >>"$work/played"
}

hostile() {
    for what in given_up claims endless vanishing; do
        client $what
    done
}

# Each defect of an initiator, one after another, repeatedly.
defect() {
    client all --defect "${names[number % ${#names[@]}]}"
    number=$((number + defect_lanes))
}

"$warpcheck" serve --quiet --echo --region $region --listen 127.0.0.1:0 >"$work/served" 2>"$work/server" &
server=$!
until grep -qs ^region "$work/served"; do
    kill -0 $server 2>/dev/null || { cat "$work/server" >&2; exit 3; }
done
port=$(sed -n 's/^listening on .*:\([0-9]*\).*/\1/p' "$work/served")
stag=$(sed -n 's/^region: STag \(0x[0-9a-f]*\),.*/\1/p' "$work/served")
to=$(sed -n 's/^region: .* TO \(0x[0-9a-f]*\),.*/\1/p' "$work/served")

# Runs each once, so that the responder already has what it keeps permanently.
descriptors_before=$(descriptors)
hostile
client ordinary --arg place=524288
settle "$descriptors_before" || complain "$(descriptors) descriptors after a first round, $descriptors_before before it"
memory_before=$(memory VmRSS)

SECONDS=0
lanes=()
start() {
    "$@" &
    lanes+=($!)
}
start client lasting --arg place=$((524288 + 65536)) --arg "seconds=$limit"
start lane client ordinary --arg place=$((524288 + 2 * 65536))
start lane client ordinary --arg place=$((524288 + 3 * 65536))
for _ in 1 2 3; do start lane client half_open; done
start lane hostile
start lane client slow_writer
start lane slow_reader
mapfile -t names < <("$warpcheck" list defects | awk '$2 != "responder" { print $1 }')
defect_lanes=3
for ((lane = 0; lane < defect_lanes; lane++)); do
    number=$((${FIRST:-1} - 1 + lane))
    start lane defect
done
wait "${lanes[@]}"

settle "$descriptors_before" || complain "$(descriptors) descriptors in the end, $descriptors_before at the start"
client ordinary --arg place=524288
settle "$descriptors_before"
memory_after=$(memory VmRSS) peak=$(memory VmHWM)
[ $((memory_after - memory_before)) -le $growth_max ] || complain "$memory_before KiB before, $memory_after KiB after"
[ "$peak" -le $peak_max ] || complain "$peak KiB at a time"
kill -TERM $server
wait $server || complain "the responder has ended with exit code $?"
[ ! -s "$work/server" ] || complain "the responder says: $(cat "$work/server")"
server=
echo "soak: $SECONDS s, $(sort "$work/played" | uniq -c | awk '{ printf "%s %s, ", $1, $2 }')of ${#names[@]} defects;" \
    "memory $memory_before KiB before, $memory_after KiB after, at most $peak KiB"
[ ! -s "$work/failures" ]
