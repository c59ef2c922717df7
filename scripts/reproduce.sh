#!/bin/bash
# reproduce.sh: builds this tree twice, in folders with different names, in another time zone, language and umask, with another number
# of jobs, at another time, and compares all that both builds install: each file must have the same octets and the same mode.
# Takes as long as two builds without tests.
#   KEEP   a folder for the two builds, which is kept [none]
#   JOBS   jobs of the first build [number of processors]; the second uses one more
# Exit code: 0 the same, 1 they differ, 3 environment.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
fail() { echo "reproduce: $*" >&2; exit 3; }
for tool in cmake ninja git; do
    command -v $tool >/dev/null || fail "$tool is missing: scripts/install-packages.sh installs cmake and ninja"
done
if [ -n "${KEEP:-}" ]; then
    work=$KEEP
    mkdir -p "$work"
else
    work=$(mktemp -d "${TMPDIR:-/var/tmp}/warpcheck-reproduce.XXXXXX")
    trap 'rm -rf "$work"' EXIT
fi
jobs=${JOBS:-$(nproc)}

# build NAME SOURCE BUILD JOBS: leaves the installed files in $work/NAME.installed. An expanded __DATE__ or __TIME__ is an error,
# because both builds may have the same day.
build() {
    local source=$work/$2 build=$work/$3
    mkdir -p "$source"
    tar -C "$source" -xmf "$work/source.tar"
    CFLAGS=-Werror=date-time cmake -S "$source" -B "$build" -G Ninja -D CMAKE_BUILD_TYPE=RelWithDebInfo -D BUILD_TESTING=OFF \
        -D CMAKE_INSTALL_PREFIX=/usr >"$work/$1.log" || fail "cmake fails: $(tail -n 3 "$work/$1.log")"
    cmake --build "$build" -j "$4" -- --quiet || fail "the build in $build fails"
    DESTDIR=$work/$1.installed cmake --install "$build" >/dev/null || fail "cmake --install fails"
}
# Once for both, so that a change of the tree in between does not count.
git ls-files -z | tar --null -T - -cf "$work/source.tar"
echo "Building the first"
(umask 022 && TZ=UTC && export TZ && build first one/warpcheck one/warpcheck/build/release "$jobs")
echo "Building the second"
(umask 027 && TZ=Pacific/Kiritimati LC_ALL=C.UTF-8 && export TZ LC_ALL &&
    build second "a longer folder/source" other/build $((jobs + 1)))

# One line a file: mode, SHA-256 or target of a link, name.
list() {
    (cd "$work/$1.installed" && find . -type l -printf '%p -> %l\n' -o -type f -printf '%m %p\n' | sort &&
        find . -type f -print0 | sort -z | xargs -0 sha256sum)
}
list first >"$work/first.list"
list second >"$work/second.list"
[ "$(grep -c . "$work/first.list")" -gt 20 ] || fail "the builds install too little: see $work/first.list"
if ! diff "$work/first.list" "$work/second.list"; then
    echo "reproduce: the builds differ; diffoscope shows where" >&2
    exit 1
fi
echo "reproduce: the same octets, twice: $(find "$work/first.installed" -type f | wc -l) files"
