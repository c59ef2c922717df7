# shellcheck shell=bash disable=SC2154
# bare-tree.sh, read by scripts that need a Debian with nothing but its base system, to install and to throw away. Needs root, and
# debootstrap (scripts/install-packages.sh packages). The base system is kept in ${XDG_CACHE_HOME:-~/.cache}/warpcheck/bare.
# The caller has functions `fail MESSAGE`, for faults of the environment, and `wrong MESSAGE`.

# Sets `work`, a folder for trees, which is removed at the end.
bare_tree_begin() { # NAME of the script
    [ "$(id -u)" -eq 0 ] || fail "needs root, for the trees"
    command -v debootstrap >/dev/null || fail "debootstrap is missing: scripts/install-packages.sh packages installs it"
    bare_tree_cache=${XDG_CACHE_HOME:-$HOME/.cache}/warpcheck/bare
    mkdir -p "$bare_tree_cache"
    work=$(mktemp -d "${TMPDIR:-/var/tmp}/warpcheck-$1.XXXXXX")
    trap 'rm -rf --one-file-system "$work"' EXIT
    # shellcheck disable=SC2016  # apt inserts the address
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep '/debian/$' | sed -n 1p)
    [ -n "$mirror" ] || fail "apt knows no Debian mirror on this machine"
}

# Unpacks a bare tree of the suite in $work/NAME.
bare_tree() { # NAME SUITE
    local base=$bare_tree_cache/$2.tar
    if [ ! -s "$base" ]; then
        debootstrap --variant=minbase "$2" "$work/base" "$mirror" >"$work/log" 2>&1 || fail "debootstrap: $(tail -n 1 "$work/log")"
        printf 'deb %s %s main\ndeb %s %s-updates main\n' "$mirror" "$2" "$mirror" "$2" >"$work/base/etc/apt/sources.list"
        tar -C "$work/base" -cf "$base.part" .
        mv "$base.part" "$base"
        rm -rf "$work/base"
    fi
    mkdir -p "$work/$1"
    tar -C "$work/$1" -xf "$base"
    cp /etc/resolv.conf "$work/$1/etc/resolv.conf"
    # How this machine reaches the mirror; other settings are files of packages, which the tree may install itself.
    apt-config dump | grep -E '^Acquire::(https?|Retries|ForceIPv)' >"$work/$1/etc/apt/apt.conf.d/00machine" || true
    # The tree is thrown away, so that no file has to reach the disk.
    echo force-unsafe-io >"$work/$1/etc/dpkg/dpkg.cfg.d/00machine"
    chmod 755 "$work/$1"
    bare_tree_run "$1" 'apt-get -qq update'
}

# Runs the command in the tree, without the services and processes of this machine; what it prints is then in $work/log.
#   bare_tree_user    USER:GROUP that runs it [root]
#   bare_tree_folder  where it runs [/]
bare_tree_run() { # NAME COMMAND
    # shellcheck disable=SC2016  # expanded inside
    unshare --mount --pid --fork --kill-child bash -c '
        mount --make-rprivate / && mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount -t sysfs -o ro sysfs "$0/sys"
        exec chroot --userspec="$2" "$0" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive --chdir="$3" sh -c "$1"' \
        "$work/$1" "$2" "${bare_tree_user:-root:root}" "${bare_tree_folder:-/}" </dev/null >"$work/log" 2>&1 ||
        { tail -n 40 "$work/log" >&2; wrong "$1: $2"; }
}
