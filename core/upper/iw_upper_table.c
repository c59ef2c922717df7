#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "iw_array.h"
#include "iw_upper_state.h"

/* ---- calls ---- */

struct iw_upper_call *iw_upper_call_find(const struct iw_upper *upper, enum iw_side caller, uint64_t key) {
    for (uint32_t i = 0; i < upper->call_count; i++)
        if (upper->calls[i].key == key && upper->calls[i].caller == caller)
            return &upper->calls[i];
    return NULL;
}

bool iw_upper_call_counts(const struct iw_upper_call *call, enum iw_side caller) {
    return call->caller == caller && !call->may_be_answered && !call->hidden;
}

bool iw_upper_call_waits_for_event(const struct iw_upper_call *call) {
    return call->waits_for_event;
}

uint32_t iw_upper_calls_of(const struct iw_upper *upper, enum iw_side caller) {
    uint32_t count = 0;

    for (uint32_t i = 0; i < upper->call_count; i++)
        count += iw_upper_call_counts(&upper->calls[i], caller);
    return count;
}

struct iw_upper_call *iw_upper_call_add(
    struct iw_upper *upper, const struct iw_upper_send *send, uint64_t key, const char *operation) {
    struct iw_upper_call *call;

    upper->counts.calls[send->side]++;
    if (upper->call_count >= IW_UPPER_CALLS_MAX) {
        upper->lost = true;
        return NULL;
    }
    if (!iw_array_reserve(
            &upper->calls, &upper->call_capacity, upper->call_count + 1u, sizeof *upper->calls)) {
        iw_upper_set_no_memory(upper);
        return NULL;
    }
    call = &upper->calls[upper->call_count++];
    *call = (struct iw_upper_call){.key = key,
        .caller = send->side,
        .frame = send->frame,
        .time_ns = send->time_ns,
        .operation = operation,
        .number = ++upper->numbers};
    if (upper->handlers->called != NULL)
        upper->handlers->called(upper->user, call);
    return call;
}

static void upper_buffer_end(struct iw_upper *upper, struct iw_upper_buffer *buffer, enum iw_upper_end end) {
    if (buffer->end != IW_UPPER_END_NONE)
        return;
    buffer->end = (uint8_t)end;
    buffer->end_frame = upper->frame;
    upper->ended++;
    if (upper->handlers->ended != NULL)
        upper->handlers->ended(upper->user, buffer);
}

static void upper_call_remove(struct iw_upper *upper, struct iw_upper_call *call) {
    upper->hidden -= call->hidden;
    upper->call_count--;
    memmove(call, call + 1, (size_t)(&upper->calls[upper->call_count] - call) * sizeof *call);
}

void iw_upper_call_end(struct iw_upper *upper, struct iw_upper_call *call) {
    for (uint32_t i = 0; i < upper->buffer_count; i++)
        if (upper->buffers[i].number == call->number)
            upper_buffer_end(upper, &upper->buffers[i], IW_UPPER_END_REPLY);
    if (upper->handlers->replied != NULL)
        upper->handlers->replied(upper->user, call);
    upper->counts.replies[call->caller]++;
    upper_call_remove(upper, call);
}

void iw_upper_note_unmatched(struct iw_upper *upper, const struct iw_upper_send *send) {
    upper->lost |= send->received > upper->reached[iw_side_other(send->side)];
}

void iw_upper_call_detach(struct iw_upper *upper, const struct iw_upper_call *call) {
    for (uint32_t i = 0; i < upper->buffer_count; i++)
        if (upper->buffers[i].number == call->number)
            upper->buffers[i].number = 0;
}

void iw_upper_call_drop(struct iw_upper *upper, struct iw_upper_call *call) {
    iw_upper_call_detach(upper, call);
    upper_call_remove(upper, call);
}

/* ---- buffers ---- */

static bool buffer_is(const struct iw_upper_buffer *buffer, enum iw_side owner, uint32_t stag) {
    return buffer->stag == stag && buffer->owner == owner;
}

