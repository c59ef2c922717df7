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
ICMP = 1  # IP protocol


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
    """Where the TCP header begins, and the payload: Ethernet and IPv4 without options. An ICMP error has the header of the segment that it
    is about."""
    at = 14 + 4 * (octets[14] & 15)
    if octets[23] == ICMP:
        return at + 8 + 20, len(octets)
    return at, at + 4 * (octets[at + 12] >> 4)


def add16(octets, at, old, new):
    """Changes a word of the TCP header, and its checksum as RFC 1624 says."""
    header, _ = tcp(octets)
    if octets[23] == ICMP:  # it has no checksum of TCP
        octets[at:at + 2] = struct.pack(">H", new)
        return
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


def mirrored(packets, chance=None):
    """Each packet twice, as two mirror ports give it."""
    return [(time + delay, octets, whole) for time, octets, whole in packets for delay in (0, 2)]


def mirrored_after(delay, packets):
    """The same with a delay between them, in microseconds."""
    return sorted(packets + [(time + delay, octets, whole) for time, octets, whole in packets], key=lambda packet: packet[0])


KEEPING = {
    "plain": lambda packets, chance: packets,
    # the port of SMB Direct says what the private data are
    "ports": lambda packets, chance: with_ports(packets, lambda port: port if port == 5445 else port ^ 0x1234),
    "added": added,
    "duplicates": duplicates,
    "mirrored": mirrored,
    "mirrored late": lambda packets, chance: mirrored_after(400, packets),
    "mirrored later": lambda packets, chance: mirrored_after(2500, packets),
}
HIDING = {
    "midstream": lambda packets, chance: packets[3:],
    "late": lambda packets, chance: packets[chance.randrange(4, max(5, len(packets) - 2)):],
    "cut": lambda packets, chance: packets[:-chance.randrange(1, 4)],
    "loss": lambda packets, chance: [packet for packet in packets if chance.random() > 0.1],
    "truncated": lambda packets, chance: [(time, octets[:80], whole) for time, octets, whole in packets],
}

# What a capture of the clean connection lacks, by its note. Nothing wrong is seen, so the exit code is 2.
LACKING = {
    "capture-one-direction": lambda packets: [packet for packet in packets if packet[1][26:30] == packets[0][1][26:30]],
    "capture-late": lambda packets: packets[5:],
    "capture-loss": lambda packets: packets[:7] + packets[8:],
    "capture-cut": lambda packets: [(time, octets[:100], whole) for time, octets, whole in packets],
}

# What a side did not send shows nothing if the capture has no packets of it.
ABSENCE = {"peer-silent", "keep-alive-death", "mtu-black-hole", "peer-rebooted", "response-missing", "response-stopped", "queue-full"}

# ---- the same cause under another upper protocol ----

# Whose startup frames and first Sends: a recipe and its port.
PROTOCOLS = {"rpc": ("rpc", 43001), "iser": ("iser", 43118), "nvme": ("other", 43204), "smb": ("other", 43206)}
HEADER = 36  # digits of the DDP and RDMAP headers of a Send


def first_messages(name, port):
    """The private data and the first Send of each side, as digits."""
    lines = (here.parent / "upper" / f"{name}.wrap").read_text().split(f"port {port} ")[1].splitlines()[1:]
    startup = {line[0]: line[6:][40:] for line in reversed(lines) if line[1:6] == " hex:"}
    send = {line[0]: line[7:][HEADER:] for line in reversed(lines) if line[1:9] == " fpdu:41" and line[10] in "34"}
    return startup, send


def octets_of(line):
    """The octets of a segment with one FPDU whose ULPDU is plain digits and '+'."""
    digits = len(line.split("fpdu:")[1].replace("+00*4", "00000000").replace("+", "")) // 2
    return (2 + digits + 3) // 4 * 4 + 4


