#!/bin/sh
# fuzz-captures_test.sh: if editcap fails, fuzz-captures.sh must fail with one line that says so.
#   BUILD   as for tshark.sh
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '#!/bin/sh\necho "editcap: no space left"\nexit 2\n' >"$work/editcap"
chmod +x "$work/editcap"
said=$(PATH=$work:$PATH "$here/fuzz-captures.sh" 1 2>&1)
rc=$?
case $rc:$said in
1:"fuzz-captures: editcap "*": editcap: no space left") ;;
*)
    echo "exit code $rc, and:"
    echo "$said" | head -n 5
    exit 1
    ;;
esac
