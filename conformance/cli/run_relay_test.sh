#!/bin/sh
# warpcheck run --relay between `serve` and `play`. Usage: run_relay_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"

# ---- options ----

expect 3 'warpcheck run: --relay needs the responder: --to HOST:PORT' run --relay
expect 3 'warpcheck run: --to goes with --relay' run --to 127.0.0.1:1
expect 3 'warpcheck run: --start goes with --relay' run --start 'x {port}'
expect 3 'warpcheck run: --peer does not go with --relay' run --relay --to 127.0.0.1:1 --peer 127.0.0.1:1
expect 3 'warpcheck run: --defect does not go with --relay' run --relay --to 127.0.0.1:1 --defect crc-wrong
expect 3 'warpcheck run: --start takes a command that contains \{host\} and \{port\}, the destination' \
    run --relay --to 127.0.0.1:1 --start true
expect 3 'warpcheck: 192.0.2.1:1: .*' run --relay --to 127.0.0.1:1 --listen 192.0.2.1:1 --no-out
expect 3 'warpcheck run: no case matches .*' run --relay --to 127.0.0.1:1 --only nothing-like-it --no-out

expect 0 '' run --relay --list
[ "$(wc -l <"$work/out")" -gt 120 ] || complain 'fewer than 60 impairments' run --relay --list
says '^relay-crc-01a-responder +yes '
expect 0 '' list cases --format jsonl
says '"case":"relay-crc-01a-responder".*"file":"relay/crc.lua","role":"responder","tier":"relay"'

# ---- no devices ----

begin_serve --echo
end_serve TERM # nothing listens at $port any more
expect 3 'warpcheck: the command of --start has ended without a connection: .*' run --relay --to "127.0.0.1:$port" \
    --listen 127.0.0.1:0 --no-out --start 'exit 3; {port}'
expect 3 'warpcheck: the command of --start cannot be run: .*' run --relay --to "127.0.0.1:$port" --listen 127.0.0.1:0 \
    --no-out --start '/nonexistent {port}'
expect 3 'warpcheck: no initiator connected within 1 s' run --relay --to "127.0.0.1:$port" --listen 127.0.0.1:0 --no-out --wait 1
play="exec $program play --quiet --timeout 60 $here/testdata/relay_tour.lua --peer {host}:{port} --arg stag=1 --arg to=0"
expect 3 "warpcheck: the responder refuses the connection: 127.0.0.1:$port: connection refused" \
    run --relay --to "127.0.0.1:$port" --listen 127.0.0.1:0 --no-out --start "$play"

# ---- two devices ----

# judge ARGUMENT...: runs cases between the server at $port and `play` with $defect; the exit code is $found
judge() {
    "$program" run --relay --listen 127.0.0.1:0 --to "127.0.0.1:$port" --out "$work/results" --force \
        --start "exec $program play --quiet --timeout 60 $here/testdata/relay_tour.lua --peer {host}:{port} $defect \
            --arg stag=$(region_stag) --arg to=$(echo "$region" | sed 's/.*TO \(0x[0-9a-f]*\),.*/\1/')" \
        "$@" >"$work/out" 2>"$work/err" </dev/null
    found=$?
}
defect=
begin_serve --echo
judge --only 'base|crc-06|startup-01' --verbose
[ $found -eq 0 ] || complain "exit $found: $(cat "$work/out" "$work/err")" run --relay
says '^relaying 127.0.0.1:[0-9]+ to 127.0.0.1:'"$port"'$'
says '^pass +relay-crc-06a-responder .*  terminate\+fin$'
says '^pass +relay-startup-01a-responder .*: the responder does not accept it  (fin|rst)$'
grep -q '"type":"run".*"peer":"127.0.0.1:'"$port"'".*"relay":"127.0.0.1:' "$work/results/results.jsonl" || complain 'no relay' run
grep -q '"case":"relay-crc-06a-responder".*"role":"responder","verdict":"pass".*"terminate":"2/0/02"' \
    "$work/results/results.jsonl" || complain 'no result' run
