#!/bin/sh
# examples_test.sh WARPCHECK FOLDER [TSHARK]: plays every script of the folder against "warpcheck serve", and synthesizes it.
# Both leave a capture in which the checker finds what the script says with "-- finding: ID" at its end, and else nothing; and
# of which tshark with the plugin leaves no octet of TCP undecoded. Those that need another peer than that are left out.
set -eu
warpcheck=$1 folder=$2 tshark=${3:-}
work=$(mktemp -d)
mkdir "$work/captures"
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

# Whatever TCP carries in the captures is iWARP, but for so many packets as the script says with "-- no iWARP: NUMBER" at its end,
# and nothing in it is malformed. One tshark reads all captures, which are SCRIPT.COMMAND, because its start takes most of the time.
decode() {
    mergecap -a -F pcapng -w "$work/all.pcapng" "$work"/captures/*
    capinfos -T -M -c -r "$work"/captures/* >"$work/counts"
    for capture in "$work"/captures/*; do
        name=${capture##*/}
        sed -n "s/^-- no iWARP: /$name\t/p" "$folder/${name%.*}"
    done >"$work/others"
    "$tshark" -2 -r "$work/all.pcapng" -Y 'tcp.len > 0' -T fields -e frame.number -e iwarp.mpa.key -e iwarp.rdmap.opcode \
        -e _ws.malformed >"$work/shown" 2>"$work/err" </dev/null || complain tshark "$(cat "$work/err")"
    awk -F '\t' '
        FILENAME ~ /counts$/ { sub(/.*\//, "", $1); name[++files] = $1; last[files] = last[files - 1] + $2; next }
        FILENAME ~ /others$/ { others[$1] = $2; next }
        BEGIN { at = 1 }
        { while ($1 > last[at]) at++; shown[at]++; if ($2 $3 == "") others[name[at]]--; if ($4 != "") bad[at] = 1 }
        END { for (i = 1; i <= files; i++) if (bad[i] || others[name[i]] != 0 || !shown[i]) print name[i]; if (!files) print "no capture" }
    ' "$work/counts" "$work/others" "$work/shown" >"$work/undecoded"
    : >"$work/out"
    while read -r name; do complain "$name" "a packet is malformed, or not decoded"; done <"$work/undecoded"
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
    "$warpcheck" play "$script" --quiet --extensions "$extensions" --peer "127.0.0.1:$port" --arg "stag=$stag" --arg "to=$to" --record "$work/captures/${script##*/}.play" \
        >"$work/out" 2>&1 || complain "$script" "play: exit code $?"
    judge "$script" play "$work/captures/${script##*/}.play"
    # Connections between the same ports, one after another, begin with different sequence numbers.
    "$warpcheck" synth "$script" --quiet --extensions "$extensions" --isn "$((count * 10000000)),$((count * 20000000))" \
        -o "$work/captures/${script##*/}.synth" >"$work/out" 2>&1 || complain "$script" "synth: exit code $?"
    judge "$script" synth "$work/captures/${script##*/}.synth"
done
[ -z "$tshark" ] || decode

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
