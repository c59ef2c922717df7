#!/usr/bin/env python3
"""Provokes causes on real TCP connections between two network namespaces, captures them, and demands that
`warpcheck explain` names them.

Usage: explain_real_test.py WARPCHECK
Exit code 77: this machine does not permit it; the reason is printed.
"""
import collections
import contextlib
import errno
import itertools
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

A, B = "10.77.0.1", "10.77.0.2"
SKIP = 77
SECONDS = 120  # for anything to happen, on a busy machine
OTHER_HOST = 3  # PACKET_OTHERHOST: a network card would ignore the frame
NOWHERE = "02:00:00:00:00:99"

if "--inside" not in sys.argv:
    for way in (["unshare", "-n"], ["unshare", "-rn"]):
        if subprocess.run([*way, "true"], capture_output=True).returncode == 0:
            os.execvp(way[0], [*way, sys.executable, *sys.argv, "--inside"])
    print("no network namespace: unshare -n is not permitted")
    sys.exit(SKIP)

warpcheck = os.path.abspath(sys.argv[1])
failed = 0
ports = itertools.count(20100)


def complain(text):
    global failed
    failed += 1
    print(text)


def run(*command, check=True):
    result = subprocess.run(command, capture_output=True, text=True)
    if check and result.returncode != 0:
        raise OSError(f"{' '.join(command)}: {result.stderr.strip()}")
    return result


# ---- two hosts ----

