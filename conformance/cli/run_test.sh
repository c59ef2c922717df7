#!/bin/sh
# warpcheck run: shards, repeats and resumed runs. Usage: run_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
cd "$work" || exit 99

# The cases that a results.jsonl has, one line each: id, repeat, verdict.
cases() { sed -n 's/^{"type":"case","case":"\([^"]*\)".*\("repeat":[0-9]*\).*"verdict":"\([^"]*\)".*/\1 \2 \3/p' "$1/results.jsonl"; }
verdicts() { sed -n 's/^{"type":"case","case":"\([^"]*\)".*"verdict":"\([^"]*\)".*/\1 \2/p' "$1/results.jsonl"; }

# --list
expect 3 'warpcheck run: no case matches --only, --skip and --tier \(see warpcheck list cases\)' run --only 'no such case' --list
expect 3 'warpcheck: the pattern of --only or --skip takes too long' run --simulate --only '^(([a-z0-9-]+)+)+\b\B' --no-out
expect 3 'warpcheck: the pattern of --only or --skip takes too long' run --skip '^(([a-z0-9-]+)+)+\b\B' --list
expect 0 '' run --list --only '^mpa-marker-00[1-3]$' --without markers
says '^mpa-marker-001 +not applicable .* \(needs what the device does not claim: markers\)$'
expect 0 '' run --list --format jsonl --only '^mpa-crc-00[1-3]$' --shard 2/2
says '^\{"case":"mpa-crc-002","title":".*","runs":"yes","reason":""\}$'
[ "$(wc -l <out)" -eq 1 ] || complain 'shard 2 of 2 does not have one of three cases' run --shard 2/2
expect 3 'warpcheck run: --format goes with --list' run --format jsonl

# --shard
expect 0 '' run -v --only '^mpa-crc-00[1-3]$' --shard 2/2 --simulate --out half
says '^pass      mpa-crc-002 .*'
says '^1 case: 1 pass, .*'
head -n 1 half/results.jsonl | grep -q '^{"type":"run",.*"shard":2,"shards":2,"repeats":1,"selected":3,"available":[0-9]*,"requirements":\["RFC5044-4.4-13","RFC5044-6-01",[^]]*"RFC5040-7.1-02"\],"catalogue":"[0-9a-f]\{64\}"}$' ||
    complain 'the first line does not describe the run' run --shard 2/2
expect 0 '' run --only '^mpa-crc-00[1-3]$' --shard 4/4 --simulate --out none
says '^0 cases: .*'
[ "$(sed 's/^{"type":"\([a-z]*\)".*/\1/' none/results.jsonl | tr '\n' ' ')" = 'run coverage summary ' ] ||
    complain 'a shard without cases has no results' run --shard 4/4
export TEST_TOTAL_SHARDS=2 TEST_SHARD_INDEX=1
expect 0 '' run -v --only '^mpa-crc-00[1-3]$' --simulate --no-out
says '^pass      mpa-crc-002 .*'
expect 3 'warpcheck run: both --shard and TEST_TOTAL_SHARDS are set' run --shard 2/2 --no-out
unset TEST_SHARD_INDEX
expect 3 'warpcheck run: the environment has TEST_TOTAL_SHARDS without TEST_SHARD_INDEX' run --no-out
unset TEST_TOTAL_SHARDS
expect 3 'warpcheck run: --shard takes I/N, I from 1 to N, not 3/2' run --shard 3/2

# A device sends a Swap (AOpCode 1, which RFC 7306 5.2.1 reserves): a violation unless its profile claims Swap, or `check` has
# the draft in force. Without a profile, a device claims everything.
mkdir swapped
cat >swapped/one.lua <<'LUA'
return {{
  id = "swapped-001", title = "The device sends a Swap", requirements = {"RFC7306-5.2.1-01"}, role = "responder",
  tier = "agent",
  run = function(dut)
    local target = region{size = 8, rights = "rwa", fill = 0}
    local c = dut:connect{}
    c:send{data = "the first FPDU"}
    dut:swap{stag = target.stag, to = target.to, swap = 2}
    c:expect{{kind = "atomic_request", aopcode = 1}}
    c:close()
  end,
}}
LUA
echo 'return {swap = false}' >unswapped.lua
expect 1 '' run --cases swapped --simulate --profile unswapped.lua --out unswapped
says '^FAIL      swapped-001 .*'
says '^          because   RFC7306-5.2.1-01 in frame 7: AOpCode is 1, expected 0 or 2$'
expect 0 '' run -v --cases swapped --simulate --out claimed
says '^pass      swapped-001 .*'
expect 1 '' check claimed/swapped-001.pcapng
says '^    frame 7: error RFC7306-5.2.1-01 \(RFC 7306 5.2.1, MUST\) responder: AOpCode is 1, expected 0 or 2$'
expect 0 '' check --extensions 7306,storm claimed/swapped-001.pcapng
says '^    verdict: conforms$'

