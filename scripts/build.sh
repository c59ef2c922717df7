#!/bin/sh
# build.sh PRESET...: configures and builds. On a terminal ninja shows its progress; elsewhere one line says what takes time.
set -eu
cd "$(dirname "$0")/.."

presets=$(cmake --list-presets=build | sed -n 's/^ *"\([^"]*\)".*/\1/p' | tr '\n' ' ')
[ $# -gt 0 ] || set -- ''
for preset in "$@"; do
    case " $presets" in *" $preset "*) ;; *)
        echo "build.sh: takes presets: $presets" >&2
        exit 3
        ;;
    esac
done

quiet=y
[ ! -t 1 ] || quiet=
for preset in "$@"; do
    echo "Building: $preset"
    cmake --preset "$preset" >/dev/null
    cmake --build --preset "$preset" -- ${quiet:+--quiet}
done
