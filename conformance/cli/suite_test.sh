#!/bin/sh
# warpcheck run with the embedded peer, and with an agent in another process. Usage: suite_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"

expect 0 '' run --out "$work/run"
# rping-client-037 needs an rping that asks for Markers
says '^[1-9][0-9]* cases: [1-9][0-9]* pass, 0 fail, 0 inconclusive, 1 not applicable, 0 error$'
expect 2 '' run --tier rping --rping-size 64 --no-out
says '^untested +3 cases: [0-9]+ octets of rping fit into one segment: '
[ "$(tail -n 1 "$work/run/results.jsonl" | cut -c 1-18)" = '{"type":"summary",' ] || complain 'no summary' run
for capture in "$work/run/rdma-read-001.pcapng" "$work/run/mpa-startup-001.pcapng"; do
    expect 0 '' check "$capture"
done
expect 1 '' run --defect crc-wrong --only '^mpa-crc-005$' --out "$work/defect"
says '^FAIL +mpa-crc-005 '
says '^ +expected  read_response '
says "^ +capture   $work/defect/mpa-crc-005.pcapng\$"
expect 1 '' check "$work/defect/mpa-crc-005.pcapng"
# without a capture there is no frame to name
expect 1 '' run --defect pad-nonzero --only '^mpa-initiator-002$' --no-out
says '^ +because   RFC5044-4.1-02: A PAD'
expect 1 '' run --defect crc-wrong --only '^MPA-CRC-005$' --no-out
says '^1 case: 0 pass, 1 fail, 0 inconclusive, 0 not applicable, 0 error$'
expect 0 '' run --defect close-reset --only '^rdma-terminate-008$' --no-out
says '  terminate\+rst \(wrong\)$'
says '^1 case: 0 pass, 0 fail, 1 warning, .* 0 error; 1 wrong close$'
expect 0 '' run --defect startup-patient --only '^mpa-startup-013$' --simulate --no-out
says '^WARNING   mpa-startup-013 .*'
says '^1 case: 0 pass, 0 fail, 1 warning, .*'
expect 1 '' run --defect startup-patient --only '^mpa-startup-013$' --simulate --strict --no-out
says '^FAIL      mpa-startup-013 .*'
expect 3 'warpcheck run: no case matches --only, --skip and --tier \(see warpcheck list cases\)' run --only 'no such case' --no-out
# a function of common.lua fails: the case's own line
expect 1 '' run --defect startup-rev --only '^mpa-crc-001$' --simulate --no-out
says '^          at        crc\.lua:[0-9]+$'
# Combinations, random seeds, the reduction of a failure, and one combination by its id.
expect 0 '' run --simulate --no-out --strength 1 --random 5 --only '^sweep-001|^random'
expect 1 '' run --simulate --no-out --strength 2 --only '^sweep-003' --defect marker-fpduptr
grep -q '^  sweep-003.0010000000  *markers_out=true (' "$work/out" || complain 'not traced to Markers' run --strength 2
expect 0 '' run --simulate --no-out --combination sweep-003.0010000000
expect 0 '' run --simulate --no-out --combination random-001.4711-3
expect 3 'warpcheck run: --combination: sweep-003.9: 9 is not a combination of the case sweep-003' run --combination sweep-003.9
expect 3 'warpcheck run: --combination: there is no case no-such.1' run --combination no-such.1
expect 3 'warpcheck run: --strength takes a number from 1 to 6, not 7' run --strength 7
expect 3 'warpcheck run: unknown claim marker \(known: responder, .*rev-2, .*markers, .*flush-persist, .*\)' run --without marker --no-out
expect 3 'warpcheck run: --without-danger takes memory, connection or host, not fire' run --without-danger fire --no-out
expect 2 '' run --without-danger memory --only '^rdma-write-00[34]$' --no-out
says '^untested +1 case: left out for its danger: memory$'
# nothing was tested
expect 2 '' run --without markers --without rtr-read --only '^mpa-marker-001$' --no-out
says '1 not applicable'
expect 0 '' run --profile rev-1 --only '^mpa-enhanced-00|^mpa-startup-001$' --no-out
says '^10 cases: 1 pass, 0 fail, 0 inconclusive, 9 not applicable, 0 error$'
echo 'return {roles = {"responder"}}' >"$work/rnic.lua"
expect 2 '' run --profile "$work/rnic.lua" --only '^mpa-initiator-001$' --no-out
says '1 not applicable'
echo 'return {rolls = {"responder"}}' >"$work/rnic.lua"
expect 3 "warpcheck run: --profile: $work/rnic.lua: a profile has no 'rolls' \(did you mean 'roles'\?\)" run --profile "$work/rnic.lua"
expect 3 'warpcheck run: --profile: unknown profile rnic \(built in are base, .*' run --profile rnic
expect 3 "warpcheck run: --only: '\(', character 2: .*" run --only '(' --no-out
expect 3 'warpcheck run: unknown defect frobs .*' run --defect frobs
expect 3 'warpcheck run: --defect is for the embedded peer, .*' run --peer 127.0.0.1:1 --defect crc-wrong
expect 3 'warpcheck run: --peer takes HOST:PORT, PORT at most 65535, IPv6 as \[HOST\]:PORT, not 127.0.0.1' run --peer 127.0.0.1
expect 3 'warpcheck: 127.0.0.1:1: connection refused' run --peer 127.0.0.1:1 --no-out
expect 3 'warpcheck: 127.0.0.1:1: connection refused' run --peer 127.0.0.1:1 --out "$work/refused"
if [ -s "$work/out" ] || [ -e "$work/refused/results.jsonl" ]; then
    complain 'an unreachable device has results' run --peer 127.0.0.1:1
