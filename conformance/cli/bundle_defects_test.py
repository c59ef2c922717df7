#!/usr/bin/env python3
"""Genuine bundles verify without a fault, whatever the device does: for each defect of the reference, a run in memory
becomes a bundle, and verify-bundle recomputes it; then a few devices over TCP.

Each defect runs the cases about its requirement and a tenth of all cases, a different one for each defect. --all runs
all cases with each defect, which takes about an hour. --every N takes each Nth defect. With names, only these defects
run, and none over TCP. --json prints one object per run."""

import argparse
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading

TENTHS = 10

# Always run: the device closes, or sends, while a startup frame is incomplete.
ALWAYS = {"request-hasty", "request-twice", "startup-unchecked", "private-unawaited", "fpdu-cut-length", "close-never"}

# Over TCP: options of serve, and the cases.
DEVICES = [
    ([], "mpa-startup-01|^mpa-crc-00|^mpa-initiator-00|^rdma-write-00"),
    (["--no-crc"], "^mpa-(crc|fpdu|startup)-00"),
    (["--defect", "startup-cut"], "^mpa-startup-0"),
    (["--defect", "terminate-swallowed"], "^mpa-crc-0"),
]
AGENT_DEVICES = [
    ([], "mpa-initiator-02|^rdma-(write|read)-00|^rdma-order-00"),
    (["--defect", "request-twice"], "mpa-initiator-02"),
    (["--defect", "crc-wrong"], "^mpa-(crc|initiator)-0"),
]


def warpcheck(*arguments):
    return subprocess.run([OPTIONS.warpcheck, *arguments], capture_output=True, text=True, timeout=600, check=False)


def list_rows(what):
    return [json.loads(line) for line in warpcheck("list", what, "--format", "jsonl").stdout.splitlines()]


def selection(index, row):
    """Options that select the cases for the defect `row`, which is number `index`."""
    if OPTIONS.all:
        return []
    return ["--only", f"^{re.escape(row['requirement'])}$|^[a-z-]+-[0-9]*{index % TENTHS}$"]


def faults_of(options):
    """Runs the suite with these options. Returns the lines of verify-bundle about faults, and whether it gave a verdict."""
    with tempfile.TemporaryDirectory() as folder:
        out, bundle = os.path.join(folder, "run"), os.path.join(folder, "run.tar")
        run = warpcheck("run", *options, "--out", out)
        made = warpcheck("report", "--bundle", bundle, out)
        answer = warpcheck("verify-bundle", bundle)
        if run.returncode > 2 or made.returncode > 2:
            return [f"run: exit {run.returncode}, report: exit {made.returncode}: {run.stderr}{made.stderr}"]
        faults = [line.replace(folder + "/", "") for line in answer.stderr.splitlines()]
        if answer.returncode > 2 and not faults:
            faults = [f"verify-bundle: exit {answer.returncode}"]
        if not faults and answer.returncode != run.returncode:
            faults = [f"run: exit {run.returncode}, verify-bundle: exit {answer.returncode}"]
        return faults


class Counts:
    ran = invalid = 0


def report(name, faults):
    Counts.ran += 1
    Counts.invalid += bool(faults)
    if OPTIONS.json:
        print(json.dumps({"run": name, "faults": faults}), flush=True)
    elif faults:
        print(f"{name}: {len(faults)} faults", *faults[:5], sep="\n  ", flush=True)


def run_in_memory():
    rows = list_rows("defects")

    if not rows or not set(OPTIONS.defects) <= {row["defect"] for row in rows}:
        sys.exit("no defects, or an unknown one")
    for index, row in enumerate(rows):
        wanted = OPTIONS.defects or ALWAYS
        if row["defect"] in wanted or (not OPTIONS.defects and index % OPTIONS.every == 0):
            report(row["defect"], faults_of(["--simulate", "--defect", row["defect"], *selection(index, row)]))


def read_address(lines, before):
    """The address in the line that begins with these two words."""
    return next(line.split()[2].rstrip(",") for line in lines if line.startswith(before))


def run_over_tcp(options, only, with_agent):
    agent = ["--agent", "127.0.0.1:0"] if with_agent else []
    with subprocess.Popen([OPTIONS.warpcheck, "serve", "--listen", "127.0.0.1:0", "--quiet", *agent, *options],
                          stdout=subprocess.PIPE, text=True) as device:
        address = read_address(device.stdout, "listening on")
        if with_agent:
            agent = ["--agent", read_address(device.stdout, "agent on")]
        report(" ".join(["over TCP", *options, *agent[:1]]), faults_of(["--peer", address, *agent, "--only", only]))
        device.terminate()


def serve_depth(connection):
    """Answers an enhanced Request with an IRD of 40, and then reads."""
    request = b""
    try:
        while len(request) < 24 and (octets := connection.recv(4096)):
            request += octets
        enhanced = request[16:18] == b"\x50\x02"
        connection.sendall(b"MPA ID Rep Frame" + bytes.fromhex("5002 0004 0028 0001" if enhanced else "4001 0000"))
        while connection.recv(4096):
            pass
    except OSError:
        pass
    finally:
        connection.close()


def run_without_profile():
    """A device that has more than the profile which the run infers: nothing contradicts an inferred profile."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def accept():
            while True:
                threading.Thread(target=serve_depth, args=(listener.accept()[0],), daemon=True).start()
        threading.Thread(target=accept, daemon=True).start()
        address = "127.0.0.1:%d" % listener.getsockname()[1]
        report("over TCP, IRD of 40", faults_of(["--peer", address, "--only", "^mpa-(depth|enhanced)-00[1-3]"]))


def main():
    run_in_memory()
    if not OPTIONS.defects:
        run_without_profile()
    for options, only in DEVICES if not OPTIONS.defects else []:
        run_over_tcp(options, only, False)
    for options, only in AGENT_DEVICES if not OPTIONS.defects else []:
        run_over_tcp(options, only, True)
    print(f"{Counts.ran} runs, {Counts.invalid} with a bundle that is not valid")
    return 1 if Counts.invalid or not Counts.ran else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warpcheck")
    parser.add_argument("defects", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--json", action="store_true")
    OPTIONS = parser.parse_intermixed_args()
    OPTIONS.warpcheck = os.path.abspath(OPTIONS.warpcheck)
    sys.exit(main())
