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
# refuse MESSAGE FILE...: sqlite.sh says this line, and exits with 3
refuse() {
    message=$1
    shift
    "$recipes/lake/sqlite.sh" lake.db "$@" 2>error
    code=$?
    [ $code -eq 3 ] || complain "exit code $code for $*"
    [ "$(cat error)" = "sqlite.sh: $message" ] || complain "said: $(cat error), not: $message"
}
refuse 'missing.jsonl cannot be read' missing.jsonl
refuse 'results cannot be read' results
refuse './results/two.jsonl has the same octets as results/two.jsonl, which is in lake.db already' ./results/two.jsonl
cp results/two.jsonl copy.jsonl
refuse 'copy.jsonl has the same octets as results/two.jsonl, which is in lake.db already' copy.jsonl
sed 's/^/ /' results/two.jsonl >new.jsonl
refuse './new.jsonl has the same octets as a file before it' new.jsonl ./new.jsonl
sed '2s/^{/[/' results/two.jsonl >bad.jsonl
refuse 'bad.jsonl:2: not a JSON object' bad.jsonl
{ sed 1q results/two.jsonl; echo 7; } >number.jsonl
refuse 'number.jsonl:2: not a JSON object' number.jsonl
{ sed 1q results/two.jsonl; echo; cat results/two.jsonl; } >blank.jsonl
refuse 'blank.jsonl:2: not a JSON object' blank.jsonl
{ sed 1q results/two.jsonl; printf '{}\001{}\n'; } >control.jsonl
refuse 'control.jsonl:2: not a JSON object' control.jsonl
echo text >text.db
"$recipes/lake/sqlite.sh" text.db results/two.jsonl 2>error
code=$?
[ $code -eq 3 ] || complain "exit code $code for a file that is no database"
tail -n 1 error | grep -qx 'sqlite.sh: text.db: sqlite3 failed' || complain "said: $(cat error)"
sqlite3 -bail -noheader -separator '|' lake.db <"$recipes/lake/queries.sql" >found || complain "a query failed"
"$recipes/lake_expected.py" results/*.jsonl >expected || exit 99
[ "$(wc -l <expected)" -gt 4 ] || complain "nothing to compare"
diff expected found >&2 || complain "SQLite counts other numbers (< python, > SQLite)"
exit $failed