def under(lines, protocol):
    """The recipe with the startup frames and first Sends of the protocol; None if it has private data of its own."""
    startup, send = first_messages(*PROTOCOLS[protocol])
    grown, done, changed = {">": 0, "<": 0}, set(), []
    for line in lines:
        side = line[:1]
        if line[1:].startswith(" hex:4d5041"):
            rev, length = int(line[6:][34:36], 16), int(line[6:][36:40], 16)
            if length > (4 if rev == 2 else 0):
                return None
            added_octets = len(startup[side]) // 2
            line = line[:42] + f"{length + added_octets:04x}" + line[46:] + startup[side]
            grown[side] += added_octets
        elif side not in done and line[1:] == " fpdu:4143+00*4+00000000+00000001+00000000+68656c6c6f":
            longer = line.replace("68656c6c6f", send[side])
            grown[side] += octets_of(longer) - octets_of(line)
            line, done = longer, done | {side}
        words = line.split(" ")
        for at, word in enumerate(words[:-1]):
            if side in grown and word in ("at", "ack"):
                words[at + 1] = str(int(words[at + 1]) + grown[side if word == "at" else "><"[side == ">"]])
        changed.append(" ".join(words))
    return changed


# ---- explanations ----

# What each recipe needs to be explained, in frames of its capture: all of the items of a text. `a|b`: one of them; `2of:a|b|c`:
# so many of them; `a+b`: both, as one of such a choice; `a~`: captured, even if truncated. If a disguise takes one away, the octets that are left
# do not prove the cause, for the reason given; "not known" is then the right answer.
STARTUP = "the startup frames say whether CRCs and Markers are in use, and where FPDUs begin"
COMPLETE = "nothing may be missing, as what is missing could explain it otherwise"
TERMINATE = "only the Terminate with the header that it includes says so"
PROOF = {
    "both_wait": ("4 5 6~|8~ 7~|8~", "both startup frames, that the Reply arrived, and how long nothing followed"),
    "bounds": ("10", TERMINATE),
    "call_unanswered": ("4 5 6 7~|8~|9~ 9~", COMPLETE),
    "call_unanswered_fragments": ("4 5 6 7 8 9 10 11 12~|13~", COMPLETE),
    "call_unanswered_lock": ("4 5 6 7 8 10~|11~ 11~", COMPLETE),
    "call_unanswered_minutes": ("4 5 6 8~|9~", COMPLETE),
    "call_unanswered_open": ("4 5 6 7~ 8~|9~|10~|11~|12~|13~", COMPLETE),
    "call_unanswered_reset": ("4 5 6 8~", COMPLETE),
    "connect_prohibited": ("2~|4~ 7 8", "an ICMP error about a SYN, and the startup frames of the other connection"),
    "connect_refused": ("1~ 2~ 6 7", "the SYN, the RST, and the startup frames of the other connection"),
    "connect_unanswered": ("1~|2~|3~ 7 8", "a SYN, and the startup frames of the other connection"),
    "crc_byte_order": ("4 5 6", STARTUP + "; after a gap only a right CRC does"),
    "crc_both": ("4 5 6", STARTUP + "; after a gap only a right CRC does"),
    "crc_crc32": ("4 5 6", STARTUP + "; after a gap only a right CRC does"),
    "crc_crc32_ten": ("4 5 6", STARTUP + "; after a gap only a right CRC does"),
    "crc_damage": ("4 5 6 8", STARTUP),
    "crc_damage_pad": ("4 5 6 13 14|15|16|17", STARTUP + "; and that other CRCs are right"),
    "crc_init": ("4 5 6", STARTUP + "; after a gap only a right CRC does"),
    "crc_most_wrong": ("4 5 6 8 18", STARTUP + "; and the Terminate"),
    "crc_other_pad": ("4 5 6 8", STARTUP),
    "crc_receiver": ("4 5 6 8 9~", "the CRCs of all FPDUs of the sender, and the Terminate"),
    "crc_stale_pad": ("4 5 6 8", STARTUP),
    "crc_without_length": ("4 5 6", STARTUP + "; after a gap only a right CRC does"),
    "crc_without_markers": ("4 5 6 7 8", STARTUP + "; and that more than one is wrong in the same way"),
    "crc_xorout": ("4 5 6", STARTUP + "; after a gap only a right CRC does"),
    "crc_zero_half": ("4 5 6 2of:9|11|13|15|17", STARTUP + "; and that more than one is 0"),
    "crc_zero": ("4 5 6", STARTUP + "; after a gap only a right CRC does"),
    "foreign_reset": ("2~ 5~ 7~ 9~", "three segments of the responder, the last of them directly before, and the RST"),
    "foreign_reset_late": ("2~ 5~ 7~ 9~", "three segments of the responder, and the RST"),
    "foreign_reset_startup": ("2~ 5~ 6~ 7~", "three segments of the responder, the last of them directly before, and the RST"),
    "host_prohibited": ("7~ 8~|10~|12~ 9~|11~|13~", "that earlier octets were acknowledged, an unacknowledged segment, and an ICMP error about it"),
    "host_unreachable": ("7~ 9~|12~ 8~|10~|11~|13~", "that earlier octets were acknowledged, an unacknowledged segment, and an ICMP error about it"),
    "idle_timeout": ("4 5 6 7 9~ 10~ 11~", "that no request was outstanding before the silence, who closed, and that the other side went on"),
    "ird_exceeded": ("11", TERMINATE),
    "keep_alive": ("3of:9~|10~|11~|12~", "three probes"),
    "local_error": ("9~", "only the Terminate says so"),
    "marker_misplaced": ("4 5 6", STARTUP),
    "marker_shifted": ("4 5 6 7", STARTUP + "; and the Marker"),
    "marker_unasked": ("4 5 6", STARTUP),
    "msn_receiver": ("4 5 6 8 9", COMPLETE),
    "msn_sender": ("6 8 9", "the MSNs before the wrong one, and the Terminate"),
    "msn_sender_earlier": ("6 8 9 10", "the wrong MSN, the rejected one, and the Terminate"),
    "mtu_black_hole": ("6~ 4of:8~|9~|11~|13~|15~ 7~|10~|12~|14~|16~", "three copies, and that smaller ones arrive"),
    "mtu_probing": ("10~ 3of:11~|12~|13~|14~ 15~ 16~ 17~", "three large copies, the smaller one, and that it arrived"),
    "mtu_reported": ("7~ 4of:8~|10~|11~|12~|13~ 9~", "three copies, and the ICMP error"),
    "no_receive_buffer": ("10", TERMINATE),
    "offload": ("1~ 2~ 8~", "the MSS and a larger segment"),
    "out_of_order": ("8of:" + "|".join(f"{n}~+{n + 1}~+{n + 2}~+{n + 3}~" for n in range(8, 47, 4)), "eight holes"),
    "out_of_order_over": ("4 5 6 7 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36 38 40 42 44 46 49 50 52~|53~", COMPLETE),
    "path_dead": (
        "4of:8~|9~|10~|11~|12~ 13~|14~ 2of:13~|15~|17~|19~",
        "three copies, and that the other host sends again what was acknowledged"),
    "peer_rebooted": ("7~ 8~ 9~", "the live connection, the segment, and the RST that answers it"),
    "peer_rebooted_late": ("7~ 13~ 14~", "the live connection, the segment, and the RST that answers it"),
    "peer_rebooted_syn": ("4 5 6~ 8~ 9~ 10~", "the startup, octets of the initiator, its second SYN, the answer, and the RST"),
    "peer_silent": ("7~ 4of:8~|9~|10~|11~|12~", "three copies, and that all octets before them were acknowledged"),
    "peer_silent_startup": ("2~ 4of:4~|5~|6~|7~|8~", "three copies, and that all octets before them were acknowledged"),
    "private_data_own": ("5", "the Reply"),
    "protocol_violation": ("8 9", "the violation and the Terminate"),
    "queue_full": ("4 5 6 7 8 9 11~|12~", COMPLETE),
    "read_sink_again": ("9 10 11 12", "the invalidation, the Read after it, the response, and the Terminate"),
    "read_response_longer": ("4 5 6 7 8 9 10", COMPLETE),
    "read_sink_invalidated": ("8 9 10 11", "the Read, the invalidation of its Data Sink, the response, and the Terminate"),
    "read_sink_other": ("4 5 6 7 8 9 10", COMPLETE),
    "read_sink_forgotten": (" ".join(map(str, range(4, 39))), COMPLETE),
    "read_sink_rights": ("4 5 6 7 8 9 10", COMPLETE),
    "read_sink_rights_late": (" ".join(map(str, range(4, 37))), COMPLETE),
    "read_sink_rights_rdmap": ("10", TERMINATE),
    "read_sink_swapped": ("4 5 6 7 8 9 10", COMPLETE),
    "read_unrequested": ("4 5 6 7 8 9", COMPLETE),
    "reconnected": ("4 5 6 7 8 9 15 16 17 18 19 20", COMPLETE),
    "request_missing": ("1~ 2~ 4~ 10 11", "both SYNs, who closed, and the startup frames of the other connection"),
    "response_missing": ("4 5 6 7 8 10~|11~", COMPLETE),
    "response_missing_open": ("4 5 6 7 8 11~|12~|13~|14~|15~|16~", COMPLETE),
    "response_stopped": ("4 5 6 7 8 9 11~|12~", COMPLETE),
    "response_stopped_reader": ("4of:10~|11~|12~|13~ 8~", "three copies, and that all octets before them were acknowledged"),
    "response_stopped_nfs": ("4 5 6 7 8 10~|11~", COMPLETE),
    "retransmissions": ("4of:8~|10~|12~|14~|16~", "three copies"),
    "rights": ("11", TERMINATE),
    "rights_as_invalid_stag": ("8 10 11", "the use that was accepted, the one that was not, and the Terminate"),
    "roce": ("1~|2~", "a frame of RoCE"),
    "roce_one": ("1~", "the frame of RoCE"),
    "rtr_missing": ("4 5 6~|8~ 7~|8~", "both startup frames, that the Reply arrived, and how long nothing followed"),
    "rtr_missing_lost": ("4 5 6~ 7~", "both startup frames, that the Reply arrived, and how long nothing followed"),
    "rtr_part": ("", "no failure is proven"),
    "send_too_long": ("9~", "only the Terminate says so"),
    "smb_byte_order": ("4 6~|7~", "the private data"),
    "stag_advertised_again": ("4 5 6 7 8 9 10 11", "both calls, the reply between them, and the Terminate"),
    "stag_again_captured_late": ("9 10 11 12", "the invalidation, the use after it, what was sent before it, and the Terminate"),
    "stag_invalidated": ("9 10 11", "the invalidation, the use after it, and the Terminate"),
    "stag_perhaps_again": ("10 11 12 13", "the invalidation, the use after it, and the Terminate"),
    "stag_unknown": ("4 5 6 7 8 9", COMPLETE),
    "stag_unknown_crossing": ("4 5 6 7 8 9 10 11", COMPLETE),
    "stag_unknown_read": ("4 5 6 7 8 9", COMPLETE),
    "stag_unknown_repeated": ("4 5 6 7 8 9 10", COMPLETE),
    "stag_unknown_unanswered": ("4 5 6 7 8 9 10", COMPLETE),
    "stag_withdrawn": ("6 8 9 11 12", "the accepted use, the rejected one, and that no Send of the initiator invalidated it"),
    "stag_withdrawn_advertised": ("4 5 6 7 8", COMPLETE),
    "stag_withdrawn_sink": ("9 10 12", "the accepted response, the second Read, and the Terminate"),
    "stag_withdrawn_unwritten": ("4 5 6 7 8", COMPLETE),
    "stag_withdrawn_written": ("8 9 10 11", "the accepted Write, the Read, its response, and the Terminate"),
    "startup_both_request": ("4 5", "both Requests"),
    "startup_closed": ("1~ 2~ 4 5~", "from where on the responder sends octets, and that it closed"),
    "startup_closed_revision": ("1~ 2~ 4 5~ 19 20", "that the responder closed, and the startup frames of the connection that it accepted with Rev 2"),
    "startup_closed_early": ("1~ 2~ 4~ 5", "from where on the responder sends octets, and that it closed before the Request"),
    "startup_idle": ("", "no failure is proven"),
    "startup_key_reply": ("1~ 2~ 4 5 7~", "that the answer is the first that the responder sent, and who closed"),
    "startup_part_of_fpdu": ("", "no failure is proven"),
    "startup_part_of_reply": ("", "no failure is proven"),
    "startup_part_of_responder": ("", "no failure is proven"),
    "startup_private_data": ("5", "the Reply"),
    "startup_private_length": ("1~ 2~ 4 6~", "the Request, and that the responder closed"),
    "startup_rejected": ("5", "the Reply"),
    "startup_resources": ("6~", "the Terminate"),
    "startup_resources_fit": ("4 5 6", "both startup frames, and the Terminate"),
    "startup_revision": ("4 5", "the Rev of both frames"),
    "startup_revision_closed": ("1~ 2~ 4 5~ 10 11", "that the responder closed, and the startup frames of the connection that it accepted"),
    "startup_timeout": ("1~ 4 5~|7~ 6~|7~", "from where on octets were sent, that the Request arrived, and how long no Reply came"),
    "startup_timeout_lost": ("1~ 4 5~ 6~", "from where on octets were sent, that the Request arrived, and how long no Reply came"),
    "terminates_cross": ("4 5 6 7 8 9 10 11", COMPLETE),
    "zero_window": ("8~ 9~ 10~ 12~ 13~", "the closed window, that it was probed, and how long"),
    "zero_window_both": ("8~+9~+10~+12~+13~|14~+15~+16~+18~+19~", "a closed window, that it was probed, and how long"),
    "zero_window_over": ("4 5 6 7 8 14 15 17 18", COMPLETE),
}


