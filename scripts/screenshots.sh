#!/bin/bash
# screenshots.sh [NAME...]: makes the pictures of Wireshark in docs/ (by default all), with the plugin of this build and the
# profile in dissector/profile. install-packages.sh pictures installs what it needs.
#   BUILD  folder of the build (default: build/release of the project)
#   OUT    folder of the pictures (default: docs)
#   WIRESHARK  version of Wireshark (4.4), or the folder of a tree, made by wireshark-tree.sh --gui (default: the installed
#              Wireshark)
# Wireshark run by the superuser loads no plugins from outside the system: it then runs as the user 65534.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
out=${OUT:-$here/docs}
work=$(mktemp -d)
captures=$here/captures
columns=1800 rows=900
as_user=()
[ "$(id -u)" -ne 0 ] ||
    as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps +dac_override --ambient-caps +dac_override)

program=(wireshark)
if [ -n "${WIRESHARK:-}" ]; then
    case $WIRESHARK in
    */*) tree=$WIRESHARK ;;
    *) tree=${XDG_CACHE_HOME:-$HOME/.cache}/warpcheck/wireshark/$WIRESHARK-gui ;;
    esac
    [ -e "$tree/usr/bin/wireshark" ] || {
        echo "screenshots: no Wireshark in $tree: scripts/wireshark-tree.sh --gui makes it" >&2
        exit 3
    }
    # The tree's own loader, libraries and Qt plugins, as in tshark.sh; some libraries are in separate folders.
    libraries=$(dirname "$(find "$tree"/usr/lib* -maxdepth 2 -name 'libwireshark.so.*' | sed -n 1p)")
    loader=$(find "$tree"/usr/lib* -maxdepth 2 -name 'ld-linux*.so.*' | sed -n 1p)
    program=("$loader" --library-path "$libraries:$libraries/pulseaudio:$libraries/libproxy" "$tree/usr/bin/wireshark")
    export WIRESHARK_DATA_DIR=$tree/usr/share/wireshark WIRESHARK_EXTCAP_DIR=/nonexistent
    export QT_PLUGIN_PATH=$libraries/qt6/plugins
fi

for tool in Xvfb openbox "${program[0]}" xdotool import convert; do
    command -v "$tool" >/dev/null || {
        echo "screenshots: $tool is missing: scripts/install-packages.sh pictures installs it" >&2
        exit 3
    }
done

started=()
cleanup() {
    [ "${#started[@]}" -eq 0 ] || kill "${started[@]}" 2>/dev/null || true
    wait
    rm -rf "$work"
}
trap cleanup EXIT

# The display takes the first free number and prints it.
Xvfb -displayfd 3 -screen 0 "${columns}x${rows}x24" -nolisten tcp 3>"$work/display" >/dev/null 2>&1 &
started+=($!)
until [ -s "$work/display" ]; do sleep 0.1; done
DISPLAY=:$(cat "$work/display")
export DISPLAY
openbox >/dev/null 2>&1 &
started+=($!)

# A Wireshark user with this profile who has never moved a window.
export HOME=$work/home XDG_RUNTIME_DIR=$work/run WIRESHARK_CONFIG_DIR=$work/config
export WIRESHARK_PLUGIN_DIR=${BUILD:-$here/build/release}/dissector
settings() {
    rm -rf "$work/config"
    mkdir -p "$work/config/profiles" "$work/home" "$work/run"
    cp -r "$here/dissector/profile" "$work/config/profiles/iWARP"
    printf 'gui.geometry_main_upper_pane: 300\ngui.geometry_main_lower_pane: 800\n' >>"$work/config/profiles/iWARP/recent"
    {
        printf 'gui.geometry_main_x: 0\ngui.geometry_main_y: 0\n'
        printf 'gui.geometry_main_width: %u\ngui.geometry_main_height: %u\n' "$columns" $((rows - 24))
        printf 'gui.search_in: PACKET_DETAILS\ngui.search_type: STRING\nprivs.warn_if_elevated: FALSE\n'
    } >"$work/config/recent_common"
    chmod 700 "$work/run"
    [ "${#as_user[@]}" -eq 0 ] || chown -R 65534:65534 "$work"
}

# Waits until the screen stops changing.
settle() {
    local before='' now
    for _ in $(seq 60); do
        sleep 0.5
        now=$(import -window root rgb:- | cksum)
        [ "$now" != "$before" ] || return 0
        before=$now
    done
    echo "screenshots: the screen does not come to rest" >&2
    return 1
}

key() { xdotool key --delay 60 "$@"; settle; }

# Opens a capture at a frame, with further options.
open() {
    settings
    "${as_user[@]}" "${program[@]}" -C iWARP -r "$captures/$1" -g "$2" "${@:3}" >"$work/log" 2>&1 &
    wireshark=$!
    xdotool search --sync --onlyvisible --name "$(basename "$1")" >/dev/null
    settle
}

# Opens the last tree of the details, iWARP's, and searches the text there, from this frame on. Expands the tree around it and
# selects its field.
field() {
    xdotool mousemove 200 $((rows - 260)) click 1
    key Home End shift+Right
    key ctrl+f ctrl+a
    xdotool type --delay 40 "$1"
    key Return Escape
}

# Saves the screen as the picture.
shoot() {
    xdotool mousemove $((columns - 5)) $((rows - 5))
    settle
    import -window root "$work/screen.png"
    convert "$work/screen.png" -strip -dither None -colors 96 -define png:compression-level=9 "PNG8:$out/$1.png"
    echo "$out/$1.png"
}

# Ends Wireshark and checks that it has not crashed.
quit() {
    local status=0
    xdotool key ctrl+q
    wait "$wireshark" || status=$?
    [ "$status" -eq 0 ] || { cat "$work/log" >&2; echo "screenshots: Wireshark ended with $status" >&2; exit 1; }
}

picture() { shoot "$1" && quit; }

siw() {
    open siw/play_rping_client.pcapng 6
    field 'Data Source STag'
    picture wireshark-siw
}

violation() {
    open synth/terminate_crc.pcapng 6
    field 'Group: Protocol'
    key ctrl+Up
    field 'incorrect, should be'
    picture wireshark-violation
}

terminate() {
    open synth/terminate_msn.pcapng 7
    field 'MSN (Message Sequence Number): 3'
    picture wireshark-terminate
}

# Why a connection hung, in its last frame, which is a FIN.
explanation() {
    open causes/queue_full.pcap 12
    field 'Ended: by'
    picture wireshark-explanation
}

# The memory of an STag as of the last of four segments.
memory() {
    open ulp/upper_nvme.pcap 192 -o iwarp.keep_memory:TRUE
    field 'Placed in: 192'
    picture wireshark-memory
}

# The table of STags in its own window, with the purposes that the protocol above gives them.
stags() {
    open ulp/upper_nfs42.pcap 1 -o iwarp.upper:warn -z iwarp,stags
    xdotool search --sync --onlyvisible --name 'STags' >/dev/null
    settle
    xdotool search --onlyvisible --name 'STags' windowmove 60 120 windowsize 1680 620
    settle
    shoot wireshark-stags
    key Escape
    quit
}

# The start page with the interfaces of warpcheck-extcap, and the settings of the one that plays scripts with a peer.
interfaces() {
    settings
    mkdir "$work/extcap"
    cp "${BUILD:-$here/build/release}/warpcheck" "$work/extcap/warpcheck-extcap"
    {
        printf 'extcap.iwarp_script.script: %s\n' "$here/generator/examples/rping_client.lua"
        # Only these two, so that their places on the screen are known.
        printf 'capture.devices_hide: %s\n' "$(tshark -D 2>/dev/null | sed -E 's/^[0-9]+\. ([^ ]+).*/\1/' | paste -sd,)"
        printf 'extcap.iwarp_script.peer: 192.0.2.7:7174\nextcap.iwarp_script.args: count=3 size=4096\n'
    } >>"$work/config/profiles/iWARP/preferences"
    chmod -R a+rX "$work/extcap"
    "${as_user[@]}" env "WIRESHARK_EXTCAP_DIR=$work/extcap" "${program[@]}" -C iWARP >"$work/log" 2>&1 &
    wireshark=$!
    xdotool search --sync --onlyvisible --name 'The Wireshark Network Analyzer' >/dev/null
    settle
    xdotool mousemove 182 278 click 1
    xdotool search --sync --onlyvisible --name 'Interface Options' >/dev/null
    settle
    xdotool search --onlyvisible --name 'Interface Options' windowmove 480 330 windowsize 620 260
    settle
    shoot wireshark-interfaces
    key Escape
    quit
}

[ $# -gt 0 ] || set -- siw violation terminate explanation memory stags interfaces
for shot in "$@"; do "$shot"; done
