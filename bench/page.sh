#!/bin/bash
# page.sh BUILD: how long a browser takes to open the page of a run with all cases, and how long the same octets as plain text.
#   RUNS     times that each page is opened [5]; the least time counts
#   BROWSER  headless Chromium [chromium]
set -euo pipefail
[ -x "${1:-}/bench/iw_open" ] || { echo "page.sh: BUILD is missing: bench/page.sh build/release" >&2; exit 3; }
build=$(realpath "$1")
browser=$(command -v "${BROWSER:-chromium}") || { echo "page.sh: chromium is missing: run scripts/install-packages.sh tests" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# page NAME DEFECT...: the page of a run in memory
page() {
    local name=$1
    shift
    "$build/warpcheck" run --simulate --out "$work/$name" "$@" >/dev/null || [ $? -eq 1 ]
    "$build/warpcheck" report --format html -o "$work/$name.html" "$work/$name" || [ $? -eq 1 ]
}
page passed
page failed --defect crc-wrong
{ echo '<!DOCTYPE html><meta charset="utf-8"><title>text</title><pre>'; sed 's/&/\&amp;/g; s/</\&lt;/g' "$work/failed.html"; } >"$work/text.html"

echo "pages in a headless Chromium, milliseconds, least of ${RUNS:-5}; asked: complete within 2000. Load average: $(cut -d' ' -f1-3 /proc/loadavg)"
printf '%-34s %6s %6s %11s %9s %8s\n' "" cases MiB "first text" complete filtered
"$build/bench/iw_open" "$browser" "${RUNS:-5}" "$work/passed.html" "$work/failed.html" "$work/text.html" >"$work/times"
row() { # NAME FILE
    local first complete filtered
    read -r first complete filtered
    printf '%-34s %6s %6s %11s %9s %8s\n' "$1" "$(grep -o '<section class="clause case"' "$work/$2.html" | wc -l)" \
        "$(($(stat -c %s "$work/$2.html") / 1048576))" "$first" "$complete" "$filtered"
}
{
    row "all cases, all pass" passed
    row "all cases, wrong CRCs" failed
    row "the octets of that as plain text" text
} <"$work/times"