# What only delayed the connection comes first if a disguise hides how it ended.
DELAYS = {"out_of_order_over": "out-of-order", "zero_window_over_reset": "zero-window"}


def has(item, packets, disguised):
    """Whether the disguised capture has the frames of an item."""
    if item.count("of:") == 1:
        count, items = item.split("of:")
        return sum(has(part, packets, disguised) for part in items.split("|")) >= int(count)
    if "|" in item or "+" in item:
        return (any if "|" in item else all)(has(part, packets, disguised) for part in item.split("|" if "|" in item else "+"))
    time, octets, _ = packets[int(item.rstrip("~")) - 1]
    found = [left for at, left, _ in disguised if at == time and octets.startswith(left)]
    return any(left == octets or item.endswith("~") for left in found)


def proof_is_there(name, packets, disguised):
    return all(has(item, packets, disguised) for item in PROOF[name][0].split())


# ---- explanations ----

# If a disguise hides what is special, this is true as well.
MORE_GENERAL = {
    "foreign-reset": ("peer-rebooted", "startup-closed"),
    "idle-timeout": ("peer-rebooted",),  # the FIN is hidden
    "mtu-black-hole": ("retransmissions",),
    "peer-rebooted": ("peer-silent",),
    "smb-byte-order": ("startup-timeout",),
    "startup-closed": ("startup-revision",),  # the Request of the other connection is hidden
    "startup-revision": ("startup-rejected", "startup-closed"),
}


