#ifndef IW_SEQUENCE_PART_H
#define IW_SEQUENCE_PART_H

#include "iw_sequence.h"

/* What untagged and tagged messages of a sequence share, and the latter. For iw_sequence.c and
 * iw_sequence_tagged.c only. */

/* Whether the value is that of the previous segment, or the one before the latest change. */
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

/* Adds `octets` octets from offset `from` to the message. Returns how they lie among the others. */
enum iw_segment_order iw_sequence_place(struct iw_extent *extent, uint64_t from, uint64_t octets);

/* Whether the segment continues a message that had no L when the next one began. */
bool iw_sequence_resumes(
    const struct iw_unfinished *unfinished, uint32_t key, uint64_t at, const struct iw_segment *segment);

/* Takes such a segment. The open message and the expectations do not change. */
void iw_sequence_resume(
    struct iw_unfinished *unfinished, const struct iw_segment *segment, struct iw_segment_fact *fact);

/* Takes the next tagged segment. Without payload, its STag and TO have no meaning (RFC 5041 5.2). */
void iw_sequence_tagged(struct iw_tagged_message *message, const struct iw_segment *segment, uint64_t frame,
    struct iw_segment_fact *fact);

#endif
