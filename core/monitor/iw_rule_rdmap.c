#include "iw_rule_extension.h"

#include <stdio.h>

/* Rules about the RDMAP control octet and what each opcode asks for (RFC 5040 4.1 and 4.2). */

static void control(struct iw_judge *judge, const struct iw_segment *segment) {
    uint8_t version = iw_judge_version(judge);

    if (segment->rv != version)
        iw_judge_values(iw_judge_report(judge, IW_REQ_RFC5040_4_1_08,
                            segment->five_bit ? iw_field_rdmap_control5_rv : iw_field_rdmap_control_rv, "RV"),
            version, segment->rv);
    if (segment->rsv != 0)
        iw_judge_values(
            iw_judge_report(judge, IW_REQ_RFC5040_4_1_09,
                segment->five_bit ? iw_field_rdmap_control5_rsv : iw_field_rdmap_control_rsv, "Rsv"),
            0, segment->rsv);
}

static void unknown_opcode(struct iw_judge *judge, const struct iw_segment *segment) {
    char text[8];

    snprintf(text, sizeof text, "0x%x", segment->opcode);
    iw_judge_texts(iw_judge_report(judge, IW_REQ_RFC5040_4_1_06, iw_judge_opcode_field(segment), "Opcode"),
        "one that the documents in force define", text);
}

/* The clause by which a message has its T. */
static enum iw_requirement_id model_clause(const struct iw_judge *judge, const struct iw_segment *segment) {
    switch (segment->opcode) {
    case IW_RDMAP_OP_RDMA_WRITE:
        return IW_REQ_RFC5040_5_1_01;
    case IW_RDMAP_OP_READ_REQUEST:
        return IW_REQ_RFC5040_5_2_1_01;
    case IW_RDMAP_OP_READ_RESPONSE:
        return IW_REQ_RFC5040_5_2_2_01;
    case IW_RDMAP_OP_SEND:
    case IW_RDMAP_OP_SEND_INV:
    case IW_RDMAP_OP_SEND_SE:
    case IW_RDMAP_OP_SEND_SE_INV:
        return IW_REQ_RFC5040_5_3_01;
    case IW_RDMAP_OP_TERMINATE:
        return IW_REQ_RFC5040_5_4_01;
    default:
        return iw_extension_clauses(judge, segment)->model;
    }
}

/* The clause by which a message has its queue. A queue of no opcode is against figure 4, whatever the opcode.
 */
static enum iw_requirement_id queue_clause(const struct iw_judge *judge, const struct iw_segment *segment) {
    if (segment->op->extension != IW_EXT_BASE) {
        const struct iw_clauses *clauses = iw_extension_clauses(judge, segment);

        return segment->qn < IW_QN_COUNT ? clauses->queue : clauses->any_queue;
    }
    if (segment->qn >= IW_QN_COUNT)
        return IW_REQ_RFC5040_4_1_07;
    switch (segment->opcode) {
    case IW_RDMAP_OP_READ_REQUEST:
        return IW_REQ_RFC5040_5_2_1_05;
    case IW_RDMAP_OP_TERMINATE:
        return IW_REQ_RFC5040_5_4_02;
    default:
        return IW_REQ_RFC5040_5_3_07;
    }
}

/* Returns whether the segment can be read as what its opcode says. */
static bool model(struct iw_judge *judge, const struct iw_segment *segment) {
    const struct iw_opcode *op = segment->op;
    char subject[64];

    if (segment->tagged != op->tagged) {
        snprintf(subject, sizeof subject, "T of %s", op->title);
        iw_judge_values(iw_judge_report(judge, model_clause(judge, segment),
                            segment->tagged ? iw_field_ddp_tagged_t : iw_field_ddp_untagged_t, subject),
            op->tagged, segment->tagged);
        return false;
    }
    if (!segment->tagged && segment->qn != op->qn && !judge->event.fact->strayed) {
        snprintf(subject, sizeof subject, "QN of %s", op->title);
        iw_judge_values(
            iw_judge_report(judge, queue_clause(judge, segment), iw_field_ddp_untagged_qn, subject), op->qn,
            segment->qn);
    }
    return true;
}

/* A header that is not used for an Invalidate STag shows its octets as those of DDP. */
static void invalidate(struct iw_judge *judge, const struct iw_segment *segment) {
    bool base = segment->op->extension == IW_EXT_BASE;

    if (segment->tagged || segment->op->invalidate != IW_INVALIDATE_ZERO || segment->invalidate_stag == 0)
        return;
    iw_judge_values(iw_judge_report(judge,
                        base ? IW_REQ_RFC5040_4_1_10 : iw_extension_clauses(judge, segment)->invalidate,
                        iw_field_ddp_untagged_rsvdulp_rest, "Invalidate STag"),
        0, segment->invalidate_stag);
}

/* The clause by which a message has its length: at least that of its header, and no more without payload. */
static enum iw_requirement_id size_clause(
    const struct iw_judge *judge, const struct iw_segment *segment, bool too_short) {
    if (segment->op->extension != IW_EXT_BASE)
        return iw_extension_clauses(judge, segment)->size;
    if (segment->opcode == IW_RDMAP_OP_TERMINATE)
        return IW_REQ_RFC5040_4_8_01;
    return segment->opcode == IW_RDMAP_OP_READ_REQUEST && too_short ? IW_REQ_RFC5040_4_4_01
                                                                    : IW_REQ_RFC5040_4_2_01;
}

/* Messages without payload have one length only. The headers a Terminate includes have a rule of their own.
 */
static void size(struct iw_judge *judge, const struct iw_segment *segment) {
    const struct iw_opcode *op = segment->op;
    uint16_t shortest = iw_opcode_min_ulpdu(op);
    bool exact = op->payload == IW_PAYLOAD_NONE;
    struct iw_finding *finding;
    char subject[64];

    if (segment->length == shortest || (segment->length > shortest && !exact) ||
        (op->payload == IW_PAYLOAD_HASH && segment->mo > 0))
        return;
    snprintf(subject, sizeof subject, "ULPDU_Length of %s", op->title);
    finding = iw_judge_report(judge, size_clause(judge, segment, segment->length < shortest),
        iw_field_mpa_fpdu_ulpdu_length, subject);
    if (exact)
        iw_judge_values(finding, shortest, segment->length);
    else
        iw_judge_at_least(finding, shortest, segment->length);
}

/* With another version nothing behind the version is what it seems. */
void iw_rules_rdmap(struct iw_judge *judge) {
    const struct iw_segment *segment = judge->event.segment;

    control(judge, segment);
    if (segment->rv != iw_judge_version(judge) || segment->dv != iw_judge_version(judge))
        return;
    if (segment->op == NULL) {
        unknown_opcode(judge, segment);
        return;
    }
    if (!model(judge, segment))
        return;
    invalidate(judge, segment);
    size(judge, segment);
    if (segment->op->extension != IW_EXT_BASE)
        iw_extension_contents(judge, segment);
}