fi
expect 3 'warpcheck: /dev/null/x: .*' run --out /dev/null/x
expect 3 'warpcheck: /dev/null: Not a directory' run --out /dev/null
mkdir "$work/cases"
printf 'return {\n  id = \n' >"$work/cases/wrong.lua"
expect 3 "warpcheck: $work/cases/wrong.lua:[23]: .*" run --cases "$work/cases" --no-out
printf 'return {id = "one-001", run = function() end}\n' >"$work/cases/wrong.lua"
expect 3 "warpcheck: $work/cases/wrong.lua: returns no list of cases: return \{ \{id = \.\.\.\}, \.\.\. \}" run --cases "$work/cases" --no-out
rm "$work/cases/wrong.lua"
expect 3 "warpcheck: no \*\.lua in $work/cases" run --cases "$work/cases" --no-out
printf 'return {\n  stop = function()\n    fail("no")\n  end,\n}\n' >"$work/cases/common.lua"
printf '%s\n' 'return {{id = "one-001", title = "one", role = "responder", tier = "none", requirements = {"RFC5044-4.1-02"},' \
    'run = function() common.stop() end}}' >"$work/cases/uncommon.lua"
expect 1 '' run --cases "$work/cases" --simulate --no-out
says '^          at        .*/uncommon\.lua:2$'
expect 3 'warpcheck run: unexpected argument mpa-crc-001: use --only mpa-crc-001' run mpa-crc-001
expect 3 'warpcheck run: --peer takes HOST:PORT, .*, not ::1:20100' run --peer ::1:20100
expect 3 'warpcheck run: --peer takes HOST:PORT, .*, not 127.0.0.1:99999' run --peer 127.0.0.1:99999

