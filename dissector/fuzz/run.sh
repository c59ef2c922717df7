#!/bin/sh
# run.sh PROGRAM ARGUMENT...: runs a program that holds libwireshark so that it neither reads the tables that Wireshark
# brings, which takes a hundred times as long as a small capture, nor what its user has set. To the superuser Wireshark
# denies that, so it is run as nobody then, who may read and write what root may.
set -eu
WIRESHARK_DATA_DIR=/nonexistent
HOME=/nonexistent
# To tell who leaks, callers are found without the frame pointers that libwireshark does not keep.
ASAN_OPTIONS=fast_unwind_on_malloc=0:${ASAN_OPTIONS:-}
LSAN_OPTIONS=suppressions=$(cd "$(dirname "$0")" && pwd)/leaks.txt:print_suppressions=0
export WIRESHARK_DATA_DIR HOME ASAN_OPTIONS LSAN_OPTIONS
[ "$(id -u)" -eq 0 ] || exec "$@"
exec setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps +dac_override --ambient-caps +dac_override "$@"
