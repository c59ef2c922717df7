#include "iw_terminate.h"

#include <string.h>

#include "iw_cursor.h"
#include "iw_placement.h"

/* Decodes the included DDP header. Its T bit gives its size (RFC 5041 4.1). The terminated segment may have
 * been longer than the included part. */
static void terminate_decode_included_ddp(
    struct iw_cursor *cursor, unsigned extensions, struct iw_terminate_message *message) {
    size_t left = iw_cursor_left(cursor);
    const uint8_t *ddp = cursor->octets + cursor->at;
    size_t length = message->segment_length > left ? message->segment_length : left;

    if (!iw_segment_decode(ddp, left, length, extensions, &message->terminated)) {
        message->truncated = true;
        return;
    }
    message->has_ddp = true;
    message->terminated_octets = iw_cursor_take(cursor, message->terminated.ddp_octets);
}

/* Decodes what follows the Terminate Header, according to the HdrCt bits (M, D, R) of `message`. */
static void terminate_decode_included(
    struct iw_cursor *cursor, unsigned extensions, struct iw_terminate_message *message) {
    if (message->control.d || message->control.m) {
        const uint8_t *field = iw_cursor_take(cursor, iw_terminate_length_octets);
        struct iw_terminate_length segment_length;

        if (field != NULL) {
            iw_terminate_length_decode(field, &segment_length);
            message->has_length = true;
            message->segment_length = segment_length.length;
        } else if (message->control.d) {
            message->truncated = true;
        }
    }
    if (message->control.d && message->has_length)
        terminate_decode_included_ddp(cursor, extensions, message);
    if (message->control.r) {
        message->rdmap_octets = message->truncated ? NULL : iw_cursor_take(cursor, iw_read_request_octets);
        message->has_rdmap = message->rdmap_octets != NULL;
        message->truncated |= !message->has_rdmap;
    }
    message->used = cursor->at;
}

IW_COLD bool iw_terminate_message_decode(
    const uint8_t *octets, size_t length, unsigned extensions, struct iw_terminate_message *message) {
    struct iw_cursor cursor = iw_cursor_over(octets, length);
    const uint8_t *header = iw_cursor_take(&cursor, iw_terminate_octets);

    memset(message, 0, sizeof *message);
    if (header == NULL)
        return false;
    iw_terminate_decode(header, &message->control);
    terminate_decode_included(&cursor, extensions, message);
    return true;
}

bool iw_terminate_message_reversed(
    const uint8_t *octets, size_t length, unsigned extensions, struct iw_terminate_message *message) {
    enum { REVERSED_M = 0x0100, REVERSED_D = 0x0200, REVERSED_R = 0x0400 };
    struct iw_cursor cursor = iw_cursor_over(octets, length);
    const uint8_t *header = iw_cursor_take(&cursor, iw_terminate_octets);
    struct iw_terminate sent;

    if (header == NULL)
        return false;
    iw_terminate_decode(header, &sent);
    if (sent.m || sent.d || sent.r || sent.reserved == 0 ||
        (sent.reserved & ~(REVERSED_M | REVERSED_D | REVERSED_R)) != 0)
        return false;
    memset(message, 0, sizeof *message);
    message->control = (struct iw_terminate){.layer = sent.etype,
        .etype = sent.layer,
        .code = sent.code,
        .m = (sent.reserved & REVERSED_M) != 0,
        .d = (sent.reserved & REVERSED_D) != 0,
        .r = (sent.reserved & REVERSED_R) != 0};
    terminate_decode_included(&cursor, extensions, message);
    return !message->truncated && message->has_length && message->used == length &&
           iw_error_find(iw_terminate_error(&message->control)) != NULL;
}

IW_HOT bool iw_segment_terminate(
    const struct iw_segment *segment, unsigned extensions, struct iw_terminate_message *message) {
    size_t captured = (size_t)segment->header_octets + segment->payload_captured;

    return segment->opcode == IW_RDMAP_OP_TERMINATE && segment->header_octets > 0 &&
           iw_terminate_message_decode(segment->header, captured, extensions, message);
}

bool iw_segment_terminate_reversed(
    const struct iw_segment *segment, unsigned extensions, struct iw_terminate_message *message) {
    return segment->opcode == IW_RDMAP_OP_TERMINATE && segment->header_octets > 0 &&
           segment->payload_captured == segment->payload_octets &&
           iw_terminate_message_reversed(segment->header,
               (size_t)segment->header_octets + segment->payload_octets, extensions, message);
}
