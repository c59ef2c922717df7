#pragma once

#include "iw_sequence.h"

/* Functions for both untagged and tagged messages, used only by iw_sequence.c and iw_sequence_tagged.c. */

/* Whether the value is that of the previous segment, or the value before the latest change. */
static inline bool iw_constant_has(const struct iw_constant *constant, uint32_t value) {
    return value == constant->latest || value == constant->other;
}

static inline void iw_constant_init(struct iw_constant *constant, uint32_t value) {
    constant->latest = constant->other = value;
}

static inline void iw_constant_update(struct iw_constant *constant, uint32_t value) {
    if (!iw_constant_has(constant, value))
        constant->other = constant->latest;
    constant->latest = value;
}

/* Empties `placed`, because a message begins. */
void iw_placed_begin(struct iw_placed *placed, bool maybe_lost);

/* Completes the facts about a segment whose octets were added with fact->order. `last`: it has L. */
void iw_placed_note(struct iw_placed *placed, bool last, uint64_t frame, struct iw_segment_fact *fact);

/* Whether the segment has payload and continues `unfinished`. `key`, `at`: its MSN and MO, or STag and TO. */
bool iw_sequence_resumes(
    const struct iw_unfinished *unfinished, uint32_t key, uint64_t at, const struct iw_segment *segment);

/* Takes a segment for which iw_sequence_resumes is true. The open message does not change. */
void iw_sequence_resume(
    struct iw_unfinished *unfinished, const struct iw_segment *segment, struct iw_segment_fact *fact);

/* Takes the next tagged segment. Without payload, its STag and TO have no meaning (RFC 5041 5.2). */
void iw_sequence_tagged(struct iw_tagged_message *message, const struct iw_segment *segment, uint64_t frame,
    struct iw_segment_fact *fact);
