#!/bin/sh
# fuzz-captures.sh [SEEDS [FIRST]]: randomly changes octets in the packets of captures/ and shows them in tshark with the plugin,
# in one pass, and in two passes with every field. Captures of one link type are merged into one file; one with several link types
# stays separate. Whatever the packets contain, tshark must finish without a dissector bug and without a warning about memory or
# libraries.
#   SEEDS   number of different random changes (default: 2)
#   FIRST   first seed (default: 1)
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

# A capture with several link types ("per-packet") stays a separate file: mergecap writes no packet whose interface has another
# link type than the file.
find "$here/../captures" \( -name '*.pcap' -o -name '*.pcapng' \) | sort >"$work/captures"
xargs capinfos -T -r -E <"$work/captures" >"$work/link_types" || die "capinfos cannot read the captures"
awk -F'\t' '$2 == "per-packet" { print $1 }' "$work/link_types" >"$work/alone"
grep -vxFf "$work/alone" "$work/captures" | xargs mergecap -a -w "$work/all.pcapng" ||
    die "mergecap cannot merge the captures"
{ echo "$work/all.pcapng"; cat "$work/alone"; } >"$work/files"
[ "$("$here/tshark.sh" -r "$work/all.pcapng" -Y iwarp 2>/dev/null | wc -l)" -gt 100 ] ||
    die "no iWARP in the captures: is the plugin built?"

# Messages of tshark other than its output; only two are allowed: it runs as the superuser, and a packet is truncated.
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

# editcap writes no file whose sections or interfaces differ too much: these captures are shown unchanged.
is_unwritable() {
    case $1 in
    */oddities/interfaces.pcapng) return 0 ;;
    *) return 1 ;;
    esac
}

# Changes whole packets, then only what follows the headers of Ethernet, IP and TCP.
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
