#!/bin/sh
# build.sh SOURCE FOLDER: the first stage of the Containerfile: installs what the build needs, builds, and installs the program below
# FOLDER. FOLDER/usr/share/warpcheck/packages then names the Debian packages with the libraries that the program links.
set -eu
source=$1 folder=$2
apt-get -qq update
DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends gcc libc6-dev cmake ninja-build pkg-config libpcap-dev \
    libpcre2-dev liblua5.4-dev libuv1-dev libisal-dev libssl-dev libjansson-dev libxml2-dev libarchive-dev zlib1g-dev libbz2-dev \
    liblzma-dev libzstd-dev liblz4-dev libusrsctp-dev libseccomp-dev libncurses-dev libmicrohttpd-dev
cmake -S "$source" -B /build -G Ninja -D CMAKE_BUILD_TYPE=RelWithDebInfo -D CMAKE_INSTALL_PREFIX=/usr -D BUILD_TESTING=OFF \
    -D WARPCHECK_WIRESHARK=OFF -D WARPCHECK_AGENT=OFF
cmake --build /build -- --quiet
DESTDIR=$folder cmake --install /build --component cli --strip
mkdir -p "$folder/usr/share/warpcheck"
program=$folder/usr/bin/warpcheck
# dpkg knows some libraries without the /usr before their names.
ldd "$program" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | while read -r library; do
    dpkg -S "$(readlink -f "$library")" 2>/dev/null || dpkg -S "$(readlink -f "$library" | sed 's|^/usr||')"
done | sed 's/:.*//' | sort -u >"$folder/usr/share/warpcheck/packages"
[ -s "$folder/usr/share/warpcheck/packages" ]
