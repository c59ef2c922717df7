#!/bin/sh
# test.sh: installs the packages, builds twice (with sanitizers; optimised, with the Wireshark plugin) and runs all tests.
# Safe to repeat.
set -eu
cd "$(dirname "$0")/.."

scripts/install-packages.sh tests
scripts/build.sh debug release
for preset in debug release; do
    ctest --preset $preset -j "$(nproc)"
done