/* Returns an ended buffer to replace: one with the same STag, or the oldest if many have ended; or NULL. */
static struct iw_upper_buffer *upper_table_replaceable(
    struct iw_upper *upper, enum iw_side owner, uint32_t stag) {
    struct iw_upper_buffer *oldest = NULL;

    if (upper->ended == 0)
        return NULL;
    for (uint32_t i = 0; i < upper->buffer_count; i++) {
        struct iw_upper_buffer *buffer = &upper->buffers[i];

        if (buffer->end == IW_UPPER_END_NONE)
            continue;
        if (buffer_is(buffer, owner, stag))
            return buffer;
        if (oldest == NULL || buffer->end_frame < oldest->end_frame)
            oldest = buffer;
    }
    return upper->ended >= IW_UPPER_ENDED_MAX || upper->buffer_count >= IW_UPPER_BUFFERS_MAX ? oldest : NULL;
}

static struct iw_upper_buffer *upper_table_slot(struct iw_upper *upper, enum iw_side owner, uint32_t stag) {
    struct iw_upper_buffer *slot = upper_table_replaceable(upper, owner, stag);

    if (slot != NULL) {
        upper->ended--;
        return slot;
    }
    if (upper->buffer_count >= IW_UPPER_BUFFERS_MAX)
        return NULL;
    if (!iw_array_reserve(
            &upper->buffers, &upper->buffer_capacity, upper->buffer_count + 1u, sizeof *upper->buffers)) {
        iw_upper_set_no_memory(upper);
        return NULL;
    }
    return &upper->buffers[upper->buffer_count++];
}

static bool buffer_overlaps(const struct iw_upper_buffer *a, const struct iw_upper_buffer *b) {
    return a->to < b->to ? b->to - a->to < a->length : a->to - b->to < b->length;
}

/* The same memory in two calls: a caller may use it again after a call that it has given up, or sends again.
 */
static void upper_table_mark_shared(struct iw_upper *upper, struct iw_upper_buffer *buffer) {
    for (uint32_t i = 0; i < upper->buffer_count; i++) {
        struct iw_upper_buffer *other = &upper->buffers[i];

        if (other != buffer && buffer_is(other, buffer->owner, buffer->stag) &&
            other->end == IW_UPPER_END_NONE && buffer_overlaps(other, buffer))
            other->shared = buffer->shared = true;
    }
}

struct iw_upper_buffer *iw_upper_buffer_add(struct iw_upper *upper, const struct iw_upper_send *send,
    const struct iw_upper_call *call, const struct iw_upper_buffer *buffer) {
    struct iw_upper_buffer *slot = upper_table_slot(upper, send->side, buffer->stag);

    iw_upper_refute(upper, send, &buffer->stag);
    upper->counts.buffers[send->side]++;
    if (slot == NULL) {
        upper->lost = true;
        return NULL;
    }
    *slot = *buffer;
    slot->owner = send->side;
    slot->shared = upper->early_write;
    upper_table_mark_shared(upper, slot);
    slot->frame = send->frame;
    if (call != NULL) {
        slot->operation = call->operation;
        slot->key = call->key;
        slot->number = call->number;
    }
    if (upper->handlers->advertised != NULL)
        upper->handlers->advertised(upper->user, slot, call);
    return slot;
}

struct iw_upper_buffer *iw_upper_buffer_of(
    const struct iw_upper *upper, const struct iw_upper_call *call, uint8_t list, uint32_t place) {
    for (uint32_t i = 0; i < upper->buffer_count; i++) {
        struct iw_upper_buffer *buffer = &upper->buffers[i];

        if (buffer->number == call->number && buffer->list == list && buffer->place == place)
            return buffer;
    }
    return NULL;
}

void iw_upper_invalidate(struct iw_upper *upper, enum iw_side owner, uint32_t stag) {
    for (uint32_t i = 0; i < upper->buffer_count; i++)
        if (buffer_is(&upper->buffers[i], owner, stag))
            upper_buffer_end(upper, &upper->buffers[i], IW_UPPER_END_INVALIDATED);
}

static bool buffer_contains(const struct iw_upper_buffer *buffer, uint64_t to, uint64_t octets) {
    return to >= buffer->to && octets <= buffer->length && to - buffer->to <= buffer->length - octets;
}

static struct iw_upper_buffer *upper_buffer_best(
    const struct iw_upper *upper, enum iw_side owner, uint32_t stag, uint64_t to) {
    struct iw_upper_buffer *found = NULL;

    for (uint32_t i = 0; i < upper->buffer_count; i++) {
        struct iw_upper_buffer *buffer = &upper->buffers[i];

        if (!buffer_is(buffer, owner, stag))
            continue;
        if (buffer->end == IW_UPPER_END_NONE && buffer_contains(buffer, to, 1))
            return buffer;
        if (found == NULL || buffer_contains(buffer, to, 1) ||
            (!buffer_contains(found, to, 1) && buffer->frame > found->frame))
            found = buffer;
    }
    return found;
}

