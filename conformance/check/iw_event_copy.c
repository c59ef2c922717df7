#include "iw_event_copy.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_OCTETS = 1 << 16 };

struct iw_event_block {
    struct iw_event_block *older;
    size_t used, octets;
    alignas(max_align_t) uint8_t memory[];
};

/* Keeps the oldest block, unless it is larger than BLOCK_OCTETS. */
void iw_event_arena_clear(struct iw_event_arena *arena) {
    struct iw_event_block *block = arena->blocks;

    while (block && (block->older || block->octets > BLOCK_OCTETS)) {
        struct iw_event_block *older = block->older;

        free(block);
        block = older;
    }
    if (block)
        block->used = 0;
    arena->blocks = block;
}

void iw_event_arena_dispose(struct iw_event_arena *arena) {
    iw_event_arena_clear(arena);
    free(arena->blocks);
    arena->blocks = NULL;
}

static void *copy_arena_allocate(struct iw_event_arena *arena, size_t octets) {
    size_t rounded = (octets + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
    struct iw_event_block *block = arena->blocks;
    size_t size = rounded > BLOCK_OCTETS ? rounded : BLOCK_OCTETS;

    if (!block || block->octets - block->used < rounded) {
        block = malloc(sizeof *block + size);
        if (!block)
            return NULL;
        *block = (struct iw_event_block){.older = arena->blocks, .octets = size};
        arena->blocks = block;
    }
    block->used += rounded;
    return block->memory + block->used - rounded;
}

struct copying {
    struct iw_event_arena *arena;
    const uint8_t *from, *to; /* the image of the event, into which other members point; and its copy */
    size_t octets;
    bool failed;
};

/* Copies `octets` octets. Returns NULL for none; also if memory runs out, and then sets `failed`. */
static void *copy_block(struct copying *copying, const void *from, size_t octets) {
    void *to = from && octets > 0 ? copy_arena_allocate(copying->arena, octets) : NULL;

    if (to)
        memcpy(to, from, octets);
    else
        copying->failed |= from && octets > 0;
    return to;
}

#define COPY(copying, from) copy_block((copying), (from), sizeof *(from))

/* Returns the pointer into the copy that corresponds to `at`; NULL if `at` is not in `from`. */
static const uint8_t *copy_relocated(const struct copying *copying, const uint8_t *at) {
    if (!at || !copying->to || at < copying->from || at > copying->from + copying->octets)
        return NULL;
    return copying->to + (at - copying->from);
}

static const struct iw_fpdu *copy_fpdu(struct copying *copying, const struct iw_fpdu *from) {
    struct iw_fpdu *fpdu = COPY(copying, from);

    if (!fpdu)
        return NULL;
    fpdu->wire = NULL; /* only the monitor needs it */
    fpdu->image = copying->to;
    fpdu->markers = copy_block(copying, from->markers, from->marker_count * sizeof *from->markers);
    fpdu->spans = copy_block(copying, from->spans, from->span_count * sizeof *from->spans);
    return fpdu;
}

static const struct iw_startup *copy_startup(struct copying *copying, const struct iw_startup *from) {
    struct iw_startup *startup = COPY(copying, from);

    if (startup)
        startup->private_data = copy_relocated(copying, from->private_data);
    return startup;
}

static const struct iw_segment *copy_segment(struct copying *copying, const struct iw_segment *from) {
    struct iw_segment *segment = COPY(copying, from);

    if (segment) {
        segment->header = copy_relocated(copying, from->header);
        segment->payload = copy_relocated(copying, from->payload);
    }
    return segment;
}

static const struct iw_terminate_message *copy_terminate(
    struct copying *copying, const struct iw_terminate_message *from) {
    struct iw_terminate_message *terminate = COPY(copying, from);

    if (terminate) {
        terminate->terminated.header = copy_relocated(copying, from->terminated.header);
        terminate->terminated.payload = copy_relocated(copying, from->terminated.payload);
        terminate->terminated_octets = copy_relocated(copying, from->terminated_octets);
        terminate->rdmap_octets = copy_relocated(copying, from->rdmap_octets);
    }
    return terminate;
}

static const struct iw_response_fact *copy_response(
    struct copying *copying, const struct iw_response_fact *from) {
    struct iw_response_fact *response = COPY(copying, from);

    if (response) {
        response->operation = COPY(copying, from->operation);
        response->earlier = COPY(copying, from->earlier);
        response->overtaken = COPY(copying, from->overtaken);
    }
    return response;
}

/* from->message is NULL at the end of a session. */
static const struct iw_session_event *copy_session(
    struct copying *copying, const struct iw_session_event *from) {
    struct iw_session_event *session = COPY(copying, from);
    struct iw_sctp_message *message;

    if (!session)
        return NULL;
    session->session = COPY(copying, from->session);
    session->association = COPY(copying, from->association);
    message = COPY(copying, from->message);
    if (message)
        message->octets = copying->to;
    session->message = message;
    session->control.private_data = copy_relocated(copying, from->control.private_data);
    return session;
}

static const struct iw_llp_event *copy_llp(struct copying *copying, const struct iw_llp_event *from) {
    struct iw_llp_event *llp = COPY(copying, from);

    if (!llp)
        return NULL;
    copying->from = from->image;
    copying->octets = from->image_captured;
    copying->to = llp->image = copy_block(copying, from->image, from->image_captured);
    llp->startup = copy_startup(copying, from->startup);
    llp->fpdu = copy_fpdu(copying, from->fpdu);
    llp->session = copy_session(copying, from->session);
    return llp;
}

const struct iw_monitor_event *iw_event_copy(
    struct iw_event_arena *arena, const struct iw_monitor_event *event) {
    struct copying copying = {.arena = arena};
    struct iw_monitor_event *to = COPY(&copying, event);
    struct iw_stag_use *uses;

    if (!to)
        return NULL;
    to->llp = copy_llp(&copying, event->llp);
    to->segment = copy_segment(&copying, event->segment);
    to->fact = COPY(&copying, event->fact);
    to->request = COPY(&copying, event->request);
    to->response = copy_response(&copying, event->response);
    to->terminate = copy_terminate(&copying, event->terminate);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        to->unanswered[side] = COPY(&copying, event->unanswered[side]);
    uses = copy_block(&copying, event->stag_uses, event->stag_use_count * sizeof *uses);
    for (unsigned i = 0; uses && i < event->stag_use_count; i++)
        uses[i].life = COPY(&copying, event->stag_uses[i].life);
    to->stag_uses = uses;
    to->findings = copy_block(&copying, event->findings, event->finding_count * sizeof *event->findings);
    return copying.failed ? NULL : to;
}
