#!/bin/sh
# The manual pages of a build: each command has one, and no page has a warning of mandoc or of man-db.
# Usage: manual_test.sh WARPCHECK FOLDER, which cmake/manual.cmake has written
program=$1 folder=$2
command -v mandoc >/dev/null || {
    echo "not available: mandoc: skipped"
    exit 77
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
complain() {
    echo "FAILED: $*"
    failed=1
}

count=0
for page in "$folder"/man*/*; do
    count=$((count + 1))
    mandoc -T lint -W all "$page" >"$work/said" 2>&1
    [ ! -s "$work/said" ] || complain "mandoc: $(head -n 3 "$work/said")"
    if command -v man >/dev/null; then
        man --warnings=all -E UTF-8 -l "$page" 2>"$work/said" >"$work/text" </dev/null
        [ ! -s "$work/said" ] || complain "man: $page: $(head -n 3 "$work/said")"
    fi
    # the name as apropos reads it
    name=${page##*/}
    mandoc -T man "$page" | sed 's/\\-/-/g' | grep -A 1 '^\.SH "\{0,1\}NAME' | grep -q "^${name%.*} - " ||
        complain "$page does not name itself"
    # every page that it refers to is there; that of the agent only if the agent is built
    sed -n '/^\.SH "SEE ALSO"/,$p' "$page" | sed 's/\\f[BR]//g; s/\\-/-/g' | grep -o 'warpcheck[a-z-]*([157])' >"$work/see"
    while read -r see; do
        section=${see#*(}
        see=${see%(*}.${section%)}
        [ -f "$folder/man${section%)}/$see" ] || [ "$see" = warpcheck-agent.1 ] || complain "$page refers to $see, which is missing"
    done <"$work/see"
done
for command in $("$program" help | sed -n '/^Commands:/,/^$/s/^  \([^ ]*\) .*/\1/p'); do
    [ -s "$folder/man1/warpcheck-$command.1" ] || complain "$command has no page"
done
for page in man1/warpcheck.1 man7/warpcheck-scripts.7 man7/warpcheck-agent-protocol.7 man5/warpcheck-expectations.5 man5/warpcheck-waivers.5 \
    man5/warpcheck-policy.5 man5/warpcheck-profile.5; do
    [ -s "$folder/$page" ] || complain "$page is missing"
done
[ $count -ge 20 ] || complain "only $count pages"
exit $failed
