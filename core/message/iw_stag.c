#include "iw_stag.h"

#include <stdlib.h>
#include <string.h>

#include "iw_placement.h"

/* The table starts small: a capture may have a hundred thousand connections with one or two STags. */
enum { STAGS_CAPACITY_AT_FIRST = 2, STAGS_NEIGHBOURS = 8 };

void iw_stags_init(struct iw_stags *stags, uint32_t most) {
    memset(stags, 0, sizeof *stags);
    stags->capacity_max = most;
}

void iw_stags_dispose(struct iw_stags *stags) {
    free(stags->lives);
    memset(stags, 0, sizeof *stags);
}

/* The slot of the STag; if it has none, a slot for it: a free one, else the least recently used. */
IW_HOT static struct iw_stag_life *stags_slot(const struct iw_stags *stags, uint32_t stag) {
    uint32_t first = stag * UINT32_C(0x9E3779B1) >> 16;
    struct iw_stag_life *oldest = NULL;

    for (uint32_t i = 0; i < STAGS_NEIGHBOURS; i++) {
        struct iw_stag_life *life = &stags->lives[(first + i) & (stags->capacity - 1)];

        if (life->used != 0 && life->stag == stag)
            return life;
        if (oldest == NULL || life->used < oldest->used)
            oldest = life;
    }
    return oldest;
}

static void stags_note_eviction(struct iw_stags *stags, const struct iw_stag_life *slot) {
    stags->forgotten |= slot->used != 0;
    stags->ended_forgotten |= slot->used != 0 && slot->invalidated_frame != 0;
}

IW_COLD static bool stags_grow(struct iw_stags *stags) {
    struct iw_stags wider = *stags;

    wider.capacity = stags->capacity == 0 ? STAGS_CAPACITY_AT_FIRST : 2 * stags->capacity;
    wider.lives = calloc(wider.capacity, sizeof *wider.lives);
    if (wider.lives == NULL)
        return false;
    for (uint32_t i = 0; i < stags->capacity; i++) {
        struct iw_stag_life *slot;

        if (stags->lives[i].used == 0)
            continue;
        slot = stags_slot(&wider, stags->lives[i].stag);
        stags_note_eviction(&wider, slot);
        wider.count -= slot->used != 0;
        *slot = stags->lives[i];
    }
    free(stags->lives);
    *stags = wider;
    return true;
}

struct iw_stag_life *iw_stags_find(const struct iw_stags *stags, uint32_t stag) {
    struct iw_stag_life *life = stags->capacity == 0 ? NULL : stags_slot(stags, stag);

    return life != NULL && life->used != 0 && life->stag == stag ? life : NULL;
}

/* Returns the slot for a new STag; NULL if the table is empty and memory runs out. */
static struct iw_stag_life *stags_reserve_slot(struct iw_stags *stags, uint32_t stag) {
    struct iw_stag_life *life;

    if (2 * stags->count >= stags->capacity && stags->capacity < stags->capacity_max && !stags_grow(stags) &&
        stags->capacity == 0)
        return NULL;
    life = stags_slot(stags, stag);
    stags_note_eviction(stags, life);
    stags->count += life->used == 0;
    return life;
}

/* The current lifetime of the STag; a new one if it is unknown or invalidated. NULL without memory. */
static struct iw_stag_life *stags_find_or_add(struct iw_stags *stags, uint32_t stag, uint64_t frame) {
    struct iw_stag_life *life = iw_stags_find(stags, stag);
    bool known = life != NULL;
    uint64_t ended_before = known ? life->invalidated_frame : 0;

    if (!known)
        life = stags_reserve_slot(stags, stag);
    if (life == NULL) {
        stags->doubtful++;
        return NULL;
    }
    stags->doubtful += !known && stags->ended_forgotten;
    if (!known || ended_before != 0)
        *life = (struct iw_stag_life){.stag = stag,
            .first_frame = known || !stags->forgotten ? frame : 0,
            .ended_before = ended_before};
    life->used = ++stags->uses;
    return life;
}

/* An STag in a segment. `own`: it names memory of the sender (the Data Sink STag of a Read Request). */
struct named {
    enum iw_field_id field;
    uint32_t stag;
    bool own;
};

/* A Read of 0 octets names no memory (RFC 5040 5.2.1). */
static unsigned request_stags(const struct iw_segment *segment, struct named named[IW_STAG_USES_MAX]) {
    const struct iw_opcode *op = segment->op;
    const struct iw_target target = iw_opcode_target(op, segment->header);
    unsigned count = 0;

    if (op->stag == IW_FIELD_NONE || (op->sink != IW_FIELD_NONE && target.length == 0))
        return 0;
    if (op->sink != IW_FIELD_NONE)
        named[count++] =
            (struct named){op->sink, (uint32_t)iw_field_get(&iw_fields[op->sink], segment->header), true};
    named[count++] = (struct named){op->stag, target.stag, false};
    return count;
}

static unsigned segment_stags(const struct iw_segment *segment, struct named named[IW_STAG_USES_MAX]) {
    if (segment->tagged) {
        named[0] = (struct named){iw_field_ddp_tagged_stag, segment->stag, false};
        return segment->payload_octets > 0 ? 1 : 0;
    }
    if (segment->op == NULL)
        return 0;
    if (segment->op->invalidate == IW_INVALIDATE_STAG) {
        named[0] = (struct named){iw_field_rdmap_invalidate_stag, segment->invalidate_stag, false};
        return 1;
    }
    return segment->header_octets > 0 ? request_stags(segment, named) : 0;
}

/* A Send invalidates the STag at delivery, that is with its last segment (RFC 5040 5.3). */
static void stag_life_note_use(
    struct iw_stag_life *life, const struct named *named, bool last, uint64_t frame) {
    if (named->field == iw_field_read_request_sink_stag && life->advertised_frame == 0)
        life->advertised_frame = frame;
    if (named->field == iw_field_rdmap_invalidate_stag && last)
        life->invalidated_frame = frame;
}

unsigned iw_stags_segment(struct iw_stags *const stags[2], enum iw_side side,
    const struct iw_segment *segment, uint64_t frame, struct iw_stag_use uses[IW_STAG_USES_MAX]) {
    struct named named[IW_STAG_USES_MAX];
    unsigned count = segment_stags(segment, named);
    unsigned used = 0;

    for (unsigned i = 0; i < count; i++) {
        enum iw_side owner = named[i].own ? side : iw_side_other(side);
        struct iw_stag_life *life = stags_find_or_add(stags[owner], named[i].stag, frame);

        if (life == NULL)
            continue;
        stag_life_note_use(life, &named[i], segment->last, frame);
        uses[used++] = (struct iw_stag_use){named[i].field, owner, life};
    }
    return used;
}