class Host:
    """A network namespace, which lives as long as a process in it."""

    def __init__(self):
        self.process = subprocess.Popen(
            ["unshare", "-n", "sh", "-c", "echo; exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process.stdout.readline()  # it has its namespace now

    def command(self, *command):
        return ["nsenter", "-t", str(self.process.pid), "-n", *command]

    def run(self, *command):
        return run(*self.command(*command))

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


OFFLOAD = """import array, fcntl, socket, struct, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
    for command in (0x1f, 0x24, 0x2c):  # ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO: off
        value = array.array("I", [command, 0])
        fcntl.ioctl(control, 0x8946, struct.pack("16sP", sys.argv[1].encode(), value.buffer_info()[0]))
"""


def set_up_b(host, mtu):
    host.run("ip", "addr", "add", B + "/24", "dev", "vb")
    host.run("ip", "link", "set", "lo", "up")
    host.run("ip", "link", "set", "vb", "up", "mtu", str(mtu))
    host.run("ip", "route", "replace", A + "/32", "dev", "vb", "advmss", "1448")
    host.run(sys.executable, "-c", OFFLOAD, "vb")


@contextlib.contextmanager
def network(mtu=1500):
    """This namespace is host A, and the other one host B. `mtu`: what B receives at most, unlike what it announces."""
    host = Host()
    try:
        run("ip", "link", "add", "va", "type", "veth", "peer", "name", "vb")
        run("ip", "link", "set", "vb", "netns", str(host.process.pid))
        run("ip", "addr", "add", A + "/24", "dev", "va")
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "set", "va", "up")
        run(sys.executable, "-c", OFFLOAD, "va")
        set_up_b(host, mtu)
        yield host
    finally:
        run("ip", "link", "del", "va", check=False)
        host.end()


# ---- capture ----

class Capture:
    """Writes the frames on va from and to a port of host B to a file, in a thread, until it is closed."""

    def __init__(self, path, port):
        self.port = struct.pack(">H", port)
        self.changed = threading.Condition()
        self.frames = []  # (sender is A, flags, sequence number, payload octets)
        self.window_closed_at = None  # us; the first of host B's latest segments with a window of 0
        self.window_closed_for = 0  # us
        self.file = open(path, "wb")
        self.file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.socket.bind(("va", 0))
        self.socket.settimeout(0.1)
        self.over = False
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def work(self):
        while True:
            try:
                frame, address = self.socket.recvfrom(65535)
            except TimeoutError:
                if self.over:  # and nothing is left
                    break
                continue
            except OSError as error:
                if error.errno == errno.ENETDOWN:  # reported once, while host B changes
                    continue
                raise
            if address[2] == OTHER_HOST or frame[12:14] != b"\x08\x00" or frame[23] != 6:
                continue
            at = 14 + 4 * (frame[14] & 15)
            if self.port not in (frame[at:at + 2], frame[at + 2:at + 4]):
                continue  # of an earlier connection, whose host A still tries
            now = time.time_ns() // 1000
            with self.changed:
                self.file.write(struct.pack("<IIII", now // 1000000, now % 1000000, len(frame), len(frame)) + frame)
                octets = struct.unpack_from(">H", frame, 16)[0] - (at - 14) - 4 * (frame[at + 12] >> 4)
                self.frames.append((frame[26:30] == socket.inet_aton(A), frame[at + 13], frame[at + 4:at + 8], octets))
                if frame[26:30] != socket.inet_aton(A):
                    self.note_window(now, frame[at + 14:at + 16] == b"\0\0" and not frame[at + 13] & 4)
                self.changed.notify_all()

    def note_window(self, now, closed):
        if not closed:
            self.window_closed_at = None
        elif self.window_closed_at is None:
            self.window_closed_at = now
        else:
            self.window_closed_for = max(self.window_closed_for, now - self.window_closed_at)

    def window_stays_closed(self):
        """Host B has refused window probes for a second."""
        return self.window_closed_for > 1000000

    def wait(self, condition):
        with self.changed:
            if not self.changed.wait_for(lambda: condition(self.frames), SECONDS):
                raise OSError("the expected segments did not come")

    def close(self):
        self.over = True
        self.thread.join()
        self.socket.close()
        self.file.close()


def flowing(frames):
    return sum(octets > 0 for _, _, _, octets in frames) > 60


def repeated(frames):
    """Host A has sent a segment five times."""
    return max(collections.Counter((seq, octets) for a, _, seq, octets in frames if a and octets > 1).values(), default=0) >= 5


def reset_by_b(frames):
    return any(not a and flags & 4 for a, flags, _, _ in frames)


# ---- conversations ----

@contextlib.contextmanager
def conversation(host, work, serve=(), load=(), change=lambda *region: region):
    """A responder on host B, a peer on host A that sends to it, and a capture of them."""
    port = next(ports)
    server = subprocess.Popen(host.command(warpcheck, "serve", "--listen", f"{B}:{port}", *serve),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    client = None
    try:
        line = " "
        while line and "--region" not in line:
            line = server.stdout.readline()
        if not line:
            raise OSError("serve ended")
        stag, to, octets = change(*(int(word, 0) for word in line.split()[-1].split(",")))
        threading.Thread(target=server.stdout.read, daemon=True).start()
        capture = Capture(work / "real.pcap", port)
        try:
            client = subprocess.Popen([warpcheck, "load", "--peer", f"{B}:{port}", "--region",
                                       f"{stag:#x},{to:#x},{octets}", *load],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            yield capture, server, client
        finally:
            if client is not None:
                client.kill()
                client.wait()
            capture.close()
    finally:
        server.kill()
        server.wait()


def explain(work):
    result = run(warpcheck, "explain", "--format", "jsonl", str(work / "real.pcap"), check=False)
    stories = [json.loads(line) for line in result.stdout.splitlines()]
    stories = [story for story in stories if story["type"] == "explanation"]
    if len(stories) != 1:
        complain(f"{len(stories)} connections: {result.stderr}")
        print(run(warpcheck, "explain", str(work / "real.pcap"), check=False).stdout)
    return stories[0] if stories else {"causes": [], "outcome": "no connection"}


def demand(name, story, *wanted):
    """Complains unless the first cause is one of `wanted`; "" stands for no cause."""
    first = story["causes"][0]["cause"] if story["causes"] else ""
    detail = story["causes"][0]["detail"] if story["causes"] else ""
    print(f"{name}: {first or story['outcome']}; {detail}")
    if first not in wanted:
        complain(f"{name}: {first or 'no cause'} instead of {' or '.join(wanted)}")


def lose_both_ways(host):
    """From now on both hosts send to a hardware address of no host; host B first, so that it answers no lost segment."""
    host.run("ip", "neigh", "replace", A, "lladdr", NOWHERE, "dev", "vb", "nud", "permanent")
    run("ip", "neigh", "replace", B, "lladdr", NOWHERE, "dev", "va", "nud", "permanent")


WRITES = ("--mix", "write", "--size", "4096", "--duration", "600", "--timeout", "600")
FEW_WRITES = (*WRITES, "--rate", "100")  # the window stays open
UNREAD_WRITES = (*WRITES, "--rate", "1000", "--verify", "0")  # none waits for a Read, so the window closes


def defect(name, load, cause):
    """The responder has a defect: a peer that is wrong is a cause, too."""
    with network() as host, conversation(host, work, serve=("--defect", name), load=load) as (capture, _, client):
        client.wait()
    demand(name, explain(work), cause)


def wrong_region(name, change, cause):
    """The peer writes to memory that the responder does not offer."""
    with network() as host, conversation(
            host, work, load=("--mix", "write", "--count", "8"), change=change) as (capture, _, client):
        client.wait()
    demand(name, explain(work), cause)


def host_silent():
    with network() as host, conversation(host, work, load=FEW_WRITES) as (capture, _, _):
        capture.wait(flowing)
        lose_both_ways(host)
        capture.wait(repeated)
    demand("host silent", explain(work), "peer-silent")


def black_hole():
    """Host B announces an MSS that its device does not take."""
    with network(mtu=600) as host, conversation(host, work, load=WRITES) as (capture, _, _):
        capture.wait(repeated)
    demand("black hole for large packets", explain(work), "mtu-black-hole")


def killed():
    """The kernel closes for a killed process: the capture shows which side, and no reason."""
    with network() as host, conversation(host, work, load=FEW_WRITES) as (capture, server, client):
        capture.wait(flowing)
        server.kill()
        client.wait()
    story = explain(work)
    demand("killed peer", story, "")
    if story.get("ended_by") != "responder":
        complain(f"killed peer: ended by {story.get('ended_by')}")


def stopped():
    """A process that does not run takes nothing out of TCP."""
    with network() as host, conversation(host, work, load=UNREAD_WRITES) as (capture, server, client):
        capture.wait(flowing)
        server.send_signal(signal.SIGSTOP)
        capture.wait(lambda frames: capture.window_stays_closed())
        server.send_signal(signal.SIGCONT)
    demand("stopped process", explain(work), "zero-window")


def restarted():
    """Another host B takes the place of the one with the connection."""
    with network() as host, conversation(host, work, load=FEW_WRITES) as (capture, _, _):
        capture.wait(flowing)
        again = Host()
        try:
            host.run("ip", "link", "set", "vb", "netns", str(again.process.pid))
            set_up_b(again, 1500)
            capture.wait(reset_by_b)
        finally:
            again.end()
    demand("restarted host", explain(work), "peer-rebooted")


def netem(profile):
    """What tc takes for a network of `run --network`."""
    for line in run(warpcheck, "list", "networks", "--format", "jsonl").stdout.splitlines():
        if json.loads(line)["network"] == profile:
            return json.loads(line)["netem"].split()
    raise KeyError(profile)


def lossy(profile, *causes):
    name, impairment = profile, netem(profile)
    with network() as host:
        result = run("tc", "qdisc", "add", "dev", "va", "root", "netem", *impairment, check=False)
        if result.returncode != 0:
            print(f"{name}: not tested: tc netem: {result.stderr.strip()}")
            return
        with conversation(host, work, load=("--mix", "write", "--size", "65536", "--count", "400")) as (_, _, client):
            client.wait()
    demand(name, explain(work), *causes)


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    try:
        with network():
            pass
        socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()
    except OSError as error:
        print(f"no network of two hosts: {error}")
        sys.exit(SKIP)
    killed()
    host_silent()
    black_hole()
    stopped()
    restarted()
    defect("crc-zero", ("--mix", "read", "--count", "8"), "crc-disagreement")
    defect("crc-first", ("--mix", "read", "--count", "8"), "crc-damage")
    defect("startup-silent", ("--mix", "read", "--count", "8"), "startup-timeout")
    defect("read-silent", ("--mix", "read", "--count", "8", "--timeout", "3"), "response-missing")
    wrong_region("unknown STag", lambda stag, to, octets: (stag ^ 0xFF00, to, octets), "stag-unknown")
    wrong_region("beyond the region", lambda stag, to, octets: (stag, to + octets, octets), "bounds")
    lossy("loss-5", "retransmissions")
    lossy("reorder", "out-of-order", "retransmissions")
sys.exit(1 if failed else 0)
