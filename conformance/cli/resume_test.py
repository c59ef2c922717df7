#!/usr/bin/env python3
"""A run that is killed and resumed repeatedly gives the results of an undisturbed one. Usage: resume_test.py WARPCHECK

It is killed by SIGKILL when its results have grown by a chosen number of octets: in the midst of lines and between them, while cases are
run and while what was finished before is being taken over."""
import json
import os
import random
import subprocess
import sys
import tempfile

PROGRAM = os.path.realpath(sys.argv[1])
KILLS = 20


def octets(path):
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def file_number(path):
    try:
        return os.stat(path).st_ino
    except FileNotFoundError:
        return 0


def killed(arguments, results, more):
    """Kills the run when its results have grown by `more` octets; if 0, when they have become another file. Returns False
    if the run ends before that."""
    size, number = octets(results), file_number(results)
    run = subprocess.Popen([PROGRAM, "run", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while run.poll() is None and (octets(results) < size + more if more else file_number(results) == number):
        os.sched_yield()
    if run.poll() is None:
        run.kill()
    complaint = run.communicate()[1]
    assert complaint == b"", complaint
    return run.returncode < 0


def outcome(folder):
    """What of the results is the same whenever it is run: the repeats and verdicts of each case, and the summary."""
    with open(os.path.join(folder, "results.jsonl"), encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    assert lines[0]["type"] == "run" and lines[-1]["type"] == "summary", (lines[0], lines[-1])
    cases = [(line["case"], line["repeat"], line["verdict"]) for line in lines if line["type"] == "case"]
    findings = [(line["case"], line["repeat"], line["requirement"]) for line in lines if line["type"] == "finding"]
    assert len(set(cases)) == len(cases), "a case is there twice"
    return sorted(cases), sorted(findings), lines[-1]


def evidence(folder):
    """The files beside the results; each log is whole, as it ends with the verdict of its case."""
    names = sorted(name for name in os.listdir(folder) if name != "results.jsonl")
    for name in names:
        if name.endswith(".log"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                assert "\nverdict: " in file.read(), name
    return names


def main():
    chance = random.Random(4711)
    with tempfile.TemporaryDirectory() as folder:
        whole, parts = os.path.join(folder, "whole"), os.path.join(folder, "parts")
        results = os.path.join(parts, "results.jsonl")
        options = ["--simulate", "--defect", "crc-wrong", "--only", "^mpa-(crc|startup)", "--repeat", "12"]
        code = subprocess.run([PROGRAM, "run", *options, "--out", whole], stdout=subprocess.DEVNULL, check=False).returncode
        assert code == 1, code
        size = octets(os.path.join(whole, "results.jsonl"))

        kills = 0
        while kills < KILLS:
            begun = octets(results) > 0 and b"\n" in open(results, "rb").read(1 << 20)
            arguments = ["--resume", parts] if begun else [*options, "--out", parts]
            # All runs together write a quarter of the results on average; on a busy machine each writes more before it is killed.
            more = 0 if kills % 3 == 2 else chance.randrange(1, size // (2 * KILLS))
            assert killed(arguments, results, more), f"ended after {kills} kills"
            kills += 1

        run = subprocess.run([PROGRAM, "run", "--resume", parts], stdout=subprocess.PIPE, check=False, text=True)
        assert run.returncode == 1, run
        assert run.stdout.startswith("resumed: "), run.stdout[:100]
        assert outcome(parts) == outcome(whole)
        assert evidence(parts) == evidence(whole)
        print(f"{kills} kills; {run.stdout.splitlines()[0]}")


main()
