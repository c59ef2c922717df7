#!/bin/sh
# tshark.sh ARGUMENT...: runs tshark with the plugin of this build, and only that; what its user has set or installed for
# Wireshark makes no difference.
#   BUILD  folder of the plugin (default: build/release of the project)
# Run by the superuser, Wireshark loads no plugin from outside the system; so it is run as nobody then, who may read what
# root may read.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
WIRESHARK_PLUGIN_DIR=${BUILD:-$here/../build/release}/dissector
HOME=/nonexistent
export WIRESHARK_PLUGIN_DIR HOME
unset XDG_CONFIG_HOME
[ "$(id -u)" -eq 0 ] || exec tshark "$@"
exec setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps +dac_override --ambient-caps +dac_override tshark "$@"