# the capture has both connections, and the changed FPDU only on the second one
expect 1 '' check "$work/results/relay-crc-06a-responder.pcapng" --format jsonl
[ "$(grep -c '"type":"stream"' "$work/out")" -eq 2 ] || complain 'not two connections' check
[ "$(grep -c '"requirement":"RFC5044-4.4-11"' "$work/out")" -eq 1 ] || complain 'not one wrong CRC' check
says '"stream":1,.*"side":"initiator","requirement":"RFC5044-4.4-11"'
grep -q 'step: impaired (initiator): at=fpdu#2,' "$work/results/relay-crc-06a-responder.log" || complain 'no step in the log' run
grep -q '^verdict: pass$' "$work/results/relay-crc-06a-responder.log" || complain 'no verdict in the log' run
expect 0 '' report --format junit "$work/results"
says '<testcase .*name="relay-crc-06a-responder'
expect 0 '' report --format html -o "$work/page.html" "$work/results"
expect 0 '' report --format tap "$work/results"

# what the devices do not send is not judged, and says what is missing
judge --only 'write-01b|marker-01b'
[ $found -eq 2 ] || complain "exit $found: $(cat "$work/out")" run --relay
says 'not impaired: the responder sends nothing of the kind in this conversation; needed: RDMA Write with payload'
says '^n/a +2 cases: the receiver of the unit does not request Markers$'
end_serve TERM

# each device is judged on its own
begin_serve --echo --defect terminate-swallowed
judge --only 'send-02'
[ $found -eq 1 ] || complain "exit $found: $(cat "$work/out")" run --relay
says '^FAIL +relay-send-02a-responder '
says 'expected  Terminate 1/2/01 \(Invalid QN, RFC 5041 7.2\)'
says '^requirements: 2 of 2 tested, 1 pass'
grep -E '^(FAIL|WARNING) +relay-send-02(a-initiator|b)' "$work/out" && complain 'the initiator is to blame' run --relay
# after an error of MPA, a Terminate is a SHOULD
judge --only 'crc-06'
[ $found -eq 0 ] || complain "exit $found: $(cat "$work/out")" run --relay
says '^WARNING +relay-crc-06a-responder '
says '^requirements: 5 of 5 tested, 4 pass'
end_serve TERM
begin_serve --echo
defect='--defect terminate-swallowed'
judge --only 'send-02'
[ $found -eq 1 ] || complain "exit $found: $(cat "$work/out")" run --relay
says '^FAIL +relay-send-02b-initiator '
grep -E '^(FAIL|WARNING) +relay-send-02(b-responder|a)' "$work/out" && complain 'the responder is to blame' run --relay
end_serve TERM

# ---- an initiator that connects on its own, for each conversation ----

begin_serve --echo
mkfifo "$work/relaying"
"$program" run --relay --listen 127.0.0.1:0 --to "127.0.0.1:$port" --only 'base|crc-01a' --no-out >"$work/relaying" 2>"$work/err" &
run=$!
exec 4<"$work/relaying"
read -r line <&4
relay_port=$(echo "$line" | sed 's/relaying 127.0.0.1:\([0-9]*\) to .*/\1/')
for conversation in unimpaired base crc; do
    "$program" play --quiet "$here/testdata/relay_tour.lua" --peer "127.0.0.1:$relay_port" --arg "stag=$(region_stag)" \
        --arg "to=$(echo "$region" | sed 's/.*TO \(0x[0-9a-f]*\),.*/\1/')" >"$work/played.$conversation" 2>&1
done
cat <&4 >"$work/out"
exec 4<&-
wait $run || complain "exit $?: $(cat "$work/out" "$work/err")" run --relay
says '^4 cases: 4 pass, '
end_serve TERM

