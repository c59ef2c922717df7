#!/bin/sh
# metamorph.sh [RUNS [SEED]]: the metamorphic test: transforms the conversations of the corpus in ways that keep their truth, RUNS
# times (500000), and holds the verdict on each to the verdict on the original (captures/README.md). Needs a release build.
# Without hardship/ports_again, hardship/one_fin and hardship/late_end: in the same ports they hold segments of two connections, which no handshake
# parts for the transforms. Without hardship/copies and hardship/checksums: a transform may drop the copy that is read, and keep
# the wrong one. Without hardship/edited: a transform may drop the segments that show which checksums mean nothing. Without subtle/reject_again: where a transform hides the Reject, the second
# startup is read, with a violation that the whole capture leaves unjudged.
# Without subtle/saved_connection: without its first octets it is like a connection that was captured late.
# Without subtle/joined_segments: where a transform cuts them, the acknowledgement proves something for each part.
# Without subtle/nested_segments: in other places, the segments of a sender that puts each FPDU of its payload into one of their own
# pass for proof of FPDUs.
# Without hardship/clock_jump: octets that are sent again so long after a RST are of another connection. Without hardship/keep_alive:
# where a transform puts the repeated octet into a segment of its own, nothing shows which of two single octets is garbage.
#   KEEP  a folder for the captures on which a property is broken
set -eu
cd "$(dirname "$0")/../captures"
# shellcheck disable=SC2046 # one word each
exec "${BUILD:-../build/release}/captures/iw_metamorph" --runs "${1:-500000}" --seed "${2:-1}" --jobs "$(nproc)" \
    ${KEEP:+--keep "$KEEP"} $(grep -v '^#' manifest.tsv | cut -f 1 | grep -v '/\(ports_again\|one_fin\|clock_jump\|keep_alive\|late_end\|copies\|checksums\|edited\|nested_segments\|reject_again\|joined_segments\|saved_connection\)\.' | sort)
