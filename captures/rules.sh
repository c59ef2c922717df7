#!/bin/bash
# rules.sh WARPCHECK [RECIPE...]: compares the findings of `warpcheck check` in the captures of captures/rules and captures/upper with
# those that the recipes state. Without RECIPE it takes all recipes, and fails if no recipe violates a requirement with visibility
# "wire", or a rule of the protocols above iWARP that is judged.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ ! -f "${1:-}" ] || [ ! -x "$1" ]; then
    echo "rules.sh: WARPCHECK is missing: captures/rules.sh build/release/warpcheck [RECIPE...]" >&2
    exit 3
fi
warpcheck=$(realpath "$1")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
every=
[ $# -gt 0 ] || { every=1; set -- "$here"/rules/*.wrap "$here"/upper/*.wrap; }

# Frame, side and requirement of each finding that does not follow from another. A recipe may say with which options,
# in a comment: "# check --extensions none".
findings() {
    local options
    options=$(sed -n 's/^# check //p' "$2")
    # shellcheck disable=SC2086 # they are words
    "$warpcheck" check $options --format jsonl "$1" | grep -E '"type":"(upper_)?finding"' | grep -v '"cause":' |
        sed -E 's/^.*"frame":([0-9]+).*"side":"([a-z]+)".*"(requirement|rule)":"([^"]+)".*$/\1\t\2\t\4/'
}

for recipe in "$@"; do
    "$(dirname "$warpcheck")/captures/iw_wrap" "$here/../core/wire/testdata/vectors.json" "$recipe" "$work/capture.pcap" \
        >"$work/said" || exit 3
    cut -f 3 "$work/said" >>"$work/violated"
    findings "$work/capture.pcap" "$recipe" | sort >"$work/found"
    sort -o "$work/said" "$work/said"
    diff "$work/said" "$work/found" >"$work/diff" && continue
    echo "$recipe: what it says (<), what is found (>)"
    cat "$work/diff"
    failed=1
done

if [ -n "$every" ]; then
    "$warpcheck" list requirements --format jsonl | grep '"visibility":"wire"' | sed -E 's/^.*"id":"([^"]+)".*$/\1/' >"$work/wire"
    "$warpcheck" list upper --format jsonl | grep -v '"judged":"listed"' | sed -E 's/^.*"rule":"([^"]+)".*$/\1/' >>"$work/wire"
    sort -u "$work/violated" | comm -23 <(sort "$work/wire") - >"$work/missing"
    [ ! -s "$work/missing" ] || { echo "no recipe violates:"; cat "$work/missing"; failed=1; }
fi
exit $failed
