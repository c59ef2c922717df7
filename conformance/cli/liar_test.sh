#!/bin/sh
# `run` with agents that lie or end: the device gets no verdict. Usage: liar_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
cd "$work" || exit 99

mkdir cases
cat >cases/liar.lua <<'LUA'
local function case(id, run)
  return {id = id, title = "one", requirements = {"RFC5040-5.3-05"}, role = "responder", tier = "agent", run = run}
end
return {
  case("liar-001", function(dut) dut:region{size = 8} end),
  case("liar-002", function(dut) dut:received{timeout = 0.1} end),
  case("liar-003", function(dut) dut:received{timeout = false} end),
}
LUA

# An agent that misbehaves as its argument says, in its first session, which must not be that of the probe.
cat >agent.py <<'PYTHON'
import json, socket, sys

def answer(session, request, **members):
    session.sendall(json.dumps({"id": request["id"], **members}).encode() + b"\n")

def talk(session, lie):
    for line in session.makefile():
        request = json.loads(line)
        if request["op"] == "hello":
            answer(session, request, version=1, agent="liar\x1b[2J\nof words")
            if lie == "flood":
                session.sendall(b'{"event":"closed","connection":1,"how":"fin"}\n' * 65537)
            if lie == "heap":
                for _ in range(10):
                    session.sendall(b'{"event":"closed","more":[' + b"{}," * 349500 + b"{}]}\n")
        elif request["op"] == "register" and lie == "words":
            answer(session, request, error={"code": "memory", "text": "none\nFAIL      liar-009\x1b[2J"})
        elif request["op"] == "ping" and lie == "gone":
            return
        else:
            answer(session, request)

listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(8)
print(listener.getsockname()[1], flush=True)
lie = sys.argv[1]
while True:
    session, _ = listener.accept()
    try:
        talk(session, lie)
    except OSError:
        pass
    lie = ""
    session.close()
PYTHON

mkfifo served
"$program" serve --listen 127.0.0.1:0 --quiet >served &
server=$!
exec 3<served
read -r line <&3
device=${line#listening on }

# lies HOW CODE CASE 'PATTERN': runs the case with such an agent; expects the exit code and a matching line
lies() {
    mkfifo "pipe-$1" # a new pipe: a killed agent may hold the old one for a while
    python3 agent.py "$1" >"pipe-$1" &
    agent=$!
    read -r port <"pipe-$1"
    expect "$2" '' run --cases cases --only "$3" --peer "$device" --agent "$port" --no-preflight --out "$1"
    says "$4"
    says '^1 case: '
    ! grep -qP '\x1b' out || complain 'the output has an escape sequence' run --agent "$1"
}

lies nothing 2 liar-001 '^ +because +the agent reports no stag that is an integer$'
kill "$agent"
lies words 2 liar-001 '^ +because +register: none FAIL      liar-009\?\[2J$'
! grep -q '^FAIL' out || complain 'the text of the agent forged a verdict' run --agent words
head -n 1 words/results.jsonl | grep -qF '"agent":"liar?[2J of words"' || complain 'the name of the agent is recorded differently' run --agent words
kill "$agent"
# These cases wait without a timeout, so a slow machine changes nothing.
lies flood 2 liar-003 '^INCONCL   liar-003 .*: reports more events than the case takes$'
kill "$agent"
lies heap 2 liar-003 '^INCONCL   liar-003 .*: reports more events than the case takes$'
kill "$agent"

# If the agent ends, the case is inconclusive. A resumed run repeats the case with an agent.
lies gone 2 liar-002 '^INCONCL   liar-002 .*: has ended the session$'
expect 1 '' run --resume gone
says '^resumed: 0 cases had been finished$'
says '^ +because +the device delivered no message to its ULP$'
kill "$agent"

# The device gets no verdict either if --before fails.
expect 3 'warpcheck: the command of --before: exit code 5: not ready' \
    run --peer "$device" --only '^mpa-crc-001$' --before 'echo not ready; exit 5' --out unready
expect 2 '' run -v --peer "$device" --only '^mpa-crc-00[12]$' --before 'mkdir ready-once 2>/dev/null' --out unready
says '^pass      mpa-crc-001 '
rmdir ready-once
expect 0 '' run --resume unready
says '^resumed: 1 case had been finished$'
says '^2 cases: 2 pass, '

kill "$server"
wait "$server"
exit $failed
