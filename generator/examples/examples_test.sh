#!/bin/sh
# examples_test.sh WARPCHECK FOLDER [TSHARK]: plays every script of the folder against "warpcheck serve", and synthesizes it.
# Both leave a capture in which the checker finds what the script says with "-- finding: ID" at its end, and else nothing; and
# of which tshark with the plugin leaves no octet of TCP undecoded. Those that need another peer than that are left out.
set -eu
warpcheck=$1 folder=$2 tshark=${3:-}
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill $server; rm -rf "$work"' EXIT

"$warpcheck" serve --quiet --extensions all --listen 127.0.0.1:0 >"$work/served" &
server=$!
until grep -q ^region "$work/served" 2>/dev/null; do
    kill -0 $server
done
port=$(sed -n 's/^listening on .*:\([0-9]*\)$/\1/p' "$work/served")
stag=$(sed -n 's/^region: STag \(0x[0-9a-f]*\),.*/\1/p' "$work/served")
to=$(sed -n 's/^region: .* TO \(0x[0-9a-f]*\),.*/\1/p' "$work/served")

failed=0
complain() {
    echo "$1: $2"
    [ ! -s "$work/out" ] || cat "$work/out"
    failed=$((failed + 1))
}

# decode SCRIPT COMMAND CAPTURE: whatever TCP carries is iWARP, but for so many packets as the script says with
# "-- no iWARP: NUMBER" at its end, and nothing in it is malformed.
decode() {
    "$tshark" -2 -r "$3" -Y 'tcp.len > 0' -T fields -e iwarp.mpa.key -e iwarp.rdmap.opcode -e _ws.malformed \
        >"$work/out" 2>"$work/err" </dev/null || complain "$1" "$2: tshark: $(cat "$work/err")"
    others=$(sed -n 's/^-- no iWARP: //p' "$1")
    awk -F '\t' -v "others=${others:-0}" '$1 $2 == "" { others-- } $3 != "" { bad = 1 }
        END { exit bad || others != 0 || NR == 0 }' "$work/out" ||
        complain "$1" "$2: a packet is malformed, or not decoded"
}

# judge SCRIPT COMMAND CAPTURE: the requirements that are violated in the capture are those that the script names. All of it is
# judged, unless the script says "-- not judged: WHAT" at its end.
judge() {
    code=0
    "$warpcheck" check --extensions all --format jsonl "$3" >"$work/out" || code=$?
    [ $code -ne 2 ] || grep -q '^-- not judged: ' "$1" || complain "$1" "$2: not fully judged"
    [ $code -le 2 ] || complain "$1" "$2: check failed"
    grep -o '"requirement": *"[^"]*"' "$work/out" | sed 's/.*"\([^"]*\)"$/\1/' | sort -u >"$work/found"
    sed -n 's/^-- finding: //p' "$1" | sort -u >"$work/named"
    [ -z "$tshark" ] || decode "$1" "$2" "$3"
    cmp -s "$work/found" "$work/named" || complain "$1" "$2: found $(tr '\n' ' ' <"$work/found"), not $(tr '\n' ' ' <"$work/named")"
}

count=0
for script in "$folder"/*.lua; do
    case $script in
    */rping_client.lua | */rping_server.lua) continue ;;
    esac
    count=$((count + 1))
    extensions=$(sed -n 's/^-- extensions: //p' "$script")
    extensions=${extensions:-default}
    "$warpcheck" play "$script" --quiet --extensions "$extensions" --peer "127.0.0.1:$port" --arg "stag=$stag" --arg "to=$to" --record "$work/play.pcapng" \
        >"$work/out" 2>&1 || complain "$script" "play: exit code $?"
    judge "$script" play "$work/play.pcapng"
    "$warpcheck" synth "$script" --quiet --extensions "$extensions" -o "$work/synth.pcapng" >"$work/out" 2>&1 || complain "$script" "synth: exit code $?"
    judge "$script" synth "$work/synth.pcapng"
done

# RFC 7306 reserves the AOpCode of Swap: without the draft the responder refuses it, and the requester violates a MUST.
code=0
"$warpcheck" synth "$folder/swap.lua" -o "$work/swap.pcapng" >"$work/out" || code=$?
# shellcheck disable=SC2015 # each of the three that fails is a complaint
[ $code -eq 1 ] && grep -q 'this side.*error RFC7306-5.2.1-01' "$work/out" && grep -q 'Unexpected OpCode' "$work/out" ||
    complain swap.lua "synth without --extensions: exit code $code"
code=0
"$warpcheck" synth "$folder/flush.lua" --extensions none -o "$work/flush.pcapng" >"$work/out" || code=$?
# shellcheck disable=SC2015 # as above
[ $code -eq 1 ] && grep -q 'Unexpected OpCode' "$work/out" || complain flush.lua "synth --extensions none: exit code $code"
echo "$count examples, $failed failed"
[ "$failed" -eq 0 ]
