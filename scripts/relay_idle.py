#!/usr/bin/env python3
"""relay_idle.py WARPCHECK [CONNECTIONS [OPTION...]]: holds CONNECTIONS (10000) idle connections through `warpcheck relay`, with these
options of relay (--no-judge).

A relay needs two descriptors for each connection: several relays share them if the limit of open files is too low for one. Each
connection carries one octet in each direction, is idle for ten seconds, and carries one more; then its initiator closes. The relays
must have no descriptor too many at the end. Prints the memory, descriptors and processor time of the relays.
Exit code: 0 everything arrived, 1 something did not, 3 environment.
"""
import os
import resource
import selectors
import signal
import socket
import subprocess
import sys
import time

if len(sys.argv) < 2 or not os.access(sys.argv[1], os.X_OK):
    print(__doc__, file=sys.stderr)
    sys.exit(3)
program = os.path.realpath(sys.argv[1])
wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
options = sys.argv[3:] or ["--no-judge"]
IDLE_S = 10
RESERVE = 200 # descriptors of each process for other things

limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
of_each = min(wanted, (limit - RESERVE) // 2)


def echo(listener):
    """The device: sends back what it gets."""
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fileobj is listener:
                selector.register(listener.accept()[0], selectors.EVENT_READ)
                continue
            octets = key.fileobj.recv(64)
            if octets:
                key.fileobj.send(octets)
            else:
                selector.unregister(key.fileobj)
                key.fileobj.close()


class Group:
    """A relay with its device, a process, and its initiators."""

    def __init__(self, count):
        listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.device = os.fork()
        if self.device == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            echo(listener)
        port = listener.getsockname()[1]
        listener.close()
        self.relay = subprocess.Popen([program, "relay", "--quiet", "--listen", "127.0.0.1:0", "--to", f"127.0.0.1:{port}", *options],
                                      stdout=subprocess.PIPE, text=True)
        self.address = ("127.0.0.1", int(self.relay.stdout.readline().split(" to ")[0].rsplit(":", 1)[1]))
        self.before = self.memory(), self.descriptors()
        self.initiators = []
        for _ in range(count):
            self.initiators.append(socket.create_connection(self.address))
            self.initiators[-1].settimeout(60)
            self.exchange(self.initiators[-1])

    def memory(self):
        with open(f"/proc/{self.relay.pid}/status", encoding="ascii") as lines:
            return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.relay.pid}/fd"))

    def processor_s(self):
        with open(f"/proc/{self.relay.pid}/stat", encoding="ascii") as line:
            fields = line.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def exchange(self, initiator):
        initiator.sendall(b"x")
        if initiator.recv(1) != b"x":
            raise OSError("the octet did not come back")

    def close(self):
        for initiator in self.initiators:
            initiator.shutdown(socket.SHUT_WR)
            if initiator.recv(1) != b"":
                raise OSError("the FIN did not come back")
            initiator.close()

    def end(self):
        self.relay.send_signal(signal.SIGTERM)
        os.kill(self.device, signal.SIGTERM)
        os.waitpid(self.device, 0)
        self.relay.stdout.read()
        return self.relay.wait()


# This process has one descriptor for each initiator.
if wanted > limit - RESERVE:
    print(f"relay_idle.py: at most {limit - RESERVE} connections with {limit} open files", file=sys.stderr)
    sys.exit(3)
groups = []
while sum(len(group.initiators) for group in groups) < wanted:
    groups.append(Group(min(of_each, wanted - sum(len(group.initiators) for group in groups))))
failed = False
for number, group in enumerate(groups):
    count = len(group.initiators)
    memory, descriptors = group.memory() - group.before[0], group.descriptors() - group.before[1]
    print(f"relay {number + 1}: {count} connections, {memory * 1024 // count} octets of memory and "
          f"{descriptors / count:.2f} descriptors for each", flush=True)
before = [group.processor_s() for group in groups]
time.sleep(IDLE_S) # what is measured
for number, group in enumerate(groups):
    spent = group.processor_s() - before[number]
    print(f"relay {number + 1}: {spent:.2f} s of processor time in {IDLE_S} s without octets", flush=True)
    failed |= spent > 1
for number, group in enumerate(groups):
    for initiator in group.initiators:
        group.exchange(initiator)
    group.close()
    left = group.descriptors() - group.before[1]
    code = group.end()
    print(f"relay {number + 1}: {left} descriptors more after the last connection, exit {code}", flush=True)
    failed |= left > 2 * 64 or code not in (0, 2, 3) # the relay keeps 64 pipes
sys.exit(1 if failed else 0)
