#include "iw_split_request.h"

#include <string.h>

static uint8_t split_request_header_octets(const struct iw_segment *segment) {
    return (uint8_t)iw_layouts[segment->op->header].octets;
}

static bool split_request_concerns(const struct iw_segment *segment) {
    return segment->op != NULL && segment->op->answer != IW_RDMAP_OP_NONE &&
           iw_segment_opcode_fits(segment) && split_request_header_octets(segment) <= IW_SPLIT_REQUEST_OCTETS;
}

static bool split_request_continues(const struct iw_split_request *split, const struct iw_segment *segment) {
    return split->have > 0 && segment->opcode == split->opcode && segment->msn == split->msn;
}

static bool split_request_incomplete(const struct iw_split_request *split) {
    return split->have > 0 && split->have < iw_layouts[iw_opcodes[split->opcode].header].octets;
}

static void split_request_begin(struct iw_split_request *split, const struct iw_segment *segment) {
    split->have = 0;
    split->opcode = segment->opcode;
    split->msn = segment->msn;
}

/* Sets `*whole` to the segment with the complete header; its octets after `taken` are payload. */
static void split_request_fill(const struct iw_split_request *split, const struct iw_segment *segment,
    uint8_t taken, struct iw_segment *whole) {
    *whole = *segment;
    whole->header = split->octets;
    whole->header_octets = split->have;
    whole->header_missing = false;
    whole->payload = segment->payload + taken;
    whole->payload_octets = (uint16_t)(segment->payload_octets - taken);
    whole->payload_captured = (uint16_t)(segment->payload_captured - taken);
}

static enum iw_split_request_state split_request_add(
    struct iw_split_request *split, const struct iw_segment *segment, struct iw_segment *whole) {
    uint8_t need = split_request_header_octets(segment), left = (uint8_t)(need - split->have);
    uint8_t taken = segment->payload_octets < left ? (uint8_t)segment->payload_octets : left;

    if (segment->payload_captured < taken || (segment->last && taken < left)) {
        split->have = 0;
        return IW_SPLIT_REQUEST_NONE;
    }
    memcpy(split->octets + split->have, segment->payload, taken);
    split->have = (uint8_t)(split->have + taken);
    if (split->have < need)
        return IW_SPLIT_REQUEST_PART;
    split_request_fill(split, segment, taken, whole);
    return IW_SPLIT_REQUEST_WHOLE;
}

/* Takes a segment of a request, at the expected MO, that does not contain the whole header. */
static enum iw_split_request_state split_request_take_part(
    struct iw_split_request *split, const struct iw_segment *segment, struct iw_segment *whole) {
    if (segment->mo == 0)
        split_request_begin(split, segment);
    else if (split_request_continues(split, segment) && split->have == split_request_header_octets(segment))
        return segment->payload_octets == 0 ? IW_SPLIT_REQUEST_PART : IW_SPLIT_REQUEST_NONE;
    else if (!split_request_continues(split, segment) || segment->mo != split->have) {
        split->have = 0;
        return IW_SPLIT_REQUEST_NONE;
    }
    return split_request_add(split, segment, whole);
}

/* A request with a complete header needs no reassembly; segments without payload may follow it. */
static void split_request_note_whole(struct iw_split_request *split, const struct iw_segment *segment) {
    if (segment->mo > 0)
        return;
    split_request_begin(split, segment);
    split->have = segment->last ? 0 : segment->header_octets;
}

/* A segment of a Verify Request with MO above 0 counts as payload, because a hash follows the header
 * (draft-talpey-rdma-commit-01 3.1.2.1). So only the open request shows that the segment continues the
 * header. If the request then stays incomplete, it is reported as broken, because nothing else shows it. */
static enum iw_split_request_state split_request_take_payload(
    struct iw_split_request *split, const struct iw_segment *segment, struct iw_segment *whole) {
    enum iw_split_request_state state = split_request_take_part(split, segment, whole);

    return state == IW_SPLIT_REQUEST_NONE ? IW_SPLIT_REQUEST_BROKEN : state;
}

enum iw_split_request_state iw_split_request_segment(
    struct iw_split_request *split, const struct iw_segment *segment, bool placed, struct iw_segment *whole) {
    bool broken = split_request_incomplete(split) && placed && segment->mo == 0;

    if (!split_request_concerns(segment))
        return IW_SPLIT_REQUEST_NONE;
    if (broken || !placed) {
        split->have = 0;
        return broken ? IW_SPLIT_REQUEST_BROKEN : IW_SPLIT_REQUEST_NONE;
    }
    if (segment->header_missing)
        return split_request_take_part(split, segment, whole);
    if (segment->mo > 0 && split_request_incomplete(split) && split_request_continues(split, segment))
        return split_request_take_payload(split, segment, whole);
    split_request_note_whole(split, segment);
    return IW_SPLIT_REQUEST_NONE;
}
