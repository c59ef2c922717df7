#!/bin/bash
# install_test.sh BUILD COMPONENT...: installs the build, whole and by component, below a temporary root and into a temporary prefix.
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

for component; do
    root=$work/$component
    install "$root" --prefix /usr --component "$component"
    cmp -s "$here/LICENSE" "$(find "$root" -name LICENSE)" || wrong "component $component: no licence"
done
links=$("$here/packaging/installed_links.py" "$work") || wrong "links: $links"

# By component. What others have put there stays, also if it is at a place that another component uses.
mkdir -p "$work/docs/usr/share/doc/warpcheck/mine"
touch "$work/docs/usr/share/doc/warpcheck/mine/note" "$work/docs/usr/bin-of-another"
for component; do
    remove "$work/$component" --prefix /usr --component "$component"
done
left=$(for component; do files "$work/$component"; done)
[ "$left" = $'./usr/bin-of-another\n./usr/share/doc/warpcheck/mine/note' ] || wrong "after the removal of each component: $left"
[ -z "$(find "$work/cli" -path '*warpcheck*')" ] || wrong "folders stay: $(find "$work/cli" -path '*warpcheck*')"

# One component of several.
install "$work/root" --prefix /usr
files "$work/root" >"$work/whole"
[ "$(wc -l <"$work/whole")" -gt 20 ] || wrong "little is installed: $(cat "$work/whole")"
remove "$work/root" --prefix /usr --component docs
[ -x "$work/root/usr/bin/warpcheck" ] || wrong "the removal of the documentation removes the program"
[ ! -e "$work/root/usr/share/doc/warpcheck" ] || wrong "the documentation is not removed"
remove "$work/root" --prefix /usr
[ -z "$(files "$work/root")" ] || wrong "after the removal: $(files "$work/root")"

# Without DESTDIR; and with it, the files of the running system stay. The program alone: other parts may have absolute places.
cli=(--prefix "$work/prefix" --component cli)
install '' "${cli[@]}"
files "$work/prefix" >"$work/before"
install "$work/root" "${cli[@]}"
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
