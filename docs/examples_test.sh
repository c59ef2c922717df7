#!/bin/bash
# examples_test.sh WARPCHECK PAGE: runs every example of the page, the fenced blocks that begin with ```lua, by "warpcheck
# synth". Comments in an example say what has to come of it:
#   -- finding: ID   the monitor finds that, and nothing else; once for each requirement
#   -- exit: CODE    the exit code, if it is not 0
# The lines of a block that begins with ```text and follows an example have to be among what it prints.
set -uo pipefail
warpcheck=$(realpath "$1")
page=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3

# LINE.lua for the example whose fence stands at LINE, LINE.txt for what it prints
awk '
    /^```lua$/  { at = sprintf("%05d", NR); file = at ".lua"; next }
    /^```text$/ { if (at != "") file = at ".txt"; next }
    /^```/      { if (file ~ /txt$/) at = ""; file = ""; next }
    file != ""  { print > file }
    file == "" && !/^$/ { if (at != "") at = "" }
' "$page"

failed=0
count=0
wrong() { echo "$page:$((10#${example%.lua})): $1"; sed 's/^/    /' output; failed=$((failed + 1)); }

for example in *.lua; do
    [ -e "$example" ] || break
    count=$((count + 1))
    "$warpcheck" synth "$example" -o example.pcapng >output 2>&1
    code=$?
    exit_code=$(sed -n 's/^-- exit: //p' "$example")
    [ "$code" = "${exit_code:-0}" ] || { wrong "exit code $code, not ${exit_code:-0}"; continue; }
    sed -n 's/^-- finding: //p' "$example" | sort -u >wanted
    grep -oE '(error|warning|note) (RFC|draft)[^,:]*' output | cut -d' ' -f2 | sort -u >found
    diff wanted found >difference || { wrong "other findings: $(tr '\n' ' ' <difference)"; continue; }
    [ ! -e "${example%.lua}.txt" ] || while IFS= read -r line; do
        grep -qxF -- "$line" output || { wrong "does not print: $line"; break; }
    done <"${example%.lua}.txt"
done

echo "$count examples, $failed failed"
[ $failed -eq 0 ] && [ $count -gt 0 ]
