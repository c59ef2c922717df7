#!/usr/bin/env python3
"""The gate of the cases of run --relay. Usage: relay_gate_test.py WARPCHECK [--only REGEX]

No case fails between the conforming reference as initiator (`play`) and as responder (`serve`), and each passes in at least one of
the conversations. Each case fails with at least one named defect of the device that it is about. With TEST_TOTAL_SHARDS=N and
TEST_SHARD_INDEX=I in the environment, from 0: only a part of the impairments.
"""
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

program = os.path.realpath(sys.argv[1])
only = sys.argv[3] if sys.argv[2:3] == ["--only"] else ""
shards = int(os.environ.pop("TEST_TOTAL_SHARDS", 1)) # `run` would divide its cases again
shard = int(os.environ.pop("TEST_SHARD_INDEX", 0))
here = os.path.dirname(os.path.realpath(__file__))
testdata = os.path.join(here, "testdata")
examples = os.path.normpath(os.path.join(here, "../../generator/examples"))

# The conversations: options of serve, and the script of the initiator.
CONVERSATIONS = {
    "tour": (["--echo"], f"{testdata}/relay_tour.lua"),
    "patient": (["--echo"], f"{testdata}/relay_tour.lua --arg stays=40"), # waits for the close of the responder
    "rping": (["--rping"], f"{examples}/rping_client.lua --arg count=3"),
    "markers": (["--echo"], f"{testdata}/relay_tour.lua --arg markers=1"),
}
MARKERS = r"relay-marker|relay-base"

# Conversation, defective device, defect, cases that it must fail. A case of a device that is not the defective one is not looked at.
DEFECTS = [
    (conversation, device, defect, cases)
    for device in ("initiator", "responder")
    for conversation, defect, cases in [
        ("tour", "terminate-swallowed", rf"(crc|send|write|response|read)-.*the {device} reports"),
        ("rping", "terminate-swallowed", rf"(crc|send|write|response|read)-.*the {device} reports"),
        ("tour", "terminate-swallowed", rf"startup-(29|31).*the {device} reports"),
        ("tour", "crc-unchecked", rf"crc-(0[1-9]|10).*the {device} reports"),
        ("tour", "rsvd-refused", rf"ignored-(01|02|10).*the {device} continues"),
        ("tour", "rsv-refused", rf"ignored-0[34].*the {device} continues"),
        ("tour", "invalidate-refused", rf"ignored-05.*the {device} continues"),
        ("tour", "pad-refused", rf"ignored-06.*the {device} continues"),
        ("tour", "fpdu-split-refused", rf"ignored-0[78].*the {device} continues"),
    ]
] + [
    ("markers", "initiator", "terminate-swallowed", r"marker-01.*the initiator reports"),
    ("markers", "initiator", "marker-refused", r"marker-02.*the initiator continues"),
    ("rping", "responder", "rsv-refused", r"ignored-04.*the responder continues"),
    ("rping", "initiator", "rsvd-refused", r"ignored-(02|10).*the initiator continues"),
    ("patient", "responder", "close-not-answered", r"(crc|send|write|response|read|startup|marker)-.*the responder closes"),
    ("tour", "responder", "request-key-unchecked", r"startup-0[123].*the responder"),
    ("tour", "responder", "request-rev-unchecked", r"startup-0[45].*the responder"),
    ("tour", "responder", "request-length-unchecked", r"startup-0[67].*the responder"),
    ("tour", "responder", "request-enhanced-unchecked", r"startup-08.*the responder"),
    ("tour", "responder", "request-behind-unchecked", r"startup-09.*the responder"),
    ("tour", "responder", "startup-res-refused", r"startup-10.*the responder"),
    ("tour", "responder", "request-split-refused", r"ignored-09a.*the responder"),
    ("tour", "initiator", "reply-key-unchecked", r"startup-2[123].*the initiator"),
    ("tour", "initiator", "reply-length-unchecked", r"startup-26.*the initiator"),
    ("tour", "initiator", "startup-res-refused", r"startup-30.*the initiator"),
    ("tour", "initiator", "reply-split-refused", r"ignored-09b.*the initiator"),
]


# Of the other cases, no defect of the reference shows what they are about. They fail if the monitor finds a violation: the defect is
# in the startup frame, before any impairment. Why there is no other defect:
#   base, relay-ignored-* of the sender: the device gets all octets unchanged, and any failure there is one of another case
#   relay-ignored-11, -12, relay-end-03, -04: TCP does what they are about; its faults are those of the system, not of the reference
#   the initiator closes after a Terminate: `serve`, which waits 2 s for that as the other device, then resets the connection
#   sends no message, leaves MPA: the reference sends messages only after a startup, whatever the defect
DEFECTS += [
    (conversation, device, "startup-res", cases)
    for device in ("initiator", "responder")
    for conversation, cases in [
        ("tour", rf"base.*the {device}|ignored-..{device[0] == 'i' and 'a' or 'b'}.*the {device}|(ignored-1[12]|relay-end-0[34]).*the {device}"),
        ("tour", rf"the {device} (closes|sends no message|leaves MPA)|startup-(10|11|24|25|28|29|30|31)..{device}|relay-end-0[12].*the {device}"),
        ("rping", rf"ignored-(02|04|10).*the {device}|the {device} closes"),
        ("markers", rf"marker.*the {device}"),
    ]
]


