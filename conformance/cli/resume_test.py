#!/usr/bin/env python3
"""A run that is killed and resumed repeatedly gives the same results as an uninterrupted run. Usage: resume_test.py WARPCHECK
SIGKILL ends the run when its results have grown by a random number of octets: within lines and between them, while cases run and
while a resumed run copies the results of the finished cases."""
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
    """Kills the run when its results have grown by `more` octets; if `more` is 0, when a new file has replaced them. Returns
    False if the run ends before that."""
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
    """The part of the results that is equal in every run: repeats, verdicts and findings of each case, and the summary without its time."""
    with open(os.path.join(folder, "results.jsonl"), encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    assert lines[0]["type"] == "run" and lines[-1]["type"] == "summary", (lines[0], lines[-1])
    cases = [(line["case"], line["repeat"], line["verdict"]) for line in lines if line["type"] == "case"]
    findings = [(line["case"], line["repeat"], line["requirement"]) for line in lines if line["type"] == "finding"]
    assert len(set(cases)) == len(cases), "a case has two results"
    return sorted(cases), sorted(findings), {key: value for key, value in lines[-1].items() if key != "ended"}


def evidence(folder):
    """The files beside the results. Each log must be complete: it contains the verdict of its case."""
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
            # On average, all killed runs together write a quarter of the results; on a busy machine, a run writes more before the kill.
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