# ---- repeats, a budget, and a run that was interrupted ----

results=$work/results/results.jsonl
# of_results REPEAT: the number of results that have it
of_results() { grep -c "\"type\":\"case\".*\"repeat\":$1[,}]" "$results"; }
begin_serve --echo
defect=
judge --only 'base|crc-06' --repeat 2
[ $found -eq 0 ] || complain "exit $found: $(cat "$work/out" "$work/err")" run --relay --repeat
says '^12 cases: 12 pass, '
[ "$(of_results 1) $(of_results 2)" = '6 6' ] || complain 'not six results of each repeat' run --relay --repeat
[ ! -e "$work/results/relay-crc-06a-responder-2.pcapng" ] || complain 'evidence of an equal repeat' run --relay --repeat

# each repeat of a case has its own conversation, also if the other side of it is not selected
judge --only '^relay-base-initiator$' --repeat 3
says '^3 cases: 3 pass, '

# `odd` has a defect in each second conversation, the first of which is the measure: the second of three repeats varies
cat >"$work/odd" <<END
#!/bin/sh
defect=
if [ -e "$work/second" ]; then rm "$work/second"; defect='--defect terminate-swallowed'; else : >"$work/second"; fi
exec "$program" play --quiet --timeout 60 "$here/testdata/relay_tour.lua" --peer "\$1" --arg "stag=$(region_stag)" \
    --arg "to=$(echo "$region" | sed 's/.*TO \(0x[0-9a-f]*\),.*/\1/')" \$defect
END
odd() {
    "$program" run --relay --listen 127.0.0.1:0 --to "127.0.0.1:$port" --out "$work/results" --force --start "sh $work/odd {host}:{port}" \
        "$@" >"$work/out" 2>"$work/err" </dev/null
    found=$?
    rm -f "$work/second"
}
odd --only '^relay-send-02b-initiator$' --repeat 2
[ $found -eq 1 ] || complain "exit $found: $(cat "$work/out" "$work/err")" run --relay --repeat
says '^flaky +relay-send-02b-initiator '
grep -q '"type":"flake".*"case":"relay-send-02b-initiator"' "$results" || complain 'no flake in the results' run --relay --repeat
for evidence in pcapng log; do
    [ -s "$work/results/relay-send-02b-initiator-2.$evidence" ] || complain "no $evidence of the repeat that differs" run --relay
done
odd --only '^relay-send-02b-initiator$' --until-failure
[ $found -eq 1 ] || complain "exit $found: $(cat "$work/out" "$work/err")" run --relay --until-failure
says '^1 case: .*1 fail'

# each conversation takes 0.1 s or more, because its rule waits for so long
judge --only 'crc' --budget 1
[ $found -eq 2 ] || [ $found -eq 1 ] || complain "exit $found: $(cat "$work/out" "$work/err")" run --relay --budget
says '; [0-9]+ not begun within the budget$'
begun=$(grep -c '"type":"case"' "$results")
# The budget is one of the options that a resumed run repeats.
"$program" run --resume "$work/results" >"$work/out" 2>"$work/err"
says "^resumed: $begun cases? had been finished"
[ -z "$(sed -n 's/.*"type":"case","case":"\([^"]*\)".*/\1/p' "$results" | sort | uniq -d)" ] || complain 'a case has two results' run --resume
[ "$(grep -c '"type":"case"' "$results")" -ge "$begun" ] || complain 'a result is lost' run --resume

# a run that was killed: the second of two cases of a conversation may have a torn result
judge --only 'base|crc-06' --repeat 2
head -n 3 "$results" >"$work/part" && mv "$work/part" "$results"
expect 0 '' run --resume "$work/results"
says '^resumed: 1 case had been finished'
says '^12 cases: 12 pass, '
[ "$(of_results 1) $(of_results 2)" = '6 6' ] || complain 'not six results of each repeat' run --resume
end_serve TERM
exit "$failed"
