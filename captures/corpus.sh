#!/bin/bash
# corpus.sh [--accept|--whole|--text] WARPCHECK [FILE...]: compares decoder, checker and plugin with the corpus; see README.md.
#   --accept  writes the expected texts instead of comparing them
#   --whole   all captures in one pass as in two and by Wireshark's own dissector, with every version of WIRESHARK of tshark.sh. By
#             default only those with an expected output of tshark, which have every field and opcode; with another version than the
#             installed one only these at all, in two passes. A start of tshark takes half a second.
#   --text    decoder and checker alone, for a build that has no plugin
#   FILE      paths as in the manifest; all by default
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
accept=
whole=
text=
installed=1
[ -z "${WIRESHARK:-}" ] || installed=
case ${1:-} in
--accept) accept=1 whole=1 installed=1; shift ;;
--whole) whole=1 installed=1; shift ;;
--text) text=1 installed=1; shift ;;
esac
if [ ! -f "${1:-}" ] || [ ! -x "$1" ]; then
    echo "corpus.sh: WARPCHECK is missing: captures/corpus.sh [--accept|--whole|--text] build/release/warpcheck [FILE...]" >&2
    exit 3
fi
warpcheck=$(realpath "$1")
shift
tshark=$here/../scripts/tshark-alike.sh
BUILD=$(dirname "$warpcheck")
export BUILD
version=$("$tshark" --version 2>/dev/null | sed -nE '1s/^[^0-9]*([0-9]+\.[0-9]+).*/\1/p')
# Whether this tshark is older than VERSION.
before() { [ "$version" != "$1" ] && printf '%s\n' "$version" "$1" | sort -VC; }
jobs=$(nproc)
some=$# # files of the command line
all=$(mktemp -d)
trap 'rm -rf "$all"' EXIT
failed=0
passed=0

wrong() { echo "$file: $1"; head -n 12 "$work/diff"; bad=1; }
same() { diff "$work/$1" "$work/$2" >"$work/diff"; }

# 1. decode and findings
expected_text() {
    local rc=0
    (cd "$here" && "$warpcheck" check --decode "$file") >"$work/decode" 2>&1 || rc=$?
    [ -z "$accept" ] || cp "$work/decode" "$here/${file%.*}.expect"
    diff "$here/${file%.*}.expect" "$work/decode" >"$work/diff" || wrong "decode differs from ${file%.*}.expect"
    [ "$rc" = "$exit_code" ] || { : >"$work/diff"; wrong "exit code $rc, the manifest says $exit_code"; }
}

# Makes our own captures again and compares them octet for octet.
made_again() {
    local command
    read -ra command <<<"${made#warpcheck }"
    case $made in
    warpcheck\ *) (cd "$here" && "$warpcheck" "${command[@]}" -q -o "$work/again" >"$work/diff" 2>&1) ;;
    *) "$BUILD/captures/iw_wrap" "$here/../core/wire/testdata/vectors.json" "$here/${made#iw_wrap }" "$work/again" >"$work/diff" 2>&1 ;;
    esac
    [ -z "$accept" ] || cp "$work/again" "$here/$file"
    cmp "$work/again" "$here/$file" >>"$work/diff" 2>&1 || wrong "its command makes another capture"
}

# Whether the capture is compared in all ways.
chosen() { [ -n "$whole" ] || [ $some -gt 0 ] || [ -f "$here/${file%.*}.tshark" ]; }

# 2. the plugin, frame by frame
table=(-T fields -E separator=/t -E occurrence=a -E "aggregator=,")
fields=("-e" frame.number)
while read -r name; do fields+=(-e "$name"); done < <("$warpcheck" list fields)
plugin() { "$tshark" "$@" -r "$here/$file" -Y iwarp "${table[@]}" "${fields[@]}" 2>/dev/null; }
plugin_agrees() {
    plugin -2 >"$work/two"
    if [ "$passes" = - ]; then # Wireshark does not pass all packets to the plugin
        [ -s "$here/${file%.*}.tshark" ] || wrong "nothing says what the plugin shows of it"
        return
    fi
    "$warpcheck" check --fields "$here/$file" >"$work/fields" 2>/dev/null
    same fields two || wrong "tshark with the plugin shows other values (< check, > tshark)"
    [ -s "$work/fields" ] || { : >"$work/diff"; wrong "no iWARP found"; }
    [ -n "$installed" ] && [ "$passes" != 2 ] && chosen || return
    plugin >"$work/one"
    same two one || wrong "tshark shows other values in one pass"
}

