#!/bin/bash
# install_test.sh BUILD COMPONENT...: installs each component of the build, below a temporary root, and the program into a temporary prefix.
# Each component has the licence, the links of all installed pages lead to installed files, and scripts/uninstall.sh removes what
# was installed, and nothing else.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
build=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
wrong() { echo "install: $*" >&2; failed=1; }
files() { (cd "$1" && find . ! -type d | sort); }
# install ROOT OPTION..., remove ROOT OPTION...: with DESTDIR, or without it if ROOT is ''.
install() { DESTDIR=$1 cmake --install "$build" "${@:2}" >"$work/log" 2>&1 || wrong "cmake --install ${*:2}: $(tail -n 3 "$work/log")"; }
remove() { DESTDIR=$1 "$here/scripts/uninstall.sh" "$build" "${@:2}" >"$work/log" 2>&1 || wrong "uninstall ${*:2}: $(cat "$work/log")"; }

mkdir "$work/each" "$work/whole"
for component; do
    install "$work/each/$component" --prefix /usr --component "$component"
    cmp -s "$here/LICENSE" "$(find "$work/each/$component" -name LICENSE)" || wrong "component $component: no licence"
    cp -a "$work/each/$component/." "$work/whole"
done
links=$("$here/packaging/installed_links.py" "$work/each") || wrong "links: $links"

# One component of several, and then all; the corpus is not one of all. What others have put there stays.
mkdir "$work/whole/usr/share/doc/warpcheck/mine"
touch "$work/whole/usr/share/doc/warpcheck/mine/note" "$work/whole/usr/bin/another"
remove "$work/whole" --prefix /usr --component docs
[ -x "$work/whole/usr/bin/warpcheck" ] || wrong "the removal of the documentation removes the program"
[ ! -e "$work/whole/usr/share/doc/warpcheck/docs" ] || wrong "the documentation is not removed"
remove "$work/whole" --prefix /usr
[ -d "$work/whole/usr/share/warpcheck/captures/rules" ] || wrong "the corpus is removed unasked"
remove "$work/whole" --prefix /usr --component corpus
[ "$(files "$work/whole")" = $'./usr/bin/another\n./usr/share/doc/warpcheck/mine/note' ] ||
    wrong "after the removal: $(files "$work/whole")"
[ -z "$(find "$work/whole/usr/share" -name 'warpcheck*' ! -path '*/doc/warpcheck')" ] || wrong "empty folders stay"

# Without DESTDIR; and with it, the files of the running system stay. The program alone: other parts may have absolute places.
cli=(--prefix "$work/prefix" --component cli)
install '' "${cli[@]}"
files "$work/prefix" >"$work/before"
install "$work/root" "${cli[@]}"
[ -n "$(files "$work/root")" ] || wrong "nothing is installed below DESTDIR"
(cd "$work" && remove root "${cli[@]}")
files "$work/prefix" | cmp -s "$work/before" - || wrong "the removal below DESTDIR removes files outside"
[ -z "$(files "$work/root")" ] || wrong "the program is not removed below DESTDIR"
remove '' "${cli[@]}"
[ -z "$(files "$work/prefix")" ] || wrong "after the removal: $(files "$work/prefix")"
code=0
"$here/scripts/uninstall.sh" "$work" 2>"$work/log" || code=$?
[ $code -eq 3 ] || wrong "a folder that is no build: exit code $code"
grep -q 'not the folder of a build' "$work/log" || wrong "a folder that is no build: $(cat "$work/log")"
exit $failed
