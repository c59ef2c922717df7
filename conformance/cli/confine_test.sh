#!/bin/bash
# Confinement changes no result: each capture of the corpus in each format, runs and bundles, with --confine off and required. The
# kernel shows that the process and its threads are confined. Usage: confine_test.sh WARPCHECK CAPTURES
here=$(dirname "$(realpath "$0")")
captures=$(realpath "$2")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
cd "$work" || exit 99

if "$program" check --confine required /dev/null 2>&1 | grep -q 'confine required'; then
    echo "not available: confinement, by this kernel or in this build: skipped"
    exit 77
fi

# same NAME COMMAND ARGUMENT...: output, errors and exit code are the same; confinement denies nothing that is needed.
same() {
    local name=$1 command=$2 off required
    shift 2
    "$program" "$command" --confine off "$@" >off.out 2>off.err </dev/null
    off=$?
    "$program" "$command" --confine required "$@" >required.out 2>required.err </dev/null
    required=$?
    if [ $off -ne $required ] || ! cmp off.out required.out || ! cmp off.err required.err; then
        complain "$name: differs with --confine required ($off, $required)" "$command" "$@"
    fi
}

mapfile -t files < <(find "$captures" \( -name '*.pcap' -o -name '*.pcapng' \) -size -2000k | sort)
[ ${#files[@]} -ge 40 ] || complain "only ${#files[@]} captures"
for ((i = 0; i < ${#files[@]}; i += 20)); do
    same "captures from $i on" check --chain none --format jsonl "${files[@]:i:20}"
done
for file in "${files[@]:0:10}"; do
    same "$file" check "$file"
done
for format in text jsonl junit html; do
    same "$format" check --threads 4 --chain none --format "$format" "${files[@]}"
done
for format in text jsonl; do
    same "explain $format" explain --chain none --format "$format" "${files[@]:0:40}"
done
[ -s required.out ] || complain 'prints nothing' explain
same decode check --decode "${files[@]:0:20}"
same fields check --fields "${files[@]:0:20}"
same missing check /nonexistent "$work" "${files[0]}"
same waivers check --waive /nonexistent "${files[0]}"

# The written captures are the same, and no empty folder is left.
violating=$captures/oddities/badcrc.pcap
"$program" check --confine off --extract plain "$violating" >plain.out
"$program" check --confine required --extract confined "$violating" >confined.out
diff -r plain confined >&2 || complain 'differs' check --extract
[ -n "$(ls confined)" ] || complain 'writes nothing' check --extract
expect 3 '.*' check --confine required --extract empty /dev/null
[ ! -e empty ] || complain 'leaves an empty folder' check --extract

# Shards are the same, and no empty folder is left.
for confine in off required; do
    "$program" split --confine $confine --out shards-$confine --shards 3 "${files[0]}" "$violating" ||
        complain 'fails' split --confine $confine
done
diff -r shards-off shards-required >&2 || complain 'differs' split
[ "$(find shards-required -name 'shard-?.pcapng' | wc -l)" -eq 3 ] || complain 'writes no shards' split
for file in "${files[@]:0:20}"; do
    same "$file" script "$file"
done
[ -s required.out ] || [ -s required.err ] || complain 'prints nothing' script

# Pipes, standard input, links, a file that grows while it is read.
expect 1 '' check --confine required <(cat "$violating")
"$program" check --confine required - <"$violating" >out || [ $? -eq 1 ] || complain 'fails' check -
grep -q 'violates' out || complain 'standard input is not read' check -
ln -s "$violating" link.pcap
expect 1 '' check --confine required link.pcap
mkfifo growing
"$program" check --confine required --threads 2 growing >out 2>err &
checker=$!
exec 4>growing
head -c 24 "$violating" >&4
# It has opened the pipe only after it was confined.
until grep -q '^Seccomp:.*2' "/proc/$checker/status"; do
    kill -0 $checker || { complain 'has ended' check growing && break; }
done
for status in "/proc/$checker/task"/*/status; do
    grep -qE '^Seccomp:\s2$' "$status" || complain 'a thread is not confined' check growing
    grep -qE '^NoNewPrivs:\s1$' "$status" || complain 'may get privileges' check growing
done
tail -c +25 "$violating" >&4
exec 4>&-
wait $checker
[ $? -eq 1 ] || complain 'fails' check growing

# A relay: the name of the device is resolved before, and each connection, capture and impairment after it was confined.
begin_serve --echo
# relayed CONFINE OPTION...: relays one conversation, and one with a device that refuses it; prints what is the same each time
relayed() {
    local confine=$1 relay line status code to=${region##*TO }
    shift
    mkfifo relaying
    "$program" relay --listen 127.0.0.1:0 --to "localhost:$port" --confine "$confine" "$@" >relaying 2>relay.err &
    relay=$!
    exec 5<relaying
    rm relaying
    read -r line <&5
    line=${line#relaying 127.0.0.1:}
    for status in "/proc/$relay/task"/*/status; do
        [ "$confine" = off ] || grep -qE '^Seccomp:\s2$' "$status" || complain 'a thread is not confined' relay
    done
    "$program" play --quiet "$here/testdata/relay_tour.lua" --peer "127.0.0.1:${line%% *}" --arg "stag=$(region_stag)" \
        --arg "to=${to%%,*}" >played 2>&1
    echo "play: $?"
    kill -INT $relay
    wait $relay
    code=$?
    sed 's/[0-9][0-9]*/N/g' <&5 | sort
    exec 5<&-
    cat relay.err
    echo "relay: $code"
}
for options in '' --no-judge '--record relayed.pcapng' '--impairment at=fpdu#2,window=8192' \
    '--impairment at=fpdu#2,segment=10'; do
    # shellcheck disable=SC2086
    { relayed off $options >off.relay && relayed required $options >required.relay; }
    diff off.relay required.relay >&2 || complain 'differs with --confine required' relay "$options"
    grep -q 'opened' off.relay || complain "relays nothing: $(cat off.relay)" relay "$options"
done
end_serve TERM
relayed off >off.relay
relayed required >required.relay
# The RST of the relay may reach the program before or after it sees the connection: its exit code may differ.
diff <(grep -v '^play' off.relay) <(grep -v '^play' required.relay) >&2 || complain 'differs without a device' relay
grep -q 'refused' off.relay || complain "says: $(cat off.relay)" relay

# Runs.
"$program" run --only '^(rdma-write-00|mpa-crc-001)' --defect terminate-swallowed --out run >/dev/null
for format in text jsonl junit html tap; do
    same "$format" report --format "$format" run
    same "$format" report --format "$format" one=run two=run/results.jsonl
done
same triage report --triage run
same compare report --compare old=run new=run
same policy report --policy mandatory run
same missing report /nonexistent
for confine in off required; do
    mkdir $confine
    "$program" report --confine $confine --format html -o $confine/page.html --write-expect $confine/expect run >/dev/null
    "$program" report --confine $confine -o $confine/text run
    (cd $confine && "$program" report --confine $confine --bundle run.tar.gz -o report ../run)
    "$program" report --confine $confine --merge -o run/merged-$confine.jsonl run >/dev/null
done
diff -r off required >&2 || complain 'writes other files' report
[ "$(find off -type f | wc -l)" -eq 5 ] || complain "writes $(ls off)" report
expect 3 'warpcheck: /nonexistent: No such file or directory' report -o new /nonexistent
if [ -e new ] || [ -e new.part ]; then complain 'leaves a part' report -o new; fi
echo before >kept
expect 3 'warpcheck: /nonexistent: No such file or directory' report -o kept /nonexistent
[ "$(cat kept)" = before ] || complain 'replaces a file without results' report -o kept

# Bundles, with signatures: ssh-keygen runs before the program is confined.
same bundle verify-bundle off/run.tar.gz
if command -v ssh-keygen >/dev/null; then
    ssh-keygen -q -t ed25519 -N '' -f key
    "$program" report --bundle signed.tar.gz --sign key run >/dev/null
    same signature verify-bundle --key key.pub signed.tar.gz
    grep -q 'signature' required.out || complain 'no signature' verify-bundle
    echo x >>signed.tar.gz.sig
    same forged verify-bundle --key key.pub signed.tar.gz
fi
head -c 1000 off/run.tar.gz >broken.tar.gz
same broken verify-bundle broken.tar.gz
mkdir temporary
TMPDIR=$work/temporary "$program" verify-bundle --confine required off/run.tar.gz >/dev/null
rmdir temporary || complain 'leaves its folder' verify-bundle
exit $failed