# 3. Wireshark's own dissector: its field names and ours
second_opinion=(iwarp_mpa.ulpdulength=iwarp.mpa.ulpdu_length iwarp_mpa.rev=iwarp.mpa.rev iwarp_mpa.pdlength=iwarp.mpa.pd_length
    iwarp_ddp.tagged_flag=iwarp.ddp.tagged iwarp_ddp.last_flag=iwarp.ddp.last iwarp_ddp.dv=iwarp.ddp.dv iwarp_ddp.stag=iwarp.ddp.stag
    iwarp_ddp.tagged_offset=iwarp.ddp.to iwarp_ddp.qn=iwarp.ddp.qn iwarp_ddp.msn=iwarp.ddp.msn iwarp_ddp.mo=iwarp.ddp.mo
    iwarp_rdma.version=iwarp.rdmap.rv iwarp_rdma.opcode=iwarp.rdmap.opcode iwarp_rdma.inval_stag=iwarp.rdmap.invalidate_stag
    iwarp_rdma.sinkstag=iwarp.rdmap.read.sink_stag iwarp_rdma.sinkto=iwarp.rdmap.read.sink_to iwarp_rdma.rdmardsz=iwarp.rdmap.read.size
    iwarp_rdma.srcstag=iwarp.rdmap.read.source_stag iwarp_rdma.srcto=iwarp.rdmap.read.source_to)
# The columns of these fields of what the plugin shows in two passes.
columns_of_plugin() {
    local name at=1
    for name; do
        for ((i = 2; i < ${#fields[@]}; i += 2)); do [ "${fields[i + 1]}" != "$name" ] || at+=,$((i / 2 + 1)); done
    done
    awk -F'\t' -v OFS='\t' -v list=$at 'BEGIN { n = split(list, at, ",") }
        { for (i = 1; i <= n; i++) printf "%s%s", $at[i], i < n ? OFS : "\n" }' "$work/two"
}
# The rows of the file $1 except those of the frames in $2: numbers and ranges.
without_frames() {
    awk -F'\t' -v list="$2" 'BEGIN { n = split(list, part, " "); for (i = 1; i <= n; i++) { m = split(part[i], end, "-");
        for (f = end[1] + 0; f <= end[m] + 0; f++) skip[f] = 1 } } !($1 in skip)' "$1"
}
# The format of Wireshark's own dissector: column 15 of the second opinion.
invalidate_stag_in_decimal() {
    awk -F'\t' -v OFS='\t' 'function decimal(hex, i, value) { value = 0; for (i = 3; i <= length(hex); i++)
        value = value * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1; return sprintf("%.0f", value) }
        { if ($15 ~ /^0x[0-9a-f]*$/) $15 = decimal($15); print }'
}
# PD_Length (column 4) without the enhanced data if S (the last column) is set: Wireshark's own dissector subtracts it from
# 4.6 on.
private_data_of_the_user() {
    local less=4
    ! before 4.6 || less=0
    awk -F'\t' -v OFS='\t' -v less=$less '$NF == 1 && $4 >= less { $4 -= less } { sub(/\t[^\t]*$/, ""); print }'
}
# The same tshark without the plugin.
builtin_tshark() { BUILD=/nonexistent "$tshark" "$@"; }
builtin_columns() {
    builtin_tshark -2 -r "$here/$file" -Y iwarp_mpa "${table[@]}" -e frame.number "$@" 2>/dev/null
}
builtin_agrees() {
    local theirs=() ours=() frames
    for pair in "${second_opinion[@]}"; do theirs+=(-e "${pair%%=*}"); ours+=("${pair#*=}"); done
    builtin_columns "${theirs[@]}" >"$work/theirs"
    columns_of_plugin "${ours[@]}" iwarp.mpa.s | invalidate_stag_in_decimal | private_data_of_the_user >"$work/ours"
    case $builtin in "nothing before "*)
        frames=${builtin#nothing before }
        if before "${frames%%:*}"; then builtin="nothing:${frames#*:}"; else builtin="agrees but none:"; fi ;;
    esac
    case $builtin in
    agrees) same theirs ours || wrong "Wireshark's own dissector shows other values (< its, > ours)" ;;
    nothing:*) [ ! -s "$work/theirs" ] || wrong "Wireshark's own dissector shows something, the manifest says nothing" ;;
    "agrees but "*)
        frames=${builtin#agrees but }
        without_frames "$work/theirs" "${frames%%:*}" | grep -vxFf "$work/ours" >"$work/diff" &&
            wrong "Wireshark's own dissector shows values that are not ours"
        [ -s "$work/theirs" ] || wrong "Wireshark's own dissector shows nothing" ;;
    *) wrong "the manifest says \"$builtin\" of Wireshark's own dissector" ;;
    esac
}

