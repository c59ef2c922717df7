# shellcheck shell=sh disable=SC2034 # the scripts that source it use $failed, $whole and $code
# Shared by the tests of the recipes, which source it with the program and iw_traffic as their arguments: makes the capture
# $work/big-1.pcap to big-3.pcap, and the results of one check of it, $work/whole. $failed is 1 if a check has failed.
program=$(realpath "$1")
traffic=$(realpath "$2")
recipes=$(dirname "$(realpath "$0")")
work=$(mktemp -d) || exit 99
failed=0

complain() {
    echo "FAILED: $*" >&2
    failed=1
}
"$recipes/../conformance/cli/shard_capture.py" "$traffic" "$work" 300 || exit 99
cd "$work" || exit 99
"$program" check --format jsonl --chain all big-1.pcap big-2.pcap big-3.pcap >whole
code=$?
grep -q '"type":"finding"' whole || complain "the capture has no findings to compare"

# same FOLDER EXIT: its results are those of one check, and so was the exit code
same() {
    [ "$2" -eq $code ] || complain "$1: exit code $2 instead of $code"
    cmp whole "$1/results.jsonl" || complain "$1: not the results of one check"
}
