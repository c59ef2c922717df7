#!/bin/sh
# fuzz-captures.sh [SEEDS [FIRST]]: shows the captures of captures/ with octets of their packets changed at random, in tshark
# with the plugin; in one pass, and in two with every field. All of one link type are in one file, each of several link types
# is by itself. Whatever is wrong with the packets, tshark has to come to its end without a dissector's bug and without a word
# of warning on its memory or its libraries.
#   SEEDS   how many times the octets are changed, each time otherwise (default: 2)
#   FIRST   the first seed (default: 1)
#   BUILD   as for tshark.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seeds=${1:-2}
seed=${2:-1}
last=$((seed + seeds - 1))
runs=0
failed=0
export WIRESHARK_ABORT_ON_DISSECTOR_BUG=1

die() {
    echo "fuzz-captures: $*" >&2
    exit 1
}

# Each capture of several link types ("per-packet") stays a file of its own: mergecap writes no packet whose interface has
# another link type than its file.
find "$here/../captures" \( -name '*.pcap' -o -name '*.pcapng' \) | sort >"$work/captures"
xargs capinfos -T -r -E <"$work/captures" >"$work/link_types" || die "capinfos cannot read the captures"
awk -F'\t' '$2 == "per-packet" { print $1 }' "$work/link_types" >"$work/alone"
grep -vxFf "$work/alone" "$work/captures" | xargs mergecap -a -w "$work/all.pcapng" ||
    die "mergecap cannot merge the captures"
{ echo "$work/all.pcapng"; cat "$work/alone"; } >"$work/files"
[ "$("$here/tshark.sh" -r "$work/all.pcapng" -Y iwarp 2>/dev/null | wc -l)" -gt 100 ] ||
    die "no iWARP in the captures: is the plugin built?"

# What tshark says beside what it shows: nothing but that it runs as the superuser, and that a packet is cut.
check() {
    runs=$((runs + 1))
    rc=0
    "$here/tshark.sh" -r "$changed" "$@" >"$work/out" 2>"$work/err" || rc=$?
    if [ $rc -ne 0 ] || grep -qE 'Dissector bug|CRITICAL|assert|ERROR|Sanitizer' "$work/err" ||
        grep -q 'Dissector bug, protocol iW' "$work/out"; then
        failed=$((failed + 1))
        echo "fuzz-captures: $capture: $change: tshark $*: exit code $rc"
        head -n 5 "$work/err"
    fi
}

# editcap writes no file whose sections or interfaces differ too much: these captures are shown as they are.
is_unwritable() {
    case $1 in
    */oddities/interfaces.pcapng) return 0 ;;
    *) return 1 ;;
    esac
}

# Packets as a whole, and only what is after the headers of Ethernet, IP and TCP.
change_and_check() {
    changed=$work/changed.pcapng
    # shellcheck disable=SC2086  # one word each
    if ! editcap $change "$capture" "$changed" >"$work/editcap" 2>&1; then
        is_unwritable "$capture" || die "editcap $change $capture: $(tail -n 1 "$work/editcap")"
        changed=$capture
    fi
    check -q -z io,phs
    check -2 -V
}

while [ "$seed" -le $last ]; do
    for change in "-E 0.02" "-E 0.002" "-o 54 -E 0.05" "-o 54 -E 0.005"; do
        change="$change --seed $seed"
        while read -r capture; do change_and_check; done <"$work/files"
    done
    seed=$((seed + 1))
done
echo "fuzz-captures: $runs runs, $failed failed"
[ $failed -eq 0 ]
