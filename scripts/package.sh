#!/bin/bash
# package.sh [SUITE...]: builds the Debian packages of each suite (default: bookworm trixie), checks them with lintian, and tests
# them: in a bare tree, where they are installed, used (debian/tests/use), and removed without a trace.
# The packages are then in build/packages/SUITE. A tree is a Debian that has nothing but the base system; it is thrown away
# afterwards (bare-tree.sh says where its base system is kept).
#   BUILT=y  tests the packages that an earlier run has built and checked
# Needs root, and debootstrap (scripts/install-packages.sh packages).
# Exit code: 0 passed, 1 a package is wrong, 3 environment.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- bookworm trixie
fail() { echo "package: $*" >&2; exit 3; }
wrong() { echo "package: $suite: $*" >&2; exit 1; }
# shellcheck source=scripts/bare-tree.sh
. scripts/bare-tree.sh
bare_tree_begin package
inside() { bare_tree_run "$@"; } # NAME COMMAND

# All files of the tree, but those that apt and dpkg keep about packages, and what any program may write.
files() { # NAME
    (cd "$work/$1" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./var/lib/apt -o -path ./var/lib/dpkg \
        -o -path ./var/cache -o -path ./var/log -o -path ./root -o -path ./packages \) -prune -o -print | sort)
}

build_packages() {
    bare_tree build "$suite"
    mkdir -p "$work/build/source/warpcheck"
    git ls-files -z | tar --null -T - -cf - | tar -C "$work/build/source/warpcheck" -xf -
    inside build 'apt-get -qq install -y --no-install-recommends build-essential lintian'
    inside build 'cd /source/warpcheck && apt-get -qq build-dep -y --no-install-recommends -P nocheck ./'
    inside build 'cd /source/warpcheck && dpkg-buildpackage -b -uc -us -Pnocheck'
    inside build 'cd /source && lintian --allow-root --fail-on error,warning warpcheck_*.changes'
    cat "$work/log"
    rm -rf "build/packages/$suite"
    mkdir -p "build/packages/$suite"
    cp "$work"/build/source/*.deb "build/packages/$suite/"
    rm -rf "$work/build"
}

for suite; do
    echo "== packages of Debian $suite"
    rm -rf "$work/build" "$work/use"
    [ -n "${BUILT:-}" ] || build_packages
    bare_tree use "$suite"
    # What the packages need, so that only the packages themselves are compared.
    inside use 'apt-get -qq install -y --no-install-recommends tshark openssh-client'
    mkdir "$work/use/packages"
    cp "build/packages/$suite"/*.deb "$work/use/packages/"
    rm -f "$work"/use/packages/*-dbgsym_*
    cp debian/tests/use "$work/use/packages/use"
    # Their dependencies stay: those belong to Debian. So the tree is compared with one that has them.
    inside use 'apt-get -qq install -y --no-install-recommends /packages/*.deb'
    inside use 'dpkg --remove warpcheck warpcheck-agent warpcheck-doc wireshark-iwarp'
    files use >"$work/before"
    inside use 'apt-get -qq install -y --no-install-recommends /packages/*.deb'
    files use >"$work/with"
    inside use '/packages/use'
    cat "$work/log"
    packaging/installed_links.py "$work/use/usr/share/doc/warpcheck" || wrong "links of the documentation lead nowhere"
    inside use 'apt-get -qq purge -y warpcheck warpcheck-agent warpcheck-doc wireshark-iwarp'
    files use >"$work/after"
    [ "$(wc -l <"$work/with")" -gt "$(wc -l <"$work/before")" ] || wrong "the packages install nothing"
    diff "$work/before" "$work/after" || wrong "removal leaves a trace"
    inside use 'dpkg --get-selections | grep -E "^(warpcheck|wireshark-iwarp)" && exit 1 || true'
    ls "build/packages/$suite"
    echo "$suite: built, installed, used and removed"
done
