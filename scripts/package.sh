#!/bin/bash
# package.sh [SUITE...]: builds the Debian packages of each suite (default: bookworm trixie), checks them with lintian, and tests
# them: in a bare tree, where they are installed, used (debian/tests/use), and removed without a trace.
# The packages are then in build/packages/SUITE. A tree is a Debian that has nothing but the base system; it is thrown away
# afterwards. The base system is kept in ${XDG_CACHE_HOME:-~/.cache}/warpcheck/bare.
# Needs root, and debootstrap (scripts/install-packages.sh packages).
# Exit code: 0 passed, 1 a package is wrong, 3 environment.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- bookworm trixie
fail() { echo "package: $*" >&2; exit 3; }
wrong() { echo "package: $suite: $*" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || fail "needs root, for the trees"
command -v debootstrap >/dev/null || fail "debootstrap is missing: scripts/install-packages.sh packages installs it"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/warpcheck/bare
mkdir -p "$cache"
work=$(mktemp -d "${TMPDIR:-/var/tmp}/warpcheck-package.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
# shellcheck disable=SC2016  # apt inserts the address
mirror=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep '/debian/$' | sed -n 1p)
[ -n "$mirror" ] || fail "apt knows no Debian mirror on this machine"

# Unpacks a bare tree of the suite in $work/NAME.
tree() { # NAME
    if [ ! -s "$cache/$suite.tar" ]; then
        debootstrap --variant=minbase "$suite" "$work/base" "$mirror" >"$work/log" 2>&1 || fail "debootstrap: $(tail -n 1 "$work/log")"
        printf 'deb %s %s main\ndeb %s %s-updates main\n' "$mirror" "$suite" "$mirror" "$suite" >"$work/base/etc/apt/sources.list"
        tar -C "$work/base" -cf "$cache/$suite.part" .
        mv "$cache/$suite.part" "$cache/$suite.tar"
        rm -rf "$work/base"
    fi
    mkdir -p "$work/$1"
    tar -C "$work/$1" -xf "$cache/$suite.tar"
    cp /etc/resolv.conf "$work/$1/etc/resolv.conf"
    cp -r /etc/apt/apt.conf.d/. "$work/$1/etc/apt/apt.conf.d/" # proxies
    chmod 755 "$work/$1"
    inside "$1" 'apt-get -qq update'
}

# Runs the command in the tree, as root, without the services and processes of this machine.
inside() { # NAME COMMAND
    # shellcheck disable=SC2016  # expanded inside
    unshare --mount --pid --fork --kill-child bash -c '
        mount --make-rprivate / && mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount -t sysfs -o ro sysfs "$0/sys"
        exec chroot "$0" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
            sh -c "$1"' "$work/$1" "$2" </dev/null >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2; wrong "$1: $2"; }
}

# All files of the tree, but those that apt and dpkg keep about packages, and what any program may write.
files() { # NAME
    (cd "$work/$1" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./var/lib/apt -o -path ./var/lib/dpkg \
        -o -path ./var/cache -o -path ./var/log -o -path ./root -o -path ./packages \) -prune -o -print | sort)
}

for suite; do
    echo "== packages of Debian $suite"
    rm -rf "$work/build" "$work/use"
    tree build
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

    tree use
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
    inside use 'apt-get -qq purge -y warpcheck warpcheck-agent warpcheck-doc wireshark-iwarp'
    files use >"$work/after"
    [ "$(wc -l <"$work/with")" -gt "$(wc -l <"$work/before")" ] || wrong "the packages install nothing"
    diff "$work/before" "$work/after" || wrong "removal leaves a trace"
    inside use 'dpkg --get-selections | grep -E "^(warpcheck|wireshark-iwarp)" && exit 1 || true'
    ls "build/packages/$suite"
    echo "$suite: built, installed, used and removed"
done
