#!/bin/sh
# tshark.sh PLUGIN_DIR [ARG...]
# Runs tshark with the plugin below PLUGIN_DIR (build/release/dissector), without installing it. Wireshark ignores
# WIRESHARK_PLUGIN_DIR for root, so root runs tshark as nobody, who may read what root may.
set -eu
[ $# -ge 1 ] && [ -d "$1" ] || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
WIRESHARK_PLUGIN_DIR=$(cd "$1" && pwd)
export WIRESHARK_PLUGIN_DIR
shift
[ "$(id -u)" = 0 ] || exec tshark "$@"
exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+dac_override --ambient-caps=+dac_override \
    tshark "$@"