const struct iw_upper_buffer *iw_upper_buffer_find(
    const struct iw_upper *upper, enum iw_side owner, uint32_t stag, uint64_t to) {
    return upper_buffer_best(upper, owner, stag, to);
}

/* ---- use of buffers ---- */

static void upper_buffer_used(struct iw_upper *upper, struct iw_upper_buffer *buffer) {
    if (upper->handlers->used != NULL)
        upper->handlers->used(upper->user, buffer);
}

static bool buffer_allows(const struct iw_upper_buffer *buffer, const struct iw_upper_use *use) {
    return buffer->end == IW_UPPER_END_NONE && (buffer->access & use->access) != 0 &&
           buffer_contains(buffer, use->to, use->octets);
}

static struct iw_upper_buffer *upper_find_allowing(struct iw_upper *upper, const struct iw_upper_use *use) {
    enum iw_side owner = iw_side_other(upper->side);

    if (upper->latest < upper->buffer_count && buffer_is(&upper->buffers[upper->latest], owner, use->stag) &&
        buffer_allows(&upper->buffers[upper->latest], use))
        return &upper->buffers[upper->latest];
    for (uint32_t i = 0; i < upper->buffer_count; i++)
        if (buffer_is(&upper->buffers[i], owner, use->stag) && buffer_allows(&upper->buffers[i], use)) {
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

static const char *access_text(uint8_t access) {
    return access == (IW_UPPER_ACCESS_READ | IW_UPPER_ACCESS_WRITE) ? "reading and writing"
           : access == IW_UPPER_ACCESS_WRITE                        ? "writing"
                                                                    : "reading";
}

/* Reports an access that no open buffer allows. `known` is the buffer that fits best, or NULL. */
static void upper_report_use(
    struct iw_upper *upper, const struct iw_upper_use *use, const struct iw_upper_buffer *known) {
    const char *what = use->access == IW_UPPER_ACCESS_WRITE ? "RDMA Write" : "RDMA Read Request";
    const char *verb = use->access == IW_UPPER_ACCESS_WRITE ? "writes" : "reads";
    char expected[96], actual[96], purpose[IW_UPPER_TEXT_OCTETS];
    uint64_t end = use->to + use->octets;

    snprintf(actual, sizeof actual, "STag 0x%08" PRIx32 ", TO 0x%" PRIx64 " to 0x%" PRIx64, use->stag,
        use->to, end);
    if (known == NULL) {
        iw_upper_report_later(upper, upper_use_rule(upper, USE_BOUNDS, use->access), 0, use->received,
            &use->stag, "an STag that the other side has advertised", actual,
            "%s uses STag 0x%08" PRIx32 ", which the other side has not advertised", what, use->stag);
        return;
    }
    iw_upper_buffer_purpose(known, purpose);
    snprintf(expected, sizeof expected, "TO 0x%" PRIx64 " to 0x%" PRIx64 ", for %s", known->to,
        known->to + known->length, access_text(known->access));
    if (known->end != IW_UPPER_END_NONE)
        iw_upper_report_later(upper, upper_use_rule(upper, USE_END, use->access), known->end_frame,
            use->received, &use->stag, expected, actual,
            "%s uses STag 0x%08" PRIx32 ", %s, after %s in frame %" PRIu64, what, use->stag, purpose,
            known->end == IW_UPPER_END_REPLY ? "the reply" : "its invalidation", known->end_frame);
    else if (!buffer_contains(known, use->to, use->octets))
        iw_upper_report_later(upper, upper_use_rule(upper, USE_BOUNDS, use->access), known->frame,
            use->received, &use->stag, expected, actual,
            "%s %s outside of the buffer with STag 0x%08" PRIx32 ", %s", what, verb, use->stag, purpose);
    else
        iw_upper_report_later(upper, upper_use_rule(upper, USE_DIRECTION, use->access), known->frame,
            use->received, &use->stag, expected, actual,
            "%s %s the buffer with STag 0x%08" PRIx32 ", %s, which is for %s", what, verb, use->stag, purpose,
            access_text(known->access));
}

/* Notes what a Write or Read Request has transferred. RPC-over-RDMA fills a buffer from its start, and may do
 * so again with another result (RFC 8166 4.3.2.2). */
static void upper_advance_buffer(
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
}

/* Whether buffers that follow each other in one STag, such as the segments of a chunk, together allow the
 * access. If so, and `take` is set, notes what it has transferred. */
static bool upper_use_adjacent(struct iw_upper *upper, const struct iw_upper_use *use, bool take) {
    enum { BUFFERS_MAX = 64 }; /* those of one message */
    uint64_t end = use->to + use->octets;
    struct iw_upper_use part = *use;

    for (unsigned i = 0; i < BUFFERS_MAX && part.to < end; i++) {
        struct iw_upper_buffer *buffer;
        uint64_t space;

        part.octets = 1;
        buffer = upper_find_allowing(upper, &part);
        if (buffer == NULL)
            return false;
        space = buffer->length - (part.to - buffer->to);
        part.octets = end - part.to < space ? end - part.to : space;
        if (take) {
            upper_advance_buffer(upper, buffer, &part);
            upper_buffer_used(upper, buffer);
        }
        part.to += part.octets;
    }
    return true;
}

/* After a wrong Write it is not certain which octets of the buffers with its STag were written. */
static void upper_table_doubt(struct iw_upper *upper, const struct iw_upper_use *use) {
    for (uint32_t i = 0; use->access == IW_UPPER_ACCESS_WRITE && i < upper->buffer_count; i++)
        if (buffer_is(&upper->buffers[i], iw_side_other(upper->side), use->stag))
            upper->buffers[i].shared = true;
}

void iw_upper_use(struct iw_upper *upper, const struct iw_upper_use *use) {
    enum iw_side owner = iw_side_other(upper->side);
    struct iw_upper_buffer *buffer, *known;

    if (use->octets == 0 || use->to > UINT64_MAX - use->octets)
        return;
    buffer = upper_find_allowing(upper, use);
    if (buffer != NULL) {
        upper_advance_buffer(upper, buffer, use);
        upper_buffer_used(upper, buffer);
        return;
    }
    if (upper_use_adjacent(upper, use, false)) {
        upper_use_adjacent(upper, use, true);
        return;
    }
    upper_table_doubt(upper, use);
    known = upper_buffer_best(upper, owner, use->stag, use->to);
    upper->early_write |= use->access == IW_UPPER_ACCESS_WRITE;
    /* Only all advertisements tell that a buffer is unknown or used wrongly. */
    if (!iw_upper_all_seen(upper) || (known == NULL && upper->protocol == IW_ULP_RPING))
        return;
    if (known != NULL)
        upper_buffer_used(upper, known);
    upper_report_use(upper, use, known);
}

/* ---- texts ---- */

const char *iw_upper_buffer_purpose(const struct iw_upper_buffer *buffer, char text[IW_UPPER_TEXT_OCTETS]) {
    int used = snprintf(text, IW_UPPER_TEXT_OCTETS, "for %s in frame %" PRIu64,
        buffer->operation != NULL ? buffer->operation : "a message", buffer->frame);

    if (buffer->whole > buffer->length && used > 0 && used < IW_UPPER_TEXT_OCTETS)
        snprintf(text + used, (size_t)(IW_UPPER_TEXT_OCTETS - used), ", offset 0x%" PRIx64 " of 0x%" PRIx64,
            buffer->at, buffer->whole);
    return text;
}

const char *iw_upper_call_name(
    const struct iw_upper *upper, const struct iw_upper_call *call, char text[IW_UPPER_TEXT_OCTETS]) {
    static const struct {
        const char *key;
        int digits;
    } keys[IW_ULP_COUNT] = {
        [IW_ULP_RPC] = {"XID", 8}, [IW_ULP_ISER] = {"ITT", 8}, [IW_ULP_NVME] = {"CID", 4}};
    const char *key = keys[upper->protocol].key;

    if (key != NULL)
        snprintf(text, IW_UPPER_TEXT_OCTETS, "%s, %s 0x%0*" PRIx64, call->operation, key,
            keys[upper->protocol].digits, call->key);
    else
        snprintf(text, IW_UPPER_TEXT_OCTETS, "%s, MessageId %" PRIu64, call->operation, call->key);
    return text;
}
