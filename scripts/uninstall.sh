#!/bin/bash
# uninstall.sh BUILD [OPTION...]: removes what `cmake --install BUILD OPTION...` has installed; takes the same options (--prefix,
# --component) and the same DESTDIR. CMake's own list does not do for this: the next installation overwrites it, each component has
# another one, and after an installation with DESTDIR it names files of the running system. So this installs the files once more,
# into a temporary folder, and removes those at the same places. Folders are removed if they are warpcheck's own and empty.
# Exit code: 0 removed, 3 usage or environment.
set -euo pipefail
fail() { echo "uninstall: $*" >&2; exit 3; }
[ $# -gt 0 ] || { sed -n '2,6s/^# //p' "$0" >&2; exit 3; }
[ -f "$1/cmake_install.cmake" ] || fail "$1: not the folder of a build"
root=${DESTDIR:+$(realpath -m "$DESTDIR")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/root"
DESTDIR=$work/root cmake --install "$@" >"$work/log" 2>&1 || fail "cmake --install $*: $(tail -n 3 "$work/log")"

cd "$work/root"
removed=0
while read -r -d '' path; do
    path=$root/${path#./}
    [ -e "$path" ] || [ -L "$path" ] || continue
    rm -f "$path" || fail "$path: cannot be removed"
    removed=$((removed + 1))
done < <(find . ! -type d -print0)
while read -r -d '' path; do
    path=$root/${path#./}
    [ ! -d "$path" ] || rmdir --ignore-fail-on-non-empty "$path" || fail "$path: cannot be removed"
done < <(find . -depth -type d -regextype posix-extended -regex '.*/(warpcheck(-[a-z]+)?|iWARP)(/.*)?' -print0)
echo "uninstall: removed $removed files"
