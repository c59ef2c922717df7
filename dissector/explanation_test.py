#!/usr/bin/env python3
"""explanation_test.py WARPCHECK: the plugin explains each connection as `warpcheck check --explain` does: at its end, by itself.

All captures of captures/causes are read as one (joined_causes.py).
Environment: BUILD, the build folder with the plugin (scripts/tshark.sh)."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from joined_causes import captures, join

program = pathlib.Path(sys.argv[1]).resolve()
root = pathlib.Path(__file__).resolve().parent.parent
BETWEEN = '~'  # between the values of a field: no text has it
FIELDS = ('ip.src', 'tcp.srcport', 'ip.dst', 'tcp.dstport', 'iwarp.explanation.cause', 'iwarp.explanation.confidence',
          'iwarp.explanation.detail', 'iwarp.explanation.next', 'iwarp.explanation.evidence', 'iwarp.explanation.note',
          'iwarp.explanation.note_detail')


def explained(path):
    """The causes and notes of each connection by `warpcheck check --explain`."""
    run = subprocess.run([program, 'check', '--explain', '--format', 'jsonl', path], capture_output=True, text=True)
    stories = {}
    for line in run.stdout.splitlines():
        story = json.loads(line)
        if story['type'] == 'explanation':
            ends = frozenset(story[side]['address'] for side in ('initiator', 'responder', 'side_a', 'side_b') if side in story)
            causes, notes = story['causes'], story['notes']
            stories[ends] = [[cause[member] for cause in causes] for member in ('cause', 'confidence', 'detail', 'next')]
            if 'next' in story:
                stories[ends][3].append(story['next'])
            stories[ends] += [[str(frame) for cause in causes[:1] for frame in cause['frames']]]
            stories[ends] += [[note[member] for note in notes] for member in ('cause', 'detail')]
    return stories


def shown(path):
    """The same by the plugin."""
    run = subprocess.run(
        [root / 'scripts/tshark-alike.sh', '-o', 'iwarp.upper:warn', '-2', '-r', path, '-Y', 'iwarp.explanation', '-T', 'fields', '-E', f'aggregator={BETWEEN}']
        + [word for field in FIELDS for word in ('-e', field)], check=True, capture_output=True, text=True)
    stories = {}
    for line in run.stdout.splitlines():
        source, source_port, destination, destination_port, *values = line.split('\t')
        stories[frozenset((f'{source}:{source_port}', f'{destination}:{destination_port}'))] = [
            value.split(BETWEEN) if value else [] for value in values]
    return stories


# Captures of legal behaviour and of what cannot be known have none.
MOST_CAUSES = 35


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'all.pcap'
        os.chmod(folder, 0o755)
        join(path)
        wanted, found = explained(path), shown(path)
    for ends in wanted.keys() | found.keys():
        if wanted.get(ends) != found.get(ends):
            failures += 1
            print(f'{" ".join(sorted(ends))}: explain: {wanted.get(ends)}\n  plugin: {found.get(ends)}')
    causes = {cause for story in wanted.values() for cause in story[0]}
    print(f'{len(wanted)} connections, {len(causes)} causes, {failures} differ')
    sys.exit(failures > 0 or len(wanted) < len(captures) or len(causes) < MOST_CAUSES)


main()
