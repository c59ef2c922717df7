#!/usr/bin/env python3
"""An iWARP peer written from RFC 5040, 5041, 5044 and 6581 alone: either side of each scenario of a matrix (docs/matrix.md).

    peer.py responder --scenario size-4k --connections 1
    peer.py initiator --scenario size-4k --host 127.0.0.1 --port 4000 --size 4096 --count 10

The responder prints "listening on port N", and ends after its connections. The exit code is 0 if all went well; otherwise the
last line says what went wrong. It uses nothing but the standard library, and no code of warpcheck.
"""
import argparse
import secrets
import socket
import struct
import sys
import threading
import time

VERSION = "1.0"
TIMEOUT = 60  # seconds without an octet from the other side
READS = 8
MULPDU = 1400
DEPTH = 4  # IRD and ORD
PRIVATE = (b"0123456789" * 51)[:508]
READ_REQUEST, READ_RESPONSE, SEND, SEND_INVALIDATE, TERMINATE, WRITE = 1, 2, 3, 4, 7, 0
SENDS = {SEND: False, SEND_INVALIDATE: True, 5: False, 6: True}  # opcode: whether it invalidates


class Fault(Exception):
    pass


def crc_table():
    table = []
    for octet in range(256):
        for _ in range(8):
            octet = octet >> 1 ^ 0x82F63B78 * (octet & 1)
        table.append(octet)
    return table


CRC_TABLE = crc_table()


def crc32c(octets):
    crc = 0xFFFFFFFF
    table = CRC_TABLE
    for octet in octets:
        crc = crc >> 8 ^ table[(crc ^ octet) & 0xFF]
    return crc ^ 0xFFFFFFFF


class Stream:
    """TCP, with the Markers of full operation taken out and put in (RFC 5044 4.3)."""

    def __init__(self, connection):
        connection.settimeout(TIMEOUT)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection = connection
        self.waiting = b""
        self.received = self.sent = 0  # octets of full operation
        self.markers_in = self.markers_out = False

    def raw(self, count):
        while len(self.waiting) < count:
            octets = self.connection.recv(65536)
            if not octets:
                raise EOFError
            self.waiting += octets
        octets, self.waiting = self.waiting[:count], self.waiting[count:]
        return octets

    def close(self):
        """Sends a FIN and waits for the other side's."""
        self.connection.shutdown(socket.SHUT_WR)
        while self.connection.recv(65536):
            pass
        self.connection.close()

    def read_fpdu(self):
        """Returns its octets with Markers, and without. EOFError between two FPDUs is the end of the stream."""
        marked, plain, begin = b"", b"", self.received
        needed = 2
        while len(plain) < needed:
            if self.markers_in and self.received % 512 == 0:
                marker = self.raw(4)
                self.received += 4
                marked += marker
                pointer = struct.unpack(">HH", marker)[1] & ~3
                start = begin + 4 if begin % 512 == 0 else begin
                expected = 0 if self.received - 4 == begin else self.received - 4 - start
                if pointer != expected:
                    raise Fault(f"FPDUPTR is {pointer}, expected {expected}")
            count = needed - len(plain)
            if self.markers_in:
                count = min(count, 512 - self.received % 512)
            octets = self.raw(count)
            self.received += count
            marked += octets
            plain += octets
            if needed == 2 and len(plain) == 2:
                needed = (2 + struct.unpack(">H", plain)[0] + 3) // 4 * 4 + 4
        return marked, plain

    def write_fpdu(self, plain, crc):
        """`plain` is ULPDU_Length, ULPDU and PAD."""
        marked, begin = b"", self.sent
        start = begin + 4 if self.markers_out and begin % 512 == 0 else begin
        at = 0
        while at < len(plain) or (self.markers_out and self.sent % 512 == 0):
            if self.markers_out and self.sent % 512 == 0:
                marked += struct.pack(">HH", 0, 0 if self.sent == begin else self.sent - start)
                self.sent += 4
            count = len(plain) - at
            if self.markers_out:
                count = min(count, 512 - self.sent % 512)
            marked += plain[at:at + count]
            at += count
            self.sent += count
        marked += struct.pack("<I", crc32c(marked) if crc else 0)
        self.sent += 4
        self.connection.sendall(marked)


