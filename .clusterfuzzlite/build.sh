#!/bin/bash -eu
# build.sh, run by ClusterFuzzLite in the folder $SRC/warpcheck: builds the fuzz targets with the compiler CC, its CFLAGS (which choose
# the sanitizer) and LIB_FUZZING_ENGINE, and puts into OUT, for each target: the program, NAME_seed_corpus.zip, and NAME.options.
# The targets run elsewhere, so their libraries come with them. The target of the Wireshark plugin is left out: it needs
# the data of an installed Wireshark.
targets="check packet reader report upper"
build=${WORK:-/tmp}/warpcheck

cmake -S . -B "$build" -G Ninja -D CMAKE_BUILD_TYPE=None -D WARPCHECK_FUZZ=ON -D "WARPCHECK_FUZZ_ENGINE=$LIB_FUZZING_ENGINE" \
    -D WARPCHECK_HARDENING=OFF -D WARPCHECK_ISAL=OFF -D WARPCHECK_WIRESHARK=OFF -D WARPCHECK_AGENT=OFF \
    -D CMAKE_BUILD_RPATH="\$ORIGIN/lib" -D CMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags
mkdir -p "$OUT/lib"
for target in $targets; do
    cmake --build "$build" --target "iw_fuzz_${target}_target" -- --quiet
    program=$OUT/iw_fuzz_$target
    cp "$build/fuzz/iw_fuzz_${target}_target" "$program"
    # The C library and the compiler's own belong to the machine that runs the targets.
    ldd "$build/fuzz/iw_fuzz_${target}_target" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' |
        grep -Ev '/(libc|libm|libdl|librt|libpthread|libresolv|libgcc_s|libstdc\+\+|ld-linux[^/]*)\.so' |
        xargs -r -I{} cp -Lu {} "$OUT/lib/"

    seeds=() length=4000
    case $target in
    check)
        mapfile -t seeds < <(find fuzz/regressions captures \( -path 'fuzz/*' -o -name '*.pcap' -o -name '*.pcapng' \) -type f -size -4)
        length=2000
        ;;
    packet) mapfile -t seeds < <(find fuzz/regressions captures \( -path 'fuzz/*' -o -name '*.pcap' \) -type f -size -4) ;;
    reader) mapfile -t seeds < <(find fuzz/reader captures \( -path 'fuzz/*' -o -name '*.pcap' -o -name '*.pcapng' \) -type f -size -4) ;;
    report) mapfile -t seeds < <(find fuzz/report -type f) && length=24000 ;;
    upper) mapfile -t seeds < <(find fuzz/upper -type f) ;;
    esac
    # Files of different folders may have the same name.
    zip -q - "${seeds[@]}" >"${program}_seed_corpus.zip"
    printf '[libfuzzer]\nmax_len = %s\ntimeout = 60\nrss_limit_mb = 1024\nclose_fd_mask = 2\n' $length >"$program.options"
done
