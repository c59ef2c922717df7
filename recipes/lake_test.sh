#!/bin/sh
# The queries of lake/ on SQLite: what they count is what python counts. Usage: lake_test.sh WARPCHECK IW_TRAFFIC
for tool in sqlite3 python3; do
    command -v "$tool" >/dev/null || { echo "not available: $tool: skipped"; exit 77; }
done
# shellcheck source=recipes/capture.sh
. "$(dirname "$(realpath "$0")")/capture.sh"
trap 'rm -rf "$work"' EXIT
mkdir results
mv whole "results/it's one.jsonl"
"$program" check --format jsonl "$recipes/../captures/synth/terminate_crc.pcapng" >results/two.jsonl
"$recipes/lake/sqlite.sh" lake.db "results/it's one.jsonl" || complain "sqlite.sh failed"
"$recipes/lake/sqlite.sh" lake.db results/two.jsonl || complain "sqlite.sh failed to add a file"
# The same file again would count everything twice.
"$recipes/lake/sqlite.sh" lake.db results/two.jsonl "results/it's one.jsonl" 2>error
code=$?
[ $code -eq 3 ] || complain "a file that is in the database already: exit code $code"
grep -qx 'sqlite.sh: results/two.jsonl is in lake.db already' error || complain "said: $(cat error)"
"$recipes/lake/sqlite.sh" lake.db missing.jsonl 2>error && complain "a missing file is no error"
sqlite3 -bail -noheader -separator '|' lake.db <"$recipes/lake/queries.sql" >found || complain "a query failed"
"$recipes/lake_expected.py" results/*.jsonl >expected || exit 99
[ "$(wc -l <expected)" -gt 4 ] || complain "nothing to compare"
diff expected found >&2 || complain "SQLite counts other numbers (< python, > SQLite)"
exit $failed
