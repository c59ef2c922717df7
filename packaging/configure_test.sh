#!/bin/bash
# configure_test.sh CMAKE SOURCE: what the configuration says where something is missing or switched off.
set -uo pipefail
cmake=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
wrong() { echo "configure: $*: $(cat "$work/log")" >&2; failed=1; }
says() { # TEXT; the messages of CMake are wrapped
    tr -s ' \n' ' ' <"$work/log" | grep -qF -- "$1" || wrong "does not say \"$1\""
}
configure() { "$cmake" -S "$source" -B "$work/build" -D BUILD_TESTING=OFF "$@" >"$work/log" 2>&1; }

# pkg-config as on a machine without Wireshark's development files.
printf '#!/bin/sh\ncase "$*" in *wireshark*) exit 1 ;; esac\nexec pkg-config "$@"\n' >"$work/pkg-config"
chmod +x "$work/pkg-config"
without=(-D "PKG_CONFIG_EXECUTABLE=$work/pkg-config" -D CMAKE_DISABLE_FIND_PACKAGE_Wireshark=ON)
configure "${without[@]}" && wrong "succeeds without Wireshark"
says 'or do without: -D WARPCHECK_WIRESHARK=OFF'
# As the message says, and without the site, whose packages are there or not.
configure "${without[@]}" -D WARPCHECK_WIRESHARK=OFF -D WARPCHECK_SITE=OFF -D WARPCHECK_PYTHON3=python3 -D WARPCHECK_MKDOCS=mkdocs ||
    wrong "fails without the plugin"
says 'Wireshark plugin no '
says 'documentation as a site no: WARPCHECK_SITE is OFF'
exit $failed
