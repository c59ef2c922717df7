#!/bin/sh
# shellcheck disable=SC2119 # begin_serve without arguments
# warpcheck play and synth. Usage: play_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
root=$here/../..
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"

printf 'local listener = listen{}\nstep "meet"\nspawn(function() listener:accept{} end)\n%s\n' \
    'local c = connect{port = listener.port} c:send{data = "hello"} c:close() c:expect{{kind = "close"}}' >"$work/talk.lua"
expect 3 'warpcheck: nosuch0: .*' play --live nosuch0 --record "$work/live.pcap" "$work/talk.lua"
printf 'connect{\n' >"$work/syntax.lua"
printf 'connect{mulpud = 3}\n' >"$work/name.lua"
printf '%s\n' 'fail("as asked")' >"$work/fail.lua"
printf 'step "part"\nlocal l = listen{}\nspawn(function() l:accept{} end)\nlocal c = connect{port = l.port}\nerror("oops")\n' \
    >"$work/part.lua"
expect 3 'warpcheck play: no script given \(see warpcheck play --help\)' play
expect 3 "warpcheck: $work/none.lua: No such file or directory" play "$work/none.lua"
expect 3 "warpcheck: $work/syntax.lua:2: .*" play "$work/syntax.lua"
expect 3 "warpcheck: $work/name.lua:1: connect has no 'mulpud' \(did you mean 'mulpdu'\?\).*" play "$work/name.lua"
expect 3 'warpcheck play: --arg takes NAME=VALUE, not x' play --arg x "$work/talk.lua"
printf 'connect{}\n' >"$work/connect.lua"
expect 3 "warpcheck: $work/connect.lua:1: 127.0.0.1:1: connection refused" play --peer 127.0.0.1:1 "$work/connect.lua"
expect 3 "warpcheck: $work/connect.lua:1: connect: no port, and no peer is given \(--peer HOST:PORT\)" play "$work/connect.lua"
# a capture does not overwrite a script
expect 3 "warpcheck: $work/connect.lua: the capture would be written over the script" synth "$work/connect.lua" -o "$work/connect.lua"
expect 3 "warpcheck: $work/./connect.lua: the capture would be written over the script" \
    play --peer 127.0.0.1:1 "$work/connect.lua" --record "$work/./connect.lua"
expect 3 "warpcheck: $work/connect.lua: the capture would be written over the script" \
    synth "$work/talk.lua" --peer-script "$work/connect.lua" -o "$work/connect.lua"
[ "$(cat "$work/connect.lua")" = 'connect{}' ] || complain 'overwrote the script' synth
expect 3 "warpcheck synth: unknown option --peer \(did you mean --peer-script\?\)" synth --peer 192.0.2.7:1 "$work/connect.lua" -o "$work/x"
# a script that plays both sides: the comment of a packet is the step of its sender
for way in synth play; do
    output=-o
    [ $way = synth ] || output=--record
    expect 0 '' $way "$root/generator/examples/send_write_read.lua" $output "$work/both.pcapng"
    port=$(tshark -r "$work/both.pcapng" -c 1 -T fields -e tcp.dstport 2>/dev/null)
    tshark -r "$work/both.pcapng" -Y "tcp.dstport == $port" -T fields -e frame.comment 2>/dev/null | uniq | paste -sd, >"$work/out"
    says '^startup,ask for a region,write and read,close$'
    tshark -r "$work/both.pcapng" -Y "tcp.srcport == $port && tcp.len > 20" -T fields -e frame.comment 2>/dev/null | sort -u >"$work/out"
    says '^responder: watch$'
done
# packets of the device have their step, too; only tested if capturing is allowed and no packet was dropped
begin_serve
printf 'step "meet"\nlocal c = connect{} c:send{data = "hello"} c:close() c:expect{{kind = "close"}}\n' >"$work/meet.lua"
if "$program" play --quiet --peer 127.0.0.1:"$port" --live lo --record "$work/live.pcapng" "$work/meet.lua" >"$work/out" 2>&1; then
    expect 0 '' check "$work/live.pcapng"
    tshark -r "$work/live.pcapng" -Y 'tcp.len > 0' -T fields -e frame.comment 2>/dev/null | sort -u >"$work/out"
    [ "$(cat "$work/out")" = meet ] || complain "comments: $(cat "$work/out")" play --live
else
    grep -qE '^warpcheck: (lo: (no permission|.*not permitted)|the system dropped)' "$work/out" ||
        complain "said: $(cat "$work/out")" play --live
    echo "play --live is not tested: $(cat "$work/out")" >&2
fi
end_serve TERM
expect 3 'warpcheck play: --deadline takes a number of seconds, not 0' play --deadline 0 "$work/talk.lua"
expect 0 '' play --deadline 7.5 --timeout 2.5 "$work/talk.lua"
expect 0 '' play --record "$work/talk.pcapng" "$work/talk.lua"
expect 0 '' check "$work/talk.pcapng"
# an interrupted conversation is recorded and reported up to the interrupt
printf '%s\n' 'local l = listen{}' 'spawn(function() l:accept{}:expect{{kind = "close"}, timeout = 1000} end)' \
    'local c = connect{port = l.port}' 'step "wait"' 'c:expect{{kind = "close"}, timeout = 1000}' >"$work/wait.lua"
