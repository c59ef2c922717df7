# shellcheck shell=sh disable=SC2154
# apt-tree.sh, read by scripts that unpack Debian packages into a folder of their own: nothing is installed, no root is needed.
# The caller sets `work`, a folder that it removes at its end, and has a function `fail MESSAGE`.

# Prepares a separate apt in $work/apt that assumes an empty system, and so fetches every library, including libc. It keeps the
# machine's proxies and trusted keys; the signed packages come from the mirror that the machine's apt uses.
apt_tree_begin() { # SUITE [ARCHITECTURE]
    # shellcheck disable=SC2016  # apt inserts the address
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep '/debian/$' | sed -n 1p)
    [ -n "$mirror" ] || fail "apt knows no Debian mirror on this machine"
    mkdir -p "$work/apt/lists/partial" "$work/apt/archives/partial" "$work/root"
    : >"$work/apt/status"
    echo "deb $mirror $1 main" >"$work/apt/sources.list"
    cat >"$work/apt/conf" <<CONF
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear APT::Default-Release;
#clear DPkg::Pre-Install-Pkgs;
Dir::Etc::sourcelist "$work/apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State "$work/apt";
Dir::State::status "$work/apt/status";
Dir::Cache "$work/apt";
APT::Sandbox::User "root";
APT::Get::List-Cleanup "0";
Acquire::Languages "none";
Acquire::Retries "3";
APT::Update::Error-Mode "any";
Acquire::Check-Valid-Until "$([ "$1" = sid ] && echo false || echo true)";
CONF
    [ -z "${2:-}" ] || printf 'APT::Architecture "%s";\nAPT::Architectures "%s";\n' "$2" "$2" >>"$work/apt/conf"
    apt_tree update
}

apt_tree() { # ARGUMENT of apt-get...
    apt-get -c "$work/apt/conf" -qq "$@" >"$work/apt/log" 2>&1 && return
    cat "$work/apt/log" >&2
    fail "apt could not fetch what is needed from $mirror"
}

# Unpacks all fetched packages into $work/root, merged like Debian's own trees, whatever the packages contain.
apt_tree_unpack() {
    for folder in bin sbin lib lib64; do
        mkdir -p "$work/root/usr/$folder"
        ln -s "usr/$folder" "$work/root/$folder"
    done
    for package in "$work"/apt/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" |
            tar -C "$work/root" -xf - --keep-directory-symlink --no-same-owner --exclude='./usr/share/doc' \
                --exclude='./usr/share/man' --exclude='./usr/share/locale' --exclude='./var' --exclude='./etc'
    done
    chmod -R u+w,go=u-w "$work/root"
}
