#!/bin/bash
# console_test.sh WARPCHECK PAGE: runs the commands of the page's blocks that begin with ```console, in their order and in a
# folder of its own. The lines below a command have to be among what it prints; "..." stands for lines that are left out. Its exit code
# has to be 0, or, of a line that ends with a command of warpcheck, a verdict (1 or 2) that the --help of this command documents.
# A block that begins with ```lua and "-- NAME.lua" is that file.
set -uo pipefail
warpcheck=$(realpath "$1")
page=$(realpath "$2")
root=$(cd "$(dirname "$page")/.." && pwd)
BUILD=$(dirname "$warpcheck")
export BUILD PATH=$BUILD:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work" || exit 3
ln -s "$root/captures" "$root/docs" "$root/generator" "$root/scripts" .

failed=0
count=0
wrong() { echo "$page:$number: $1"; sed 's/^/    /' output; failed=$((failed + 1)); }

# documented LINE CODE: whether the last command of the line may exit with this code
documented() {
    local command
    [ "$2" -ne 0 ] || return 0
    command=$(sed -n "s/'[^']*'//g; s/.*[|;&]//; s/^ *warpcheck \([a-z-]*\).*/\1/p" <<<"$1")
    [ -n "$command" ] && [ "$2" -lt 3 ] && warpcheck "$command" --help | sed '1,/^Exit codes:$/d' | grep -q "^  $2  "
}

number=0
inside=
: >output
while IFS= read -r line; do
    number=$((number + 1))
    case $inside:$line in
    ':```console') inside=1 ;;
    ':```lua') inside=2 file= ;;
    [12]':```') inside= ;;
    2:*)
        [ -n "$file" ] || { file=${line#-- } && : >"$file"; }
        printf '%s\n' "$line" >>"$file"
        ;;
    '1:$ '*)
        count=$((count + 1))
        code=0
        bash -c "${line#\$ }" >output 2>"errors" </dev/null || code=$?
        documented "${line#\$ }" $code || { cat errors >>output; wrong "exit code $code"; } ;;
    1:...) ;; # lines that are left out
    1:*) grep -qxF -- "$line" output || wrong "not printed: $line" ;;
    esac
done <"$page"

echo "$count commands, $failed failures"
[ $failed -eq 0 ] && [ $count -gt 0 ]
