#include <inttypes.h>
#include <stdio.h>

#include "iw_upper_state.h"

/* Use of buffers by Writes and Read Requests. */

static void upper_use_note(struct iw_upper *upper, struct iw_upper_buffer *buffer) {
    if (upper->handlers->used != NULL)
        upper->handlers->used(upper->user, buffer);
}

static bool upper_use_is_allowed(const struct iw_upper_buffer *buffer, const struct iw_upper_use *use) {
    return buffer->end == IW_UPPER_END_NONE && (buffer->access & use->access) != 0 &&
           iw_upper_buffer_contains(buffer, use->to, use->octets);
}

static struct iw_upper_buffer *upper_use_find(struct iw_upper *upper, const struct iw_upper_use *use) {
    enum iw_side owner = iw_side_other(upper->side);

    if (upper->latest < upper->buffer_count &&
        iw_upper_buffer_is(&upper->buffers[upper->latest], owner, use->stag) &&
        upper_use_is_allowed(&upper->buffers[upper->latest], use))
        return &upper->buffers[upper->latest];
    for (uint32_t i = 0; i < upper->buffer_count; i++)
        if (iw_upper_buffer_is(&upper->buffers[i], owner, use->stag) &&
            upper_use_is_allowed(&upper->buffers[i], use)) {
            upper->latest = i;
            return &upper->buffers[i];
        }
    return NULL;
}

enum use_fault { USE_BOUNDS, USE_DIRECTION, USE_END, USE_FAULTS };

/* The rule that an access breaks. */
static enum iw_upper_rule_id upper_use_rule(
    const struct iw_upper *upper, enum use_fault fault, enum iw_upper_access access) {
    static const enum iw_upper_rule_id rpc[2][USE_FAULTS] = {
        {IW_UPPER_RFC8166_3_4_5_02, IW_UPPER_RFC8166_3_4_5_02, IW_UPPER_RFC8166_3_5_2_01},
        {IW_UPPER_RFC8166_3_4_6_01, IW_UPPER_RFC8166_3_4_6_01, IW_UPPER_RFC8166_3_5_2_01}};
    static const enum iw_upper_rule_id iser[2][USE_FAULTS] = {
        {IW_UPPER_RFC7145_7_3_6_01, IW_UPPER_RFC7145_7_3_6_01, IW_UPPER_RFC7145_7_3_2_03},
        {IW_UPPER_RFC7145_7_3_5_01, IW_UPPER_RFC7145_7_3_5_01, IW_UPPER_RFC7145_7_3_2_03}};
    static const enum iw_upper_rule_id any[USE_FAULTS] = {
        IW_UPPER_ACCESS_01, IW_UPPER_ACCESS_02, IW_UPPER_ACCESS_03};
    bool write = access == IW_UPPER_ACCESS_WRITE;

    return upper->protocol == IW_ULP_RPC    ? rpc[write][fault]
           : upper->protocol == IW_ULP_ISER ? iser[write][fault]
                                            : any[fault];
}

static const char *upper_use_access_text(uint8_t access) {
    return access == (IW_UPPER_ACCESS_READ | IW_UPPER_ACCESS_WRITE) ? "reading and writing"
           : access == IW_UPPER_ACCESS_WRITE                        ? "writing"
                                                                    : "reading";
}

