#!/bin/bash
# install_test.sh BUILD: installs the plugin and the profile, for all users (below a temporary root) and for one user, and checks
# that tshark finds them.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
wrong() { echo "install: $*" >&2; failed=1; }
files="colorfilters dfilter_buttons preferences recent"

# ---- for all users ----

folder() { env -u WIRESHARK_PLUGIN_DIR tshark -G folders 2>/dev/null | sed -n "s/^$1:[[:space:]]*//p"; }
DESTDIR=$work/root cmake --install "$build" --prefix "$(pkg-config --variable=prefix wireshark)" >"$work/log" 2>&1 || wrong "cmake --install fails: $(cat "$work/log")"
[ -f "$work/root$(folder 'Global Plugins')/epan/iwarp.so" ] || wrong "the plugin is not in Wireshark's folder of plugins"
[ -x "$(find "$work/root" -path '*/wireshark/extcap/warpcheck-extcap')" ] || wrong "the capture program is not in Wireshark's extcap folder"
profile=$work/root$(folder 'Global configuration')/profiles/iWARP
[ "$(find "$profile" -type f -printf '%f\n' | sort | paste -sd' ')" = "$files" ] || wrong "the profile is not in Wireshark's folder of profiles"

# ---- for one user ----

user=(env -u XDG_CONFIG_HOME -u WIRESHARK_CONFIG_DIR -u WIRESHARK_PLUGIN_DIR "HOME=$work/home")
[ "$(id -u)" -ne 0 ] || user=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps +dac_override
    --ambient-caps +dac_override "${user[@]}")
mkdir "$work/home"
chmod 777 "$work" "$work/home"
install() { "${user[@]}" env "BUILD=$build" "$here/../scripts/install-plugin.sh"; }
install >"$work/log" 2>&1 || wrong "install-plugin.sh fails: $(cat "$work/log")"
row=$("${user[@]}" tshark -C iWARP -r "$here/../captures/oddities/badcrc.pcap" -Y iwarp.finding 2>"$work/errors")
[[ $row == *RFC5044-4.4-11* ]] || wrong "tshark has no plugin or no profile: $row $(cat "$work/errors")"

extcap=$(dirname "$(find "$work/home" -name warpcheck-extcap)")
listed=$("${user[@]}" env "WIRESHARK_EXTCAP_DIR=$extcap" tshark -D 2>"$work/errors")
[[ $listed == *"iwarp-script (iWARP script)"* ]] || wrong "tshark does not list the capture program: $listed $(cat "$work/errors")"

# ---- again ----

settings=$(find "$work/home" -path '*/profiles/iWARP/preferences')
echo "# mine" >>"$settings"
install >"$work/log" 2>&1 || wrong "install-plugin.sh fails the second time: $(cat "$work/log")"
grep -q '^# mine' "$settings" || wrong "the existing profile was overwritten"

exit "$failed"
