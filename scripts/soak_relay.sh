#!/bin/bash
# soak_relay.sh [SECONDS]: runs `warpcheck load`, `relay`, `serve` and `watch` together for SECONDS (3600): loads open and close
# connections through four relays to one responder, and `watch -i lo` judges both sides of each relay. One relay only judges, one
# impairs (delays, small segments, pauses), one also resets connections, one relays without judging. Nothing of that is
# a violation. All of it runs in a private network namespace, which needs root or user namespaces.
#
# The soak fails if
#   - a process reports something of its own, has a sanitizer finding or a leak, or does not end by SIGTERM with its exit code;
#   - a verdict is "violates", an operation fails without a reset, or a relayed connection is missing in the watch, without drops;
#   - a process has other sockets at the end than before the first connection, or more than PIPES_MAX descriptors of pipes;
#   - its memory grows: the median of its VmRSS in the last quarter of the run exceeds that of the first quarter by more than
#     GROWTH_MAX: 8 MiB, or 32 MiB if the run takes less than 15 minutes, or with AddressSanitizer, whose own memory grows. So take
#     a program without sanitizers to look for memory that grows slowly.
#   WARPCHECK  the program (default: that of build/debug, with AddressSanitizer and UBSan)
#   KEEP       folder for what each process has printed, and memory.tsv, the samples (default: removed at the end)
# Exit code: 0 nothing failed, 1 something failed, 3 environment, 77 no network namespace is permitted.
set -u
self=$(realpath "$0")
cd "$(dirname "$0")/.." || exit 3
warpcheck=$(realpath -e "${WARPCHECK:-build/debug/warpcheck}" 2>/dev/null) || {
    echo "soak_relay.sh: ${WARPCHECK:-build/debug/warpcheck} is missing: run scripts/build.sh debug" >&2
    exit 3
}
if [ "${SOAK_NAMESPACE:-}" != 1 ]; then
    user=()
    [ "$(id -u)" -eq 0 ] || user=(--map-root-user)
    unshare "${user[@]}" --net ip link set lo up || {
        echo "soak_relay.sh: no right to create a network namespace" >&2
        exit 77
    }
    # shellcheck disable=SC2016  # expanded inside
    SOAK_NAMESPACE=1 exec unshare "${user[@]}" --net bash -c 'ip link set lo up && exec "$0" "$@"' "$self" "$@"
fi

limit=${1:-3600}
GROWTH_MAX=8192 # KiB
if [ "$limit" -lt 900 ] || ldd "$warpcheck" | grep -q libasan; then
    GROWTH_MAX=32768 # a short run still allocates for its first connections after a quarter of its time
fi
PIPES_MAX=140 # the relay without judgement keeps up to 64 pipes for its next connections
SHARE=$((256 * 1024)) # octets of the region for each load
work=${KEEP:-}
if [ -n "$work" ]; then
    mkdir -p "$work" || exit 3
else
    work=$(mktemp -d) || exit 3
fi
declare -A process # its id, by name
# The remaining loads are jobs of this shell.
# shellcheck disable=SC2046
trap 'kill $(jobs -p) 2>/dev/null; [ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT
export ASAN_OPTIONS=quarantine_size_mb=4:exitcode=86 LSAN_OPTIONS=exitcode=86 UBSAN_OPTIONS=exitcode=86

: >"$work/failures"
complain() {
    echo "FAILED: $*" | tee -a "$work/failures" >&2
}

# begin NAME PATTERN ARGUMENT...: starts a program, and waits until it prints a line with PATTERN, which means that it is ready.
begin() {
    local name=$1 pattern=$2
    shift 2
    : >"$work/$name.out"
    "$warpcheck" "$@" >>"$work/$name.out" 2>"$work/$name.err" &
    process[$name]=$!
    grep -qm1 "$pattern" <(tail --pid=$! -fn +1 "$work/$name.out") || {
        cat "$work/$name.err" >&2
        exit 3
    }
}

begin_relay() { # NAME ARGUMENT...
    local name=$1
    shift
    begin "$name" '^relaying' relay --listen 127.0.0.1:0 --to "127.0.0.1:$port" "$@"
    relay_port[$name]=$(sed -n 's/^relaying 127\.0\.0\.1:\([0-9]*\) .*/\1/p' "$work/$name.out")
}

# end NAME CODE...: SIGTERM has to end it with one of these exit codes.
end() {
    local name=$1 code
    shift
    kill -TERM "${process[$name]}" || complain "$name has ended before"
    wait "${process[$name]}"
    code=$?
    [[ " $* " == *" $code "* ]] || complain "$name has ended with exit code $code: $(tail -n 30 "$work/$name.out")"
    [ ! -s "$work/$name.err" ] || complain "$name says: $(cat "$work/$name.err")"
}

descriptors() { # KIND: how many each long-lived process has
    local name
    for name in "${lasting[@]}"; do
        echo "$name $(find "/proc/${process[$name]}/fd" -mindepth 1 -lname "$1:*" | wc -l)"
    done
}

