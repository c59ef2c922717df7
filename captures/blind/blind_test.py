#!/usr/bin/env python3
"""Makes the captures of this folder and compares what `warpcheck explain` says first with the cause that their recipe states.

Usage: blind_test.py WARPCHECK IW_WRAP VECTORS.json
The recipes state the true cause, and causes that would be fair to name first; they were written without knowledge of the explainer.
"not-known" also holds if nothing was seen to be wrong: what such a capture shows does not tell.
Then each capture without a cause ends or begins at each of its frames: what did not come by then may still come, so nothing is more than possible.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

warpcheck, iw_wrap, vectors = sys.argv[1:4]
here = pathlib.Path(__file__).resolve().parent
failed = 0


def said(story):
    """The first cause of a story, or what it says instead."""
    # what the capture lacks is a note, and no answer
    causes = story["causes"] or [note for note in story.get("notes", []) if note["cause"] == "capture-offload"]
    return causes[0]["cause"] if causes else {"nothing wrong seen": "none", "partial": "none", "not known": "not-known"}.get(story["outcome"], story["outcome"])


def stated(recipe):
    """The causes that the recipe states, the true one first."""
    causes = []
    for line in recipe.read_text().splitlines():
        for key in ("# cause: ", "# also fair: "):
            if line.startswith(key):
                causes += line.removeprefix(key).split(", ")
    return causes + ["none"] if causes[0] == "not-known" else causes


def explain(paths):
    result = subprocess.run(
        [warpcheck, "explain", "--format", "jsonl", "--chain", "none", *paths], capture_output=True, text=True)
    return result, [json.loads(line) for line in result.stdout.splitlines()]


def parts(capture):
    """Captures of the first frames and of the last frames of a capture."""
    octets = capture.read_bytes()
    ends, at = [], 24
    while at < len(octets):
        at += 16 + int.from_bytes(octets[at + 8:at + 12], "little")
        ends.append(at)
    for number, end in enumerate(ends[:-1], 1):
        first, last = (capture.with_name(f"{capture.stem}.{name}{number}.pcap") for name in ("first", "from"))
        first.write_bytes(octets[:end])
        last.write_bytes(octets[:24] + octets[end:])
        yield from (str(first), str(last))


with tempfile.TemporaryDirectory() as folder:
    recipes = {str(pathlib.Path(folder) / f"{recipe.stem}.pcap"): recipe for recipe in sorted(here.glob("*.wrap"))}
    for capture, recipe in recipes.items():
        subprocess.run([iw_wrap, vectors, recipe, capture], check=True)
    result, rows = explain(recipes)
    stories = {}  # by capture, that of its first connection
    for story in sorted(rows, key=lambda story: story.get("first_frame", 0)):
        if story["type"] in ("explanation", "capture"):
            stories.setdefault(story["file"], story)
    first = others = 0
    for capture, recipe in recipes.items():
        if capture not in stories:
            print(f"{recipe.stem}: no story, exit code {result.returncode}: {result.stderr}")
            failed += 1
            continue
        answer, right = said(stories[capture]), stated(recipe)
        first += answer == right[0]
        others += answer in right[1:]
        if answer not in right:
            print(f"{recipe.stem}: {answer} instead of {' or '.join(right)}")
            failed += 1
    print(f"{len(recipes)} captures: {first} times the true cause, {others} times another that is fair, {failed} wrong")
    cuts = [part for capture, recipe in recipes.items() if stated(recipe)[0] == "none" for part in parts(pathlib.Path(capture))]
    _, rows = explain(cuts)
    read = 0
    for story in rows:
        read += story["type"] == "explanation"
        for cause in story.get("causes", []):
            if cause["confidence"] != "possible":
                print(f"{pathlib.Path(story['file']).name}: {cause['cause']} ({cause['confidence']})")
                failed += 1
    print(f"{len(cuts)} parts of captures without a cause, {read} with a connection")
    failed += read < 100
sys.exit(1 if failed else 0)
