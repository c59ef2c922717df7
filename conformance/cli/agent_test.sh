#!/bin/sh
# `run` with agents whose hello says what they cannot do: the cases that need it are not tested. Usage: agent_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
cd "$work" || exit 99

# An agent between the suite and that of the reference. It adds its argument, a JSON object, to the answer to hello, without
# the members that are null, and removes events that its list `events` lacks, and the data of `hidden` messages. Without `abilities`, it knows no right to
# invalidate.
cat >agent.py <<'PYTHON'
import json, socket, sys, threading

def copy(source, target, change):
    try:
        for number, line in enumerate(source.makefile("rb")):
            target.sendall(change(number, line))
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass # the other side has ended the session

def change(number, line):
    value = json.loads(line)
    events = more.get("events")
    if number == 0:
        value = {name: member for name, member in {**value, **more}.items() if member is not None}
    if events is not None and value.get("event", events[0]) not in events:
        return b""
    if value.get("message") in more.get("hidden", []):
        del value["data"]
    return json.dumps(value).encode() + b"\n"

def check(number, line):
    old = "abilities" in more and more["abilities"] is None
    return b"" if old and "invalidate" in json.loads(line).get("rights", []) else line

more = json.loads(sys.argv[2])
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    suite, _ = listener.accept()
    agent = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    threading.Thread(target=copy, args=(suite, agent, check), daemon=True).start()
    threading.Thread(target=copy, args=(agent, suite, change), daemon=True).start()
PYTHON

mkfifo served
"$program" serve --listen 127.0.0.1:0 --agent 0 --quiet >served &
server=$!
exec 3<served
read -r line <&3
device=${line#listening on }
while read -r line <&3; do
    case $line in 'agent on '*) reference=${line##*:} && break ;; esac
done

# says_hello NAME HELLO: starts such an agent; $agent is its port.
says_hello() {
    mkfifo "pipe-$1"
    python3 agent.py "$reference" "$2" >"pipe-$1" &
    process=$!
    read -r agent <"pipe-$1"
}

says_hello silent '{"events":["established","rejected","message","completed","closed"]}'
expect 2 '' run --peer "$device" --agent "$agent" --only '^rdma-terminate-taken-00[1-4]$' --no-out
says '^untested  4 cases: the agent cannot report the event "terminate"$'
expect 0 '' run --peer "$device" --agent "$agent" -v --only '^rdma-send-022$' --no-out
says '^pass      rdma-send-022 '
kill "$process"

says_hello whole '{"abilities":[]}'
expect 2 '' run --peer "$device" --agent "$agent" -v --only '^rdma-(close-00[78]|send-02[24]|invalidate-00[12])$' --no-out
says '^untested  2 cases: the device lacks the ability "half_close"$'
says '^untested  3 cases: the device lacks the ability "invalidate"$'
says '^pass      rdma-send-024 '
kill "$process"

says_hello hidden '{"hidden":["immediate"]}'
expect 2 '' run --peer "$device" --agent "$agent" --only '^rdma-immediate-001$' --no-out
says '^untested  .*the device cannot tell the octets of this message$'
kill "$process"

# An old agent, which does not know the right `invalidate`, can still do all of it.
expect 0 '' run --peer "$device" --agent "$reference" --only '^rdma-(close-00[78]|invalidate-00[12])$' --no-out
says '^4 cases: 4 pass, '
says_hello old '{"abilities":null}'
expect 0 '' run --peer "$device" --agent "$agent" --only '^rdma-(close-00[78]|invalidate-00[12])$' --no-out
says '^4 cases: 4 pass, '
kill "$process"

# The agent names the device: the results have that, unless an option names it.
says_hello named '{"device":"RNIC 9","firmware":"3.1","serial":"08\u001b15"}'
expect 0 '' run --peer "$device" --agent "$agent" --only '^mpa-crc-001$' --firmware 3.2 --out named
head -n 1 named/results.jsonl | grep -qF '"device":"RNIC 9","firmware":"3.2","serial":"08?15",' ||
    complain "begins with $(head -n 1 named/results.jsonl | cut -c 1-120)" run --agent named
expect 0 '' report --format junit named
says '<property name="device" value="RNIC 9"/>'
kill "$process"

# The agent names the port of the device, so it needs no --peer.
expect 0 '' run --agent "127.0.0.1:$reference" --only '^(rdma-send-022|mpa-crc-001)$' --out alone
says '^2 cases: 2 pass, '
head -n 1 alone/results.jsonl | grep -qF '"peer":"127.0.0.1"' || complain 'the peer is recorded differently' run --agent alone
expect 3 'warpcheck run: --rping goes with --peer' run --agent "127.0.0.1:$reference" --rping
says_hello portless '{"port":null}'
expect 3 'warpcheck: agent 127.0.0.1:[0-9]*: names no port of the device; --peer HOST:PORT does' \
    run --agent "127.0.0.1:$agent" --only '^rdma-send-022$' --no-out
expect 0 '' run --peer "$device" --agent "$agent" --only '^mpa-crc-001$' --no-out
kill "$process"

# Limits of the device: the lower one of its hello and its profile.
mkdir cases
cat >cases/limit.lua <<'LUA'
return {{id = "limit-001", title = "one", requirements = {"RFC5040-5.3-05"}, role = "responder", tier = "agent",
  run = function(dut)
    check(dut.profile.limits.private_data == 252, "private_data is that of the hello")
    check(dut.profile.limits.region == 4096, "region is that of the profile")
  end}}
LUA
echo 'return {limits = {region = 4096, private_data = 300}}' >limits.lua
says_hello limited '{"limits":{"private_data":252,"region":8192,"regions":"many"}}'
expect 0 '' run --cases cases --peer "$device" --agent "$agent" --profile limits.lua --no-out
kill "$process"

kill "$server"
wait "$server"
exit "$failed"
