#include "iw_judge.h"

#include <stdio.h>

/* Rules about MPA Request and Reply Frames (RFC 5044 7.1, RFC 6581 6, 9, 10). */

/* The initiator is who speaks first; a side that answers a Request should send a Reply. */
static void key(struct iw_judge *judge, const struct iw_startup *frame) {
    enum iw_side side = judge->event.mpa->side;
    const struct iw_mpa_terms *terms = &judge->mpa.terms;
    enum iw_side other = iw_side_other(side);
    bool answers = terms->seen[other] && terms->frame[other].key == IW_STARTUP_REQUEST;
    bool opener = side == IW_SIDE_A;
    struct iw_finding *finding;

    if (answers && frame->key != IW_STARTUP_REPLY) {
        finding =
            iw_judge_report(judge, IW_REQ_RFC5044_7_1_1_03, iw_field_mpa_startup_key, "Key of the answer");
        iw_judge_texts(finding, "\"MPA ID Rep Frame\"",
            frame->key == IW_STARTUP_REQUEST ? "\"MPA ID Req Frame\"" : "another");
        iw_judge_context(finding, judge->party[other].startup_frame);
    } else if (!answers && frame->key == IW_STARTUP_UNKNOWN && opener) {
        finding = iw_judge_report(
            judge, IW_REQ_RFC5044_7_1_1_01, iw_field_mpa_startup_key, "Key of the first frame");
        iw_judge_texts(finding, "\"MPA ID Req Frame\"", "another");
    }
}

/* A Reply to nothing: the other side has been seen from its SYN on and has sent nothing yet. */
static void unasked(struct iw_judge *judge, const struct iw_startup *frame) {
    enum iw_side side = judge->event.mpa->side;
    const struct iw_half *other = &judge->mpa.half[iw_side_other(side)];

    if (frame->key != IW_STARTUP_REPLY || !judge->mpa.half[side].from_start || !other->from_start ||
        other->reached > 0 || judge->party[side].answers_unseen)
        return;
    iw_judge_texts(iw_judge_report(judge, IW_REQ_RFC5044_7_1_2_03, iw_field_mpa_startup_key, "The Reply"),
        "after a Request", "before any");
}

/* Rev 0 may be answered by Rev 0 (RFC 5044 C). */
static void revision(struct iw_judge *judge, const struct iw_startup *frame) {
    enum iw_side other = iw_side_other(judge->event.mpa->side);
    const struct iw_startup *request = &judge->mpa.terms.frame[other];
    bool asked =
        judge->mpa.terms.seen[other] && request->key == IW_STARTUP_REQUEST && request->header.rev == 0;
    char text[8];

    if (frame->key == IW_STARTUP_REPLY && frame->header.rev == 0 && asked)
        return;
    if (frame->header.rev == 1 || frame->header.rev == 2)
        return;
    snprintf(text, sizeof text, "%u", frame->header.rev);
    iw_judge_texts(
        iw_judge_report(judge, IW_REQ_RFC5044_7_1_1_12, iw_field_mpa_startup_rev, "Rev"), "1 or 2", text);
}

/* With Rev 2 the S bit is no longer one of the reserved bits (RFC 6581 6). */
static void reserved(struct iw_judge *judge, const struct iw_startup *frame) {
    bool enhanced = frame->header.rev >= 2;

    if (frame->header.res != 0)
        iw_judge_values(iw_judge_report(judge, enhanced ? IW_REQ_RFC6581_6_01 : IW_REQ_RFC5044_7_1_1_11,
                            iw_field_mpa_startup_res, "Res"),
            0, frame->header.res);
    if (!enhanced && frame->header.s)
        iw_judge_values(iw_judge_report(judge, IW_REQ_RFC5044_7_1_1_11, iw_field_mpa_startup_s,
                            "The first reserved bit (S)"),
            0, 1);
    if (frame->key == IW_STARTUP_REQUEST && frame->header.r)
        iw_judge_values(
            iw_judge_report(judge, IW_REQ_RFC5044_7_1_1_10, iw_field_mpa_startup_r, "R of a Request"), 0, 1);
}

static void private_data(struct iw_judge *judge, const struct iw_startup *frame) {
    if (frame->header.pd_length > IW_STARTUP_PD_MAX)
        iw_judge_at_most(
            iw_judge_report(judge, IW_REQ_RFC5044_7_1_1_17, iw_field_mpa_startup_pd_length, "PD_Length"),
            IW_STARTUP_PD_MAX, frame->header.pd_length);
    if (frame->header.rev >= 2 && frame->header.s && frame->header.pd_length < iw_mpa_enhanced_octets)
        iw_judge_at_least(
            iw_judge_report(judge, IW_REQ_RFC6581_6_06, iw_field_mpa_startup_pd_length, "PD_Length with S=1"),
            iw_mpa_enhanced_octets, frame->header.pd_length);
}