class Connection:
    """An RDMAP stream: startup, Sends, Reads, Writes, and the memory that the other side may use."""

    def __init__(self, connection, scenario):
        self.stream = Stream(connection)
        self.scenario = scenario
        self.crc = True
        self.ord = DEPTH
        self.sent_msn = {0: 0, 1: 0, 2: 0}
        self.got_msn = {0: 0, 1: 0, 2: 0}
        self.regions = {}  # STag: octets
        self.message = b""  # of the Send that is being received
        self.rtr = False  # the next FPDU of the initiator is its RTR

    # ---- startup (RFC 5044 7.1, RFC 6581) ----

    def frame(self, key, revision, flags, private, enhanced):
        if enhanced is not None:
            flags, private = flags | 0x10, struct.pack(">HH", *enhanced) + private
        self.stream.connection.sendall(key + struct.pack(">BBH", flags, revision, len(private)) + private)

    def read_frame(self, key):
        try:
            head = self.stream.raw(20)
            flags, revision, length = struct.unpack(">BBH", head[16:])
            private = self.stream.raw(length)
        except EOFError:
            raise Fault("the connection ended before its startup frame") from None
        if head[:16] != key:
            raise Fault(f"the Key is {head[:16]!r}")
        enhanced = None
        if revision >= 2 and flags & 0x10:
            if length < 4:
                raise Fault("S=1 without enhanced data")
            enhanced, private = struct.unpack(">HH", private[:4]), private[4:]
        return flags, revision, private, enhanced

    def connect(self):
        scenario = self.scenario
        enhanced, revision, flags = (DEPTH, DEPTH), 2, 0x40
        if scenario == "startup-rev1":
            revision, enhanced = 1, None
        if scenario == "startup-peer":  # A=1, and all types of RTR
            enhanced = (0xC000 | DEPTH, 0xC000 | DEPTH)
        if scenario == "startup-markers":
            flags |= 0x80
        if scenario == "startup-no-crc":
            flags &= ~0x40
        self.frame(b"MPA ID Req Frame", revision, flags, PRIVATE if scenario == "private-data" else b"", enhanced)
        theirs, their_revision, _, answer = self.read_frame(b"MPA ID Rep Frame")
        if theirs & 0x20:
            raise Fault("the responder rejects the connection")
        if their_revision != revision or (answer is None) != (enhanced is None):
            raise Fault(f"the Reply has revision {their_revision}, and {'no ' if answer is None else ''}enhanced data")
        self.begin(flags, theirs)
        if answer is not None:
            self.ord = min(DEPTH, answer[0] & 0x3FFF)
        if scenario == "startup-peer":
            if not answer[0] & 0x8000:
                raise Fault("the Reply has A=0")
            self.send_rtr(answer)

    def send_rtr(self, answer):
        if answer[1] & 0x8000:
            self.tagged(WRITE, 0, 0, b"")
        elif answer[1] & 0x4000:
            self.read_request(0, 0, 0, 0, 0)
            self.expect(READ_RESPONSE)
        elif answer[0] & 0x4000:
            self.untagged(SEND, 0, b"")
        else:
            raise Fault("the Reply accepts no type of RTR")

    def accept(self):
        theirs, revision, private, enhanced = self.read_frame(b"MPA ID Req Frame")
        if revision not in (1, 2):
            raise Fault(f"the Request has revision {revision}")
        if self.scenario == "private-data" and private != PRIVATE:
            raise Fault(f"{len(private)} octets of private data, expected the 508 of the scenario")
        answer = None
        if enhanced is not None:
            ird = max(1, enhanced[1] & 0x3FFF)
            answer = [min(ird, 0x3FFE), min(DEPTH, enhanced[0] & 0x3FFF)]
            self.ord = answer[1]
            if enhanced[0] & 0x8000:
                answer[0] |= 0x8000 | enhanced[0] & 0x4000
                answer[1] |= enhanced[1] & 0xC000
                self.rtr = True
        self.frame(b"MPA ID Rep Frame", revision, 0x40, b"", answer)
        self.begin(0x40, theirs)

    def begin(self, own, theirs):
        self.crc = bool((own | theirs) & 0x40)
        self.stream.markers_in, self.stream.markers_out = bool(own & 0x80), bool(theirs & 0x80)

    # ---- sending (RFC 5041 4, RFC 5040 4) ----

    def fpdu(self, ulpdu):
        octets = struct.pack(">H", len(ulpdu)) + ulpdu
        self.stream.write_fpdu(octets + bytes(-len(octets) % 4), self.crc)

    def tagged(self, opcode, stag, to, payload):
        at = 0
        while True:
            piece = payload[at:at + MULPDU - 14]
            last = at + len(piece) == len(payload)
            self.fpdu(struct.pack(">BBIQ", 0x81 | last << 6, 0x40 | opcode, stag, to + at) + piece)
            at += len(piece)
            if last:
                return

    def untagged(self, opcode, queue, payload, stag=0):
        self.sent_msn[queue] += 1
        self.fpdu(struct.pack(">BBIIII", 0x41, 0x40 | opcode, stag, queue, self.sent_msn[queue], 0) + payload)

    def read_request(self, sink_stag, sink_to, size, source_stag, source_to):
        self.untagged(READ_REQUEST, 1, struct.pack(">IQIIQ", sink_stag, sink_to, size, source_stag, source_to))

    # ---- receiving ----

    def register(self, size):
        stag = 0
        while stag == 0 or stag in self.regions:  # hard to guess: RFC 5040 8.1.1
            stag = secrets.randbits(32)
        self.regions[stag] = bytearray(size)
        return stag

    def place(self, stag, to, payload):
        region = self.regions.get(stag)
        if payload and (region is None or to + len(payload) > len(region)):
            raise Fault(f"{len(payload)} octets for STag {stag:#x}, TO {to:#x}, which are not offered")
        if payload:
            region[to:to + len(payload)] = payload

    def answer_read(self, payload):
        if len(payload) != 28:
            raise Fault(f"a Read Request of {len(payload)} octets")
        sink_stag, sink_to, size, source_stag, source_to = struct.unpack(">IQIIQ", payload)
        region = self.regions.get(source_stag)
        if size and (region is None or source_to + size > len(region)):
            raise Fault(f"a Read of STag {source_stag:#x}, TO {source_to:#x}, {size} octets, which are not offered")
        self.tagged(READ_RESPONSE, sink_stag, sink_to, bytes(region[source_to:source_to + size]) if size else b"")

    def take_tagged(self, last, opcode, stag, to, payload):
        if opcode not in (WRITE, READ_RESPONSE):
            raise Fault(f"a tagged segment with opcode {opcode}")
        self.place(stag, to, payload)
        return (opcode, stag, b"") if last and opcode == READ_RESPONSE else None

    def take_untagged(self, last, opcode, stag, queue, msn, offset, payload):
        if queue not in self.got_msn or msn != self.got_msn[queue] + 1:
            raise Fault(f"MSN {msn} on queue {queue}")
        if offset != len(self.message):
            raise Fault(f"MO {offset}, expected {len(self.message)}")
        self.message += payload
        if not last:
            return None
        message, self.message = self.message, b""
        self.got_msn[queue] = msn
        if opcode == READ_REQUEST and queue == 1:
            self.answer_read(message)
            return None
        if opcode == TERMINATE and queue == 2:
            raise Fault(f"the other side sends a Terminate: {message[:4].hex()}")
        if opcode not in SENDS or queue != 0:
            raise Fault(f"opcode {opcode} on queue {queue}")
        if SENDS[opcode] and self.regions.pop(stag, None) is None:
            raise Fault(f"it invalidates STag {stag:#x}, which is not valid")
        return opcode, stag, message

    def next(self):
        """The next (opcode, STag, message) of a Send or Read Response; None at the end of the stream."""
        while True:
            try:
                marked, plain = self.stream.read_fpdu()
            except EOFError:
                if self.stream.waiting:
                    raise Fault("the stream ends within an FPDU") from None
                return None
            if self.crc and struct.unpack("<I", plain[-4:])[0] != crc32c(marked[:-4]):
                raise Fault("wrong CRC")
            ulpdu = plain[2:2 + struct.unpack(">H", plain[:2])[0]]
            first, self.rtr = self.rtr, False
            event = self.take(ulpdu)
            if first and event == (SEND, 0, b""):
                continue  # the Send of length zero that is an RTR is not for the ULP
            if event is not None:
                return event

    def take(self, ulpdu):
        if len(ulpdu) < 14:
            raise Fault(f"an ULPDU of {len(ulpdu)} octets")
        control, operation = ulpdu[0], ulpdu[1]
        if control & 3 != 1 or operation >> 6 != 1:
            raise Fault(f"DDP version {control & 3}, RDMAP version {operation >> 6}")
        last, opcode = bool(control & 0x40), operation & 15
        if control & 0x80:
            return self.take_tagged(last, opcode, *struct.unpack(">IQ", ulpdu[2:14]), ulpdu[14:])
        if len(ulpdu) < 18:
            raise Fault(f"an untagged segment of {len(ulpdu)} octets")
        return self.take_untagged(last, opcode, *struct.unpack(">IIII", ulpdu[2:18]), ulpdu[18:])

    def expect(self, *opcodes):
        event = self.next()
        if event is None or event[0] not in opcodes:
            raise Fault(f"opcode {', '.join(map(str, opcodes))} expected, found {'the end' if event is None else event[0]}")
        return event


