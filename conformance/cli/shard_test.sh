#!/bin/bash
# Shards of a check, in place and by `split`: merged, they are octet for octet what one check reports.
# Usage: shard_test.sh WARPCHECK IW_TRAFFIC EVERY CONNECTIONS
# EVERY: 1 for all captures, 2 for every second ...; CONNECTIONS: those of the large capture
here=$(dirname "$(realpath "$0")")
root=$here/../..
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
traffic=$(realpath "$2")
every=$3 connections=$4

# whole FILE...: the results of one check of the capture in $work/whole; its exit code in $whole
whole() {
    "$program" check --format jsonl --chain all "${options[@]}" "$@" >"$work/whole" 2>"$work/err"
    whole=$?
}
# merged MODE: merges $work/MODE-*.jsonl; expects the results and the exit code of the whole
merged() {
    rm -f "$work/merged"
    "$program" report --merge -o "$work/merged" "$work/$1"-*.jsonl 2>"$work/err"
    found=$?
    [ $found -eq $whole ] || complain "exit $found of the merge instead of $whole: $(cat "$work/err")" "$1 $names"
    cmp -s "$work/whole" "$work/merged" || complain "not the results of one check: $(diff "$work/whole" "$work/merged" | head -4 | cut -c 1-400)" "$1 $names"
}
# both N FILE...: compares one check of the capture with N shards of it. N is "some": 8, or 2 if one shard gets everything.
both() {
    local count=$1
    shift
    whole "$@"
    if [ "$count" = some ]; then
        count=2
        [ "$(grep -c '"type":"stream"' "$work/whole")" -lt 2 ] || count=8
    fi
    names="$count shards of $*"
    rm -rf "$work/shards" "$work"/split-*.jsonl "$work"/place-*.jsonl
    for ((i = 1; i <= count; i++)); do
        "$program" check --format jsonl --chain all --shard "$i/$count" "${options[@]}" "$@" >"$work/place-$i.jsonl" 2>/dev/null
    done
    merged place
    "$program" split "$@" -o "$work/shards" --shards "$count" 2>"$work/err"
    found=$?
    [ $found -eq 0 ] || [ $whole -eq 3 ] || complain "exit $found of split: $(cat "$work/err")" "$names"
    for ((i = 1; i <= count; i++)); do
        "$program" check --format jsonl "${options[@]}" "$work/shards/shard-$i.pcapng" >"$work/split-$i.jsonl" 2>/dev/null
    done
    merged split
    compared=$((compared + 1))
}

compared=0 found_captures=0
options=()
cd "$root/captures" || exit 99
while IFS= read -r -d '' file; do
    [ $((found_captures++ % every)) -ne 0 ] || both some "$file"
done < <(find . -name '*.pcap*' -print0 | sort -z)
[ $((compared * every)) -gt 100 ] || complain "only $compared captures compared" check

# Findings about the protocols above iWARP take part as those of iWARP do.
for mode in warn judge; do
    options=(--upper "$mode")
    both 2 upper/other.pcap
    grep -q '"type":"upper_finding"' "$work/whole" || complain "no findings to compare" "check --upper $mode"
done
printf 'UPPER-ACCESS-01 clause=buffers reason="a test" side=responder\n' >"$work/upper-known"
options=(--upper judge --waive "$work/upper-known")
both 2 upper/other.pcap
grep -q '"type":"waiver",.*"used":3}' "$work/whole" || complain "not 3 waived" "check --upper --waive"
options=()

# Many connections that take turns, some damaged; in three files.
python3 "$here/shard_capture.py" "$traffic" "$work" "$connections"
cd "$work" || exit 99
both 8 big-1.pcap big-2.pcap big-3.pcap
grep -c '"type":"stream"' whole | grep -qx "$connections" || complain "not $connections connections" check
grep -q '"type":"finding"' whole || complain "no findings to compare" check
both 3 big-1.pcap big-2.pcap big-3.pcap
printf 'RFC5044-* clause="RFC 5044" reason="a test" owner=bob\n' >known
options=(--waive known --max-level note --extensions all)
both 8 big-1.pcap big-2.pcap big-3.pcap
grep -q '"waived":{' whole || complain "nothing waived" check
options=()

