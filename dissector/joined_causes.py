"""All captures of captures/causes as one, for tests of the plugin: each start of tshark takes long.

Each connection has ports of its own. The capture ends long after its last TCP segment."""
import pathlib
import struct

captures = sorted((pathlib.Path(__file__).resolve().parent.parent / 'captures/causes').glob('*.pcap'))

# ARP: who has 192.0.2.3? Tell 192.0.2.1.
ARP = bytes.fromhex('ffffffffffff' '020000000001' '0806' '0001080006040001' '020000000001' 'c0000201' '000000000000' 'c0000203')


def packets(capture):
    octets = capture.read_bytes()
    at = 24
    while at < len(octets):
        second, micro, captured, whole = struct.unpack_from('<IIII', octets, at)
        yield second, micro, whole, octets[at + 16:at + 16 + captured]
        at += 16 + captured


def join(path):
    """Writes the packets of all captures, one capture after another, and an ARP packet a minute later.

    Returns the name of the capture of each frame, from frame 1 on, in a list that begins with None.
    """
    names = [None]
    begin = 1700000000
    with open(path, 'wb') as out:
        out.write(captures[0].read_bytes()[:24])
        for capture in captures:
            first = None
            for second, micro, whole, octets in packets(capture):
                first = second if first is None else first
                latest = begin + second - first
                out.write(struct.pack('<IIII', latest, micro, len(octets), whole) + octets)
                names.append(capture.name)
            begin = latest + 2
        out.write(struct.pack('<IIII', latest + 60, 0, len(ARP), len(ARP)) + ARP)
    return names
