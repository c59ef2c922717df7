#include "iw_message_store.h"

#include <stdlib.h>
#include <string.h>

#include "iw_array.h"

enum {
    OPEN_MAX = 16,          /* untagged messages of one side that are open at the same time */
    SEGMENT_MAX = 1 << 16,  /* segments of a message */
    CAPACITY_MIN = 1 << 12, /* octets */
    SHIFT_MAX = 64,         /* times that octets are added at the front, which copies all octets */
};

struct sender {
    struct iw_message *untagged[OPEN_MAX]; /* open messages, oldest first; then NULL */
    struct iw_message *tagged;             /* the open tagged message, or NULL */
    bool lost;                             /* octets were lost since the latest segment */
};

struct iw_message_store {
    const struct iw_message_limits *limits;
    size_t *kept;
    struct iw_message *messages;
    bool keep_tagged;
    struct sender sender[2]; /* by enum iw_side */
};

struct iw_message_store *iw_message_store_new(const struct iw_message_limits *limits, size_t *kept) {
    struct iw_message_store *store = calloc(1, sizeof *store);

    if (store != NULL) {
        store->limits = limits;
        store->kept = kept;
    }
    return store;
}

void iw_message_store_keep_tagged(struct iw_message_store *store, bool keep) {
    store->keep_tagged = keep;
}

/* ---- messages ---- */

static void message_release_octets(struct iw_message_store *store, struct iw_message *message) {
    *store->kept -= message->capacity;
    free(message->octets);
    message->octets = NULL;
    message->capacity = 0;
}

void iw_message_store_free(struct iw_message_store *store) {
    struct iw_message *next;

    if (store == NULL)
        return;
    for (struct iw_message *message = store->messages; message != NULL; message = next) {
        next = message->next;
        message_release_octets(store, message);
        free(message->segments);
        free(message);
    }
    free(store);
}

static struct iw_message *store_add_message(
    struct iw_message_store *store, enum iw_side side, uint32_t key, uint64_t base) {
    struct iw_message *message = calloc(1, sizeof *message);

    if (message == NULL)
        return NULL;
    message->side = side;
    message->key = key;
    message->base = base;
    message->keeps_octets = true;
    message->next = store->messages;
    store->messages = message;
    return message;
}

static void message_close(
    struct iw_message_store *store, struct iw_message *message, enum iw_message_state state) {
    struct iw_message_segment *segments = NULL;
    uint8_t *shrunk;

    message->state = state;
    if (message->segment_count > 0)
        segments = realloc(message->segments, message->segment_count * sizeof *segments);
    if (segments != NULL)
        message->segments = segments;
    if (state != IW_MESSAGE_WHOLE) {
        message_release_octets(store, message);
        return;
    }
    if (!message->keeps_octets)
        return;
    shrunk = realloc(message->octets, message->length > 0 ? message->length : 1);
    if (shrunk == NULL)
        return;
    *store->kept -= message->capacity - message->length;
    message->octets = shrunk;
    message->capacity = message->length;
}

uint32_t iw_message_missing(const struct iw_message *message) {
    return message->length - message->present;
}

/* Grows the message to a capacity of at least `end` octets. Returns false at a limit, or if memory runs out.
 * iw_array_reserve is not used, as the total limit applies before the larger capacity is allocated. */
static bool message_reserve(struct iw_message_store *store, struct iw_message *message, size_t end) {
    size_t capacity = message->capacity > 0 ? message->capacity : CAPACITY_MIN;
    uint8_t *octets;

    if (!message->keeps_octets || end <= message->capacity)
        return true;
    if (end > store->limits->message)
        return false;
    while (capacity < end)
        capacity *= 2;
    if (capacity - message->capacity > store->limits->total ||
        *store->kept > store->limits->total - (capacity - message->capacity))
        return false;
    octets = realloc(message->octets, capacity);
    if (octets == NULL)
        return false;
    *store->kept += capacity - message->capacity;
    message->octets = octets;
    message->capacity = capacity;
    return true;
}

