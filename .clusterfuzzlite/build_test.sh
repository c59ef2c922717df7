#!/bin/bash
# build_test.sh: runs build.sh as ClusterFuzzLite does, with the clang of this machine and AddressSanitizer, without its image, and
# checks what it makes as ClusterFuzzLite does: each target runs in another folder with its own libraries, takes its seeds and
# inputs of its own, and its code is instrumented.
#   RUNS  inputs of each target beside its seeds [200]
# Exit code: 0 passed, 1 a target is wrong, 3 environment.
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in clang ninja zip unzip; do
    command -v $tool >/dev/null || { echo "clusterfuzzlite: $tool is missing" >&2; exit 3; }
done
work=$(mktemp -d "${TMPDIR:-/var/tmp}/warpcheck-clusterfuzzlite.XXXXXX")
trap 'rm -rf "$work"' EXIT
wrong() { echo "clusterfuzzlite: $*" >&2; exit 1; }
mkdir "$work/out" "$work/work"
# As the image sets them.
CC=clang CXX=clang++ CFLAGS="-O1 -fno-omit-frame-pointer -gline-tables-only -fsanitize=address -fsanitize-address-use-after-scope -fsanitize=fuzzer-no-link" \
    LIB_FUZZING_ENGINE=-fsanitize=fuzzer SANITIZER=address OUT=$work/out WORK=$work/work SRC=$PWD/.. \
    bash -eu .clusterfuzzlite/build.sh >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; wrong "build.sh fails"; }
rm -rf "$work/work"
mv "$work/out" "$work/elsewhere"

base='/(libc|libm|libdl|librt|libpthread|libresolv|libgcc_s|libstdc\+\+)\.so'
found=0
for program in "$work"/elsewhere/iw_fuzz_*; do
    [ -x "$program" ] || continue
    found=$((found + 1))
    name=$(basename "$program")
    grep -q LLVMFuzzerTestOneInput <(nm "$program") || wrong "$name is no fuzz target"
    # The reader of packets, and the protocols above iWARP, need the C library only.
    others=$(ldd "$program" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | grep -Ev "$base" | grep -v "^$work/elsewhere/lib/" || true)
    [ -z "$others" ] || wrong "$name uses libraries that do not come with it: $others"
    [ "$name" = iw_fuzz_packet ] || [ "$name" = iw_fuzz_upper ] || grep -q "$work/elsewhere/lib/" <(ldd "$program") || wrong "$name does not use the libraries beside it"
    mkdir -p "$work/$name/seeds" "$work/$name/new"
    unzip -q "${program}_seed_corpus.zip" -d "$work/$name/seeds"
    number=$(find "$work/$name/seeds" -type f | wc -l)
    [ "$number" -gt 5 ] || wrong "$name has $number seeds"
    grep -q '^max_len = [0-9]' "$program.options" || wrong "$name has no options"
    options=$(sed -n 's/^\([a-z_]*\) = \(.*\)/-\1=\2/p' "$program.options")
    # shellcheck disable=SC2086  # options
    (cd "$work/$name" && env -i "$program" $options -runs=$((number + ${RUNS:-200})) -detect_leaks=0 new seeds) \
        >"$work/$name/log" 2>&1 || { tail -n 20 "$work/$name/log" >&2; wrong "$name fails"; }
    # Without instrumentation, libFuzzer counts next to no edges.
    edges=$(sed -n 's/^#[0-9]*[[:space:]]*DONE *cov: \([0-9]*\).*/\1/p' "$work/$name/log")
    [ "${edges:-0}" -gt 200 ] || wrong "$name covers ${edges:-0} edges: its code is not instrumented"
    echo "$name: $number seeds, $edges edges covered"
done
[ $found -eq 5 ] || wrong "$found targets instead of 5"
