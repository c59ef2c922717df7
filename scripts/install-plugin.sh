#!/bin/sh
# install-plugin.sh: installs the plugin, the profile and the capture program of this build in the user's personal folders, where
# Wireshark finds them at its next start. Keeps an existing profile of this name.
#   BUILD  folder of the build (default: build/release of the project)
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$here/build/release}

command -v tshark >/dev/null || {
    echo "install-plugin: tshark, which says where Wireshark looks for plugins, is missing: install the package tshark" >&2
    exit 3
}
# tshark prints its folders; the last part of the plugin folder's path is its version.
folder() { tshark -G folders 2>/dev/null | sed -n "s/^$1:[[:space:]]*//p"; }
plugins=$(folder 'Personal Plugins')
settings=$(folder 'Personal configuration')
if [ -z "$plugins" ] || [ -z "$settings" ]; then
    echo "install-plugin: tshark does not tell its folders" >&2
    exit 3
fi
plugin=$build/dissector/$(basename "$plugins")/epan/iwarp.so
[ -f "$plugin" ] || {
    echo "install-plugin: there is no $plugin: scripts/build.sh release builds it for the Wireshark that is installed" >&2
    exit 3
}

mkdir -p "$plugins/epan" "$settings/profiles"
# Installs under another name first: a running Wireshark keeps the file that it has loaded.
cp "$plugin" "$plugins/epan/iwarp.so.new"
mv "$plugins/epan/iwarp.so.new" "$plugins/epan/iwarp.so"
echo "$plugins/epan/iwarp.so"
[ "$(id -u)" -ne 0 ] || echo "Run as root, Wireshark loads no personal plugins: run this as the user who runs Wireshark." >&2

# Wireshark 4.0 has no personal folder for capture programs (extcap), only one set by hand.
extcap=$(folder 'Personal Extcap path')
named=$extcap
[ -n "$extcap" ] || extcap=$(dirname "$(dirname "$plugins")")/extcap
mkdir -p "$extcap"
cp "$build/warpcheck" "$extcap/warpcheck-extcap.new"
mv "$extcap/warpcheck-extcap.new" "$extcap/warpcheck-extcap"
echo "$extcap/warpcheck-extcap"
[ -n "$named" ] || echo "This Wireshark looks there only when it is started so: WIRESHARK_EXTCAP_DIR=$extcap wireshark" >&2

profile=$settings/profiles/iWARP
if [ -e "$profile" ]; then
    echo "$profile stays as it is"
    exit 0
fi
mkdir "$profile"
for file in preferences recent colorfilters dfilter_buttons; do
    cp "$here/dissector/profile/$file" "$profile/$file"
done
echo "$profile"
