#!/bin/sh
# warpcheck run without what it needs itself: an agent, a disk, a writable folder. The run ends at once with exit code 3 and one
# line; what was recorded stays, and --resume continues. Usage: environment_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
cd "$work" || exit 99

cases() { grep -c '^{"type":"case"' "$1/results.jsonl"; }
crc='^mpa-crc-00'

# An agent that gives sessions until the file `gone` exists; then its port is closed.
cat >agent.py <<'PYTHON'
import json, os, socket, sys
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", int(sys.argv[1])))
listener.listen(8)
print(listener.getsockname()[1], flush=True)
for _ in range(int(sys.argv[2])):
    session, _ = listener.accept()
    for line in session.makefile():
        request = json.loads(line)
        session.sendall(json.dumps({"id": request["id"], "version": 1, "agent": "mortal"}).encode() + b"\n")
    session.close()
PYTHON
mkfifo agent
begin_agent() { # PORT SESSIONS
    python3 agent.py "$1" "$2" >agent &
    agent=$!
    read -r told <agent
}
# shellcheck disable=SC2119 # no arguments
begin_serve

# An agent that cannot be resolved, or that does not run
expect 3 'warpcheck: agent nowhere\.invalid:1: .*' run --peer "127.0.0.1:$port" --agent nowhere.invalid:1 --insecure --only "$crc" --out unknown
[ ! -s out ] || complain 'has results without an agent' run --agent nowhere.invalid:1
# ... and one that goes away after two cases
begin_agent 0 2
expect 3 "warpcheck: agent 127\.0\.0\.1:$told: connection (refused|reset by peer)" run --peer "127.0.0.1:$port" --agent "$told" --no-preflight --tier none --only "$crc" --out gone
timeout 5 tail --pid="$agent" -f /dev/null 2>/dev/null
says '; interrupted: [1-9][0-9]* not run$'
[ "$(cases gone)" -eq 2 ] || complain "$(cases gone) results instead of 2" run --agent gone
tail -n 1 gone/results.jsonl | grep -q '"not_run":[1-9][0-9]*,.*"exit":3}$' || complain 'the summary does not tell that the run is broken' run
begin_agent "$told" 1000
expect 0 '' run --resume gone
says '^resumed: 2 cases had been finished$'
kill "$agent"

# A device that cannot be resolved
expect 3 'warpcheck: nowhere\.invalid:1: .*' run --peer nowhere.invalid:1 --only "$crc" --out nowhere

# The disk is full: for captures and logs, whose size is limited here ...
limited() { # OCTETS OPTION...
    limit=$1
    shift
    (ulimit -f $((limit / 512)) && exec "$program" run "$@") >out 2>err
    found=$?
    [ $found -eq 3 ] || complain "exit $found instead of 3" run "$@"
    [ "$(wc -l <err)" -eq 1 ] || complain "not one line: $(cat err)" run "$@"
    ! grep -q '^ERROR' out || complain 'the case is in error' run "$@"
}
mkdir large
cat >large/large.lua <<'LUA'
local function case(number, times)
  return {id = "large-00" .. number, title = "one", requirements = {"RFC5044-4.1-02"}, role = "responder", tier = "agent", run = function(dut)
    dut:post{count = times, size = 4096}
    local c = dut:connect{}
    for _ = 1, times do c:send{data = ("x"):rep(4096)} end
    for _ = 1, times do dut:received{} end
  end}
end
return {case(1, 1), case(2, 50), case(3, 1)}
LUA
limited 65536 --simulate --cases large --jobs 1 --out captures
grep -qE '^warpcheck: captures/large-002\.pcapng: File too large; recorded up to frame [0-9]+$' err || complain "said: $(cat err)" run
tail -n 1 captures/results.jsonl | grep -q '"exit":3}$' || complain 'no summary' run captures
expect 0 '' run --resume captures
says '^resumed: 1 case had been finished$'
says '^3 cases: 3 pass, '
# ... and for the results, which end with a complete line.
cat >many.py <<'PYTHON'
print("local cases = {}\nfor i = 1, 400 do cases[i] = {id = ('many-%03d'):format(i), title = 'one', requirements = {'RFC5044-4.1-02'},")
print("role = 'responder', tier = 'none', run = function(dut) pause(0.001) end} end\nreturn cases")
PYTHON
mkdir many && python3 many.py >many/many.lua
limited 32768 --simulate --cases many --out results
grep -qx 'warpcheck: results/results.jsonl: File too large' err || complain "said: $(cat err)" run
[ "$(tail -c 1 results/results.jsonl | wc -l)" -eq 1 ] || complain 'the last line is incomplete' run
finished=$(cases results)
[ "$finished" -gt 20 ] || complain "only $finished cases were recorded" run
[ "$finished" -lt 400 ] || complain 'the run went on' run
expect 0 '' run --resume results
says '^400 cases: 400 pass, '
expect 0 '' report results

# Folders and files that cannot be written
mkdir -p dir/results.jsonl dir/more
expect 3 'warpcheck: dir/results.jsonl: Is a directory' run --simulate --only "$crc" --out dir
[ ! -s out ] || complain 'ran cases whose results are lost' run --out dir
mkdir -p log/mpa-crc-002.log
expect 3 'warpcheck: log/mpa-crc-002.log: Is a directory' run --simulate --jobs 1 --only "$crc" --out log
says '^1 case: 1 pass, '
mkdir -p capture/mpa-crc-001.pcapng
expect 3 'warpcheck: capture/mpa-crc-001.pcapng: Is a directory' run --simulate --jobs 1 --only "$crc" --out capture
mkdir full && ln -s /dev/full full/results.jsonl.part
expect 3 'warpcheck: full/results.jsonl: No space left on device' run --simulate --only "$crc" --out full
[ ! -s out ] || complain 'ran cases whose results are lost' run --out full

# A shard without cases conforms only if other shards have cases.
# The same rule decides its report, its page and its bundle.
expect 0 '' run --only '^mpa-crc-001$' --shard 2/2 --simulate --out empty
says '^0 cases: .*; part 2 of 2 has none of the selected cases: 1 in all$'
expect 0 '' report empty
says '^empty: 0 cases: 0 pass, 0 fail; part 2 of 2 has none of the selected cases: 1 in all$'
expect 0 '' report --format html empty
says '<title>no cases in this part: empty - warpcheck</title>'
expect 0 '' report --format tap empty
says '^1\.\.0 # SKIP part 2 of 2 has none of the selected cases: 1 in all$'
echo 'mpa-crc-001 verdict=fail clause="RFC 5044 4.4" reason="known"' >known
expect 0 '' run --only '^mpa-crc-001$' --shard 2/2 --simulate --expect known --out expected
expect 0 '' report --bundle empty.tar empty
expect 2 '' verify-bundle empty.tar
says '^  selected    1 of [0-9]+ cases; this is part 2 of 2, with 0 of them$'
says '^  coverage .* 0 of [0-9]+ cases selected$'
says '^empty.tar: the embedded peer is NOT JUDGED: this is only a part of the run$'
expect 3 'warpcheck run: no case matches --only, --skip and --tier \(see warpcheck list cases\)' \
    run --only 'no such case' --shard 2/2 --simulate --no-out

kill "$server"
wait "$server"
exit "$failed"
