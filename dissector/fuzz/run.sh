#!/bin/sh
# run.sh PROGRAM ARGUMENT...: runs a program that contains libwireshark, without the tables installed with Wireshark (reading
# them takes a hundred times as long as a small capture) and without the user's settings. Wireshark ignores these variables for
# the superuser, so the program then runs as the user 65534, with root's permission to read and write files.
set -eu
WIRESHARK_DATA_DIR=/nonexistent
HOME=/nonexistent
# libwireshark has no frame pointers, so the callers in leak reports are found without them.
ASAN_OPTIONS=fast_unwind_on_malloc=0:${ASAN_OPTIONS:-}
LSAN_OPTIONS=suppressions=$(cd "$(dirname "$0")" && pwd)/leaks.txt:print_suppressions=0
export WIRESHARK_DATA_DIR HOME ASAN_OPTIONS LSAN_OPTIONS
[ "$(id -u)" -eq 0 ] || exec "$@"
exec setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps +dac_override --ambient-caps +dac_override "$@"
