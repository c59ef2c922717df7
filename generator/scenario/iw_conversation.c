#include "iw_conversation.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"

static bool conversation_side_append(
    uint8_t **list, size_t *length, uint32_t *capacity, const uint8_t *octets, size_t count) {
    if (count == 0)
        return true;
    if (!iw_array_reserve(list, capacity, *length + count, 1))
        return false;
    memcpy(*list + *length, octets, count);
    *length += count;
    return true;
}

static void conversation_mark_broken(
    struct iw_conversation *conversation, const char *format, uint64_t frame, uint64_t count) {
    if (conversation->broken[0] == '\0')
        snprintf(conversation->broken, sizeof conversation->broken, format, frame, count);
}

static void conversation_unit_take_fpdu(
    struct iw_conversation_side *side, const struct iw_fpdu *fpdu, struct iw_conversation_unit *unit) {
    unit->octets = fpdu->wire_octets;
    unit->image = side->image_octets;
    unit->image_octets = fpdu->image_octets;
    unit->ulpdu_length = fpdu->ulpdu_length;
    unit->pad_octets = fpdu->pad_octets;
    unit->crc_received = fpdu->crc_received;
    unit->crc_computed = fpdu->crc_computed;
    unit->crc_known = fpdu->crc != IW_CRC_UNCHECKED && fpdu->crc != IW_CRC_NOT_CAPTURED;
    unit->markers = fpdu->marker_count > 0;
    if (unit->markers) {
        unit->marker_reserved = fpdu->markers[0].reserved;
        unit->fpduptr_shift = (int16_t)(fpdu->markers[0].fpduptr - fpdu->markers[0].expected);
    }
}

static void conversation_unit_take_finding(struct iw_conversation_unit *unit, const char *id) {
    for (size_t i = 0; i < IW_CONVERSATION_FINDINGS_MAX; i++) {
        if (unit->findings[i] == NULL)
            unit->findings[i] = id;
        if (unit->findings[i] == id)
            return;
    }
}

static void conversation_take_event(void *user, const struct iw_monitor_event *event) {
    struct iw_conversation *conversation = user;
    const struct iw_llp_event *llp = event->llp;
    struct iw_conversation_side *side = &conversation->side[llp->side];
    struct iw_conversation_unit unit = {
        .kind = llp->kind, .offset = llp->offset, .octets = (uint32_t)llp->octets, .frame = llp->frame};

    if (llp->kind != IW_LLP_STARTUP && llp->kind != IW_LLP_SEGMENT)
        return;
    for (size_t i = 0; i < event->finding_count; i++)
        conversation_unit_take_finding(&unit, event->findings[i].requirement->id);
    if (llp->kind == IW_LLP_SEGMENT) {
        conversation_unit_take_fpdu(side, llp->fpdu, &unit);
        if (llp->fpdu->image_captured < llp->fpdu->image_octets)
            return;
        conversation->no_memory |= !conversation_side_append(&side->images, &side->image_octets,
            &side->image_capacity, llp->fpdu->image, llp->fpdu->image_octets);
    }
    if (!iw_array_grow(&side->units, side->unit_count, sizeof unit)) {
        conversation->no_memory = true;
        return;
    }
    side->units[side->unit_count++] = unit;
}

static struct iw_conversation_mark conversation_chunk_mark(
    const struct iw_conversation *conversation, const struct iw_chunk *chunk) {
    return (struct iw_conversation_mark){.end = chunk->offset + chunk->length,
        .order = conversation->order,
        .frame = chunk->frame,
        .time_ns = chunk->time_ns};
}

static void conversation_take_octets(struct iw_conversation *conversation, const struct iw_chunk *chunk) {
    struct iw_conversation_side *side = &conversation->side[chunk->side];

    if (conversation->side[0].length + conversation->side[1].length + chunk->length >
        IW_CONVERSATION_OCTETS_MAX) {
        conversation_mark_broken(conversation, "frame %" PRIu64 ": more than %" PRIu64 " octets",
            chunk->frame, IW_CONVERSATION_OCTETS_MAX);
        return;
    }
    if (!conversation_side_append(
            &side->octets, &side->length, &side->capacity, chunk->octets, chunk->length) ||
        !iw_array_grow(&side->marks, side->mark_count, sizeof *side->marks)) {
        conversation->no_memory = true;
        return;
    }
    side->marks[side->mark_count++] = conversation_chunk_mark(conversation, chunk);
}

