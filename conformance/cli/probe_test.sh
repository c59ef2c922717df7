#!/bin/sh
# probe_test.sh WARPCHECK: what `probe` finds about responders, initiators, and peers that are no iWARP device.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
root=$(cd "$here/../.." && pwd)
cd "$work" || exit 99

lacks() { ! grep -qE "$1" out || complain "unexpected '$1' in what it printed"; }

# ---- Immediate Data of a device that sends back what it gets ----

begin_serve --echo
expect 0 '' probe --peer "127.0.0.1:$port" --startup-limit 0
says '^  immediate = true,$'
says '^  -- immediate: the device sends it back, with and without Solicited Event$'
lacks startup_timeout
end_serve INT
begin_serve --echo --extensions none
expect 0 '' probe --peer "127.0.0.1:$port" --startup-limit 0
says '^  immediate = false,$'
says '^  -- immediate: Terminate 0/2/06, with and without Solicited Event$'
end_serve INT
# An rping server closes after a message that is no advert: nothing is claimed.
begin_serve --rping
expect 0 '' probe --peer "127.0.0.1:$port" --startup-limit 0
says '^  immediate = false,$'
says '^  -- immediate is unclear: the device closes the connection, without a Terminate, with and without Solicited Event$'
end_serve INT

# ---- the startup timeout ----

# In virtual time.
expect 0 '' probe
says '^  startup_timeout = 2,$'
says '^  -- startup_timeout after no Request: 2\.0 s; an incomplete Request: 2\.0 s$'
expect 0 '' probe --startup-limit 1
lacks '^  startup_timeout ='
says '^  -- startup_timeout after no Request: longer than 1 s; an incomplete Request: longer than 1 s$'
expect 3 'warpcheck probe: --startup-limit takes a number from 0 to 300, not 301' probe --startup-limit 301

# devices.py KIND: listens at a free port of 127.0.0.1, prints the port, and does this with each connection.
cat >devices.py <<'PYTHON'
import itertools, socket, sys, threading, time

kind = sys.argv[1]
messages = itertools.count(1) # connections with something after the Request

def request(c, timeout):
    """The Request, of at least 20 octets; fewer after the timeout, or at the end."""
    c.settimeout(timeout)
    octets = b""
    try:
        while len(octets) < 20:
            more = c.recv(4096)
            if not more:
                break
            octets += more
    except socket.timeout:
        pass
    return octets

def crc32c(octets):
    crc = 0xFFFFFFFF
    for octet in octets:
        crc ^= octet
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return (crc ^ 0xFFFFFFFF).to_bytes(4, "little")

def listen_only(c):
    """Until the other side ends, or a late device begins to react to messages."""
    c.settimeout(None)
    if c.recv(4096):
        count = next(messages)
        with open("messages", "w") as out:
            out.write(str(count))
        while (kind == "mute" or count < 3) and c.recv(4096):
            pass

def serve(c):
    try:
        if kind == "flood":
            while True:
                c.sendall(b"\0" * 65536)
        octets = request(c, 2 if kind == "two-seconds" else 1 if kind == "uneven" else None)
        if kind == "uneven" and 0 < len(octets) < 20:
            octets += request(c, 1)
        if kind == "silent":
            while c.recv(4096):
                pass
        elif kind == "http":
            c.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\nno\n")
        elif len(octets) >= 20 and octets[17] == 1: # Rev 1: a Reply with C=1
            c.sendall(b"MPA ID Rep Frame\x40\x01\0\0")
            while kind == "writes": # RDMA Writes of no octets (RFC 5040 4.2)
                message = b"\0\x0e\xc1\x40" + bytes(12)
                c.sendall((message + crc32c(message)) * 200)
                time.sleep(0.05)
            if kind in ("mute", "late"):
                listen_only(c)
            else:
                request(c, None)
    except OSError:
        pass
    c.close()

listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
PYTHON

