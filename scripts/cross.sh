#!/bin/sh
# cross.sh aarch64|s390x: builds the program for another processor, in build/cross-PROCESSOR, and runs it under QEMU's user mode:
# the unit tests of core, but the exhaustive ones, the checker on the captures of captures/rules and on the corpus, with the expected
# decode and findings of each, and all cases, in memory. s390x is big-endian: that proves the byte order of every field. Without the
# Wireshark plugin and warpcheck-agent.
# Needs the cross compiler and qemu-user (scripts/install-packages.sh cross). The libraries of the other processor are unpacked
# into ${XDG_CACHE_HOME:-~/.cache}/warpcheck/cross, and kept there; nothing of them is installed.
#   SUITE  Debian suite of the libraries [that of this machine]
# Exit code: 0 passed, 1 a test failed, 3 environment.
set -eu
cd "$(dirname "$0")/.."

processor=${1:-}
case $processor in
aarch64) debian=arm64 isal=ON ;;
s390x) debian=s390x isal=OFF ;; # Debian has no ISA-L for it
*)
    sed -n '2,10s/^# //p' "$0" >&2
    exit 3
    ;;
esac
fail() {
    echo "cross: $*" >&2
    exit 3
}
compiler=$processor-linux-gnu-gcc
emulator=qemu-$processor
for tool in "$compiler" "$emulator" ninja; do
    command -v "$tool" >/dev/null || fail "$tool is missing: scripts/install-packages.sh cross installs it"
done
# shellcheck source=scripts/apt-tree.sh
. scripts/apt-tree.sh
# shellcheck disable=SC1091
suite=${SUITE:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
tree=${XDG_CACHE_HOME:-$HOME/.cache}/warpcheck/cross/$suite-$processor
libraries="libc6-dev libpcap-dev libpcre2-dev liblua5.4-dev libuv1-dev libssl-dev libjansson-dev libxml2-dev libarchive-dev
 zlib1g-dev libbz2-dev liblzma-dev libzstd-dev liblz4-dev libusrsctp-dev libcmocka-dev"
[ "$isal" = OFF ] || libraries="$libraries libisal-dev"

if [ ! -e "$tree/complete" ]; then
    echo "Fetching and unpacking the libraries of Debian $suite for $processor"
    mkdir -p "$(dirname "$tree")"
    work=$tree.$$
    trap 'rm -rf "$work"' EXIT
    apt_tree_begin "$suite" "$debian"
    # shellcheck disable=SC2086  # one word each
    apt_tree install -y --download-only --no-install-recommends $libraries
    apt_tree_unpack
    # Some links name their target from the root.
    find "$work/root/usr" -type l -lname '/*' | while read -r link; do
        ln -sfr "$work/root$(readlink "$link")" "$link"
    done
    : >"$work/root/complete"
    rm -rf "$tree"
    mv "$work/root" "$tree"
fi

build=build/cross-$processor
mkdir -p "$build"
cat >"$build/toolchain.cmake" <<TOOLCHAIN
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $processor)
set(CMAKE_C_COMPILER $compiler)
set(CMAKE_SYSROOT $tree)
set(CMAKE_FIND_ROOT_PATH $tree)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_LIBRARY_ARCHITECTURE $processor-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR $emulator;-L;$tree)
set(ENV{PKG_CONFIG_SYSROOT_DIR} $tree)
set(ENV{PKG_CONFIG_LIBDIR} $tree/usr/lib/$processor-linux-gnu/pkgconfig:$tree/usr/lib/pkgconfig:$tree/usr/share/pkgconfig)
TOOLCHAIN
# QEMU's user mode has neither seccomp nor Landlock, so nothing is confined.
# Optimised little: how the processor orders octets and reads addresses is the same with -O3, which takes half as long again.
echo "Building for $processor"
cmake -S . -B "$build" -G Ninja --toolchain "$PWD/$build/toolchain.cmake" -D CMAKE_BUILD_TYPE=Cross -D CMAKE_C_FLAGS_CROSS=-O1 \
    -D CMAKE_COMPILE_WARNING_AS_ERROR=ON -D WARPCHECK_ISAL="$isal" -D WARPCHECK_WIRESHARK=OFF \
    -D WARPCHECK_AGENT=OFF -D WARPCHECK_SANDBOX=OFF -D WARPCHECK_SCREEN=OFF -D WARPCHECK_HTTP=OFF >"$build/configure.log" ||
    fail "cmake fails: see $build/configure.log"
cmake --build "$build" -- --quiet core/all captures/all warpcheck
echo "Testing under $emulator"
ctest --test-dir "$build" --output-on-failure -j "$(nproc)" -L '^core$' -LE exhaustive || exit 1
if [ "$processor" = aarch64 ]; then
    echo "Reading the protections of the program"
    OBJDUMP=$processor-linux-gnu-objdump CFLAGS="--sysroot=$tree" packaging/hardening_test.sh "$compiler" "$build/warpcheck=main" || exit 1
fi
mkdir -p "$build/emulated/captures"
for program in warpcheck captures/iw_wrap; do
    printf '#!/bin/sh\nexec %s -L %s %s "$@"\n' "$emulator" "$tree" "$PWD/$build/$program" >"$build/emulated/$program"
    chmod +x "$build/emulated/$program"
done
echo "Checking the captures of captures/rules"
captures/rules.sh "$build/emulated/warpcheck" || exit 1
echo "Checking the corpus"
captures/corpus.sh --text "$build/emulated/warpcheck" || exit 1
echo "Running the cases, in memory"
"$build/emulated/warpcheck" run --simulate --no-out || exit 1