/* Returns the number of segments that begin at or before `offset`; nearly always all. */
static uint32_t message_store_segments_up_to(const struct iw_message *message, uint32_t offset) {
    uint32_t low = 0, high = message->segment_count;

    if (high > 0 && message->segments[high - 1].offset <= offset)
        return high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (message->segments[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns whether none of these octets is present. Present octets are never replaced: if segments overlap, a
 * capture does not show which one is right. */
static bool message_store_is_unoccupied(
    const struct iw_message *message, uint32_t at, uint32_t offset, uint32_t octets) {
    const struct iw_message_segment *before = at > 0 ? &message->segments[at - 1] : NULL;
    const struct iw_message_segment *after = at < message->segment_count ? &message->segments[at] : NULL;

    return (before == NULL || (uint64_t)before->offset + before->octets <= offset) &&
           (after == NULL || after->offset >= (uint64_t)offset + octets);
}

/* Stores the segment at `offset` unless it overlaps present octets. If it cannot, closes the message. */
static void message_place_segment(struct iw_message_store *store, struct iw_message *message, uint64_t offset,
    const struct iw_segment *segment, uint32_t frame) {
    uint32_t at, octets = segment->payload_captured;
    uint64_t end = offset + segment->payload_octets;

    message->frame = frame;
    message->ended |= segment->last;
    if (message->state != IW_MESSAGE_OPEN)
        return;
    if (offset > UINT32_MAX || end > UINT32_MAX || !message_reserve(store, message, (size_t)end) ||
        message->segment_count >= SEGMENT_MAX ||
        !iw_array_grow(&message->segments, message->segment_count, sizeof *message->segments)) {
        message_close(store, message, IW_MESSAGE_LIMIT);
        return;
    }
    if (end > message->length)
        message->length = (uint32_t)end;
    at = message_store_segments_up_to(message, (uint32_t)offset);
    if (!message_store_is_unoccupied(message, at, (uint32_t)offset, octets))
        return;
    memmove(&message->segments[at + 1], &message->segments[at],
        (message->segment_count - at) * sizeof *message->segments);
    message->segments[at] = (struct iw_message_segment){frame, (uint32_t)offset, octets};
    message->segment_count++;
    message->present += octets;
    if (octets > 0 && message->keeps_octets)
        memcpy(message->octets + offset, segment->payload, octets);
}

static bool message_is_whole(const struct iw_message *message) {
    return message->ended && !message->headless && message->present == message->length;
}

/* ---- untagged messages ---- */

static void message_store_remove_open(struct sender *sender, unsigned i) {
    memmove(&sender->untagged[i], &sender->untagged[i + 1], (OPEN_MAX - 1 - i) * sizeof *sender->untagged);
    sender->untagged[OPEN_MAX - 1] = NULL;
}

const struct iw_message *iw_message_store_untagged(
    struct iw_message_store *store, enum iw_side side, const struct iw_segment *segment, uint32_t frame) {
    struct sender *sender = &store->sender[side];
    struct iw_message *message;
    unsigned i = 0;

    while (i < OPEN_MAX && sender->untagged[i] != NULL && sender->untagged[i]->key != segment->msn)
        i++;
    sender->lost = false;
    if (i == OPEN_MAX || sender->untagged[i] == NULL) {
        if (segment->mo == 0 && segment->last)
            return NULL;
        if (i == OPEN_MAX) { /* all are open: close the oldest */
            if (sender->untagged[0]->state == IW_MESSAGE_OPEN)
                message_close(store, sender->untagged[0], IW_MESSAGE_INCOMPLETE);
            message_store_remove_open(sender, 0);
            i--;
        }
        sender->untagged[i] = store_add_message(store, side, segment->msn, 0);
    }
    message = sender->untagged[i];
    if (message == NULL)
        return NULL;
    message_place_segment(store, message, segment->mo, segment, frame);
    if (message->state == IW_MESSAGE_OPEN && message_is_whole(message))
        message_close(store, message, IW_MESSAGE_WHOLE);
    if (message->state == IW_MESSAGE_WHOLE || (message->state == IW_MESSAGE_LIMIT && message->ended))
        message_store_remove_open(sender, i);
    return message;
}

/* ---- tagged messages ---- */

static void message_store_end_tagged(struct iw_message_store *store, struct sender *sender) {
    if (sender->tagged != NULL && sender->tagged->state == IW_MESSAGE_OPEN)
        message_close(store, sender->tagged, IW_MESSAGE_INCOMPLETE);
    sender->tagged = NULL;
}

/* Adds `octets` octets at the front of the message: moves all other octets to higher offsets. */
static void message_extend_front(
    struct iw_message_store *store, struct iw_message *message, uint64_t octets) {
    message->base -= octets;
    if (message->state != IW_MESSAGE_OPEN)
        return;
    if (octets > UINT32_MAX - message->length || ++message->shifts > SHIFT_MAX ||
        !message_reserve(store, message, (size_t)(message->length + octets))) {
        message_close(store, message, IW_MESSAGE_LIMIT);
        return;
    }
    for (uint32_t i = message->segment_count; i-- > 0;) {
        struct iw_message_segment *segment = &message->segments[i];

        if (message->keeps_octets)
            memmove(message->octets + segment->offset + octets, message->octets + segment->offset,
                segment->octets);
        segment->offset += (uint32_t)octets;
    }
    message->length += (uint32_t)octets;
}

/* Returns the open message of the segment, which has the same STag, or a new one; NULL if memory runs out.
 * Segments of a tagged message should come in order (RFC 5041 5.3), without other tagged messages between
 * them. A TO below the start of the message extends it at the front; after a loss it begins a new message. */
static struct iw_message *message_store_open_tagged(struct iw_message_store *store, enum iw_side side,
    const struct iw_segment *segment, uint64_t base, bool headless) {
    struct sender *sender = &store->sender[side];

    if (sender->tagged != NULL &&
        (sender->tagged->key != segment->stag || (sender->lost && segment->to < sender->tagged->base)))
        message_store_end_tagged(store, sender);
    if (sender->tagged != NULL && segment->to < sender->tagged->base)
        message_extend_front(store, sender->tagged, sender->tagged->base - segment->to);
    if (sender->tagged == NULL) {
        sender->tagged = store_add_message(store, side, segment->stag, base);
        if (sender->tagged != NULL) {
            sender->tagged->headless = headless;
            sender->tagged->keeps_octets = store->keep_tagged;
        }
    }
    return sender->tagged;
}

static const struct iw_message *message_store_add_tagged(struct iw_message_store *store, enum iw_side side,
    const struct iw_segment *segment, uint64_t base, bool headless, uint32_t frame) {
    struct sender *sender = &store->sender[side];
    struct iw_message *message = message_store_open_tagged(store, side, segment, base, headless);

    sender->lost = false;
    if (message == NULL)
        return NULL;
    message_place_segment(store, message, segment->to - message->base, segment, frame);
    if (!segment->last)
        return message;
    if (message->state == IW_MESSAGE_OPEN && message_is_whole(message))
        message_close(store, message, IW_MESSAGE_WHOLE);
    message_store_end_tagged(store, sender);
    return message;
}

const struct iw_message *iw_message_store_tagged(
    struct iw_message_store *store, enum iw_side side, const struct iw_segment *segment, uint32_t frame) {
    struct sender *sender = &store->sender[side];

    if (sender->tagged == NULL && segment->last && !sender->lost)
        return NULL;
    return message_store_add_tagged(store, side, segment, segment->to, sender->lost, frame);
}

const struct iw_message *iw_message_store_read(struct iw_message_store *store, enum iw_side side,
    const struct iw_segment *segment, uint64_t sink_to, uint32_t size, uint32_t frame) {
    struct sender *sender = &store->sender[side];

    if (sender->tagged == NULL && segment->last && segment->to == sink_to && segment->payload_octets == size)
        return NULL;
    if (segment->to < sink_to || segment->to - sink_to > size)
        return NULL; /* a response to a different request */
    return message_store_add_tagged(store, side, segment, sink_to, false, frame);
}

void iw_message_store_lost(struct iw_message_store *store, enum iw_side side) {
    store->sender[side].lost = true;
}