# 4. expected output of tshark: arguments on a line after "$ ", the output below
transcript() {
    local line
    while IFS= read -r line; do
        case $line in '$ '*) echo "$line"; eval "set -- ${line#$ }"; "$tshark" -2 -r "$here/$file" "$@" 2>/dev/null </dev/null ;; esac
    done <"$1"
}
# NAME.tshark is valid before VERSION if NAME.VERSION.tshark exists, which is valid from VERSION on.
tshark_shows() {
    local kept=$here/${file%.*}.tshark since
    for since in 4.4 4.6; do
        before $since || [ ! -f "$here/${file%.*}.$since.tshark" ] || kept=$here/${file%.*}.$since.tshark
    done
    [ -f "$kept" ] || return 0
    transcript "$kept" >"$work/shown"
    [ -z "$accept" ] || cp "$work/shown" "$kept"
    diff "$kept" "$work/shown" >"$work/diff" || wrong "tshark with the plugin prints other than ${kept#"$here"/}"
}

# 5. all files together: the plugin has shown every field of every layout and every opcode, and a recipe of the manifest contains
# every golden vector.
shown_fields() {
    awk -F'\t' '{ for (i = 2; i <= NF; i++) if ($i != "") seen[i] = 1 } END { for (i in seen) print i - 1 }' "$all"/*/two |
        while read -r column; do echo "${fields[2 * column + 1]}"; done
}
shown_opcodes() { # values of that field
    local column=1
    while [ "${fields[2 * column + 1]}" != iwarp.rdmap.opcode ]; do column=$((column + 1)); done
    cut -f $((column + 1)) "$all"/*/two | tr ',' '\n'
}
recipes() { (cd "$here" && cut -f 6 manifest.tsv | sed -n 's/^iw_wrap //p' | xargs cat) | sed 's/#.*//'; }
# Prints the lines of $3 that $2 lacks.
covers() {
    local missing
    missing=$(comm -13 <(sort -u "$2") <(sort -u "$3"))
    [ -z "$missing" ] || { echo "no capture has this $1:" "$missing"; failed=$((failed + 1)); }
}
covers_all() {
    covers field <(shown_fields) <("$warpcheck" list fields)
    covers opcode <(shown_opcodes) <("$warpcheck" list opcodes | cut -d ' ' -f 1)
    covers vector <(recipes | grep -oE '\b[FKMS][0-9]{2}\b') \
        <(sed -nE 's/^ *"id": "([^"]*)".*/\1/p' "$here/../core/wire/testdata/vectors.json")
}

# Checks one file of the manifest in a separate process; reports failures immediately.
judge() {
    bad=0
    if [ -n "$text" ]; then
        expected_text
        return $bad
    fi
    [ -z "$installed" ] || {
        case $made in 'warpcheck synth '* | 'iw_wrap '*) made_again ;; esac
        expected_text
    }
    plugin_agrees
    if [ -n "$installed" ] && chosen; then builtin_agrees; fi
    tshark_shows
    return $bad
}
ended() { if wait -n; then passed=$((passed + 1)); else failed=$((failed + 1)); fi; }

for file in "$@"; do
    cut -f 1 "$here/manifest.tsv" | grep -xF "$file" >/dev/null || { echo "corpus: $file is not in manifest.tsv"; failed=$((failed + 1)); }
done
running=0
while IFS=$'\t' read -r file exit_code passes builtin _ made _; do
    case $file in "" | \#*) continue ;; esac
    [ $# -eq 0 ] || [[ " $* " == *" $file "* ]] || continue
    [ -n "$installed" ] || chosen || continue
    if [ "$running" -ge "$jobs" ]; then ended; else running=$((running + 1)); fi
    work=$all/${file//\//_}
    mkdir "$work"
    (said=$(judge); rc=$?; [ -z "$said" ] || echo "$said"; exit $rc) &
done <"$here/manifest.tsv"
while [ "$running" -gt 0 ]; do ended; running=$((running - 1)); done

[ $# -gt 0 ] || [ -n "$text" ] || covers_all
echo "corpus: $passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