# ---- the conversation of rping ----

def text(ping, size):
    return (f"rdma-ping-{ping}: ".encode() + bytes(65 + (ping + i) % 58 for i in range(size)))[:size - 1] + b"\0"


def expect_go_ahead(c, stag):
    wanted = SEND_INVALIDATE if c.scenario == "invalidation" else SEND
    _, invalidated, message = c.expect(wanted)
    if len(message) != 16:
        raise Fault(f"a Send of {len(message)} octets, expected 16")
    if wanted == SEND_INVALIDATE and invalidated != stag:
        raise Fault(f"it invalidates STag {invalidated:#x}, expected {stag:#x}")


def initiate(options):
    c = Connection(socket.create_connection((options.host, options.port), TIMEOUT), options.scenario)
    c.connect()
    begun, ping = time.monotonic(), 0
    while ping < options.count or time.monotonic() - begun < options.seconds:
        source, sink = c.register(options.size), c.register(options.size)
        data = text(ping, options.size)
        c.regions[source][:] = data
        c.untagged(SEND, 0, struct.pack(">QII", 0, source, options.size))
        expect_go_ahead(c, source)
        kept = c.regions[sink]
        c.untagged(SEND, 0, struct.pack(">QII", 0, sink, options.size))
        expect_go_ahead(c, sink)
        if kept != data:
            raise Fault(f"ping {ping}: the sink does not hold what the source gave")
        c.regions.pop(source, None)
        c.regions.pop(sink, None)
        ping += 1
    c.stream.close()


