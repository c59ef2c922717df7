#!/bin/sh
# try.sh: from a bare Debian 12 to a verdict. Installs what is needed, builds, runs the suite against the embedded reference
# responder, and shows one of the recorded conversations as Wireshark sees it with the plugin. Safe to repeat.
set -eu
cd "$(dirname "$0")/.."

scripts/install-packages.sh
scripts/build.sh release

build/release/warpcheck run --out results/try

echo
echo "One recorded conversation, decoded by tshark with the plugin:"
scripts/tshark.sh -r results/try/rdma-read-001.pcapng -Y iwarp 2>/dev/null
