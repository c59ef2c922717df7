#ifndef IW_SEQUENCE_PART_H
#define IW_SEQUENCE_PART_H

#include "iw_sequence.h"

/* The place of a segment among others: what untagged and tagged messages have in common, and the tagged ones.
 * For iw_sequence.c and iw_sequence_tagged.c only. */

/* Whether the value is that of the segment before, or of one before that which was alone with another. */
static inline bool iw_alike_has(const struct iw_alike *alike, uint32_t value) {
    return value == alike->latest || value == alike->other;
}

static inline void iw_alike_first(struct iw_alike *alike, uint32_t value) {
    alike->latest = alike->other = value;
}

static inline void iw_alike_next(struct iw_alike *alike, uint32_t value) {
    if (!iw_alike_has(alike, value))
        alike->other = alike->latest;
    alike->latest = value;
}

/* Where `octets` octets from `from` on stand in the message. */
enum iw_segment_order iw_sequence_place(struct iw_extent *extent, uint64_t from, uint64_t octets);

/* Whether the segment goes on with a message that was not ended when the next one began. */
bool iw_sequence_resumes(
    const struct iw_left *left, uint32_t key, uint64_t at, const struct iw_segment *segment);

/* It does. What is open, or comes next, stays so. */
void iw_sequence_resume(struct iw_left *left, const struct iw_segment *segment, struct iw_segment_fact *fact);

/* The next tagged segment. In one without payload STag and TO mean nothing (RFC 5041 5.2). */
void iw_sequence_tagged(struct iw_tagged_message *message, const struct iw_segment *segment, uint64_t frame,
    struct iw_segment_fact *fact);

#endif