begin_device() {
    mkfifo pipe
    python3 devices.py "$1" >pipe &
    device=$!
    read -r port <pipe
    rm pipe
}
end_device() {
    kill "$device"
    wait "$device" 2>/dev/null
}

# The device waits 2 s for both; then 1 s for a missing, and 2 s for an incomplete Request: the profile has the longer time.
begin_device two-seconds
expect 0 '' probe --peer "127.0.0.1:$port"
says '^  revisions = \{1\},$'
says '^  startup_timeout = 2,$'
end_device
begin_device uneven
expect 0 '' probe --peer "127.0.0.1:$port"
says '^  startup_timeout = 2,$'
says '^  -- startup_timeout after no Request: 1\.[0-4] s; an incomplete Request: 2\.[0-4] s$'
end_device

# A device that only sends: three attempts show it.
begin_device writes
expect 2 'warpcheck: the device sends messages without end, and reacts to none' probe --peer "127.0.0.1:$port"
end_device

# A device that accepts a Request, and is silent: three messages show it. One that reacts to the third is probed.
begin_device mute
expect 2 'warpcheck: the device accepts a Request, but reacts to no message' probe --peer "127.0.0.1:$port"
[ "$(cat messages)" -eq 3 ] || complain "needs $(cat messages) connections with messages" probe
end_device
begin_device late
expect 0 '' probe --peer "127.0.0.1:$port" --startup-limit 0
says '^  roles = \{"responder"\},$'
[ "$(cat messages)" -gt 3 ] || complain "sends messages in $(cat messages) connections only" probe
end_device

# ---- initiators ----

play="'$program' play --quiet"
initiator() {
    script=$1
    shift
    expect 0 '' probe --own-host 127.0.0.1 --startup-limit 0 --initiator "$play '$script' --peer {host}:{port}" "$@"
}
initiator "$root/generator/examples/rping_client.lua"
says '^  roles = \{"initiator"\},$'
says '^  -- as initiator: Request of revision 2, C=1, M=0; IRD 1, ORD 1; sends 1 send; Reply of revision 1: rejected; '
says '; Reply with C=0: accepted; Reply with M=1: accepted, with Markers$'
says '^  revisions = \{2\},$'
says '^  ird = 1,$'
says '^  markers = true,$'
says '^  crc_reports = true,$'

# Its ULP closes: that says nothing about the wrong CRC and the messages of the probe.
initiator "$root/generator/examples/send.lua"
says '^  revisions = \{1\},$'
says '; sends 3 send, 1 send_se; .*; reaction to a wrong CRC: not seen$'
says '^  flush = \{\},$'
lacks '^  (ird|ord|crc_reports) ='

# The peer-to-peer model: all RTR types that it offers are tried.
cat >p2p.lua <<'LUA'
local c = connect{rev = 2, peer_to_peer = true, rtr = {"send", "read"}, ird = 3, ord = 5, crc = false}
repeat until c:receive{timeout = 20}.kind == "close"
LUA
initiator p2p.lua
says '^  rtr = \{"send", "read"\},$'
says '^  -- as initiator: Request of revision 2, C=0, M=0; IRD 3, ORD 5; sends 1 read_request; '
says '^  crc = "if-asked",$'
says '^  ord = 5,$'
says '^  immediate = true,$'

# A device of revision 2 that continues after a Reply of revision 1, and sends no Markers.
cat >lenient.lua <<'LUA'
local c = tcp{auto = {responses = false}}
c:request{rev = 2, enhanced = true, ird = 2, ord = 0x3fff}
c:expect{{kind = "reply"}}
c:full{markers_out = false, crc = true}
c:send{data = "hello"}
c:receive{timeout = 20}
LUA
initiator lenient.lua
says '^  revisions = \{1, 2\},$'
says '; Reply of revision 1: accepted; Reply with C=0: accepted; Reply with M=1: no valid FPDU follows$'
says '^  markers = false,$'
says '^  ird = 2,$'
lacks '^  ord ='