def explain(paths, code=None):
    """The stories of each file: one process reads all files."""
    result = subprocess.run(
        [warpcheck, "explain", "--format", "jsonl", "--chain", "none", *paths], capture_output=True, text=True)
    if result.returncode not in ((0, 1, 2, 3) if code is None else (code,)):
        complain(f"{paths[0]}: exit code {result.returncode}: {result.stderr}")
    stories = [json.loads(line) for line in result.stdout.splitlines()]
    return [story for story in stories if story["type"] in ("explanation", "capture")]


def is_about(story, port):
    addresses = [story[side]["address"] for side in ("initiator", "responder", "side_a", "side_b") if side in story]
    return story["type"] == "capture" or any(address.endswith(f":{port}") for address in addresses)


def confidence(name, unstated):
    """The confidence of the first cause that the recipe states, or `unstated`."""
    words = [line.split(": ")[1] for line in (here / f"{name}.wrap").read_text().splitlines() if line.startswith("# confidence: ")]
    return words[0] if words else unstated


def check_words(name, story):
    """The detail or the next step of the first cause, or what to look at without a cause, has each text that the recipe states; and the
    outcome is the one stated."""
    words = "\n".join(row["detail"] + "\n" + row["next"] for row in story["causes"][:1]) or story.get("next", "")
    for line in (here / f"{name}.wrap").read_text().splitlines():
        if line.startswith("# says: ") and line[8:] not in words:
            complain(f"{name}: '{line[8:]}' is not in '{words}'")
        if line.startswith("# outcome: ") and line[11:] != story["outcome"]:
            complain(f"{name}: the outcome is '{story['outcome']}'")


