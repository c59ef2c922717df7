#include "iw_segment.h"

#include <string.h>

#include "iw_placement.h"

/* Whether the opcode has 5 bits. Receivers ignore the fifth bit (RFC 5040 4.1). So without IW_EXT_OPCODE5 it
 * counts only in 10h and 11h, in an untagged segment with the QN or length of the draft. */
static bool segment_is_five_bit(const struct iw_segment *segment, unsigned extensions) {
    struct iw_rdmap_control5 control;
    const struct iw_opcode *op;

    if ((extensions & IW_EXT_COMMIT) == 0)
        return false;
    if (extensions & IW_EXT_OPCODE5)
        return true;
    iw_rdmap_control5_decode(&segment->control, &control);
    if (control.opcode <= 0xF)
        return false;
    op = iw_opcode_find(control.opcode, extensions);
    return op != NULL && !segment->tagged &&
           (segment->qn == op->qn || segment->length == iw_opcode_min_ulpdu(op));
}

static void segment_decode_control(struct iw_segment *segment, unsigned extensions) {
    if (segment_is_five_bit(segment, extensions)) {
        struct iw_rdmap_control5 control;

        iw_rdmap_control5_decode(&segment->control, &control);
        segment->five_bit = true;
        segment->rv = control.rv;
        segment->rsv = control.rsv;
        segment->opcode = control.opcode;
    } else {
        struct iw_rdmap_control control;

        iw_rdmap_control_decode(&segment->control, &control);
        segment->rv = control.rv;
        segment->rsv = control.rsv;
        segment->opcode = control.opcode;
    }
    segment->op = iw_opcode_find(segment->opcode, extensions);
}

static void segment_decode_tagged(const uint8_t *octets, struct iw_segment *segment) {
    struct iw_ddp_tagged ddp;

    iw_ddp_tagged_decode(octets, &ddp);
    segment->last = ddp.l;
    segment->rsvd = ddp.rsvd;
    segment->dv = ddp.dv;
    segment->control = ddp.rsvdulp;
    segment->stag = ddp.stag;
    segment->to = ddp.to;
}

static void segment_decode_untagged(const uint8_t *octets, struct iw_segment *segment) {
    struct iw_ddp_untagged ddp;

    iw_ddp_untagged_decode(octets, &ddp);
    segment->last = ddp.l;
    segment->rsvd = ddp.rsvd;
    segment->dv = ddp.dv;
    segment->control = ddp.rsvdulp;
    segment->invalidate_stag = ddp.rsvdulp_rest;
    segment->qn = ddp.qn;
    segment->msn = ddp.msn;
    segment->mo = ddp.mo;
}

IW_HOT void iw_segment_decode_ddp(const uint8_t *octets, struct iw_segment *segment) {
    if (segment->tagged)
        segment_decode_tagged(octets, segment);
    else
        segment_decode_untagged(octets, segment);
}

/* Whether the segment has an RDMAP header. A message with payload has it only at MO 0. A message without
 * payload is only a header, even if its MO is wrong (RFC 5040 5.2.1, 5.4; RFC 7306 5.2, 6.3). */
static bool segment_carries_header(const struct iw_segment *segment) {
    const struct iw_opcode *op = segment->op;

    return op != NULL && op->header != IW_LAYOUT_NONE && !segment->tagged &&
           (segment->mo == 0 || op->payload == IW_PAYLOAD_NONE);
}

static void segment_locate_header(const uint8_t *octets, size_t captured, struct iw_segment *segment) {
    size_t at = segment->ddp_octets;
    size_t left = segment->length - at;

    if (segment_carries_header(segment)) {
        size_t need = iw_layouts[segment->op->header].octets;

        if (need <= left && need <= captured - at) {
            segment->header = octets + at;
            segment->header_octets = (uint8_t)need;
            at += need;
        } else {
            segment->header_missing = true;
        }
    }
    segment->payload = octets + at;
    segment->payload_octets = (uint16_t)(segment->length - at);
    segment->payload_captured = (uint16_t)(captured - at);
}

/* Decodes what is in the first octet of either header: L, Rsvd and DV (RFC 5041 4.1). */
static void segment_decode_first_octet(const uint8_t *octets, struct iw_segment *segment) {
    segment->last = iw_field_get(&iw_fields[iw_field_ddp_tagged_l], octets) != 0;
    segment->rsvd = (uint8_t)iw_field_get(&iw_fields[iw_field_ddp_tagged_rsvd], octets);
    segment->dv = (uint8_t)iw_field_get(&iw_fields[iw_field_ddp_tagged_dv], octets);
}

