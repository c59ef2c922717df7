#include "iw_draft.h"

#include <stdlib.h>
#include <string.h>

/* Multi-segment messages: one call if the endpoint segments them identically. */

/* How many units from `unit` on look like one message. */
static size_t count_segments(
    struct iw_printer *printer, const struct iw_conversation_unit *unit, size_t count) {
    struct iw_segment segment;

    for (size_t i = 0; i < count; i++) {
        if (unit[i].kind != IW_LLP_SEGMENT || !iw_draft_decode(printer, &unit[i], &segment))
            return 0;
        if (i > 0 && unit[i].offset != unit[i - 1].offset + unit[i - 1].octets)
            return 0;
        if (segment.last)
            return i + 1;
    }
    return 0;
}

static uint8_t *join_payload(
    struct iw_printer *printer, const struct iw_conversation_unit *unit, size_t count, size_t *length) {
    struct iw_segment segment;
    uint8_t *payload;

    *length = 0;
    for (size_t i = 0; i < count; i++)
        *length += unit[i].ulpdu_length;
    payload = malloc(*length + 1);
    *length = 0;
    for (size_t i = 0; i < count && payload != NULL; i++) {
        iw_draft_decode(printer, &unit[i], &segment);
        if (segment.payload_octets > 0)
            memcpy(payload + *length, segment.payload, segment.payload_octets);
        *length += segment.payload_octets;
    }
    printer->no_memory |= payload == NULL;
    return payload;
}

/* Segments the message as iw_endpoint_send.c does and compares the result with the capture. */
static bool segmentation_matches(
    struct iw_draft *draft, const uint8_t *payload, size_t length, size_t count) {
    struct iw_printer *printer = draft->printer;
    struct iw_fpdu_writer writer = printer->sender.writer;
    struct iw_emit emit = draft->natural;
    size_t headers = emit.segment.tagged ? iw_ddp_tagged_octets : iw_ddp_untagged_octets;
    size_t capacity = iw_draft_mulpdu(printer) - headers;
    size_t sent = 0;

    for (size_t i = 0; i < count; i++) {
        size_t part = length - sent < capacity ? length - sent : capacity;

        emit.segment.last = sent + part == length;
        emit.segment.to = draft->natural.segment.to + sent;
        emit.segment.mo = (uint32_t)sent;
        emit.payload = payload + sent;
        emit.payload_octets = part;
        if (iw_draft_matches(printer, &writer, &emit, draft->unit[i].offset) != draft->unit[i].octets)
            return false;
        sent += part;
    }
    return sent == length;
}

size_t iw_draft_segments(struct iw_draft *draft, size_t left) {
    struct iw_printer *printer = draft->printer;
    size_t count = count_segments(printer, draft->unit, left);
    size_t length;
    uint8_t *payload;
    bool good;

    if (count < 2 || !iw_draft_decode(printer, draft->unit, &draft->segment) || draft->segment.op == NULL ||
        draft->segment.op->header != IW_LAYOUT_NONE || draft->segment.tagged != draft->segment.op->tagged ||
        iw_draft_mulpdu(printer) <= iw_ddp_untagged_octets)
        return 0;
    iw_draft_make_natural(draft);
    payload = join_payload(printer, draft->unit, count, &length);
    good = payload != NULL && segmentation_matches(draft, payload, length, count);
    if (good) {
        iw_lua_override_layouts(draft->segment.opcode, draft->segment.tagged, &draft->layouts);
        draft->payload = payload;
        draft->payload_octets = length;
        iw_draft_message(draft);
        putc('}', printer->text);
        iw_draft_use_msn(draft);
        printer->sender.queued = true;
        printer->sender.posts++;
    }
    free(payload);
    return good ? count : 0;
}