def read(c, stag, to, size):
    pieces = READS if c.scenario == "reads" else 1
    length = size // pieces
    sink = c.register(size)
    asked = answered = 0
    while answered < pieces:
        if asked < pieces and asked - answered < c.ord:
            c.read_request(sink, asked * length, length, stag, to + asked * length)
            asked += 1
        else:
            c.expect(READ_RESPONSE)
            answered += 1
    return bytes(c.regions.pop(sink))


def go_ahead(c, stag):
    if c.scenario == "invalidation":
        c.untagged(SEND_INVALIDATE, 0, bytes(16), stag)
    else:
        c.untagged(SEND, 0, bytes(16))


def respond(c):
    c.accept()
    while True:
        event = c.next()
        if event is None:
            break
        if event[0] != SEND or len(event[2]) != 16:
            raise Fault("an advertisement of 16 octets expected")
        to, stag, size = struct.unpack(">QII", event[2])
        data = read(c, stag, to, size)
        go_ahead(c, stag)
        to, stag, size = struct.unpack(">QII", c.expect(SEND)[2])
        c.tagged(WRITE, stag, to, data[:size])
        go_ahead(c, stag)
    c.stream.close()


# ---- the program ----

faults = []


def guarded(function, *arguments):
    try:
        function(*arguments)
    except (Fault, OSError, struct.error) as error:
        faults.append(f"{type(error).__name__}: {error}")


def run(count, call):
    tasks = [threading.Thread(target=guarded, args=call()) for _ in range(count)]
    for task in tasks:
        task.start()
    for task in tasks:
        task.join()


def listen(options):
    listener = socket.create_server((options.host, options.port), backlog=128)
    print(f"listening on port {listener.getsockname()[1]}", flush=True)

    def serve():
        connection, _ = listener.accept()
        respond(Connection(connection, options.scenario))
    run(options.connections, lambda: (serve,))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("role", choices=("initiator", "responder"))
    parser.add_argument("--version", action="version", version=f"peer.py {VERSION}, Python {sys.version.split()[0]}")
    parser.add_argument("--scenario", required=True)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    for name, default in (("size", 64), ("count", 1), ("connections", 1), ("seconds", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    if options.role == "responder":
        listen(options)
    else:
        run(options.connections, lambda: (initiate, options))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
