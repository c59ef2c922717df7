#!/bin/sh
# tshark.sh ARGUMENT...: runs tshark with the plugin of this build only, independent of the user's settings and plugins.
#   BUILD      folder of the plugin (default: build/release of the project)
#   WIRESHARK  version of Wireshark (4.4), or the folder of a tree, made by wireshark-tree.sh (default: the installed tshark)
# tshark run by the superuser loads no plugins from outside the system: it then runs as the user 65534, with read access to what root
# may read.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
WIRESHARK_PLUGIN_DIR=${BUILD:-$here/../build/release}/dissector
export WIRESHARK_PLUGIN_DIR

if [ -n "${WIRESHARK:-}" ]; then
    case $WIRESHARK in
    */*) tree=$WIRESHARK ;;
    *) tree=${XDG_CACHE_HOME:-$HOME/.cache}/warpcheck/wireshark/$WIRESHARK ;;
    esac
    [ -e "$tree/complete" ] || {
        echo "tshark.sh: no Wireshark in $tree: scripts/wireshark-tree.sh makes it" >&2
        exit 3
    }
    version=$(sed -nE 's/^#define WIRESHARK_VERSION_M(AJ|IN)OR +//p' "$tree/usr/include/wireshark/ws_version.h" | paste -sd.)
    # A build folder that does not exist means: without the plugin.
    [ ! -d "$WIRESHARK_PLUGIN_DIR" ] || [ -e "$WIRESHARK_PLUGIN_DIR/$version/epan/iwarp.so" ] || {
        echo "tshark.sh: the plugin is not built for Wireshark $version: scripts/versions.sh builds it" >&2
        exit 3
    }
    # The tree's own loader and libraries, including libc; no system libraries.
    loader=$(find "$tree"/usr/lib* -maxdepth 2 -name 'ld-linux*.so.*' | sed -n 1p)
    libraries=$(dirname "$(find "$tree"/usr/lib* -maxdepth 2 -name 'libwireshark.so.*' | sed -n 1p)")
    export WIRESHARK_DATA_DIR="$tree/usr/share/wireshark" WIRESHARK_EXTCAP_DIR=/nonexistent
    set -- "$loader" --library-path "$libraries" "$tree/usr/bin/tshark" "$@"
else
    command -v tshark >/dev/null || { echo "tshark.sh: tshark is missing: scripts/install-packages.sh installs it" >&2; exit 3; }
    set -- tshark "$@"
fi

# Wireshark allocates more than 60 MB at its start: in large pages that takes a third less processor time than in small ones.
export GLIBC_TUNABLES="${GLIBC_TUNABLES:-glibc.malloc.arena_max=1:glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864}"
HOME=/nonexistent
export HOME
unset XDG_CONFIG_HOME
[ "$(id -u)" -eq 0 ] || exec "$@"
exec setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps +dac_override --ambient-caps +dac_override "$@"