class Run:
    """One run between `serve` and `play`, with the verdict of each selected case in self.verdicts."""

    def __init__(self, conversation, device, defect, cases):
        options, script = CONVERSATIONS[conversation]
        self.name = f"{conversation}, {device} with {defect}" if defect else conversation
        own = {device: ["--defect", defect]} if defect else {}
        with tempfile.TemporaryDirectory() as folder:
            server = subprocess.Popen(
                [program, "serve", "--listen", "127.0.0.1:0", "--quiet", *options, *own.get("responder", [])],
                stdout=subprocess.PIPE, text=True)
            port = server.stdout.readline().split(":")[1].split(",")[0].strip()
            stag, to = re.search(r"STag (\S+), TO (\S+),", server.stdout.readline()).groups()
            start = " ".join([f"exec {program} play --quiet --timeout 60 {script} --peer {{host}}:{{port}}",
                              f"--arg stag={stag} --arg to={to}", *own.get("initiator", [])])
            self.result = subprocess.run(
                [program, "run", "--relay", "--listen", "127.0.0.1:0", "--to", f"127.0.0.1:{port}", "--start", start,
                 "--only", f"(?s)^(?={mine})(?=.*(?:{cases}))", "--strict", "--out", folder], capture_output=True, text=True)
            server.send_signal(signal.SIGINT)
            server.wait()
            self.cases = self.read(os.path.join(folder, "results.jsonl"))
        print(f"{self.name}: {self.result.stdout.splitlines()[-3:-2]}", flush=True)

    def read(self, path):
        if (shards > 1 or only) and "no case matches" in self.result.stderr:
            return {}
        if self.result.returncode not in (0, 1, 2):
            wrong.append(f"{self.name}: exit {self.result.returncode}: {self.result.stdout}{self.result.stderr}")
            return {}
        with open(path, encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        return {row["case"]: row for row in rows if row["type"] == "case"}


def conversation_of(case):
    return re.sub("-(initiator|responder)$", "", case)


def cases_of_the_relay():
    lines = subprocess.run([program, "list", "cases", "--format", "jsonl"], capture_output=True, text=True, check=True).stdout
    rows = [json.loads(line) for line in lines.splitlines()]
    cases = [row["case"] for row in rows if row["tier"] == "relay" and re.search(only, row["case"])]
    conversations = sorted({conversation_of(case) for case in cases})
    return [case for case in cases if conversations.index(conversation_of(case)) % shards == shard]


def run(row):
    return Run(*row)


wrong = []
known = cases_of_the_relay()
mine = "|".join(known)
conforming = [("tour", "", "", only or "."), ("rping", "", "", only or "."), ("markers", "", "", MARKERS)]
defective = [row for row in DEFECTS if not only or re.search(only, row[3])]
with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
    runs = list(pool.map(run, conforming + defective))

passed = set()
for one in runs[:len(conforming)]:
    for case, row in one.cases.items():
        passed |= {case} if row["verdict"] == "pass" else set()
        if row["verdict"] not in ("pass", "inconclusive", "not applicable", "not tested"):
            wrong.append(f"{case} is {row['verdict']} between conforming devices ({one.name}): "
                         f"{row.get('message', '')}; expected {row.get('expected', '')}; actual {row.get('actual', '')}")
failed = {}
for one, row in zip(runs[len(conforming):], defective):
    fails = [case for case, result in one.cases.items() if result["verdict"] == "fail"]
    for case in fails:
        failed.setdefault(case, []).append(row[2])
    if not fails and shards == 1:
        wrong.append(f"no case fails: {one.name}, {row[3]}: {one.result.stdout}{one.result.stderr}")

# `serve` requests no Markers, so the initiator of these conversations sends none.
NOT_REACHED = re.compile(r"relay-marker-0.a")

for case in known:
    if not only and case not in passed and not NOT_REACHED.search(case):
        wrong.append(f"{case} passes in no conversation of conforming devices")
    if not only and case not in failed and not NOT_REACHED.search(case):
        wrong.append(f"no defect fails {case}")
print(f"{len(known)} cases, {len(passed)} passed, {len(failed)} failed by a defect")
for line in wrong:
    print("FAILED:", line)
sys.exit(1 if wrong else 0)
