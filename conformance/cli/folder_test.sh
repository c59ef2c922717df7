#!/bin/sh
# warpcheck run: the folder of the results, and the limit of the evidence of a case. Usage: folder_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
cd "$work" || exit 99
crc='^mpa-crc-001$'

# Each run has a folder of its own; the link is to the newest.
stamp='20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9](-[0-5][0-9]){2}'
expect 0 '' run --simulate --only "$crc"
first=$(readlink results/latest)
echo "$first" | grep -qxE "$stamp" || complain "the link is to '$first'" run
now=$(date -u +%Y-%m-%dT%H)
case $first in "$now"* | "$(date -u -d '1 minute ago' +%Y-%m-%dT%H)"*) ;; *) complain "$first is not the time in UTC, $now" run ;; esac
for _ in 1 2 3; do # some of them begin in the same second
    expect 0 '' run --simulate --only "$crc"
done
[ "$(find results -mindepth 1 -maxdepth 1 -type d | grep -cE "/$stamp(-[0-9]+)?\$")" -eq 4 ] || complain "has $(ls results)" run
[ "$(readlink results/latest)" != "$first" ] || complain 'the link is to the first run' run
grep -q '"type":"summary"' results/latest/results.jsonl || complain 'no results at the link' run
grep -q "\"file\":\"results/$first/mpa-crc-001.pcapng\"" "results/$first/results.jsonl" || complain 'the capture is elsewhere' run
expect 0 '' run --resume results/latest
expect 0 '' report results/latest
rm results/latest && mkdir results/latest # not ours: it stays
expect 0 '' run --simulate --only "$crc"
[ ! -L results/latest ] || complain 'has replaced a folder' run
expect 0 '' run --simulate --only "$crc" --no-out

# A folder with results is not overwritten.
expect 0 '' run --simulate --only "$crc" --out mine
cp mine/results.jsonl kept
expect 3 'warpcheck: mine has results: .* --force, .* --resume mine' run --simulate --only '^mpa-crc-002$' --out mine
cmp -s kept mine/results.jsonl || complain 'the results were changed' run --out mine
expect 0 '' run --simulate --only '^mpa-crc-002$' --out mine --force
! cmp -s kept mine/results.jsonl || complain 'the results were kept' run --out mine --force
expect 0 '' run --resume mine
mkdir empty
expect 0 '' run --simulate --only "$crc" --out empty
exit "$failed"