# A file that cannot be read to its end, and a missing one.
head -c 100000 big-2.pcap >cut.pcap
both 4 big-1.pcap cut.pcap big-3.pcap
both 4 big-1.pcap none.pcap

# Results and options that do not fit together.
"$program" split big-1.pcap -o two --shards 2 2>/dev/null
for i in 1 2; do "$program" check --format jsonl two/shard-$i.pcapng >two/$i.jsonl; done
refuse() { # PATTERN FILE...
    local pattern=$1
    shift
    rm -f merged
    expect 3 "warpcheck: $pattern" report --merge -o merged "$@"
    [ ! -e merged ] || complain "a merge that was refused left a file" "$@"
}
refuse 'two/1.jsonl: shard 2 of 2 is missing' two/1.jsonl
refuse 'two/2.jsonl: shard 1 of 2 is missing' two/2.jsonl
refuse 'two/1.jsonl: the shard is a duplicate' two/1.jsonl two/1.jsonl two/2.jsonl
"$program" check --format jsonl --max-level note two/shard-2.pcapng >two/note.jsonl
refuse 'two/note.jsonl: "stricter" differs from that of two/1.jsonl: shards of different checks' two/1.jsonl two/note.jsonl
"$program" check --format jsonl --extensions none two/shard-2.pcapng >two/none.jsonl
refuse 'two/none.jsonl: "extensions" differs from that of two/1.jsonl: shards of different checks' two/1.jsonl two/none.jsonl
"$program" check --format jsonl --upper warn two/shard-2.pcapng >two/upper.jsonl
refuse 'two/upper.jsonl: "upper" differs from that of two/1.jsonl: shards of different checks' two/1.jsonl two/upper.jsonl
"$program" check --format jsonl --waive known two/shard-2.pcapng >two/waive.jsonl 2>/dev/null
refuse 'two/waive.jsonl: was checked with other waivers than the first shard' two/1.jsonl two/waive.jsonl
sed '1s/"version":"[^"]*"/"version":"0.0.0"/' two/2.jsonl >two/old.jsonl
refuse 'two/old.jsonl: "version" differs from that of two/1.jsonl: shards of different checks' two/1.jsonl two/old.jsonl
"$program" check --format jsonl --shard 2/2 big-2.pcap >two/other.jsonl
refuse 'two/other.jsonl: is of other captures than the first shard' two/1.jsonl two/other.jsonl
sed '$d' two/2.jsonl >two/cut.jsonl
refuse 'two/cut.jsonl: the shard was cut short' two/1.jsonl two/cut.jsonl
sed 2d two/2.jsonl | sed '2s/"stream":[0-9]*/"stream":99999/' >two/id.jsonl
refuse 'two/id.jsonl:2: "stream" is 99999, but the capture has [0-9]+ ids of this transport' two/1.jsonl two/id.jsonl
cat two/2.jsonl two/2.jsonl >two/twice.jsonl
refuse "two/twice.jsonl:$(($(wc -l <two/2.jsonl) + 1)): a line after the summary" two/1.jsonl two/twice.jsonl
# Lost, repeated and invalid lines. The only shard has all findings.
"$program" check --format jsonl --chain all --shard 1/1 big-1.pcap big-2.pcap big-3.pcap >two/all.jsonl
# damaged SCRIPT PATTERN: the shard as sed changes it is refused, with this text after its name
damaged() {
    LC_ALL=C sed "$1" two/all.jsonl >two/bad.jsonl
    refuse "two/bad.jsonl$2" two/bad.jsonl
}
# line TYPE: the number of its first line of this type
line() { grep -n "^{\"type\":\"$1\"" two/all.jsonl | head -n 1 | cut -d : -f 1; }
finding=$(line finding) stream=$(line stream) capture=$(line capture) last=$(wc -l <two/all.jsonl)
damaged "${finding}d" ':[0-9]+: ("number" is 2, expected 1: a finding of the stream is missing or repeated|"findings" of stream [0-9]+ are 1, but its lines have 0)'
damaged "${finding}p" ":$((finding + 1)): \"number\" is 1, expected 2: a finding of the stream is missing or repeated"
damaged "${finding}s/\"number\":1/\"number\":\"1\"/" ":$finding: \"number\" is not a number from 0"
damaged "${finding}s/\"order\":/&-/" ":$finding: \"order\" is not a number from 0"
damaged "${finding}s/\"transport\":\"tcp\"/\"transport\":\"\"/" ":$finding: \"transport\" is neither \"tcp\" nor \"sctp\""
damaged "${finding}s/\"severity\"/\x00/" ":$finding: not JSON: .*"
damaged "${finding}s/\"severity\"/\"stream\"/" ":$finding: not JSON: duplicate object key .*"
damaged "${stream}d" ":$((capture - 1)): \"streams\" is [0-9]+, but the lines have [0-9]+"
damaged "${stream}p" ":$((stream + 1)): \"stream\" is [0-9]+, which an earlier line \"stream\" has ended"
damaged "${stream}s/\"order\":[0-9]*/\"order\":0/" ":$stream: \"order\" is 0, less than [0-9]+ of an earlier line"
damaged "${capture}s/\"totals\":{\"streams\":[0-9]*/\"totals\":{\"streams\":1/; \$s/\"streams\":[0-9]*/\"streams\":1/" ":$capture: \"streams\" of \"totals\" is 1, but the lines have [0-9]+"
damaged "${capture}s/\"waived\":0/\"waived\":1/" ":$capture: \"waived\" of \"totals\" is 1, but the lines have 0"
damaged "${capture}d" ":$((last - 1)): the line \"capture\" before it is missing"
damaged "${capture}s/\"frames\":/&-/" ":$capture: the counts, \"contents\", \"links\" or \"totals\" are not those of a capture"
damaged '/"type":"ids"/s/\[/[-/' ':[0-9]+: "orders" are not ascending numbers from 0'
damaged "\$s/\"streams\":[0-9]*/\"streams\":1/" ":$last: \"streams\" differs from the line \"capture\""
damaged "\$s/\"error\":[0-9]*/\"error\":9999/" ":$last: \"error\" of \"findings\" differs from the line \"capture\""
damaged '1s/"shard":1/"shard":-1/' ':1: "shard" is not a number from 1 to 1'
damaged '1s/"shards":1/"shards":10001/' ':1: "shards" is not a number from 1 to 10000'
damaged '1s/"format":1/"format":2/' ':1: "format" is not a number from 1 to 1'
damaged '2s/.*/{"type":"case"}/' ':2: not a line of the results of a shard'
: >two/bad.jsonl
refuse 'two/bad.jsonl: not the results of a shard' two/1.jsonl two/bad.jsonl
{ sed 1q two/all.jsonl && head -c 100000000 /dev/zero | tr '\0' ' '; } >two/bad.jsonl
refuse 'two/bad.jsonl:2: longer than 16777216 octets' two/bad.jsonl
rm two/bad.jsonl
refuse 'whole: not the results of a shard' two/1.jsonl whole
# The order of the files does not matter, and no file has to be a shard.
refuse 'whole: not the results of a shard' whole two/1.jsonl
refuse 'whole: not the results of a shard' whole
refuse 'none.jsonl: No such file or directory' none.jsonl two/1.jsonl
cp two/1.jsonl kept
expect 3 'warpcheck: two/1.jsonl: is one of the shards' report --merge -o two/1.jsonl two/1.jsonl two/2.jsonl
cmp -s kept two/1.jsonl || complain "the merge overwrote a shard" report --merge

