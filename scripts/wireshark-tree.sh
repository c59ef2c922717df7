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

# shellcheck source=scripts/apt-tree.sh
. "$(dirname "$0")/apt-tree.sh"

echo "Fetching and unpacking Wireshark $version of Debian $suite, some $([ -n "$kind" ] && echo 300 || echo 100) MB"
began=$(date +%s)
mkdir -p "$(dirname "$tree")"
tree=$(cd "$(dirname "$tree")" && pwd)/$(basename "$tree")
work=$tree.$$
trap 'rm -rf "$work"' EXIT

apt_tree_begin "$suite"
glib=libglib2.0-dev # contained GLib's headers until the package was split
[ -z "$(apt-cache -c "$work/apt/conf" madison libgio-2.0-dev 2>/dev/null)" ] || glib=libgio-2.0-dev
# shellcheck disable=SC2086  # one word each
apt_tree install -y --download-only --no-install-recommends $run
# shellcheck disable=SC2086
(cd "$work/apt/archives" && apt_tree download $headers $glib)

apt_tree_unpack
found=$(sed -nE 's/^#define WIRESHARK_VERSION_M(AJ|IN)OR +//p' "$work/root/usr/include/wireshark/ws_version.h" | paste -sd.)
[ "$found" = "$version" ] || fail "Debian $suite has Wireshark $found by now"
: >"$work/root/complete"
rm -rf "$tree"
mv "$work/root" "$tree"
echo "Wireshark $version is in $tree, after $(($(date +%s) - began)) s"
