#!/usr/bin/env python3
"""replay_test.py WARPCHECK: each replay that the plugin offers in an explanation makes a capture with the same first cause.

Environment: BUILD, the build folder with the plugin (scripts/tshark.sh)."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from joined_causes import join

# ACKs show what crossed on the way; a replay has all octets in their order, and its own ACKs.
BY_ACKS = {'stag_unknown_crossing.pcap': 'stag-withdrawn'}

program = pathlib.Path(sys.argv[1]).resolve()
root = pathlib.Path(__file__).resolve().parent.parent


def offered(capture):
    """Yields the frame, the first cause and the commands of each explanation with a replay."""
    shown = subprocess.run(
        [root / 'scripts/tshark.sh', '-o', 'iwarp.upper:warn', '-2', '-r', capture, '-Y', 'iwarp.explanation.replay', '-T', 'fields', '-E', 'occurrence=f',
         '-e', 'frame.number', '-e', 'iwarp.explanation.cause', '-e', 'iwarp.explanation.replay'],
        check=True, capture_output=True, text=True).stdout
    for line in shown.splitlines():
        yield line.split('\t')


def first_cause(folder):
    """Returns the first cause that `explain` finds in the capture that a replay wrote, or None."""
    told = subprocess.run([program, 'explain', '--format', 'jsonl', folder / 'small.pcapng'], capture_output=True, text=True)
    for line in told.stdout.splitlines():
        causes = json.loads(line).get('causes')
        if causes:
            return causes[0]['cause']
    return None


def replay(commands, capture):
    """Returns the first cause of the replay, and what its commands said."""
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(['sh', '-c', commands.replace('FILE', str(capture))], cwd=folder, capture_output=True, text=True)
        return first_cause(pathlib.Path(folder)), ran.stdout + ran.stderr


def main():
    os.environ['PATH'] = f'{program.parent}:{os.environ["PATH"]}'
    failures = replays = 0
    with tempfile.TemporaryDirectory() as folder:
        joined = pathlib.Path(folder) / 'joined.pcap'
        names = join(joined)
        os.chmod(folder, 0o755)
        for frame, cause, commands in offered(joined):
            found, said = replay(commands, joined)
            replays += 1
            if found != BY_ACKS.get(names[int(frame)], cause):
                failures += 1
                print(f'{names[int(frame)]}: {cause}, but its replay has {found}\n{said}')
    print(f'{replays} replays, {failures} without the cause')
    sys.exit(failures > 0 or replays == 0)


main()