expect 3 'warpcheck check: --shard takes I/N, with I from 1 to N, not 3/2' check --format jsonl --shard 3/2 big-1.pcap
expect 3 'warpcheck check: --shard needs --format jsonl' check --shard 1/2 big-1.pcap
expect 3 'warpcheck check: --shard and --extract exclude each other' check --format jsonl --shard 1/2 --extract x big-1.pcap
expect 3 'warpcheck: two/shard-1.pcapng: a shard already: check it without --shard' check --format jsonl --shard 1/2 two/shard-1.pcapng
expect 3 'warpcheck: two/shard-1.pcapng: a shard: check each alone, and merge the results' check two/shard-1.pcapng two/shard-2.pcapng
expect 3 'warpcheck: two/shard-1.pcapng: a shard: --extract reads the original capture' check --extract x two/shard-1.pcapng
expect 3 'warpcheck split: --out DIR and --shards N are required' split big-1.pcap
# A misspelt name leaves no shards, which would have to be removed before the right name is accepted.
expect 3 'warpcheck: none.pcap: No such file or directory' split none.pcap -o typo --shards 2
[ ! -e typo/shard-1.pcapng ] || complain "split of a missing file left shards" split
echo 'no capture' >text
expect 3 'warpcheck: text: .*' split text -o typo --shards 2
[ ! -e typo ] || complain "split of a file that is no capture left $(ls typo)" split
# Each shard is an open file: more than the soft limit.
(ulimit -Sn 40 && "$program" split big-1.pcap -o many --shards 50) || complain "cannot write 50 shards" split
[ "$(find many -name '*.pcapng' | wc -l)" -eq 50 ] || complain "not 50 shards" split
mapfile -t copies < <(yes two/1.jsonl | head -n 50)
(ulimit -Sn 40 && refuse 'two/1.jsonl: the shard is a duplicate' "${copies[@]}"; exit $failed) || failed=1
expect 3 'warpcheck: two/shard-1.pcapng: exists already; not overwritten' split big-1.pcap -o two --shards 2
expect 3 'warpcheck: two/shard-1.pcapng: is a shard of a capture already' split two/shard-1.pcapng -o three --shards 2
[ -z "$(ls -A three 2>/dev/null)" ] || complain "split was refused but left files" split

