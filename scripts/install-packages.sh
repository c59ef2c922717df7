#!/bin/sh
# install-packages.sh [tests|checks|fuzz|pictures|cross|packages|recipes]: installs the Debian packages for building and for most tests.
# "tests" adds those of all tests, "checks" those of the format and static checks, "fuzz" those of scripts/fuzz.sh, "pictures" those
# of scripts/screenshots.sh, "cross" those of scripts/cross.sh, "packages" those of scripts/package.sh, "recipes" those of the tests of
# recipes/: some of them are servers, which Debian starts at once. Needs root or sudo only if a package is missing.
set -eu

build="gcc libc6-dev cmake ninja-build pkg-config wireshark-dev tshark libpcap-dev libpcre2-dev liblua5.4-dev libuv1-dev
 libisal-dev libssl-dev libjansson-dev libxml2-dev libxml2-utils libarchive-dev zlib1g-dev libbz2-dev liblzma-dev
 libzstd-dev liblz4-dev libusrsctp-dev libseccomp-dev libncurses-dev libmicrohttpd-dev libcmocka-dev libibverbs-dev
 librdmacm-dev"
tests="mold chromium fonts-dejavu-core python3 python3-yaml sqlite3 openssh-client openssl mandoc man-db zsh fish qemu-system-x86
 mkdocs graphviz tmux gcc-12 make binutils git cpio xz-utils libelf-dev iproute2"
checks="clang clang-format cppcheck shellcheck git"
fuzz="clang libclang-rt-dev zip unzip"
pictures="wireshark xvfb openbox xdotool imagemagick fonts-dejavu-core"
recipes="parallel rsync openssh-client openssh-server slurmctld slurmd slurm-client munge sqlite3 python3 python3-yaml"
# Packages of others may bring these programs, and then conflict with those of Debian.
command -v node >/dev/null || recipes="$recipes nodejs"
command -v npm >/dev/null || recipes="$recipes npm"
# Debian 13 has no LAVA.
if grep -q '^VERSION_CODENAME=bookworm' /etc/os-release; then recipes="$recipes lava-common"; fi
cross="gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user"

case ${1:-} in
"") wanted=$build ;;
tests) wanted="$build $tests" ;;
checks) wanted="$build $checks" ;;
fuzz) wanted="$build $fuzz" ;;
pictures) wanted="$build $pictures" ;;
cross) wanted="$build $cross" ;;
recipes) wanted=$recipes ;;
packages) wanted=debootstrap ;;
*)
    echo "install-packages: takes tests, checks, fuzz, pictures, cross, packages or recipes, not $1" >&2
    exit 3
    ;;
esac

missing=
for package in $wanted; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
        echo "install-packages: without sudo, let root run: apt-get install --no-install-recommends$missing" >&2
        exit 3
    }
    root=sudo
fi
echo "Installing, which can take some minutes:$missing"
# On a terminal apt shows its progress.
quiet=-qq log=/dev/null
[ ! -t 1 ] || quiet=-q log=/dev/stdout
$root env DEBIAN_FRONTEND=noninteractive apt-get $quiet update
# shellcheck disable=SC2086  # one word each
$root env DEBIAN_FRONTEND=noninteractive apt-get $quiet install -y --no-install-recommends $missing >"$log"
