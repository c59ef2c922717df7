#!/bin/sh
# paths_test.sh FOLDER FILE...: no file names the folder that it was built in: the folder would change its octets.
set -eu
folder=$1
shift
names() { grep -qaF "$folder" "$1"; }
printf 'a\0%s/core\0' "$folder" >paths_test.tmp
names paths_test.tmp || { echo "paths: does not find the folder where it is" >&2; exit 1; }
rm paths_test.tmp
status=0
for file; do
    [ -s "$file" ] || { echo "paths: $file is missing" >&2; exit 1; }
    ! names "$file" || { echo "paths: $file names $folder: $(strings -a "$file" | grep -F "$folder" | head -n 3)"; status=1; }
done
exit $status