# a device with an agent: the whole suite against a separate process gives the same verdicts as the embedded peer
verdicts() { sed -n 's/.*"case":"\([^"]*\)".*"verdict":"\([^"]*\)".*/\1 \2/p' "$1/results.jsonl"; }
(umask 077 && printf 'open sesame\n' >"$work/token")
begin_serve --sctp udp/0:127.0.0.1:0 --agent 0 --token-file "$work/token"
read -r region <&3 # the line before it: where the device accepts associations
read -r agent <&3
agent=${agent#agent on 127.0.0.1:}
expect 0 '' run --peer 127.0.0.1:"$port" --agent "$agent" --token-file "$work/token" --jobs 4 --allow-danger host --skip '^rping-' --out "$work/told"
says '^[1-9][0-9]* cases: [1-9][0-9]* pass, 0 fail, 0 inconclusive, 0 not applicable, 0 error$'
verdicts "$work/run" | grep -v '^rping-' >"$work/embedded.verdicts"
verdicts "$work/told" | cmp -s - "$work/embedded.verdicts" || complain 'the verdicts differ from those of the embedded peer' run --agent
expect 0 '' run --peer 127.0.0.1:"$port" --agent 127.0.0.1:"$agent" --token-file "$work/token" --own-host 127.0.0.2 --only '^mpa-initiator-001$' --no-out
says '^1 case: 1 pass,'
expect 0 '' differential --random 10 --token-file "$work/token" reference 127.0.0.1:"$port","$agent"
says '^20 cases: 0 differ$'
expect 3 'warpcheck differential: a device is HOST:PORT, HOST:PORT,\[HOST:\]AGENTPORT or reference, not frobs' differential reference frobs
expect 3 'warpcheck differential: two devices are compared, not 1' differential reference
expect 3 "warpcheck: agent 127.0.0.1:$agent: wrong token" run --peer 127.0.0.1:"$port" --agent "$agent" --no-out
expect 3 'warpcheck: agent 127.0.0.1:1: connection refused' run --peer 127.0.0.1:"$port" --agent 1 --no-out
expect 0 '' probe --peer 127.0.0.1:"$port" --agent "$agent" --token-file "$work/token" --out "$work/found.lua"
grep -qx '  roles = {"responder", "initiator"},' "$work/found.lua" || complain 'no initiator found' probe
expect 0 '' run --peer 127.0.0.1:"$port" --agent "$agent" --token-file "$work/token" --profile "$work/found.lua" --only '^mpa-' --no-out
says '^[1-9][0-9]* cases: [1-9][0-9]* pass, 0 fail, 0 inconclusive, [0-9]* not applicable, 0 error$'
expect 0 '' probe --peer 127.0.0.1:"$port"
says '^  roles = \{"responder"\},$'
says '^  flush = \{"persist", "expose"\},$'
expect 3 'warpcheck probe: --agent takes HOST:PORT, or PORT with --peer, not 1' probe --agent 1
expect 3 'warpcheck probe: --peer takes HOST:PORT, PORT at most 65535, IPv6 as \[HOST\]:PORT, not here' probe --peer here
expect 3 'warpcheck: 127.0.0.1:1: connection refused' probe --peer 127.0.0.1:1
expect 3 'warpcheck: /dev/full: No space left on device' probe --out /dev/full
end_serve INT
begin_serve --agent 0 --defect terminate-swallowed
read -r agent <&3
expect 1 '' run --peer 127.0.0.1:"$port" --agent "${agent#agent on }" --only rdma-write-005 --no-out
end_serve INT
expect 3 'warpcheck run: --agent takes HOST:PORT, or PORT with --peer, not 1' run --agent 1
expect 3 'warpcheck run: --token-file goes with --agent' run --peer 127.0.0.1:1 --token-file "$work/token"
expect 3 'warpcheck run: --own-host goes with --agent' run --peer 127.0.0.1:1 --own-host 127.0.0.1
expect 3 'warpcheck run: --agent takes \[HOST:\]PORT, not here' run --peer 127.0.0.1:1 --agent here
expect 3 'warpcheck run: --token-file: /nowhere: No such file or directory' run --token-file /nowhere
expect 3 'warpcheck serve: --agent takes \[HOST:\]PORT, not here' serve --agent here
expect 3 'warpcheck serve: --agent at 0.0.0.0, which others can reach, needs --token-file, --tls-psk or --tls-ca' serve --agent 0.0.0.0:0
expect 3 'warpcheck serve: --token-file goes with --agent' serve --token-file "$work/token"
: >"$work/empty"
expect 3 "warpcheck serve: --token-file: $work/empty: its first line must be a token of 1 to 255 octets" serve --agent 0 --token-file "$work/empty"

# the agent reports only the beginning of a long message: the case must not judge the message by it
mkdir "$work/long"
cat >"$work/long/long.lua" <<'END'
local function case(number, octets)
  return {id = "long-00" .. number, title = "one", requirements = {"RFC5044-4.1-02"}, role = "responder", tier = "agent", run = function(dut)
    dut:post{count = 1, size = 300000}
    local c = dut:connect{}
    c:send{data = ("x"):rep(octets)}
    check(#dut:received{}.data == octets)
  end}
end
return {case(1, 262144), case(2, 262145)}
END
expect 4 '' run --cases "$work/long" --no-out
says '^ERROR +long-002 '
says 'the agent reports 262144 octets of a message of 262145; it can report at most 262144'
says '^2 cases: 1 pass, 0 fail, 0 inconclusive, 0 not applicable, 1 error$'
mkdir "$work/slow"
cat >"$work/slow/slow.lua" <<'END'
local function case(number, run)
  return {id = "slow-00" .. number, title = "one", requirements = {"RFC5044-4.1-02"}, role = "responder", tier = "none", run = run}
end
return {
  case(1, function(dut) dut:connect{}:close() end),
  case(2, function(dut) dut:connect{}:expect{{kind = "terminate"}, timeout = 25} end),
  case(3, function(dut) dut:connect{} end),
}
END
# interrupted FILE ARGUMENT...: runs the program, and interrupts it when it has written to FILE; its exit code
interrupted() {
    written=$1
    shift
    env --default-signal=INT "$program" "$@" >"$work/out" 2>"$work/err" & # in the background, INT would be ignored
    pid=$!
    until [ -s "$written" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
    kill -INT $pid 2>/dev/null
    wait $pid
}
interrupted "$work/slow/out/slow-002.pcapng" run --jobs 1 --cases "$work/slow" --out "$work/slow/out"
[ $? -eq 2 ] || complain "exit code after SIGINT: $(cat "$work/err")" run
says '^INCONCL +slow-002 '
says '^2 cases: 1 pass, 0 fail, 1 inconclusive, 0 not applicable, 0 error; interrupted: 1 not run$'
tail -n 1 "$work/slow/out/results.jsonl" | grep -q '"not_run":1,.*"exit":2}' || complain 'the summary does not count the cases not run' run
expect 0 '' check "$work/slow/out/slow-002.pcapng"

# in memory, too: the run has no end of its own
interrupted "$work/endless/results.jsonl" run --simulate --only crc --repeat 100000 --out "$work/endless"
[ $? -eq 2 ] || complain "exit code after SIGINT: $(cat "$work/err")" run --simulate
says '^[0-9]+ cases: .*; interrupted: [1-9][0-9]* not run$'
tail -n 1 "$work/endless/results.jsonl" | grep -q '"not_run":[1-9][0-9]*,.*"exit":2}' || complain 'the summary does not count the cases not run' run

exit $failed