IW_HOT bool iw_segment_decode(
    const uint8_t *octets, size_t captured, size_t length, unsigned extensions, struct iw_segment *segment) {
    memset(segment, 0, sizeof *segment);
    if (length > UINT16_MAX)
        length = UINT16_MAX;
    if (captured > length)
        captured = length;
    segment->length = (uint16_t)length;
    if (captured == 0)
        return false;

    segment->tagged = iw_field_get(&iw_fields[iw_field_ddp_tagged_t], octets) != 0;
    segment->ddp_octets = segment->tagged ? iw_ddp_tagged_octets : iw_ddp_untagged_octets;
    if (captured < segment->ddp_octets) {
        segment_decode_first_octet(octets, segment);
        return false;
    }

    iw_segment_decode_ddp(octets, segment);
    segment_decode_control(segment, extensions);
    segment_locate_header(octets, captured, segment);
    return true;
}

static struct iw_segment_part segment_part_in(enum iw_layout_id layout, enum iw_field_id field) {
    return (struct iw_segment_part){layout, (uint8_t)(iw_fields[field].bit / 8)};
}

unsigned iw_segment_parts(
    const struct iw_segment *segment, struct iw_segment_part parts[IW_SEGMENT_PARTS_MAX]) {
    enum iw_layout_id control = segment->five_bit ? iw_layout_rdmap_control5 : iw_layout_rdmap_control;
    unsigned count = 0;

    if (segment->tagged) {
        parts[count++] = (struct iw_segment_part){iw_layout_ddp_tagged, 0};
        parts[count++] = segment_part_in(control, iw_field_ddp_tagged_rsvdulp);
    } else {
        parts[count++] = (struct iw_segment_part){iw_layout_ddp_untagged, 0};
        parts[count++] = segment_part_in(control, iw_field_ddp_untagged_rsvdulp);
        if (segment->op != NULL && segment->op->invalidate != IW_INVALIDATE_ZERO)
            parts[count++] = segment_part_in(iw_layout_rdmap_invalidate, iw_field_ddp_untagged_rsvdulp_rest);
    }
    return count;
}

size_t iw_segment_encode_ddp(const struct iw_segment *segment, uint8_t octets[iw_ddp_untagged_octets]) {
    if (segment->tagged) {
        struct iw_ddp_tagged ddp = {.t = 1,
            .l = segment->last,
            .rsvd = segment->rsvd,
            .dv = segment->dv,
            .rsvdulp = segment->control,
            .stag = segment->stag,
            .to = segment->to};

        iw_ddp_tagged_encode(&ddp, octets);
        return iw_ddp_tagged_octets;
    }

    struct iw_ddp_untagged ddp = {.t = 0,
        .l = segment->last,
        .rsvd = segment->rsvd,
        .dv = segment->dv,
        .rsvdulp = segment->control,
        .rsvdulp_rest = segment->invalidate_stag,
        .qn = segment->qn,
        .msn = segment->msn,
        .mo = segment->mo};

    iw_ddp_untagged_encode(&ddp, octets);
    return iw_ddp_untagged_octets;
}

bool iw_segment_opcode_fits(const struct iw_segment *segment) {
    const struct iw_opcode *op = segment->op;

    return op == NULL || (segment->tagged == op->tagged && (segment->tagged || segment->qn == op->qn));
}

bool iw_segment_is_send(const struct iw_segment *segment) {
    const struct iw_opcode *op = segment->op;

    return op != NULL && !op->tagged && op->payload == IW_PAYLOAD_ULP && iw_segment_opcode_fits(segment);
}

uint8_t iw_segment_control(uint8_t rv, uint8_t rsv, uint8_t opcode) {
    struct iw_rdmap_control5 wide = {.opcode = opcode};
    struct iw_rdmap_control narrow = {.rv = rv, .rsv = rsv};
    uint8_t wide_octet;
    uint8_t narrow_octet;

    iw_rdmap_control5_encode(&wide, &wide_octet);
    iw_rdmap_control_encode(&narrow, &narrow_octet);
    return wide_octet | narrow_octet;
}
