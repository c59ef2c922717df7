#!/bin/bash
# profile_test.sh: checks the shipped profile in tshark: every filter compiles, the colours match the right frames, the columns
# have values.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
captures=$here/../../captures
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work/profiles"
cp -r "$here" "$work/profiles/iWARP"
chmod -R a+rX "$work"
export WIRESHARK_CONFIG_DIR=$work
failed=0

profile() { "$here/../../scripts/tshark-alike.sh" -C iWARP "$@" 2>"$work/errors"; }
wrong() { echo "profile: $*" >&2; failed=1; }

# ---- filters ----

# The filter is the text after the second @ of a colour, and the third quoted text of a button, in which quotes are \x22.
colours() { grep '^@' "$here/colorfilters" | cut -d@ -f3; }
buttons() { grep '^"' "$here/dfilter_buttons" | sed -E 's/^"[^"]*","[^"]*","([^"]*)",.*/\1/; s/\\x22/"/g'; }
compiles() { profile -r "$captures/oddities/badcrc.pcap" -Y "$1" >"$work/shown"; }

mapfile -t filters < <(colours; buttons)
[ "${#filters[@]}" -ge 20 ] || wrong "only ${#filters[@]} filters were found"
# Compiles all filters at once, and one by one only to find the wrong one.
all=$(printf '(%s) || ' "${filters[@]}")
if ! compiles "${all% || }"; then
    for filter in "${filters[@]}"; do
        compiles "$filter" || wrong "this does not compile: $filter: $(cat "$work/errors")"
    done
    failed=1
fi
compiles 'iwarp.no_such_field' && wrong 'a filter that does not compile was not noticed'

# ---- colours ----

# coloured FILE FRAME RULE
coloured() {
    local rule rules
    rules=$work/$(basename "$1").rules
    [ -e "$rules" ] ||
        profile --color -2 -r "$captures/$1" -T fields -e frame.number -e frame.coloring_rule.name >"$rules"
    rule=$(awk -F'\t' -v frame="$2" '$1 == frame { print $2 }' "$rules")
    [ "$rule" = "$3" ] || wrong "frame $2 of $1 has the colour of \"$rule\", not of \"$3\""
}
coloured synth/terminate_msn.pcapng 1 'TCP SYN/FIN'
coloured synth/terminate_msn.pcapng 3 TCP
coloured synth/terminate_msn.pcapng 4 'iWARP startup'
coloured synth/terminate_msn.pcapng 6 'iWARP Send or Immediate Data'
coloured synth/terminate_msn.pcapng 7 'iWARP error'
coloured synth/terminate_msn.pcapng 8 'iWARP Terminate'
coloured synth/reject.pcapng 5 'iWARP rejected'
coloured siw/play_rping_client.pcapng 7 'iWARP request'
coloured siw/play_rping_client.pcapng 8 'iWARP answer'
coloured siw/play_rping_client.pcapng 11 'iWARP RDMA Write'
coloured oddities/aligned_drop.pcap 26 'iWARP octets not read'

# Packets of other protocols keep Wireshark's colours: all of Wireshark's rules follow those of iWARP.
for rule in 'Bad TCP' ARP ICMP 'TCP RST' 'Checksum Errors' SMB HTTP TCP UDP Broadcast; do
    grep -q "^@$rule@" "$here/colorfilters" || wrong "Wireshark's colour of \"$rule\" is missing"
done
first_other=$(grep '^@' "$here/colorfilters" | grep -nv '^@iWARP' | head -n 1 | cut -d: -f1)
last_own=$(grep '^@' "$here/colorfilters" | grep -n '^@iWARP' | tail -n 1 | cut -d: -f1)
[ "$last_own" -lt "$first_other" ] || wrong "a rule of Wireshark's comes before one of iWARP"

# ---- buttons ----

# leaves LABEL FILE FRAMES: the button LABEL leaves exactly these frames of the file.
leaves() {
    local filter frames
    filter=$(grep "^\"TRUE\",\"$1\"," "$here/dfilter_buttons" | sed -E 's/^"[^"]*","[^"]*","([^"]*)",.*/\1/; s/\\x22/"/g')
    frames=$(profile -2 -r "$captures/$2" -Y "$filter" -T fields -e frame.number | paste -sd' ')
    [ "$frames" = "$3" ] || wrong "button $1 leaves frames \"$frames\" of $2, not \"$3\""
}
leaves Findings synth/terminate_msn.pcapng 7
leaves Errors synth/terminate_msn.pcapng 7
leaves Startup synth/terminate_msn.pcapng '4 5'
leaves Terminate synth/terminate_msn.pcapng 8
leaves 'No answer' synth/terminate_read.pcapng 7
leaves 'Bad CRC' oddities/badcrc.pcap 6
leaves 'Not read' oddities/aligned_drop.pcap 26

# ---- columns ----

# Each column has a width. The frame number has six digits of at least 8 pixels, and the arrows of related packets beside them.
columns() { sed -nE 's/^\t"[^"]*", "(.*)",?$/\1/p' "$here/preferences"; }
width() { sed -nE 's/^\t"?([^",]+)"?, ([0-9]+),?$/\1\t\2/p' "$here/recent" | awk -F'\t' -v c="${1%:[01]:R}" '$1 == c { print $2 }'; }
while read -r column; do
    [ -n "$(width "$column")" ] || wrong "column $column has no width"
done < <(columns)
[ "$(width %m)" -ge 90 ] || wrong "a frame number of six digits does not fit"
[ "$(width %p)" -ge 70 ] || wrong "a protocol does not fit"
[ "$(width %Cus:iwarp.rdmap.opcode)" -ge 200 ] || wrong "the longest opcode does not fit"

# reads FILE FRAME ROW
reads() {
    local row
    row=$(profile -2 -r "$captures/$1" | sed -n "s/^ *$2 *//p")
    [ "$row" = "$3" ] || wrong "the columns of frame $2 of $1 are: $row"
}
reads synth/terminate_msn.pcapng 7 '0.000106000 0    192.0.2.1 49152 192.0.2.2    20100 iWARP initiator Send  3  [RFC5041-4.3-08: MSN is 3, expected 2] Send  MSN 3 len 5'
# The columns of a Terminate do not show the values of the header that it includes.
reads synth/terminate_msn.pcapng 8 '0.000207000 0    192.0.2.2 20100 192.0.2.1    49152 iWARP responder Terminate  1  Terminate  DDP, Untagged Buffer Error, Invalid MSN - MSN range is not valid'
# The MSN is that of the Terminate; the STag is that of the tagged header that it includes.
reads synth/terminate_bounds.pcapng 7 '0.000106000 0    192.0.2.1 49152 192.0.2.2    20100 iWARP initiator RDMA Write 0x00000100   RDMA Write  0x100+0xfffe len 5'
reads synth/terminate_bounds.pcapng 8 '0.000207000 0    192.0.2.2 20100 192.0.2.1    49152 iWARP responder Terminate 0x00000100 1  Terminate  DDP, Tagged Buffer Error, Base or bounds violation'

exit "$failed"
