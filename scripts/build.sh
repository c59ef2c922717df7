#!/bin/sh
# build.sh PRESET...: configures and builds. On a terminal ninja shows its progress; elsewhere one line says what takes time.
set -eu
cd "$(dirname "$0")/.."

quiet=y
[ ! -t 1 ] || quiet=
for preset in "$@"; do
    echo "Building: $preset"
    cmake --preset "$preset" >/dev/null
    cmake --build --preset "$preset" -- ${quiet:+--quiet}
done
