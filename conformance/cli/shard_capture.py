#!/usr/bin/python3
"""Writes a capture in three files: parallel iWARP connections with damaged FPDUs, lost segments, IP fragments, other traffic.

Usage: shard_capture.py IW_TRAFFIC FOLDER CONNECTIONS
"""
import os
import struct
import subprocess
import sys

traffic, folder, connections = sys.argv[1], sys.argv[2], int(sys.argv[3])
base = os.path.join(folder, "base.pcap")
subprocess.run([traffic, base, str(connections * 12), "64", f"connections={connections}", "drop=1009"], check=True)

with open(base, "rb") as file:
    octets = file.read()
os.unlink(base)
order = "<" if struct.unpack("<I", octets[:4])[0] in (0xA1B2C3D4, 0xA1B23C4D) else ">"
link = struct.unpack(order + "I", octets[20:24])[0]
assert link == 1, "Ethernet"


def packets():
    at = 24
    while at < len(octets):
        seconds, fraction, captured, _ = struct.unpack(order + "IIII", octets[at : at + 16])
        yield seconds, fraction, bytearray(octets[at + 16 : at + 16 + captured])
        at += 16 + captured


def checksum(data):
    data = bytes(data) + b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def seal_ip(packet):
    packet[24:26] = b"\0\0"
    packet[24:26] = struct.pack(">H", checksum(packet[14:34]))
    return packet


def seal_tcp(packet):
    segment = packet[34:]
    segment[16:18] = b"\0\0"
    pseudo = packet[26:34] + struct.pack(">HH", 6, len(segment))
    packet[50:52] = struct.pack(">H", checksum(pseudo + segment))
    return packet


def fragments(packet, number):
    """The two fragments of an IPv4 packet, the second first."""
    payload = packet[34:]
    parts = [(0, payload[:40], True), (40, payload[40:], False)]
    for offset, part, more in reversed(parts):
        head = bytearray(packet[:34])
        head[16:18] = struct.pack(">H", 20 + len(part))
        head[18:20] = struct.pack(">H", number & 0xFFFF)
        head[20:22] = struct.pack(">H", (0x2000 if more else 0) | offset // 8)
        yield seal_ip(head + part)


arp = bytes.fromhex("ffffffffffff0200000000010806") + bytes(28)


def changed():
    for number, (seconds, fraction, packet) in enumerate(packets(), 1):
        data = len(packet) - 54
        if data > 40 and packet[12:14] == b"\x08\0" and packet[14] == 0x45:
            if number % 211 == 0:
                packet[-1] ^= 1  # a CRC error that TCP did not notice
                seal_tcp(packet)
            elif number % 997 == 0:
                packet[-1] ^= 1  # damage that the checksum of TCP shows
            if number % 97 == 0:
                for part in fragments(packet, number):
                    yield seconds, fraction, part
                continue
        yield seconds, fraction, packet
        if number % 503 == 0:
            yield seconds, fraction, arp
        if number % 1501 == 0:
            yield seconds, fraction, packet[:40]  # truncated in the TCP header


everything = list(changed())
third = len(everything) // 3 + 1
for part in range(3):
    with open(os.path.join(folder, f"big-{part + 1}.pcap"), "wb") as file:
        file.write(octets[:24])
        for seconds, fraction, packet in everything[part * third : (part + 1) * third]:
            file.write(struct.pack(order + "IIII", seconds, fraction, len(packet), len(packet)) + packet)
