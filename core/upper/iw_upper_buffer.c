#include <inttypes.h>
#include <stdio.h>

#include "iw_array.h"
#include "iw_upper_state.h"

/* Advertised buffers. */

void iw_upper_buffer_end(struct iw_upper *upper, struct iw_upper_buffer *buffer, enum iw_upper_end end) {
    if (buffer->end != IW_UPPER_END_NONE)
        return;
    buffer->end = (uint8_t)end;
    buffer->end_frame = upper->frame;
    upper->ended++;
    if (upper->handlers->ended != NULL)
        upper->handlers->ended(upper->user, buffer);
}

/* Returns an ended buffer to replace: one with the same STag, or the oldest if many have ended; or NULL. */
static struct iw_upper_buffer *upper_buffer_replaceable(
    struct iw_upper *upper, enum iw_side owner, uint32_t stag) {
    struct iw_upper_buffer *oldest = NULL;

    if (upper->ended == 0)
        return NULL;
    for (uint32_t i = 0; i < upper->buffer_count; i++) {
        struct iw_upper_buffer *buffer = &upper->buffers[i];

        if (buffer->end == IW_UPPER_END_NONE)
            continue;
        if (iw_upper_buffer_is(buffer, owner, stag))
            return buffer;
        if (oldest == NULL || buffer->end_frame < oldest->end_frame)
            oldest = buffer;
    }
    return upper->ended >= IW_UPPER_ENDED_MAX || upper->buffer_count >= IW_UPPER_BUFFERS_MAX ? oldest : NULL;
}

static struct iw_upper_buffer *upper_buffer_slot(struct iw_upper *upper, enum iw_side owner, uint32_t stag) {
    struct iw_upper_buffer *slot = upper_buffer_replaceable(upper, owner, stag);

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

static bool upper_buffer_overlaps(const struct iw_upper_buffer *a, const struct iw_upper_buffer *b) {
    return a->to < b->to ? b->to - a->to < a->length : a->to - b->to < b->length;
}

/* The same memory in two calls: a caller may use it again after a call that it has given up, or sends again.
 */
static void upper_buffer_mark_shared(struct iw_upper *upper, struct iw_upper_buffer *buffer) {
    for (uint32_t i = 0; i < upper->buffer_count; i++) {
        struct iw_upper_buffer *other = &upper->buffers[i];

        if (other != buffer && iw_upper_buffer_is(other, buffer->owner, buffer->stag) &&
            other->end == IW_UPPER_END_NONE && upper_buffer_overlaps(other, buffer))
            other->shared = buffer->shared = true;
    }
}

struct iw_upper_buffer *iw_upper_buffer_add(struct iw_upper *upper, const struct iw_upper_send *send,
    const struct iw_upper_call *call, const struct iw_upper_buffer *buffer) {
    struct iw_upper_buffer *slot = upper_buffer_slot(upper, send->side, buffer->stag);

    iw_upper_refute(upper, send->side, send->end, IW_UPPER_BY_ADVERTISEMENT, buffer->stag);
    upper->counts.buffers[send->side]++;
    if (slot == NULL) {
        upper->lost = true;
        return NULL;
    }
    *slot = *buffer;
    slot->owner = send->side;
    slot->shared = upper->early_write;
    upper_buffer_mark_shared(upper, slot);
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
        if (iw_upper_buffer_is(&upper->buffers[i], owner, stag))
            iw_upper_buffer_end(upper, &upper->buffers[i], IW_UPPER_END_INVALIDATED);
}

struct iw_upper_buffer *iw_upper_buffer_best(
    const struct iw_upper *upper, enum iw_side owner, uint32_t stag, uint64_t to) {
    struct iw_upper_buffer *found = NULL;

    for (uint32_t i = 0; i < upper->buffer_count; i++) {
        struct iw_upper_buffer *buffer = &upper->buffers[i];

        if (!iw_upper_buffer_is(buffer, owner, stag))
            continue;
        if (buffer->end == IW_UPPER_END_NONE && iw_upper_buffer_contains(buffer, to, 1))
            return buffer;
        if (found == NULL || iw_upper_buffer_contains(buffer, to, 1) ||
            (!iw_upper_buffer_contains(found, to, 1) && buffer->frame > found->frame))
            found = buffer;
    }
    return found;
}

const struct iw_upper_buffer *iw_upper_buffer_find(
    const struct iw_upper *upper, enum iw_side owner, uint32_t stag, uint64_t to) {
    return iw_upper_buffer_best(upper, owner, stag, to);
}

const char *iw_upper_buffer_purpose(const struct iw_upper_buffer *buffer, char text[IW_UPPER_TEXT_OCTETS]) {
    int used = snprintf(text, IW_UPPER_TEXT_OCTETS, "for %s in frame %" PRIu64,
        buffer->operation != NULL ? buffer->operation : "a message", buffer->frame);

    if (buffer->whole > buffer->length && used > 0 && used < IW_UPPER_TEXT_OCTETS)
        snprintf(text + used, (size_t)(IW_UPPER_TEXT_OCTETS - used), ", offset 0x%" PRIx64 " of 0x%" PRIx64,
            buffer->at, buffer->whole);
    return text;
}