def check_sides(name, story):
    """The first cause is named for as many sides as the recipe states."""
    sides = {row.get("side") for row in story["causes"] if row["cause"] == story["causes"][0]["cause"]}
    for line in (here / f"{name}.wrap").read_text().splitlines():
        if line.startswith("# sides: ") and (len(sides) != int(line[9:]) or None in sides):
            complain(f"{name}: the cause is named for {sides}")


def check_notes(name, disguise, notes):
    """The story has each note that the recipe states."""
    for line in (here / f"{name}.wrap").read_text().splitlines():
        if line.startswith("# note: "):
            shown[line[8:]].add(disguise)
            if line[8:] not in notes:
                complain(f"{name}, {disguise}: no note '{line[8:]}'")


def check(name, disguise, proven, cause, also, possible, story):
    """Judges the story of the connection of a recipe."""
    causes = [row["cause"] for row in story["causes"]]
    first = causes[0] if causes else ""
    notes = [note["cause"] for note in story.get("notes", [])]
    if story["type"] == "explanation" and (disguise == "mirrored") > ("capture-duplicates" in notes):
        complain(f"{name}: no note of copies")
    if disguise == "mirrored":
        shown["capture-duplicates"].add("mirrored")
    if disguise in KEEPING:
        check_notes(name, disguise, notes)
    if possible is not None and causes and story["causes"][0]["confidence"] != "possible":
        complain(f"{name}, {disguise}: {first} is {story['causes'][0]['confidence']}")
    if cause in ("capture-offload", ""):
        right = first in ("", possible, also) and (cause == "" or not proven or cause in notes)
        right &= also is None or disguise not in KEEPING or {possible, also} <= set(causes)
        counts["clean" if cause == "" else "right"] += right
        if disguise == "plain":
            check_words(name, story)
    elif first == cause:
        if disguise == "plain":
            check_words(name, story)
        if disguise in KEEPING:
            check_sides(name, story)
        right = disguise not in KEEPING or also is None or also in causes
        counts["right"] += right
        shown[cause].add(disguise)
        if disguise in KEEPING and story["causes"][0]["confidence"] != confidence(name, story["causes"][0]["confidence"]):
            complain(f"{name}, {disguise}: {first} is {story['causes'][0]['confidence']}")
    else:
        right = not proven and first in ("", *MORE_GENERAL.get(cause, ()))
        counts["without proof"] += right
    if disguise in HIDING and first == DELAYS.get(name):
        right = True
    if not right:
        counts["not known" if first == "" else "wrong"] += 1
        tell = print if first == "" and disguise in HIDING else complain  # such are allowed, up to 5 %
        tell(f"{name}, {disguise}: {first or story['outcome']} instead of {cause or 'no cause'}")
    if causes and not all(row["frames"] for row in story["causes"]):
        complain(f"{name}, {disguise}: no evidence for {first}")