# --repeat, with a case whose verdict varies
mkdir often
cat >often/one.lua <<'LUA'
local count = {}
local function case(id, wrong)
  return {id = id, title = "one", requirements = {"RFC5044-4.1-02"}, role = "responder", tier = "none", run = function(dut)
    local mine = (count[id] or 0) + 1
    count[id] = mine
    dut:connect{}
    check(mine ~= wrong, "this time")
  end}
end
return {case("often-001"), case("often-002", 2), case("often-003")}
LUA
expect 1 '' run --cases often --repeat 3 --out thrice
says '^FAIL      often-002 .*  #2$'
says '^flaky     often-002 .*  2 pass, 1 fail$'
says '^9 cases: 8 pass, 1 fail, .*; 1 flaky$'
cases thrice >found
for repeat in 1 2 3; do
    for case in 1 2 3; do
        [ "$repeat$case" = 22 ] && verdict=fail || verdict=pass
        echo "often-00$case \"repeat\":$repeat $verdict"
    done
done | cmp -s - found || complain 'not every case has three results' run --repeat 3
grep -q '^{"type":"flake","case":"often-002","verdicts":{"pass":2,"fail":1}}$' thrice/results.jsonl || complain 'no flake' run --repeat 3
[ "$(cd thrice && echo *.pcapng *.log)" = 'often-001.pcapng often-002-2.pcapng often-002.pcapng often-003.pcapng often-001.log often-002-2.log often-002.log often-003.log' ] ||
    complain 'not the evidence of the first repeat and of the one that differs' run --repeat 3
expect 0 '' run --cases often --skip 002 --repeat 2 --no-out
says '^4 cases: 4 pass, .* 0 error$'
expect 3 'warpcheck run: --repeat takes a number from 1 to 1000000, not 0' run --repeat 0

# --until-failure
expect 1 '' run --cases often --until-failure --jobs 1 --no-out
says '^5 cases: 4 pass, 1 fail, .*'
expect 0 '' run --cases often --until-failure --skip 002 --repeat 3 --no-out
says '^6 cases: 6 pass, .*'

# --resume: of a complete run, of a killed run; rejected if the cases have changed
expect 0 '' run -v --only '^mpa-crc-' --simulate --out whole
verdicts whole >all
cp -r whole killed
{ head -n 5 whole/results.jsonl; sed -n 6p whole/results.jsonl | cut -c 1-30 | tr -d '\n'; } >killed/results.jsonl
expect 0 '' run --resume killed
says '^resumed: 3 cases had been finished; the last line was incomplete$'
[ "$(grep -c '^pass' out)" -eq "$(($(wc -l <all) - 3))" ] || complain 'not exactly the unfinished cases were run' run --resume
verdicts killed | cmp -s - all || complain 'the verdicts differ from those of an uninterrupted run' run --resume
summary() { tail -n 1 "$1/results.jsonl" | sed 's/"ended":"[^"]*"//'; }
summary killed >one
summary whole | cmp -s - one || complain 'the summary differs from that of an uninterrupted run' run --resume
expect 0 '' run --resume killed
says "^resumed: $(wc -l <all) cases had been finished$"
head -n 4 thrice/results.jsonl >part
cp part thrice/results.jsonl
expect 1 '' run --resume thrice
says '^resumed: 2 cases had been finished$'
[ "$(cases thrice | cut -d ' ' -f 1,2 | sort | uniq | wc -l)" -eq 9 ] || complain 'not every case has three results' run --resume thrice
cp part thrice/results.jsonl
echo '-- another' >>often/one.lua
expect 3 'warpcheck run: thrice: the cases have changed since the run' run --resume thrice
cmp -s part thrice/results.jsonl || complain 'the results were changed' run --resume thrice
sed -i 's/"version":"[^"]*"/"version":"0.0.1"/' killed/results.jsonl
expect 3 'warpcheck run: killed was written by warpcheck 0.0.1' run --resume killed
sed -i 's/"version":"[^"]*"/"version":"\\n\\u001b[2J"/' killed/results.jsonl
expect 3 'warpcheck run: killed was written by warpcheck  \?\[2J' run --resume killed
"$program" run --only '^mpa-crc-00[1-3]$' --shard 1/2 --simulate --out other >out
"$program" report --merge -o merged.jsonl other half
mkdir merged && mv merged.jsonl merged/results.jsonl && cp merged/results.jsonl part
expect 3 'warpcheck run: merged/results.jsonl:1: has no options to resume with' run --resume merged
cmp -s part merged/results.jsonl || complain 'the results were changed' run --resume merged
expect 3 'warpcheck run: --resume takes no other options: it uses those of the run' run --resume killed --jobs 2
expect 3 'warpcheck: nowhere/results.jsonl: No such file or directory' run --resume nowhere
echo '{"type":"summary"}' >none/results.jsonl
expect 3 'warpcheck: none/results.jsonl:1: not the first line of the results of a run' run --resume none

