#!/bin/sh
# versions.sh [--all]: builds the plugin for every supported Wireshark version and runs its tests with each version's tshark; those
# of a version between the oldest and the newest in full only with --all. Fetches versions that are not installed into separate
# folders (wireshark-tree.sh). Extends the release build of build.sh. Safe to repeat.
set -eu
cd "$(dirname "$0")/.."

case ${1:-} in
"") labels=versions ;;
--all) labels='versions|between' ;;
*) echo "versions.sh: takes --all, not $1" >&2; exit 3 ;;
esac
scripts/install-packages.sh
installed=$(tshark --version 2>/dev/null | sed -nE '1s/^[^0-9]*([0-9]+\.[0-9]+).*/\1/p')
trees=
for version in 4.0 4.4 4.6; do
    [ "$version" != "$installed" ] || continue
    tree=${XDG_CACHE_HOME:-$HOME/.cache}/warpcheck/wireshark/$version
    scripts/wireshark-tree.sh "$version" "$tree"
    trees="$trees;$tree"
done

echo "Building: release, with the plugin for each of them"
cmake --preset release "-DWARPCHECK_WIRESHARK_TREES=${trees#;}" >/dev/null
scripts/build.sh release

# A version that was left out must not count as tested.
if ctest --preset release -N -L absent | grep -q 'Test *#'; then
    echo "versions.sh: a version of Wireshark is not tried" >&2
    exit 1
fi
ctest --preset release --no-tests=error -L "$labels" -j "$(nproc)"