timeout --foreground --preserve-status -s INT 2 "$program" play --record "$work/wait.pcapng" "$work/wait.lua" >"$work/out" 2>"$work/err"
[ $? -eq 2 ] || complain "exit code after SIGINT: $(cat "$work/err")" play
says 'wait.lua:5: interrupted \(step: wait\)$'
expect 0 '' check "$work/wait.pcapng"
"$program" play "$work/fail.lua" >"$work/out" 2>"$work/err"
[ $? -eq 1 ] || complain 'a failure does not have exit code 1' play fail.lua
expect 3 'warpcheck synth: --impairment overlap is for TCP only, not for --sctp' synth --sctp --impairment loss=1%,overlap=1% "$work/talk.lua" -o "$work/three.pcapng"
expect 3 'warpcheck synth: --impairment wrap is for TCP only, not for --sctp' synth --sctp --impairment wrap "$work/talk.lua" -o "$work/three.pcapng"
expect 0 '' synth --sctp --impairment vlan=9,ipv6 "$work/talk.lua" -o "$work/sctp.pcapng"
says '> DDP Stream Session Initiate ssn=0 '
expect 0 '' check "$work/sctp.pcapng"
says '^    over SCTP: session 1 on DDP Stream 0, terminated$'
tshark -o 'sctp.checksum:CRC 32c' -r "$work/sctp.pcapng" -Y 'vlan.id == 9 && ipv6' -T fields -e sctp.checksum.status -e frame.comment 2>/dev/null | sort -u >"$work/out"
printf '1\tmeet\n' | cmp -s - "$work/out" || complain 'checksums or comments are wrong' synth --sctp
expect 0 '' synth --quiet --sctp --impairment reorder=30%,retransmit=30%,duplicate=30% --seed 2 "$root/captures/synth/extensions.lua" -o "$work/sctp.pcapng"
expect 0 '' check "$work/sctp.pcapng"
tshark -r "$work/sctp.pcapng" -Y sctp.data_tsn -T fields -e frame.comment >"$work/out" 2>/dev/null
for what in late 'sent again' duplicate; do
    says "\[$what\]\$"
done
# the packets before a mistake in the script are in the capture
expect 3 "warpcheck: $work/part.lua:5: oops.*" play --record "$work/part.pcapng" "$work/part.lua"
expect 0 '' check --decode "$work/part.pcapng"
says 'responder: MPA Reply'
expect 0 '' synth --quiet "$work/talk.lua" -o "$work/one.pcapng"
expect 0 '' synth --quiet "$work/talk.lua" -o "$work/two.pcapng"
cmp -s "$work/one.pcapng" "$work/two.pcapng" || complain 'two files differ' synth
expect 0 '' check "$work/one.pcapng"
expect 3 'warpcheck synth: no -o FILE given' synth "$work/talk.lua"
expect 3 "warpcheck: $work/syntax.lua:2: .*" synth "$work/syntax.lua" -o "$work/three.pcapng"
expect 3 'warpcheck synth: --isn takes two numbers .*' synth --isn 1 "$work/talk.lua" -o "$work/three.pcapng"
expect 3 'warpcheck synth: --seed takes a number from 1 on, not 0' synth --seed 0 "$work/talk.lua" -o "$work/three.pcapng"
expect 3 'warpcheck synth: --impairment: loss takes a share of the packets such as 1%, not 1' synth --impairment wrap,loss=1 "$work/talk.lua" -o "$work/three.pcapng"
expect 3 'warpcheck synth: --impairment: unknown impairment lost \(there are loss, .*\)' synth --impairment lost=1% "$work/talk.lua" -o "$work/three.pcapng"
expect 3 'warpcheck synth: --impairment wrap chooses the sequence numbers itself: leave out --isn' synth --isn 1,2 --impairment wrap "$work/talk.lua" -o "$work/three.pcapng"
expect 3 'warpcheck synth: --hardship: unknown impairment lost .*' synth --hardship lost=1% "$work/talk.lua" -o "$work/three.pcapng"
expect 0 '' synth --impairment segment=1,vlan=7,ipv6,wrap=10 --seed 3 "$work/talk.lua" -o "$work/hard.pcapng"
expect 0 '' check "$work/hard.pcapng"
says '^  stream 0: \[2001:db8::[0-9a-f:]+\]:[0-9]+ \(initiator\) and \[2001:db8::c000:202\]:'
[ "$(tshark -r "$work/hard.pcapng" -Y 'vlan.id == 7 && tcp.len == 1' 2>/dev/null | wc -l)" -gt 20 ] || complain 'no packets of one octet in the VLAN' synth --impairment
tshark -r "$work/hard.pcapng" -Y 'tcp.seq_raw == 0' -T fields -e frame.comment >"$work/out" 2>/dev/null
says '^meet$'

expect 3 'warpcheck play: --extensions takes none, .*, not 7307' play --extensions 7307 x.lua
expect 3 'warpcheck play: --live goes with --record FILE' play --live lo "$work/talk.lua"

# an initiator with a defect
begin_serve
expect 0 '' play --peer 127.0.0.1:"$port" --defect pad-nonzero --record "$work/wrong.pcapng" "$root/generator/examples/send.lua"
end_serve TERM
expect 1 '' check "$work/wrong.pcapng"
says 'error RFC5044-4\.1-02 .* initiator: '
# defects that had no effect on what was sent, executed or checked
for defect in marker-reserved fetchadd-more msn-unchecked; do
    expect 0 "warpcheck: the defect $defect had no effect: there was nothing for it to change" play -q --defect $defect "$root/generator/examples/send_write_read.lua"
done
expect 3 'warpcheck play: unknown defect frobs .*' play --defect frobs "$root/generator/examples/send.lua"

exit $failed