# Results that cannot be written, and case ids that would be paths outside the folder
long=$(printf '%0380d' 0 | sed 's/.\{77\}/&\//g') # 384 octets
expect 3 "warpcheck: ${long}0: path longer than 384 octets" run --only '^mpa-crc-001$' --simulate --out "${long}0"
expect 0 '' run --only '^mpa-crc-001$' --simulate --out "$long"
[ "$(ls "$long")" = "$(printf 'mpa-crc-001.log\nmpa-crc-001.pcapng\nresults.jsonl')" ] || complain "has $(ls "$long")" run --out
mkdir taken
flock taken "$program" run --only '^mpa-crc-001$' --simulate --out taken >out 2>err
[ $? -eq 3 ] || complain 'did not end with 3' run --out taken
grep -qx 'warpcheck: taken: another run is writing there' err || complain "said: $(cat err)" run --out taken
expect 0 '' run --only '^mpa-crc-001$' --simulate --out taken
mkdir above && sed 's/often-00/..\/above\//' often/one.lua >above/one.lua
expect 3 'warpcheck: above/one.lua: case \.\./above/1: an id has at most 64 .*' run --cases above --simulate --out astray

# A device that ends after the first connection: the other cases do not wait for it, and can be run later.
cat >gone.py <<'PYTHON'
import socket
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(1)
print(listener.getsockname()[1], flush=True)
connection, _ = listener.accept()
listener.close()
connection.close()
PYTHON
mkfifo pipe
python3 gone.py >pipe &
read -r port <pipe
expect 1 '' run --peer "127.0.0.1:$port" --only '^mpa-startup-00[1-8]$' --out gone --no-preflight
[ "$(grep -c '^INCONCL ' out)" -eq 7 ] || complain 'not seven cases without a device' run --peer gone
[ "$(grep -c ' not run: the device is gone (127.0.0.1:.*: connection refused)$' out)" -eq 4 ] ||
    complain 'not four cases that were not tried' run --peer gone
[ "$(grep -c '"unfinished":true' gone/results.jsonl)" -eq 7 ] || complain 'not seven cases to be run again' run --peer gone

# An agent that supports nothing, and a device that does not match its profile.
cat >agent.py <<'PYTHON'
import json, socket
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(8)
print(listener.getsockname()[1], flush=True)
while True:
    session, _ = listener.accept()
    for line in session.makefile():
        request = json.loads(line)
        answer = {"id": request["id"]}
        if request["op"] == "hello":
            answer.update(version=1, agent="a minimal agent")
        else:
            answer["error"] = {"code": "unsupported", "text": "not here"}
        session.sendall(json.dumps(answer).encode() + b"\n")
    session.close()
