#!/bin/sh
# paths_test.sh SOURCE BUILD FILE...: no file names the folder of its sources or that of its build: the folder would change its octets.
set -eu
source=$1 build=$2
shift 2
work=$(mktemp)
trap 'rm -f "$work"' EXIT
names() { grep -qaF -e "$source" -e "$build" "$1"; }
for folder in "$source" "$build"; do
    printf 'a\0%s/core\0' "$folder" >"$work"
    names "$work" || { echo "paths: does not find the folder where it is" >&2; exit 1; }
done
status=0
for file; do
    [ -s "$file" ] || { echo "paths: $file is missing" >&2; exit 1; }
    ! names "$file" || { echo "paths: $file names $(strings -a "$file" | grep -F -e "$source" -e "$build" | head -n 3)"; status=1; }
done
exit $status
