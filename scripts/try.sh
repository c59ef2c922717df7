#!/bin/sh
# try.sh: from a bare Debian 12 or 13 to a verdict. Installs the packages, builds, runs the suite against the embedded
# peer, and shows a recorded conversation in tshark with the plugin. Safe to repeat.
set -eu
cd "$(dirname "$0")/.."

scripts/install-packages.sh
scripts/build.sh release

build/release/warpcheck run --out results/try --force

echo
echo "One recorded conversation, decoded by tshark with the plugin:"
scripts/tshark.sh -r results/try/rdma-read-001.pcapng -Y iwarp 2>/dev/null

echo
echo "The results are in results/try. For what to do next, see \"Use it\" in README.md."