# The kernel may need a moment to tell a process that a connection has ended.
settle() {
    local pipes name count
    for ((i = 0; i < 60; i++)); do
        [ "$(descriptors socket)" != "$sockets_before" ] || break
        sleep 0.5
    done
    [ $i -lt 60 ] || complain "sockets before: $sockets_before, at the end: $(descriptors socket)"
    pipes=$(descriptors pipe)
    while read -r name count; do
        [ "$count" -le $PIPES_MAX ] || complain "$name has $count descriptors of pipes"
    done <<<"$pipes"
}

# load NUMBER RELAY CODES ARGUMENT...: one load through the relay, in its own share of the region. It ends with 3 if a reset comes
# before its first operation is complete.
load() {
    local number=$1 relay=$2 codes=$3 code log=$work/load$1
    shift 3
    "$warpcheck" load --peer "127.0.0.1:${relay_port[$relay]}" --region "$stag,$((to + number * SHARE)),$SHARE" \
        --mix write=2,read=1,send=1 --size 100,4K,12K --depth 2 --timeout 600 "$@" >"$log" 2>&1
    code=$?
    [[ " $codes " == *" $code "* ]] || complain "load through the relay $relay: exit code $code: $(cat "$log")"
    echo "$relay" >>"$work/loads"
}

# lane COMMAND...: repeats the command until the time is over.
lane() {
    while [ $SECONDS -lt "$limit" ] && [ ! -s "$work/failures" ]; do
        "$@"
    done
}

# A line per interval: the VmRSS of each long-lived process, in KiB.
sample() {
    local name files=()
    for name in "${lasting[@]}"; do files+=("/proc/${process[$name]}/status"); done
    while [ $SECONDS -lt "$limit" ] && [ ! -s "$work/failures" ]; do
        sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "${files[@]}" | paste -s
        sleep $((limit > 400 ? limit / 400 : 1))
    done >"$work/memory.tsv"
}

# median COLUMN FROM TO: of the samples between these quarters of the run, at least of the first or the last one
median() {
    awk -v column="$1" -v from="$2" -v to="$3" '{ value[NR] = $column }
        END { for (i = 1; i <= NR; i++) if ((i > from * NR / 4 || i == NR) && (i <= to * NR / 4 || i == 1)) print value[i] }' \
        "$work/memory.tsv" | sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}

compare_memory() {
    local column=0 name first last
    for name in "${lasting[@]}"; do
        column=$((column + 1))
        first=$(median $column 0 1) last=$(median $column 3 4)
        echo "$name: $first KiB in the first quarter, $last KiB in the last one"
        [ $((last - first)) -le $GROWTH_MAX ] || complain "$name grows from $first to $last KiB"
    done
}

begin serve ^region serve --quiet --echo --region $((6 * SHARE)) --listen 127.0.0.1:0
port=$(sed -n 's/^listening on .*:\([0-9]*\).*/\1/p' "$work/serve.out")
stag=$(sed -n 's/^region: STag \(0x[0-9a-f]*\),.*/\1/p' "$work/serve.out")
to=$(sed -n 's/^region: .* TO \(0x[0-9a-f]*\),.*/\1/p' "$work/serve.out")
declare -A relay_port
begin_relay judging
begin_relay impairing --impairment at=startup,segment=7,pause=1 --impairment at=fpdu#*,chance=10%,delay=5 \
    --impairment at=fpdu#*,chance=20%,segment=500,pause=1 --impairment at=fpdu#30,stop=100
begin_relay resetting --impairment at=fpdu#*,chance=1%,reset
begin_relay bare --no-judge
begin watch '"type":"watch"' watch -i lo --filter tcp --buffer 256 --format jsonl --explain --ring 4M,3 --out "$work/ring"
lasting=(serve judging impairing resetting bare watch)
sockets_before=$(descriptors socket)

# A first round, so that each process already has what it keeps permanently.
for relay in judging impairing resetting bare; do
    load 0 $relay '0 1 3' --count 100 --connections 4
done

SECONDS=0
short=(--duration 4 --connections 5 --rate 10)
sample &
jobs=($!)
start() {
    "$@" &
    jobs+=($!)
}
start load 0 judging 0 --duration "$limit" --connections 2 --rate 4
start lane load 1 judging 0 "${short[@]}"
start lane load 2 impairing 0 "${short[@]}" --markers
start lane load 3 resetting '0 1 3' "${short[@]}"
start lane load 4 bare 0 "${short[@]}" --rev 1 --ord 2
wait "${jobs[@]}"

settle
opened=$(cat "$work"/{judging,impairing,resetting,bare}.out | grep -c '^\[[0-9]*\] opened')
end judging 0
end impairing 0
end resetting 0 2
end bare 0
end watch 0 2
end serve 0
compare_memory
summary=$(tail -n 1 "$work/watch.out")
watched=$(sed -n 's/.*"streams":\([0-9]*\).*/\1/p' <<<"$summary")
[ "$watched" = $((2 * opened)) ] || [[ $summary == *'"lost":'* ]] ||
    complain "$opened connections were relayed, $watched were watched: $summary"
echo "soak_relay: $SECONDS s, $opened connections relayed;" \
    "loads: $(sort "$work/loads" | uniq -c | awk '{ printf "%s%s %s", sep, $1, $2; sep = ", " }')"
echo "watch: $summary"
[ ! -s "$work/failures" ]