/* Reports an access that no open buffer allows. `known` is the buffer that fits best, or NULL. */
static void upper_use_report(
    struct iw_upper *upper, const struct iw_upper_use *use, const struct iw_upper_buffer *known) {
    const char *what = use->access == IW_UPPER_ACCESS_WRITE ? "RDMA Write" : "RDMA Read Request";
    const char *verb = use->access == IW_UPPER_ACCESS_WRITE ? "writes" : "reads";
    char expected[96], actual[96], purpose[IW_UPPER_TEXT_OCTETS];
    uint64_t end = use->to + use->octets;

    snprintf(actual, sizeof actual, "STag 0x%08" PRIx32 ", TO 0x%" PRIx64 " to 0x%" PRIx64, use->stag,
        use->to, end);
    if (known == NULL) {
        iw_upper_report_later(upper, upper_use_rule(upper, USE_BOUNDS, use->access), 0, use->received,
            (struct iw_upper_refuter){IW_UPPER_BY_ADVERTISEMENT, use->stag},
            "an STag that the other side has advertised", actual,
            "%s uses STag 0x%08" PRIx32 ", which the other side has not advertised", what, use->stag);
        return;
    }
    iw_upper_buffer_purpose(known, purpose);
    snprintf(expected, sizeof expected, "TO 0x%" PRIx64 " to 0x%" PRIx64 ", for %s", known->to,
        known->to + known->length, upper_use_access_text(known->access));
    if (known->end != IW_UPPER_END_NONE)
        iw_upper_report_later(upper, upper_use_rule(upper, USE_END, use->access), known->end_frame,
            use->received, (struct iw_upper_refuter){IW_UPPER_BY_ADVERTISEMENT, use->stag}, expected, actual,
            "%s uses STag 0x%08" PRIx32 ", %s, after %s in frame %" PRIu64, what, use->stag, purpose,
            known->end == IW_UPPER_END_REPLY ? "the reply" : "its invalidation", known->end_frame);
    else if (!iw_upper_buffer_contains(known, use->to, use->octets))
        iw_upper_report_later(upper, upper_use_rule(upper, USE_BOUNDS, use->access), known->frame,
            use->received, (struct iw_upper_refuter){IW_UPPER_BY_ADVERTISEMENT, use->stag}, expected, actual,
            "%s %s outside of the buffer with STag 0x%08" PRIx32 ", %s", what, verb, use->stag, purpose);
    else
        iw_upper_report_later(upper, upper_use_rule(upper, USE_DIRECTION, use->access), known->frame,
            use->received, (struct iw_upper_refuter){IW_UPPER_BY_ADVERTISEMENT, use->stag}, expected, actual,
            "%s %s the buffer with STag 0x%08" PRIx32 ", %s, which is for %s", what, verb, use->stag, purpose,
            upper_use_access_text(known->access));
}

/* Keeps the first octets that a Write puts into a buffer. */
static void upper_use_keep_head(struct iw_upper_buffer *buffer, const struct iw_upper_use *use, uint64_t at) {
    enum { HEAD = 4 }; /* octets */

    if (use->access != IW_UPPER_ACCESS_WRITE || at >= HEAD)
        return;
    buffer->head_known = at == 0 && use->octets >= HEAD && use->captured >= HEAD;
    if (buffer->head_known)
        buffer->head = iw_upper_big32(use->data);
}

/* Notes what a Write or Read Request has transferred. RPC-over-RDMA fills a buffer from its start, and may do
 * so again with another result (RFC 8166 4.3.2.2). */
static void upper_use_advance(
    struct iw_upper *upper, struct iw_upper_buffer *buffer, const struct iw_upper_use *use) {
    uint64_t at = use->to - buffer->to;
    char expected[96], actual[96];

    if (upper->protocol == IW_ULP_RPC && use->access == IW_UPPER_ACCESS_WRITE && at > buffer->done &&
        !buffer->holes && !buffer->shared && iw_upper_all_seen(upper)) {
        snprintf(expected, sizeof expected, "TO 0x%" PRIx64, buffer->to + buffer->done);
        snprintf(actual, sizeof actual, "TO 0x%" PRIx64, use->to);
        iw_upper_report(upper, IW_UPPER_RFC8166_3_4_6_02, buffer->frame, expected, actual,
            "RDMA Write continues STag 0x%08" PRIx32 " at TO 0x%" PRIx64 ", expected 0x%" PRIx64, use->stag,
            use->to, buffer->to + buffer->done);
        buffer->holes = true;
    }
    if (at + use->octets > buffer->done)
        buffer->done = at + use->octets;
    upper_use_keep_head(buffer, use, at);
    if (use->access == IW_UPPER_ACCESS_READ)
        iw_upper_read_note(upper, buffer, at, use->octets, use->read);
}

enum { ADJACENT_MAX = 64 }; /* buffers of one message */