static void enhanced(struct iw_judge *judge, const struct iw_startup *frame) {
    const struct iw_mpa_enhanced *data = &frame->enhanced_data;

    if (!frame->enhanced)
        return;
    if (!data->a && iw_startup_rtr(data) != 0)
        iw_judge_texts(
            iw_judge_report(judge, IW_REQ_RFC6581_9_2_14, iw_field_mpa_enhanced_a, "An RTR type with A=0"),
            "none", "offered");
}

/* What the Reply owes to the Request. */
static void depths(
    struct iw_judge *judge, const struct iw_mpa_enhanced *asked, const struct iw_mpa_enhanced *given) {
    if (asked->ord == IW_IRD_ORD_NONE && given->ird != IW_IRD_ORD_NONE)
        iw_judge_values(iw_judge_report(judge, IW_REQ_RFC6581_9_1_11, iw_field_mpa_enhanced_ird, "IRD"),
            IW_IRD_ORD_NONE, given->ird);
    if (asked->ird == IW_IRD_ORD_NONE) {
        if (given->ord != IW_IRD_ORD_NONE)
            iw_judge_values(iw_judge_report(judge, IW_REQ_RFC6581_9_1_13, iw_field_mpa_enhanced_ord, "ORD"),
                IW_IRD_ORD_NONE, given->ord);
    } else if (given->ord > asked->ird && given->ord != IW_IRD_ORD_NONE) {
        iw_judge_at_most(iw_judge_report(judge, IW_REQ_RFC6581_9_1_04, iw_field_mpa_enhanced_ord,
                             "ORD, bound by the initiator's IRD,"),
            asked->ird, given->ord);
    }
}

static void model(
    struct iw_judge *judge, const struct iw_mpa_enhanced *asked, const struct iw_mpa_enhanced *given) {
    if (asked->a != given->a)
        iw_judge_values(iw_judge_report(judge, asked->a ? IW_REQ_RFC6581_9_2_04 : IW_REQ_RFC6581_9_2_13,
                            iw_field_mpa_enhanced_a, "A"),
            asked->a, given->a);
    if (asked->a && given->a && iw_startup_rtr(given) == 0)
        iw_judge_texts(
            iw_judge_report(judge, IW_REQ_RFC6581_9_2_08, iw_field_mpa_enhanced_b, "RTR types with A=1"),
            "at least one of B, C, D", "none");
}

static void answer(struct iw_judge *judge, const struct iw_startup *reply) {
    const struct iw_mpa_terms *terms = &judge->mpa.terms;
    enum iw_side initiator = iw_side_other(judge->event.mpa->side);
    const struct iw_startup *request = &terms->frame[initiator];
    size_t before = judge->finding_count;
    bool asked = request->header.rev >= 2 && request->header.s;
    bool given = reply->header.s && (reply->header.rev >= 2 || asked);

    if (!terms->seen[initiator] || request->key != IW_STARTUP_REQUEST)
        return;
    if (asked != given)
        iw_judge_values(iw_judge_report(judge, asked ? IW_REQ_RFC6581_10_05 : IW_REQ_RFC6581_10_06,
                            iw_field_mpa_startup_s, "S of the Reply"),
            asked, given);
    /* The ORD of a reject is what the responder would need (RFC 6581 9.1). */
    if (request->enhanced && reply->enhanced && !reply->header.r) {
        depths(judge, &request->enhanced_data, &reply->enhanced_data);
        model(judge, &request->enhanced_data, &reply->enhanced_data);
    }
    for (size_t i = before; i < judge->finding_count; i++)
        iw_judge_context(&judge->findings[i], judge->party[initiator].startup_frame);
}

void iw_rules_startup(struct iw_judge *judge) {
    const struct iw_startup *frame = judge->event.mpa->startup;

    key(judge, frame);
    unasked(judge, frame);
    if (frame->key == IW_STARTUP_UNKNOWN)
        return;
    revision(judge, frame);
    reserved(judge, frame);
    private_data(judge, frame);
    enhanced(judge, frame);
    if (frame->key == IW_STARTUP_REPLY)
        answer(judge, frame);
}

/* ---- who may speak first ---- */

/* A Read whose header the input does not hold may have size 0. */
static bool is_zero_read(const struct iw_segment *segment) {
    struct iw_read_request read;

    if (segment->header_octets == 0)
        return segment->payload_captured < segment->payload_octets;
    iw_read_request_decode(segment->header, &read);
    return read.size == 0;
}