# Its own timeout: an endpoint of a script gives up a startup after 5 s.
expect 0 '' probe --own-host 127.0.0.1 --initiator "$play '$root/generator/examples/send.lua' --peer {host}:{port}"
says '^  startup_timeout = 5,$'

# No device: a command that ends, a device that is silent, and one that speaks something else.
raw="exec python3 -c 'import socket, sys; s = socket.create_connection((\"{host}\", {port})); s.sendall(eval(sys.argv[1])); s.recv(1)'"
expect 3 'warpcheck: the command of --initiator has ended: exit code 3: no device' probe --own-host 127.0.0.1 \
    --initiator 'echo no device; exit 3 # {port}'
expect 2 'warpcheck: the device connects, but sends no MPA Request' probe --own-host 127.0.0.1 --initiator "$raw 'b\"\"'"
expect 2 'warpcheck: the device connects, but does not begin with an MPA Request' probe --own-host 127.0.0.1 \
    --initiator "$raw 'b\"GET / HTTP/1.0\" + b\" \" * 999999'"
expect 2 'warpcheck: the device connects, but accepts no Reply to its Request' probe --own-host 127.0.0.1 \
    --initiator "$raw 'b\"MPA ID Req Frame\\x40\\1\\0\\0\"'"
expect 3 'warpcheck probe: --initiator goes with --peer or --own-host' probe --initiator 'x {port}'
expect 3 'warpcheck probe: --initiator takes a command that contains \{host\} and \{port\}, the destination' \
    probe --own-host 127.0.0.1 --initiator x
expect 3 'warpcheck probe: --initiator is for a device without --agent' probe --agent 127.0.0.1:1 --initiator 'x {port}'

# Both roles: the values of the responder, and the revisions of both.
begin_serve --no-crc
initiator "$root/generator/examples/rping_client.lua" --peer "127.0.0.1:$port" --out both.lua
end_serve INT
cp both.lua out
says '^  roles = \{"responder", "initiator"\},$'
says '^  -- as initiator: Request of revision 2, C=1, '
says '^  revisions = \{1, 2\},$'
says '^  crc = "if-asked",$'
says '^  ird = 8,$'
expect 0 '' run --list --only '^mpa-crc-001$' --profile both.lua

# ---- commands that probe a device for which no profile is given ----

inferred='profile inferred by probing: responder initiator rev-1 rev-2 markers no-crc crc-reports rtr-send rtr-write rtr-read sctp'
extensions='^mpa-crc-001$|rdma-(flush|verify|immediate|atomic|swap)'
begin_serve --extensions none --agent 0
read -r agent <&3
expect 0 "$inferred" run --list --peer "127.0.0.1:$port" --only "$extensions" --format jsonl
[ "$(grep -c '"runs":"yes"' out)" -eq 1 ] || complain "not one case: $(cat out)" run --list
grep -qv '^{"case"' out && complain 'the list has other lines' run --list
expect 0 'no profile inferred: --before prepares the device for each case; assumed: .*' run --list --peer "127.0.0.1:$port" \
    --only '^mpa-crc-001$' --before true
expect 0 '' differential --only "$extensions" reference "127.0.0.1:$port"
says "^127\.0\.0\.1:$port: $inferred$"
says '^[1-9][0-9]* cases?: 0 differ$'
# The combinations are of what both devices have, whichever comes first.
expect 0 '' differential --strength 1 reference "127.0.0.1:$port,${agent#agent on 127.0.0.1:}"
says '^[1-9][0-9]* cases: 0 differ$'
mv out first
expect 0 '' differential --strength 1 "127.0.0.1:$port,${agent#agent on 127.0.0.1:}" reference
cmp -s first out || complain "not the same: $(cat first out)" differential
end_serve INT
# A list that does not depend on the device needs none.
expect 3 'warpcheck: 127\.0\.0\.1:1: connection refused' run --list --peer 127.0.0.1:1
expect 0 '' run --list --peer 127.0.0.1:1 --no-preflight
expect 0 '' run --list --peer 127.0.0.1:1 --profile base
expect 3 'warpcheck: 127\.0\.0\.1:1: connection refused' differential reference 127.0.0.1:1

