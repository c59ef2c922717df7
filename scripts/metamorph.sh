#!/bin/sh
# metamorph.sh [RUNS [SEED]]: the metamorphic test: transforms the conversations of the corpus RUNS times (500000) without changing
# what they mean, and compares the verdict on each with the verdict on the original (captures/README.md). Needs a release build.
# These captures are left out:
# - impairment/ports_again, impairment/one_fin, impairment/late_end: segments of two connections use the same ports without a handshake
#   between them.
# - impairment/copies, impairment/checksums: a transform may drop the copy that is read and keep the wrong one.
# - impairment/edited: a transform may drop the segments that show which checksums are meaningless.
# - subtle/reject_again: if a transform hides the Reject, the second startup is read, with a violation that `check` does not judge
#   in the whole capture.
# - subtle/saved_connection: without its first octets it looks like a connection that was captured late.
# - subtle/joined_segments: if a transform splits them, the acknowledgement proves something about each part.
# - subtle/nested_segments: split elsewhere, the segments of a sender with one payload FPDU per segment pass for proof of FPDUs.
# - impairment/clock_jump: octets retransmitted that long after a RST belong to another connection.
# - impairment/keep_alive: if a transform puts the repeated octet into a separate segment, nothing shows which of two single octets
#   is garbage.
#   KEEP  folder for the captures that break a property
set -eu
cd "$(dirname "$0")/../captures"
# shellcheck disable=SC2046 # one word each
exec "${BUILD:-../build/release}/captures/iw_metamorph" --runs "${1:-500000}" --seed "${2:-1}" --jobs "$(nproc)" \
    ${KEEP:+--keep "$KEEP"} $(grep -v '^#' manifest.tsv | cut -f 1 | grep -v '/\(ports_again\|one_fin\|clock_jump\|keep_alive\|late_end\|copies\|checksums\|edited\|nested_segments\|reject_again\|joined_segments\|saved_connection\)\.' | sort)