/* Whether the segment is an RTR of one of these types. */
static bool is_rtr(const struct iw_segment *segment, unsigned types) {
    bool empty = segment->payload_octets == 0 && segment->last;

    switch (segment->opcode) {
    case IW_RDMAP_OP_SEND:
        return (types & IW_RTR_SEND) && empty;
    case IW_RDMAP_OP_RDMA_WRITE:
        return (types & IW_RTR_WRITE) && empty;
    case IW_RDMAP_OP_READ_REQUEST:
        return (types & IW_RTR_READ) && is_zero_read(segment);
    default:
        return false;
    }
}

static void before_reply(struct iw_judge *judge, uint64_t reply) {
    struct iw_finding *finding;

    if (judge->event.mpa->frame == 0 || judge->event.mpa->frame >= reply)
        return;
    finding = iw_judge_report(judge, IW_REQ_RFC5044_7_1_2_11, IW_FIELD_COUNT, "The initiator's first FPDU");
    iw_judge_texts(finding, "after the Reply", "before it");
    iw_judge_context(finding, reply);
}

/* A Terminate may stand in the place of the RTR: too little IRD; and must where no type is common (RFC
 * 6581 9.1, 9.2). */
static void rtr(struct iw_judge *judge, unsigned common) {
    const struct iw_monitor_event *event = &judge->event;
    struct iw_finding *finding;

    if (event->segment->opcode == IW_RDMAP_OP_TERMINATE || is_rtr(event->segment, common))
        return;
    finding = iw_judge_report(judge, common != 0 ? IW_REQ_RFC6581_9_2_09 : IW_REQ_RFC6581_9_2_10,
        IW_FIELD_COUNT, "The initiator's first FPDU");
    iw_judge_texts(finding,
        common != 0 ? "an RTR of a type that both sides named"
                    : "a Terminate, for both sides named no common RTR type",
        event->segment->op == NULL ? "another" : event->segment->op->title);
    iw_judge_context(finding, judge->party[event->mpa->side].startup_frame);
    iw_judge_context(finding, judge->party[iw_side_other(event->mpa->side)].startup_frame);
}

static void first_of_initiator(struct iw_judge *judge) {
    const struct iw_mpa_terms *terms = &judge->mpa.terms;
    const struct iw_monitor_event *event = &judge->event;
    enum iw_side responder = iw_side_other(event->mpa->side);
    unsigned common;

    if (!terms->settled)
        return;
    before_reply(judge, judge->party[responder].startup_frame);
    if (judge->party[event->mpa->side].lost || event->mpa->fpdu->crc == IW_CRC_BAD)
        return; /* it is not the first one, or not what it seems */
    if (event->segment != NULL && iw_mpa_peer_to_peer(terms, &common))
        rtr(judge, common);
}

/* Who fails in an enhanced startup says so before the connection is reset, the responder too (RFC 6581 9.3).
 */
static bool tells_of_failure(const struct iw_judge *judge) {
    const struct iw_mpa_terms *terms = &judge->mpa.terms;
    const struct iw_terminate_message *terminate = judge->event.terminate;

    return terms->frame[IW_SIDE_A].enhanced && terms->frame[IW_SIDE_B].enhanced && terminate != NULL &&
           iw_error_triple(terminate->control.layer, terminate->control.etype, terminate->control.code) ==
               IW_ERROR_MPA_LOCAL_CATASTROPHIC;
}

void iw_rules_first_fpdu(struct iw_judge *judge) {
    const struct iw_mpa_terms *terms = &judge->mpa.terms;
    const struct iw_monitor_event *event = &judge->event;
    enum iw_side other = iw_side_other(event->mpa->side);
    const struct iw_party *initiator = &judge->party[other];
    struct iw_finding *finding;

    if (event->role == IW_ROLE_INITIATOR) {
        first_of_initiator(judge);
        return;
    }
    /* Only a capture that shows all of the initiator can tell that there was none. */
    if (event->role != IW_ROLE_RESPONDER || !terms->settled || initiator->lost || initiator->fpdus > 0 ||
        judge->party[event->mpa->side].answers_unseen || judge->mpa.half[other].phase != IW_HALF_FPDU ||
        iw_fpdu_reader_pending(&judge->mpa.half[other].reader) > 0 || tells_of_failure(judge))
        return;
    finding = iw_judge_report(judge, IW_REQ_RFC5044_7_1_2_15, IW_FIELD_COUNT, "The responder's first FPDU");
    iw_judge_texts(finding, "after one of the initiator", "before any");
    iw_judge_context(finding, judge->party[event->mpa->side].startup_frame);
}
