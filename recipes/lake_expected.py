#!/usr/bin/python3
"""Prints what the queries of lake/queries.sql have to print of these results, by its own counting. Usage: lake_expected.py FILE..."""
import collections
import json
import sys

findings, streams = [], collections.Counter()
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        for line in file:
            object = json.loads(line)
            if object["type"] == "finding":
                findings.append((path, object))
            elif object["type"] == "stream":
                streams[object["transport"], object["verdict"]] += 1


def groups(key):
    rows = collections.defaultdict(list)
    for path, object in findings:
        rows[key(object)].append((path, object))
    return rows.items()


def show(rows):
    for row in rows:
        print("|".join(str(value) for value in row))


show(sorted(((requirement, severity, len(rows), len({(path, one["file"], one["transport"], one["stream"]) for path, one in rows}))
             for (requirement, severity), rows in groups(lambda one: (one["requirement"], one["severity"]))),
            key=lambda row: (-row[2], row[0])))
show(sorted(((device, len({one["requirement"] for _, one in rows}), len(rows))
             for device, rows in groups(lambda one: one["address"].rpartition(":")[0])), key=lambda row: (-row[1], -row[2], row[0])))
show(sorted((*key, count) for key, count in streams.items()))
show(sorted(((requirement, min(one["time"] for _, one in rows), len(rows))
             for requirement, rows in groups(lambda one: one["requirement"] if one["severity"] == "error" else None)
             if requirement is not None), key=lambda row: (row[1], row[0])))
