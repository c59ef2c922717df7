#!/bin/bash
# What warpcheck run learns about --peer before the first case. Usage: preflight_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
cd "$work" || exit 99

# A server that behaves as its argument says.
cat >server.py <<'PYTHON'
import http.server, socket, sys, threading
kind = sys.argv[1]
reply = b"MPA ID Rep Frame"

def count():
    with open(f"connections-{kind}", "a") as connections:
        connections.write("one\n")

def answer(connection):
    if kind == "ssh":
        connection.sendall(b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n")
    if kind == "binary":
        connection.sendall(b"\x00\x1b[2J\x15\x03\x01")
    request = connection.recv(100)
    revision = request[17] if len(request) > 17 else 0
    if kind.startswith("revision-2") and revision == 2:
        connection.sendall(reply + b"\x50\x02\x00\x04\x00\x01\x00\x01")
    if kind == "reject":
        connection.sendall(reply + b"\x60\x01\x00\x00")
    if kind in ("ssh", "binary", "silent"):
        while connection.recv(100): # until the client closes
            pass

class Quiet(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

class Counted(http.server.HTTPServer):
    def get_request(self):
        connection = super().get_request()
        count()
        return connection

if kind == "http":
    server = Counted(("127.0.0.1", 0), Quiet)
    print(server.server_port, flush=True)
    server.serve_forever()
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
def handle(connection):
    try:
        answer(connection)
        connection.close()
    except OSError:
        pass
while True:
    connection = listener.accept()[0]
    count()
    threading.Thread(target=handle, args=(connection,), daemon=True).start()
PYTHON

# meets KIND CODE 'PATTERN' OPTION...: runs against such a server. A wrong port must be told within 3 s: so nothing but one answer, or
# the limit of 2.5 s for all connections, may be waited for, and there is a second connection only if the first one is closed
# without an answer. `timeout` leaves the rest of the time to a busy machine.
meets() {
    kind=$1 code=$2 pattern=$3
    shift 3
    mkfifo "at-$kind"
    python3 server.py "$kind" >"at-$kind" &
    server=$!
    read -r port <"at-$kind"
    timeout "${limit:-10}" "$program" run --peer "127.0.0.1:$port" --out "out-$kind" "$@" >out 2>err </dev/null
    found=$?
    kill "$server"
    wait "$server" 2>/dev/null
    [ $found -eq "$code" ] || complain "exit $found instead of $code: $(head -n 3 err out)" run --peer "$kind"
    if [ "$code" -eq 3 ]; then
        [ "$(wc -l <err)" -eq 1 ] || complain "not one line: $(cat err)" run --peer "$kind"
        grep -qxE "warpcheck: $pattern" err || complain "said: $(cat err)" run --peer "$kind"
        [ ! -e "out-$kind" ] || complain 'has results' run --peer "$kind"
        connections=$(wc -l <"connections-$kind") wanted=1
        [ "$kind" != close ] || wanted=2
        [ "$connections" -eq $wanted ] || complain "$connections connections instead of $wanted" run --peer "$kind"
    else
        says "$pattern"
    fi
}

host='127\.0\.0\.1:[0-9]+'
meets http 3 "$host is no iWARP responder: it answers an MPA Request with \"<!DOCTYPE HTML>\" \(--no-preflight ignores this\)"
meets ssh 3 "$host is no iWARP responder: it answers an MPA Request with \"SSH-2.0-OpenSSH_9.2p1 Debian-2\" .*"
meets binary 3 "$host is no iWARP responder: it answers an MPA Request with \"\?\?\[2J\?\?\?\" .*"
meets close 3 "$host closes the connection without an answer to an MPA Request of revision 1 or 2 .*"
meets silent 3 "$host: no answer to an MPA Request within 2.5 s .*"
expect 3 'warpcheck: 127\.0\.0\.1:1: connection refused' run --peer 127.0.0.1:1 --no-out
# Devices that speak MPA are tested.
meets reject 1 "^preflight: $host rejects a Request of revision 1: its Reply has revision 1$" --only '^mpa-startup-001$'
says '^no profile inferred: the device accepts no Request of revision 1 or 2; assumed: everything but flush, '
only_2="^preflight: $host accepts a Request of revision 2, but closes the connection without an answer to one of revision 1\$"
meets revision-2 1 "$only_2" --only '^mpa-startup-001$' --profile base
says '^FAIL      mpa-startup-001 '
limit=120 # a probe of a device that rejects most connections takes some
meets revision-2-inferred 1 "$only_2" --only '^mpa-startup-001$'
limit=
says '^profile inferred by probing: .* rev-1 rev-2 '
says '^rev-1 is added: the device accepted no Request of revision 1, but every device must$'
meets close-tested 1 '^FAIL      mpa-startup-001 ' --only '^mpa-startup-001$' --no-preflight

# The command of --before may start the device, and a device that only connects has no port. So nothing is connected to.
expect 3 'warpcheck: the command of --before: exit code 1' run --peer 127.0.0.1:1 --before 'exit 1' --only '^mpa-crc-001$' --no-out
expect 2 '' run --peer 127.0.0.1:1 --initiator 'exit 0 # {host} {port}' --only '^mpa-initiator-001$' --no-out
says '^INCONCL '

# A command that cannot be run ends the run: the fault is not the device's. Its results so far are kept.
missing='warpcheck: the command of --initiator cannot be run: .no-such-command \{host\} \{port\}.: exit code 127: .*not found'
expect 3 "$missing" run --role initiator --own-host 127.0.0.1 --initiator 'no-such-command {host} {port}' --out unstarted
[ ! -e unstarted/results.jsonl ] || complain 'has results' run --initiator no-such-command
echo 'exit 0' >script
expect 3 'warpcheck: the command of --initiator cannot be run: .\./script \{host\} \{port\}.: exit code 126: .*Permission denied' \
    run --role initiator --own-host 127.0.0.1 --initiator './script {host} {port}' --no-out
begin_serve
expect 3 "$missing" run --peer "127.0.0.1:$port" --tier none --only '^mpa-crc-001$|^mpa-initiator-' --initiator 'no-such-command {host} {port}' \
    --out started
[ "$(grep -c '"verdict":"pass"' started/results.jsonl)" -eq 1 ] || complain 'lost the first result' run --initiator no-such-command
end_serve INT
expect 3 "$missing" probe --own-host 127.0.0.1 --initiator 'no-such-command {host} {port}'

# The role of the device. One that only connects needs no --peer.
expect 0 '' run --simulate --role responder --only '^mpa-crc-001$|^mpa-initiator-001$' --no-out
says '^2 cases: 1 pass, 0 fail, 0 inconclusive, 1 not applicable, 0 error$'
says '^n/a +1 case: the device does not support the initiator role$'
expect 0 '' run --simulate --role both --only '^mpa-crc-001$|^mpa-initiator-001$' --no-out
says '^2 cases: 2 pass, '
expect 3 'warpcheck run: --role takes responder, initiator or both, not client' run --role client
root=$(cd "$here/../.." && pwd)
expect 0 '' run --role initiator --own-host 127.0.0.1 --rping --only '^rping-client-001$|^mpa-crc-001$' --no-out \
    --initiator "'$program' play --quiet '$root/generator/examples/rping_client.lua' --peer {host}:{port}"
says '^2 cases: 1 pass, 0 fail, 0 inconclusive, 1 not applicable, 0 error$'
# The exit code after the connection does not matter.
expect 0 '' run --role initiator --own-host 127.0.0.1 --rping --only '^rping-client-001$' --no-out \
    --initiator "'$program' play --quiet '$root/generator/examples/rping_client.lua' --peer {host}:{port}; exit 127"

# The inferred profile: a device without extensions does not fail for them, and a fault does not hide its cases.
profile() { head -n 1 "$1/results.jsonl" | grep -q "\"profile\":{$2" || complain "not the profile $2" run; }
begin_serve --extensions none
expect 0 '' run --peer "127.0.0.1:$port" --tier none --only 'crc-001|rdma-flush|rdma-verify|rdma-atomic|swap|immediate' --out plain
says '^profile inferred by probing: responder initiator rev-1 rev-2 markers no-crc crc-reports rtr-send rtr-write rtr-read sctp$'
says ' 0 fail, 0 inconclusive, [1-9][0-9]* not applicable, '
profile plain '"profile":"inferred","words":"inferred by probing the device","claims":\["responder","initiator",'
expect 0 '' run --resume plain
expect 0 '' run --peer "127.0.0.1:$port" --profile probe --tier none --only '^mpa-crc-00' --out probed
says '^profile inferred by probing: responder rev-1 rev-2 markers '
profile probed '"profile":"inferred"'
end_serve INT
begin_serve --defect marker-fpduptr
expect 1 '' run --peer "127.0.0.1:$port" --tier none --only '^mpa-marker-' --no-out
says '^profile inferred by probing: .* flush-persist flush-expose verify '
end_serve INT
expect 0 '' run --simulate --profile probe --only '^mpa-crc-00' --no-out
says '^profile inferred by probing: .* swap '
exit "$failed"
