#!/usr/bin/env python3
"""Makes the capture of each recipe, disguises it, and demands the right cause of `warpcheck explain`, or none.

Usage: causes_test.py WARPCHECK IW_WRAP VECTORS.json
"""
import collections
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

warpcheck, iw_wrap, vectors = sys.argv[1:4]
here = pathlib.Path(__file__).resolve().parent
failed = 0
counts = collections.Counter()
PORT = 2  # of the opener, in the TCP header


def complain(text):
    global failed
    failed += 1
    print(text)


# ---- captures ----

def read(path):
    octets = path.read_bytes()
    head, packets, at = octets[:24], [], 24
    while at < len(octets):
        second, micro, captured, whole = struct.unpack_from("<IIII", octets, at)
        packets.append((second * 1000000 + micro, octets[at + 16:at + 16 + captured], whole))
        at += 16 + captured
    return head, packets


def write(path, head, packets):
    with open(path, "wb") as out:
        out.write(head)
        for time, octets, whole in packets:
            out.write(struct.pack("<IIII", time // 1000000, time % 1000000, len(octets), whole) + octets)


def tcp(octets):
    """Where the TCP header begins, and the payload: Ethernet and IPv4 without options."""
    at = 14 + 4 * (octets[14] & 15)
    return at, at + 4 * (octets[at + 12] >> 4)


def add16(octets, at, old, new):
    """Changes a word of the TCP header, and its checksum as RFC 1624 says."""
    header, _ = tcp(octets)
    total, = struct.unpack_from(">H", octets, header + 16)
    total = (~total & 0xFFFF) + (~old & 0xFFFF) + new
    total = (total & 0xFFFF) + (total >> 16)
    total = (total & 0xFFFF) + (total >> 16)
    octets[at:at + 2] = struct.pack(">H", new)
    octets[header + 16:header + 18] = struct.pack(">H", ~total & 0xFFFF)


def with_ports(packets, change):
    changed = []
    for time, octets, whole in packets:
        octets = bytearray(octets)
        header, _ = tcp(octets)
        for at in (header, header + 2):
            old, = struct.unpack_from(">H", octets, at)
            add16(octets, at, old, change(old))
        changed.append((time, bytes(octets), whole))
    return changed


# ---- disguises: some keep every fact, others hide facts ----

def added(packets, chance):
    clean = with_ports(clean_packets, lambda port: port ^ 0x2000)
    begin = packets[0][0] - clean[0][0]
    both = packets + [(time + begin + 17, octets, whole) for time, octets, whole in clean]
    return sorted(both, key=lambda packet: packet[0])


def duplicates(packets, chance):
    copies = []
    for packet in packets:
        copies.append(packet)
        if chance.random() < 0.2:
            copies.append((packet[0] + 20, packet[1], packet[2]))
    return copies


KEEPING = {
    "plain": lambda packets, chance: packets,
    "ports": lambda packets, chance: with_ports(packets, lambda port: port ^ 0x1234),
    "added": added,
}
HIDING = {
    "duplicates": duplicates,
    "midstream": lambda packets, chance: packets[3:],
    "late": lambda packets, chance: packets[chance.randrange(4, max(5, len(packets) - 2)):],
    "cut": lambda packets, chance: packets[:-chance.randrange(1, 4)],
    "loss": lambda packets, chance: [packet for packet in packets if chance.random() > 0.1],
    "truncated": lambda packets, chance: [(time, octets[:80], whole) for time, octets, whole in packets],
}


# ---- explanations ----

# If a disguise hides what is special, this is true as well.
MORE_GENERAL = {"smb-byte-order": "startup-timeout"}


def explain(paths):
    """The stories of each file: one process reads all files."""
    result = subprocess.run(
        [warpcheck, "explain", "--format", "jsonl", "--chain", "none", *paths], capture_output=True, text=True)
    if result.returncode not in (0, 1, 2, 3):
        complain(f"{paths[0]}: exit code {result.returncode}: {result.stderr}")
    stories = [json.loads(line) for line in result.stdout.splitlines()]
    return [story for story in stories if story["type"] == "explanation"]


def check(name, disguise, port, cause, story):
    addresses = [story[side]["address"] for side in ("initiator", "responder", "side_a", "side_b") if side in story]
    ours = any(address.endswith(f":{port}") for address in addresses)
    first = story["causes"][0]["cause"] if story["causes"] else ""
    wanted = cause if ours and cause != "capture-offload" else ""
    must = ours and disguise in KEEPING
    right = first == wanted or (first == "" and not must) or (not must and first == MORE_GENERAL.get(wanted))
    if cause == "capture-offload" and must:
        right = right and [note["cause"] for note in story["notes"]] == [cause]
    counts["right" if ours and first == wanted else "none" if right else "wrong"] += ours or not right
    if not right:
        complain(f"{name}, {disguise}: {first or story['outcome']} instead of {wanted or 'no cause'}")
    if story["causes"] and not story["causes"][0]["frames"] and first != "out-of-order":
        complain(f"{name}, {disguise}: no evidence for {first}")


def recipe(path, work):
    lines = path.read_text().splitlines()
    cause = lines[0].removeprefix("# cause:").strip()
    port = next(int(line.split()[1]) for line in lines if line.startswith("port "))
    capture = work / (path.stem + ".pcap")
    subprocess.run([iw_wrap, vectors, path, capture], check=True)
    if capture.read_bytes() != path.with_suffix(".pcap").read_bytes():
        complain(f"{path}: iw_wrap makes another capture than the one beside it")
    return cause, port, capture


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    _, _, clean = recipe(here / "clean.wrap", work)
    _, clean_packets = read(clean)
    named = set()
    for path in sorted(here.glob("*.wrap")):
        cause, port, capture = recipe(path, work)
        named.add(cause)
        head, packets = read(capture)
        disguises = {}
        for disguise, change in (KEEPING | HIDING).items():
            disguised = str(work / f"{path.stem}.{disguise}.pcap")
            disguises[disguised] = disguise
            write(disguised, head, change(packets, random.Random(path.stem + disguise)))
        for story in explain(list(disguises)):
            disguise = disguises[story["file"]]
            check(path.stem, disguise, port ^ 0x1234 if disguise == "ports" else port, cause, story)
    rows = subprocess.run([warpcheck, "list", "causes", "--format", "jsonl"], capture_output=True, text=True, check=True)
    print("without a recipe:", *sorted({json.loads(row)["cause"] for row in rows.stdout.splitlines()} - named))
print(*(f"{count} {what}" for what, count in sorted(counts.items())))
sys.exit(1 if failed else 0)