void iw_conversation_feed(struct iw_conversation *conversation, const struct iw_chunk *chunk) {
    struct iw_conversation_side *side = &conversation->side[chunk->side];

    conversation->order++;
    switch (chunk->kind) {
    case IW_CHUNK_START:
        side->syn = true;
        break;
    case IW_CHUNK_DATA:
        if (conversation->broken[0] == '\0')
            conversation_take_octets(conversation, chunk);
        break;
    case IW_CHUNK_GAP:
        conversation_mark_broken(conversation,
            chunk->cut       ? "frame %" PRIu64 ": the capture has cut %" PRIu64 " octets from its packet"
            : chunk->limited ? "frame %" PRIu64 ": too many octets wait for %" PRIu64 " octets before them"
                             : "frame %" PRIu64 ": %" PRIu64 " octets before it were not captured",
            chunk->frame, chunk->length);
        break;
    case IW_CHUNK_FIN:
        if (side->fin.order == 0)
            side->fin = conversation_chunk_mark(conversation, chunk);
        break;
    case IW_CHUNK_RST:
        if (side->rst.order == 0)
            side->rst = conversation_chunk_mark(conversation, chunk);
        break;
    case IW_CHUNK_OUTSIDE:
    case IW_CHUNK_DIFFERING:
        break;
    }
    iw_monitor_feed(conversation->monitor, chunk);
}

bool iw_conversation_init(struct iw_conversation *conversation) {
    static const struct iw_monitor_config config = {.extensions = IW_EXT_ALL};

    memset(conversation, 0, sizeof *conversation);
    conversation->monitor = iw_monitor_new(&config, conversation_take_event, conversation);
    return conversation->monitor != NULL;
}

/* Decodes the segments when `images` does not move any more. */
static void conversation_decode(struct iw_conversation_side *side) {
    for (size_t i = 0; i < side->unit_count; i++) {
        struct iw_conversation_unit *unit = &side->units[i];

        if (unit->kind == IW_LLP_SEGMENT)
            unit->decoded = iw_segment_decode(side->images + unit->image + iw_mpa_fpdu_octets,
                unit->ulpdu_length, unit->ulpdu_length, IW_EXT_ALL, &unit->segment);
    }
}

void iw_conversation_finish(struct iw_conversation *conversation) {
    const struct iw_mpa_terms *terms = iw_monitor_terms(conversation->monitor);

    iw_monitor_finish(conversation->monitor);
    conversation->no_memory |= iw_monitor_failed(conversation->monitor);
    for (size_t side = 0; side < 2 && !conversation->no_memory; side++)
        conversation_decode(&conversation->side[side]);
    conversation->initiator_known = terms->initiator_known;
    conversation->initiator = terms->initiator_known ? terms->initiator : IW_SIDE_A;
    for (const struct iw_conversation_side *side = conversation->side; side < conversation->side + 2; side++)
        /* A side without a captured SYN is complete if it begins with a startup frame. */
        if (!side->syn && (side->unit_count == 0 || side->units[0].kind != IW_LLP_STARTUP))
            conversation_mark_broken(
                conversation, "the capture does not hold the beginning of the connection", 0, 0);
}

void iw_conversation_dispose(struct iw_conversation *conversation) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        free(conversation->side[side].octets);
        free(conversation->side[side].marks);
        free(conversation->side[side].units);
        free(conversation->side[side].images);
    }
    iw_monitor_free(conversation->monitor);
    memset(conversation, 0, sizeof *conversation);
}

const struct iw_conversation_mark *iw_conversation_when(
    const struct iw_conversation_side *side, uint64_t at) {
    size_t low = 0, high = side->mark_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (side->marks[middle].end > at)
            high = middle;
        else
            low = middle + 1;
    }
    return &side->marks[low < side->mark_count ? low : side->mark_count - 1];
}
