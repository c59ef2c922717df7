#!/bin/sh
# fuzz.sh [FOLDER [OPTION...]]: fuzzes the Wireshark plugin until it is stopped: builds the fuzz target, makes inputs of the
# captures in captures/, and goes on from what earlier runs have found. Whatever breaks the plugin is left as a file
# crash-…, timeout-… or oom-… in FOLDER; then it goes on.
#   FOLDER   default: build/fuzzing
#   OPTION   of libFuzzer, such as -max_total_time=3600 (then it stops at the first input that breaks something, too)
# What was mended goes into dissector/fuzz/regressions/, whose files every build shows again.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
case ${1:-} in -*)
    sed -n '2,7s/^# //p' "$0" >&2
    exit 3
    ;;
esac
folder=${1:-$here/build/fuzzing}
[ $# -eq 0 ] || shift
built=$here/build/fuzz/dissector/fuzz

"$here/scripts/install-packages.sh" fuzz
cmake -S "$here" --preset fuzz >/dev/null
cmake --build "$here/build/fuzz" --target iw_fuzz_target iw_fuzz_seed iw_fuzz_replay -- --quiet

mkdir -p "$folder/inputs" "$folder/seeds"
find "$here/captures" \( -name '*.pcap' -o -name '*.pcapng' \) -exec "$built/iw_fuzz_seed" "$folder/seeds" {} +
# Small ones first: they are quicker, and get as deep.
find "$folder/seeds" -type f -size -2 -exec cp -n {} "$folder/inputs" \;
cp -n "$here"/dissector/fuzz/regressions/* "$folder/inputs"

fuzz() {
    ASAN_OPTIONS=malloc_context_size=2:quarantine_size_mb=8:fast_unwind_on_malloc=1 "$here/dissector/fuzz/run.sh" \
        "$built/iw_fuzz_target" -detect_leaks=0 -max_len=700 -timeout=60 -rss_limit_mb=1024 -malloc_limit_mb=300 \
        -reload=0 -print_final_stats=1 "-artifact_prefix=$folder/" "$@" "$folder/inputs"
}
if [ $# -gt 0 ]; then
    fuzz "$@"
else
    trap 'exit 0' INT TERM
    while :; do fuzz || echo "fuzz: goes on"; done
fi