# A signal that ends `split` leaves no shards. Its processes have descriptor 5: the pipe ends with the last of them.
mkfifo ended
# ended_by SIGNAL: ends it while it waits for more packets of the pipe
ended_by() {
    rm -f captured
    mkfifo captured # a new pipe: the process before may have left octets in it
    exec 4<>captured
    env --default-signal "$program" split captured -o signalled --shards 3 5>ended &
    splitting=$!
    exec 6<ended
    head -c 1000 big-1.pcap >&4
    until [ -e signalled/shard-3.pcapng.part ] || ! kill -0 $splitting 2>/dev/null; do :; done
    kill -s "$1" $splitting
    { wait $splitting; } 2>/dev/null
    found=$?
    [ $found -eq $((128 + $(kill -l "$1"))) ] || complain "exit $found after SIG$1" split
    cat <&6
    exec 4>&-
}
for signal in INT TERM HUP KILL; do
    ended_by $signal
    [ ! -e signalled ] || complain "SIG$signal leaves $(ls signalled)" split
    rm -rf signalled
done
mkdir signalled
echo kept >signalled/shard-4.pcapng.part
ended_by TERM
[ "$(ls signalled)" = shard-4.pcapng.part ] || complain "leaves $(ls signalled)" split
exec 4>&- 6<&-

# A shard that was cut short, or changed, is not taken for a whole one.
size=$(stat -c %s two/shard-1.pcapng)
head -c $((size - 200)) two/shard-1.pcapng >short.pcapng
expect 3 'warpcheck: short.pcapng: (truncated after frame .*|not complete: .warpcheck split. was killed)' check --format jsonl short.pcapng
cat two/shard-1.pcapng two/shard-2.pcapng >joined.pcapng
expect 3 "warpcheck: joined.pcapng: changed after 'warpcheck split' wrote it" check --format jsonl joined.pcapng

# Packets keep time, link type and comment; frames are those of the original file.
cp "$root/captures/synth/terminate_crc.pcapng" comment.pcapng
"$program" split comment.pcapng -o one --shards 1
cmp -s <("$program" check --decode comment.pcapng | sed 1d) <("$program" check --decode one/shard-1.pcapng | sed 1d) ||
    complain "one shard of one is decoded differently" check
if command -v tshark >/dev/null; then
    fields=(-T fields -e frame.time_epoch -e frame.encap_type -e frame.len -e frame.comment -e tcp.payload)
    cmp -s <(tshark -r comment.pcapng "${fields[@]}" 2>/dev/null) <(tshark -r one/shard-1.pcapng "${fields[@]}" 2>/dev/null) ||
        complain "tshark shows other packets" split
    tshark -r comment.pcapng "${fields[@]}" 2>/dev/null | grep -q . || complain "tshark shows nothing" split
fi
exit $failed
