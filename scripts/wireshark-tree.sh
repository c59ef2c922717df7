#!/bin/sh
# wireshark-tree.sh [--gui] VERSION [DIR]: unpacks the tshark of Wireshark 4.0, 4.4 or 4.6 with all its dependencies and the
# headers for plugins into a separate folder: DIR, or VERSION in the folder warpcheck/wireshark of ${XDG_CACHE_HOME:-~/.cache}.
# With --gui also Wireshark itself, for `WIRESHARK=VERSION scripts/screenshots.sh`, into VERSION-gui (800 MB).
# Installs nothing and needs no root; `WIRESHARK=VERSION scripts/tshark.sh` runs the result. The signed packages come from the
# Debian mirror that this machine's apt uses. An existing tree is kept; remove the folder to make it again.
set -eu

programs=tshark kind=
if [ "${1:-}" = --gui ]; then
    programs="tshark wireshark" kind=-gui
    shift
fi
version=${1:-}
case $version in
4.0) suite=bookworm ;;
4.4) suite=trixie ;;
4.6) suite=sid ;;
*)
    sed -n '2,8s/^# //p' "$0" >&2
    exit 3
    ;;
esac
tree=${2:-${XDG_CACHE_HOME:-$HOME/.cache}/warpcheck/wireshark/$version$kind}
run="$programs libisal2"
headers="libwireshark-dev libwiretap-dev libwsutil-dev"

if [ -e "$tree/complete" ]; then
    echo "Wireshark $version is in $tree"
    exit 0
fi

fail() {
    echo "wireshark-tree: $*" >&2
    exit 3
}

# shellcheck disable=SC2016  # apt inserts the address
mirror=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep '/debian/$' | sed -n 1p)
[ -n "$mirror" ] || fail "apt knows no Debian mirror on this machine"

echo "Fetching and unpacking Wireshark $version of Debian $suite, some $([ -n "$kind" ] && echo 300 || echo 100) MB"
began=$(date +%s)
mkdir -p "$(dirname "$tree")"
tree=$(cd "$(dirname "$tree")" && pwd)/$(basename "$tree")
work=$tree.$$
mkdir -p "$work/apt/lists/partial" "$work/apt/archives/partial" "$work/root"
trap 'rm -rf "$work"' EXIT

# A separate apt: it assumes an empty system and so fetches every library, including libc. It keeps the machine's proxies and
# trusted keys.
: >"$work/apt/status"
echo "deb $mirror $suite main" >"$work/apt/sources.list"
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
Acquire::Check-Valid-Until "$([ "$suite" = sid ] && echo false || echo true)";
CONF
private_apt() {
    apt-get -c "$work/apt/conf" -qq "$@" >"$work/apt/log" 2>&1 && return
    cat "$work/apt/log" >&2
    fail "apt could not fetch what is needed from $mirror"
}
private_apt update
glib=libglib2.0-dev # contained GLib's headers until the package was split
[ -z "$(apt-cache -c "$work/apt/conf" madison libgio-2.0-dev 2>/dev/null)" ] || glib=libgio-2.0-dev
# shellcheck disable=SC2086  # one word each
private_apt install -y --download-only --no-install-recommends $run
# shellcheck disable=SC2086
(cd "$work/apt/archives" && private_apt download $headers $glib)

# Merged like Debian's own trees, whatever the packages contain.
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
found=$(sed -nE 's/^#define WIRESHARK_VERSION_M(AJ|IN)OR +//p' "$work/root/usr/include/wireshark/ws_version.h" | paste -sd.)
[ "$found" = "$version" ] || fail "Debian $suite has Wireshark $found by now"
: >"$work/root/complete"
rm -rf "$tree"
mv "$work/root" "$tree"
echo "Wireshark $version is in $tree, after $(($(date +%s) - began)) s"