def wrap(path, lines, capture):
    """Makes the capture of a recipe."""
    text = capture.with_suffix(".wrap")
    text.write_text("\n".join(lines) + "\n")
    subprocess.run([iw_wrap, vectors, text, capture], check=True)
    return read(capture)


def recipe(path):
    lines = path.read_text().splitlines()
    comment = dict(line[2:].split(":", 1) for line in lines if line.startswith(("# cause:", "# also:", "# possible:")))
    port = next(int(line.split()[1]) for line in lines if line.startswith("port "))
    also, possible = (comment.get(key, "").strip() or None for key in ("also", "possible"))
    return lines, comment["cause"].strip(), also, possible, port


def captures(path, lines, work):
    """The disguised captures of a recipe, with whether each still has the proof."""
    capture = work / (path.stem + ".pcap")
    head, packets = wrap(path, lines, capture)
    # Every capture of the corpus has iWARP, so that of RoCE exists only here.
    if "open" in lines and capture.read_bytes() != path.with_suffix(".pcap").read_bytes():
        complain(f"{path}: iw_wrap makes another capture than the one beside it")
    made = {}
    for disguise, change in (KEEPING | HIDING).items():
        disguised = change(packets, random.Random(path.stem + disguise))
        made[work / f"{path.stem}.{disguise}.pcap"] = (
            disguise, disguise in KEEPING or path.stem not in PROOF or proof_is_there(path.stem, packets, disguised))
        write(work / f"{path.stem}.{disguise}.pcap", head, disguised)
    for side in {octets[26:30] for _, octets, _ in packets}:  # IPv4 source
        name = work / f"{path.stem}.only{side[3]}.pcap"
        made[name] = ("one direction", False)
        write(name, head, [packet for packet in packets if packet[1][26:30] == side])
    for protocol in PROTOCOLS if "open" in lines else ():
        changed = under(lines, protocol)
        if changed is not None:
            wrap(path, changed, work / f"{path.stem}.{protocol}.pcap")
            made[work / f"{path.stem}.{protocol}.pcap"] = (protocol, True)
    return {str(name): value for name, value in made.items()}