# A fault is no missing ability: it differs.
begin_serve --defect marker-fpduptr
expect 1 '' differential --only '^mpa-marker-001$' reference "127.0.0.1:$port"
end_serve INT

# --profile probe also probes a device that only connects.
expect 0 '' run --profile probe --role initiator --own-host 127.0.0.1 --only '^mpa-initiator-001$' --no-out \
    --initiator "$play '$root/generator/examples/send.lua' --peer {host}:{port}"
says '^profile inferred by probing: initiator rev-1 markers crc-reports$'

# ---- no iWARP device ----

expect 3 'warpcheck: 127\.0\.0\.1:1: connection refused' probe --peer 127.0.0.1:1
for kind in http silent flood; do
    begin_device "$kind"
    expect 2 'warpcheck: the device accepts no Request of revision 1 or 2' probe --peer "127.0.0.1:$port"
    end_device
done

# ---- devices made of scripts ----

cat >device.lua <<'LUA'
local listener = listen{}
log("port", listener.port)

-- What each kind of device does with a connection.
local kinds = {}

-- Sends without end.
function kinds.chatty()
  local c = listener:accept{timeout = false}
  return function()
    while not c.closed do
      c:send{data = ("x"):rep(1000)}
      c:sent()
      pause(0)
    end
  end
end

-- Has no receive buffer.
function kinds.bufferless()
  listener:accept{timeout = false, receives = 0}
end

-- Closes after a Request of revision 1.
function kinds.second()
  local c = listener:tcp{timeout = false}
  return function()
    if c:expect{{kind = "request"}}.rev == 1 then return c:reset() end
    c:reply{}
    c:full()
    repeat until c:receive{timeout = 20}.kind == "close"
  end
end

-- Knows Immediate Data without Solicited Event only.
function kinds.half()
  local c = listener:accept{timeout = false, auto = {responses = false}}
  return function()
    local event
    repeat
      event = c:receive{timeout = 20}
      if event.kind == "immediate_se" then c:terminate{layer = 0, etype = 2, code = 6} end
      if event.kind == "read_request" then
        c:message{kind = "read_response", stag = event.sink_stag, to = event.sink_to}
      end
    until event.kind ~= "immediate" and event.kind ~= "read_request"
    c:close()
  end
end

while true do
  local done, talk = pcall(kinds[args.kind])
  if done and talk then spawn(pcall, talk) end
end
LUA

# probe_script KIND: probes such a device.
probe_script() {
    mkfifo pipe
    "$program" play device.lua --arg kind="$1" >pipe 2>play.err &
    device=$!
    exec 4<pipe
    rm pipe
    read -r _ _ port <&4
    cat <&4 >/dev/null &
    expect 0 '' probe --peer "127.0.0.1:$port" --startup-limit 0
    end_device
    exec 4<&-
}

# Messages of the ULP are no reaction to the probe.
probe_script chatty
says '^  markers = true,$'
says '^  crc_reports = true,$'
says '^  immediate = true,$'
says '^  atomics = true,$'

# DDP reports the missing buffer before RDMAP sees the opcode (RFC 5041 7.1): nothing is claimed.
probe_script bufferless
says '^  immediate = false,$'
says '^  -- immediate is unclear: Terminate 1/2/02, which is not about its opcode, with and without Solicited Event$'
says '^  atomics = true,$'

probe_script second
says '^  revisions = \{2\},$'
says '^  markers = true,$'
says '^  immediate = true,$'

probe_script half
says '^  immediate = false,$'
says '^  -- immediate is unclear: the device answers a Read Request after it; with Solicited Event: Terminate 0/2/06$'
exit "$failed"
