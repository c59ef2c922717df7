#!/bin/sh
# fuzz.sh plugin|check|packet|report|reader|upper [FOLDER [OPTION...]]: fuzzes the Wireshark plugin, `warpcheck check`, the decoder of
# packet headers with tunnels and fragments, `warpcheck report`, the reader of capture files, or the protocols above iWARP, until it
# is stopped. Builds the fuzz target, makes inputs from captures/ (report, reader, upper: from those folders of fuzz/), and continues
# from what earlier runs found. An input that breaks the target becomes a file crash-…, timeout-… or oom-… in FOLDER, and the run continues.
#   FOLDER   default: build/fuzzing/ and plugin, check, packet, report, reader or upper
#   OPTION   of libFuzzer, such as -max_total_time=3600 (the run then also stops at the first input that breaks something)
# Put inputs of fixed bugs into dissector/fuzz/regressions/, fuzz/regressions/, fuzz/report/, fuzz/reader/ or fuzz/upper/: every build replays
# those files.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
what=${1:-}
case $what in
plugin) regressions=$here/dissector/fuzz/regressions ;;
check | packet) regressions=$here/fuzz/regressions ;;
report | reader | upper) regressions=$here/fuzz/$what ;;
*)
    sed -n '2,11s/^# //p' "$0" >&2
    exit 3
    ;;
esac
shift
folder=${1:-$here/build/fuzzing/$what}
[ $# -eq 0 ] || shift
built=$here/build/fuzz

"$here/scripts/install-packages.sh" fuzz
cmake -S "$here" --preset fuzz >/dev/null
cmake --build "$here/build/fuzz" -- --quiet \
    iw_fuzz_target iw_fuzz_check_target iw_fuzz_packet_target iw_fuzz_report_target iw_fuzz_reader_target iw_fuzz_upper_target iw_fuzz_seed iw_fuzz_replay

mkdir -p "$folder/inputs" "$folder/seeds"
[ "$what" = report ] || [ "$what" = packet ] || [ "$what" = reader ] || [ "$what" = upper ] ||
    find "$here/captures" \( -name '*.pcap' -o -name '*.pcapng' \) -exec "$built/fuzz/iw_fuzz_seed" "$folder/seeds" {} +
# Small inputs first: they run faster and reach the same depth.
find "$folder/seeds" -type f -size -2 -exec cp -n {} "$folder/inputs" \;
find "$regressions" -type f -exec cp -n {} "$folder/inputs" \;
# Also plain files, for targets that read files.
case $what in
check | packet | reader)
    find "$here/captures" \( -name '*.pcap' -o -name '*.pcapng' \) -size -4 -exec cp -n {} "$folder/inputs" \;
    ;;
esac

fuzz() {
    # Without -entropic=0 a third of the time is spent on rating inputs.
    set -- -timeout=60 -entropic=0 -rss_limit_mb=1024 -malloc_limit_mb=300 -reload=0 -print_final_stats=1 \
        "-artifact_prefix=$folder/" "$@" "$folder/inputs"
    if [ "$what" = plugin ]; then
        ASAN_OPTIONS=malloc_context_size=2:quarantine_size_mb=8:fast_unwind_on_malloc=1 "$here/dissector/fuzz/run.sh" \
            "$built/dissector/fuzz/iw_fuzz_target" -detect_leaks=0 -max_len=700 "$@"
    elif [ "$what" = check ]; then
        ASAN_OPTIONS=quarantine_size_mb=8 "$built/fuzz/iw_fuzz_check_target" -close_fd_mask=2 -max_len=2000 "$@"
    elif [ "$what" = packet ]; then
        ASAN_OPTIONS=quarantine_size_mb=8 "$built/fuzz/iw_fuzz_packet_target" -max_len=4000 "$@"
    elif [ "$what" = reader ]; then
        ASAN_OPTIONS=quarantine_size_mb=8 "$built/fuzz/iw_fuzz_reader_target" -max_len=4000 "$@"
    elif [ "$what" = upper ]; then
        ASAN_OPTIONS=quarantine_size_mb=8 "$built/fuzz/iw_fuzz_upper_target" -max_len=4000 "$@"
    else
        ASAN_OPTIONS=quarantine_size_mb=8 "$built/fuzz/iw_fuzz_report_target" -close_fd_mask=2 -max_len=24000 "$@"
    fi
}
if [ $# -gt 0 ]; then
    fuzz "$@"
else
    trap 'exit 0' INT TERM
    while :; do fuzz || echo "fuzz: goes on"; done
fi