shown = collections.defaultdict(set)
with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    _, clean_packets = wrap(here / "clean.wrap", recipe(here / "clean.wrap")[0], work / "clean.pcap")
    for path in sorted(here.glob("*.wrap")):
        lines, cause, also, possible, port = recipe(path)
        if cause not in ("", "capture-offload") and path.stem not in PROOF:
            complain(f"{path}: PROOF lacks it")
        made = captures(path, lines, work)
        for story in explain(list(made)):
            disguise, proven = made[story["file"]]
            if disguise == "one direction":
                for row in story["causes"]:
                    if row["cause"] in ABSENCE:
                        complain(f"{story['file']}: {row['cause']}")
            elif is_about(story, port ^ 0x1234 if disguise == "ports" else port):
                check(path.stem, disguise, proven, cause, also, possible, story)
            elif story["causes"]:
                complain(f"{path.stem}, {disguise}: the clean connection has {story['causes'][0]['cause']}")
        if also is not None or cause == "capture-offload":
            shown[also or cause].add("plain")
    clean_head, _ = read(here / "clean.pcap")
    for note, lack in LACKING.items():
        write(work / f"{note}.pcap", clean_head, lack(clean_packets))
        notes = [[row["cause"] for row in story["notes"]] for story in explain([str(work / f"{note}.pcap")], code=2)]
        if notes != [[note]]:
            complain(f"{note}: {notes}")
        shown[note].add("plain")
    # a copy of a segment has a wrong TCP checksum
    time, octets, whole = clean_packets[6]
    damaged = (time - 1, octets[:-1] + bytes([octets[-1] ^ 0x40]), whole)
    write(work / "checksums.pcap", clean_head, clean_packets[:6] + [damaged] + clean_packets[6:])
    notes = [[row["cause"] for row in story["notes"]] for story in explain([str(work / "checksums.pcap")], code=0)]
    if notes != [["capture-checksums"]]:
        complain(f"checksums: {notes}")
    shown["capture-checksums"].add("plain")
    # 12 segments over a limit of the program
    for story in explain([str(here.parent / "impairment" / "limit.pcap")]):
        shown[story["notes"][0]["cause"] if story["notes"] else ""].add("plain")
    rows = subprocess.run([warpcheck, "list", "causes", "--format", "jsonl"], capture_output=True, text=True, check=True)
    for row in rows.stdout.splitlines():
        name = json.loads(row)["cause"]
        if name not in shown:
            complain(f"{name}: no recipe")
        elif not name.startswith("capture-") and name not in ("roce", "private-data-refused") and len(shown[name]) < 3:
            complain(f"{name}: right in {len(shown[name])} disguises only")
    # the captures of other tests that conform are no failures, either
    conform = [str(path) for path in sorted((here.parent / "ulp").glob("*.pcap"))]
    for path in conform[:]:
        conform.append(str(work / f"mirrored.{pathlib.Path(path).name}"))
        head, packets = read(pathlib.Path(path))
        write(conform[-1], head, mirrored(packets))
    for story in explain(conform):
        counts["clean"] += not story["causes"]
        if story["causes"]:
            complain(f"{story['file']}: {story['causes'][0]['cause']}")
decided = counts["right"] + counts["not known"] + counts["wrong"]
print(*(f"{count} {what}" for what, count in sorted(counts.items())))
print(f"{counts['right']} of {decided} captures that still prove their cause: {100 * counts['right'] / decided:.1f} %")
if decided < 120 or counts["right"] < 0.95 * decided:
    complain("fewer than 95 % are right")
sys.exit(1 if failed else 0)
