#!/bin/sh
# coverage.sh WARPCHECK [--check]: writes docs/coverage.md: for each requirement the rule that judges it and the number of its
# test cases, or why it cannot be observed. With --check compares instead.
set -eu
if [ ! -f "${1:-}" ] || [ ! -x "$1" ]; then
    echo "coverage.sh: WARPCHECK is missing: scripts/coverage.sh build/release/warpcheck [--check]" >&2
    exit 3
fi
warpcheck=$(realpath "$1")
cd "$(dirname "$0")/.."

document() {
    cat <<'END'
# Coverage

Every normative statement of the documents, and how it is judged or why it cannot be. Made by `scripts/coverage.sh`.
The text says what a conforming device does, also for MUST NOT and SHOULD NOT.

- **wire**: any capture can show a violation; the rule named (`core/monitor/iw_rule_NAME.c`) finds it.
- **active**: a device must be provoked first. The cases of the suite do so; if recorded traffic can contain the provocation, a
  rule judges the reaction. In parentheses: the provocation, and the required reaction.
- **internal**: it happens inside an endpoint; **outside**: it applies to something outside these protocols. In parentheses: why
  no traffic shows it.

The level is the word of RFC 2119 in the text, or IMPLIED for a demand without one. The role is the obliged side: sender and
receiver of the octets in question, requester and responder of a Read or the like, initiator and responder (MPA
responder) of the startup, the ULP, or both sides. `terminate` is the Terminate that answers a violation, as layer/etype/code
(`warpcheck list errors` names them); `case_count` is how many cases of the suite test the statement (`warpcheck list cases`).

| document | statements | wire | active | of these with a rule | with a case | internal | outside |
|---|---|---|---|---|---|---|---|
END
    "$warpcheck" list requirements --format jsonl | awk '
        function value(key,   at) {
            at = index($0, "\"" key "\":\""); if (at == 0) return ""
            at += length(key) + 4
            return substr($0, at, index(substr($0, at), "\"") - 1)
        }
        {
            d = value("document"); if (!(d in rows)) order[++n] = d
            v = value("visibility"); rows[d]++; seen[d, v]++
            if (v == "active" && value("rule") != "") rule[d]++
            if (v == "active" && $0 !~ /"case_count":0[,}]/) cases[d]++
        }
        function line(d) {
            printf "| %s | %d | %d | %d | %d | %d | %d | %d |\n", d, rows[d], seen[d, "wire"], seen[d, "active"], rule[d], cases[d],
                seen[d, "internal"], seen[d, "outside"]
        }
        END {
            for (i = 1; i <= n; i++) {
                d = order[i]; line(d)
                rows["all"] += rows[d]; rule["all"] += rule[d]; cases["all"] += cases[d]
                split("wire active internal outside", kinds, " ")
                for (k in kinds) seen["all", kinds[k]] += seen[d, kinds[k]]
            }
            line("all")
        }'
    echo
    "$warpcheck" list requirements --format markdown
}

if [ "${2:-}" = --check ]; then
    document | diff docs/coverage.md - || { echo "docs/coverage.md is old: scripts/coverage.sh $1 writes it" >&2; exit 1; }
else
    document >docs/coverage.md.new
    mv docs/coverage.md.new docs/coverage.md
fi