PYTHON
python3 agent.py >pipe &
minimal=$!
read -r agent <pipe
"$program" serve --listen 127.0.0.1:0 --agent 0 --quiet >pipe &
server=$!
exec 3<pipe
read -r line <&3
port=${line#listening on 127.0.0.1:}
read -r line <&3
read -r line <&3
told=${line#agent on 127.0.0.1:}
# the options that show its region: the next device writes to the same pipe
read -r line <&3
read -r line <&3
echo 'return {ird = 2, markers = false}' >shallow.lua
expect 1 '' run --peer "127.0.0.1:$port" --agent "$agent" --profile shallow.lua --only '^rdma-verify-00[12]$' --out minimal
says '^untested  2 cases: register: not here$'
says '^CLAIM     verify-sha256: the device claims it, but its agent does not support it: not here \(in rdma-verify-001\)$'
says '^2 cases: 0 pass, 0 fail, 0 inconclusive, 2 not tested, 0 not applicable, 0 error; 1 wrong claim$'
head -n 1 minimal/results.jsonl | grep -q '"agent":"a minimal agent"' || complain 'the agent is not named' run --agent
expect 2 '' run --peer "127.0.0.1:$port" --agent "$agent" --only '^rdma-verify-00[12]$' --no-out
says '^2 cases: 0 pass, 0 fail, 0 inconclusive, 2 not tested, 0 not applicable, 0 error$'
"$program" serve --listen 127.0.0.1:0 >pipe &
teller=$!
exec 4<pipe
read -r line <&4
expect 0 '' run --peer "127.0.0.1:${line#listening on 127.0.0.1:}" --only '^mpa-crc-001$' --no-out
kill -TERM "$teller"
grep -q ' RDMA Read Response .*, answers request 1, 0 outstanding' <&4 || complain 'a response to a request without a frame does not name the request' serve
exec 4<&-
wait "$teller"
expect 3 'warpcheck differential: no selected case applies to both devices: .*' differential --random 2 reference "127.0.0.1:$port"
expect 1 '' run --peer "127.0.0.1:$port" --agent "$told" --profile shallow.lua --only '^mpa-initiator-00[1-7]$' --out claims
says '^CLAIM     ird: the device claims an IRD of 2, but offers 8 \(in mpa-initiator-007\)$'
[ "$(grep -c '^{"type":"claim","claim":"ird","case":"mpa-initiator-007",' claims/results.jsonl)" -eq 1 ] ||
    complain 'the claim is not reported exactly once' run --profile shallow.lua
expect 1 '' run --resume claims
says '; 1 wrong claim$'
[ "$(grep -c '^{"type":"claim",' claims/results.jsonl)" -eq 1 ] || complain 'the claim is lost' run --resume claims
# a reserved address, which no host has (RFC 1112 4)
expect 2 '' run --peer "127.0.0.1:$port" --agent "$told" --own-host 240.0.0.1 --only '^mpa-initiator-001$' --no-out
says '^ +because   the device did not connect: .*: does it reach this host by 240.0.0.1\?$'
kill "$minimal" "$server"

# Cases beyond the budget are not started and count as not tested; --resume runs them.
# If no case was begun, nothing was tested, whatever is accepted. A millisecond is sometimes enough to begin one: then once more.
for _ in $(seq 100); do
    rm -rf "$work/nothing"
    "$program" run --simulate --strength 2 --budget 0.001 --accept-untested --out "$work/nothing" >"$work/out" 2>&1
    code=$?
    grep -q '^[1-9][0-9]* cases: ' "$work/out" || break
done
[ "$code" -eq 2 ] || complain "exit $code instead of 2" run --budget 0.001
says '^0 cases: .*; [1-9][0-9]* not begun within the budget$'
expect 2 '' report "$work/nothing"
says '; [1-9][0-9]* not begun within the budget$'
expect 2 '' report --format html "$work/nothing"
says '<title>not fully judged: '
expect 2 '' report --bundle "$work/nothing.tar" "$work/nothing"
expect 2 '' verify-bundle "$work/nothing.tar"
says ': the embedded peer is NOT JUDGED: 0 inconclusive, 0 not tested, 0 in error, [1-9][0-9]* not run$'
expect 2 '' run --simulate --only '^mpa-crc-00[1-3]$' --jobs 1 --repeat 20 --budget 0.001 --out "$work/budget"
says '; [1-9][0-9]* not begun within the budget$'
expect 2 '' run --resume "$work/budget"
expect 3 'warpcheck run: --budget takes seconds up to 1000000, not 0' run --budget 0

exit "$failed"