/* Finds the buffers that allow a part of the access. Returns how many; ADJACENT_MAX + 1 if there are more. */
static unsigned upper_use_parts(
    struct iw_upper *upper, const struct iw_upper_use *use, struct iw_upper_buffer *parts[ADJACENT_MAX]) {
    unsigned count = 0;

    for (uint32_t i = 0; i < upper->buffer_count; i++) {
        struct iw_upper_buffer *buffer = &upper->buffers[i];

        if (!iw_upper_buffer_is(buffer, iw_side_other(upper->side), use->stag) ||
            buffer->end != IW_UPPER_END_NONE || (buffer->access & use->access) == 0 ||
            (!iw_upper_buffer_contains(buffer, use->to, 1) &&
                (buffer->to <= use->to || buffer->to - use->to >= use->octets)))
            continue;
        if (count == ADJACENT_MAX)
            return ADJACENT_MAX + 1;
        parts[count++] = buffer;
    }
    return count;
}

static struct iw_upper_buffer *upper_use_part_at(
    struct iw_upper_buffer *const parts[ADJACENT_MAX], unsigned count, uint64_t to) {
    for (unsigned i = 0; i < count; i++)
        if (iw_upper_buffer_contains(parts[i], to, 1))
            return parts[i];
    return NULL;
}

/* The first octets at `data` belong to an earlier part. */
static void upper_use_skip(struct iw_upper_use *use, uint64_t octets) {
    uint64_t skipped = octets < use->captured ? octets : use->captured;

    use->captured -= skipped;
    if (skipped > 0)
        use->data += skipped;
}

/* Whether the parts, such as the segments of a chunk, follow each other and together allow the access. If so,
 * and `take` is set, notes what it has transferred. */
static bool upper_use_adjacent(struct iw_upper *upper, const struct iw_upper_use *use,
    struct iw_upper_buffer *const parts[ADJACENT_MAX], unsigned count, bool take) {
    uint64_t end = use->to + use->octets;
    struct iw_upper_use part = *use;

    while (part.to < end) {
        struct iw_upper_buffer *buffer = upper_use_part_at(parts, count, part.to);
        uint64_t space;

        if (buffer == NULL)
            return false;
        space = buffer->length - (part.to - buffer->to);
        part.octets = end - part.to < space ? end - part.to : space;
        if (take) {
            upper_use_advance(upper, buffer, &part);
            upper_use_note(upper, buffer);
        }
        part.to += part.octets;
        upper_use_skip(&part, part.octets);
    }
    return true;
}

/* After a wrong Write it is not certain which octets of the buffers with its STag were written. */
static void upper_use_doubt(struct iw_upper *upper, const struct iw_upper_use *use) {
    for (uint32_t i = 0; use->access == IW_UPPER_ACCESS_WRITE && i < upper->buffer_count; i++)
        if (iw_upper_buffer_is(&upper->buffers[i], iw_side_other(upper->side), use->stag))
            upper->buffers[i].shared = true;
}

void iw_upper_use(struct iw_upper *upper, const struct iw_upper_use *use) {
    enum iw_side owner = iw_side_other(upper->side);
    struct iw_upper_buffer *buffer, *known, *parts[ADJACENT_MAX];
    unsigned count;

    if (use->octets == 0 || use->to > UINT64_MAX - use->octets)
        return;
    buffer = upper_use_find(upper, use);
    if (buffer != NULL) {
        upper_use_advance(upper, buffer, use);
        upper_use_note(upper, buffer);
        return;
    }
    count = upper_use_parts(upper, use, parts);
    if (count > ADJACENT_MAX) { /* which of them it uses is not examined */
        upper_use_doubt(upper, use);
        return;
    }
    if (upper_use_adjacent(upper, use, parts, count, false)) {
        upper_use_adjacent(upper, use, parts, count, true);
        return;
    }
    upper_use_doubt(upper, use);
    known = iw_upper_buffer_best(upper, owner, use->stag, use->to);
    upper->early_write |= use->access == IW_UPPER_ACCESS_WRITE;
    /* Only all advertisements tell that a buffer is unknown or used wrongly. */
    if (!iw_upper_all_seen(upper) || (known == NULL && upper->protocol == IW_ULP_RPING))
        return;
    if (known != NULL)
        upper_use_note(upper, known);
    upper_use_report(upper, use, known);
}
