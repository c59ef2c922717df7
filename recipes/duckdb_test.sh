#!/bin/sh
# The queries of lake/ on DuckDB, from npm: what they count is what python counts. Usage: duckdb_test.sh WARPCHECK IW_TRAFFIC CACHE
cache=$3
"$(dirname "$0")/npm.sh" "$cache" @duckdb/node-api@1.5.6-r.1 || exit $?
# shellcheck source=recipes/capture.sh
. "$(dirname "$(realpath "$0")")/capture.sh"
trap 'rm -rf "$work"' EXIT
mkdir -p results/day
mv whole "results/day/it's one.jsonl"
"$program" check --format jsonl "$recipes/../captures/synth/terminate_crc.pcapng" >results/two.jsonl
NODE_PATH=$cache/node_modules node "$recipes/duckdb.cjs" "$recipes/lake/duckdb.sql" "$recipes/lake/queries.sql" 'results/**/*.jsonl' >found ||
    complain "a query failed"
"$recipes/lake_expected.py" results/day/*.jsonl results/*.jsonl >expected || exit 99
[ "$(wc -l <expected)" -gt 4 ] || complain "nothing to compare"
diff expected found >&2 || complain "DuckDB counts other numbers (< python, > DuckDB)"
# refuse MESSAGE FILES: the tables refuse these results with such a line
refuse() {
    NODE_PATH=$cache/node_modules node "$recipes/duckdb.cjs" "$recipes/lake/duckdb.sql" "$recipes/lake/queries.sql" "$2" >found 2>error
    code=$?
    [ $code -eq 3 ] || complain "exit code $code for $2"
    [ "$(wc -l <error)" -eq 1 ] || complain "not one line: $(cat error)"
    grep -q "$1" error || complain "said: $(cat error)"
}
cp results/two.jsonl results/copy.jsonl
refuse 'the same results twice: results/copy.jsonl and results/two.jsonl' 'results/*.jsonl'
sed '2s/^{/[/' results/two.jsonl >results/copy.jsonl
refuse 'Malformed JSON in file "results/copy.jsonl".* line [0-9]' 'results/*.jsonl'
exit $failed
