#include "iw_rule_extension.h"

#include <string.h>

/* Rules about what a side does with what it has received (RFC 5040 4.8, 5.4, 6.2.1, 7). When it has received
 * something, and what it had handed to its LLP before, no capture shows; so only that is judged which it
 * cannot have sent without knowing: an answer knows its request and all that the requester sent before it,
 * and a Terminate knows the headers that it includes. */

/* ---- faults of the other side ---- */

/* The MSN is one that the queue has left behind: it has no buffer any more. One further on may have, and so
 * may any MO (RFC 5041 7.1). */
static bool used_before(const struct iw_segment *segment, const struct iw_segment_fact *fact) {
    return fact->bound == IW_BOUND_KEPT && !fact->doubted && (int32_t)(segment->msn - fact->msn_expected) < 0;
}

/* The check of a receiver that a message with this fault has to fail (RFC 5040 5.2.2, 7.2);
 * IW_REQUIREMENT_COUNT where there is none that every receiver has to make. A receiver may drop what MPA
 * finds wrong, and let TCP bring it again. */
static enum iw_requirement_id check_against(
    const struct iw_judge *judge, enum iw_requirement_id fault, const struct iw_segment *segment) {
    bool read = segment->opcode == IW_RDMAP_OP_READ_REQUEST && !segment->tagged;

    if ((fault == IW_REQ_RFC5041_4_3_08 || fault == IW_REQ_RFC5041_4_3_09) &&
        !used_before(segment, judge->event.fact))
        return IW_REQUIREMENT_COUNT;
    if (fault == IW_REQ_RFC5040_4_1_08 && segment->rv == 0)
        return IW_REQUIREMENT_COUNT; /* "both version numbers are valid" to a receiver (RFC 5040 4.1) */
    if (segment->op != NULL && segment->op->extension != IW_EXT_BASE)
        return iw_extension_check(fault, segment);
    switch (fault) {
    case IW_REQ_RFC5040_4_1_06:
        return IW_REQ_RFC5040_7_2_02;
    case IW_REQ_RFC5040_4_1_08:
        return read ? IW_REQ_RFC5040_7_2_08 : IW_REQ_RFC5040_7_2_03;
    case IW_REQ_RFC5040_5_2_01:
        return IW_REQ_RFC5040_5_2_2_08;
    case IW_REQ_RFC5040_5_3_07:
    case IW_REQ_RFC5040_5_4_02:
        return segment->qn == 1 ? IW_REQ_RFC5040_7_2_07 : IW_REQ_RFC5040_7_2_01;
    case IW_REQ_RFC5040_4_1_07:
    case IW_REQ_RFC5040_5_2_1_05:
    case IW_REQ_RFC5041_4_1_08:
        return read ? IW_REQ_RFC5040_7_2_06 : IW_REQ_RFC5040_7_2_01;
    case IW_REQ_RFC5041_4_3_08:
    case IW_REQ_RFC5041_4_3_09:
        return read ? IW_REQ_RFC5040_7_2_06 : IW_REQ_RFC5040_7_2_01;
    default:
        return IW_REQUIREMENT_COUNT;
    }
}

static void remember(struct iw_judge *judge, struct iw_refusable *fault, enum iw_requirement_id check) {
    const struct iw_monitor_event *event = &judge->event;
    const struct iw_operations *requests = &judge->party[event->mpa->side].operations;

    fault->frame = event->mpa->frame;
    fault->requests = requests->requests - (event->request != NULL);
    fault->check = check;
    fault->last = event->segment->last;
    fault->length = event->segment->length;
    fault->hidden_before = judge->party[event->mpa->side].lost || judge->party[event->mpa->side].hidden;
    fault->again = !event->segment->tagged && used_before(event->segment, event->fact);
    fault->ddp_octets = event->segment->ddp_octets;
    memcpy(fault->header, iw_fpdu_ulpdu(event->mpa->fpdu), fault->ddp_octets);
}

/* The first such message, and the next. */
IW_COLD static void refuse(struct iw_judge *judge, enum iw_requirement_id check) {
    struct iw_party *party = &judge->party[judge->event.mpa->side];

    if (party->refusable[0].frame == 0)
        remember(judge, &party->refusable[0], check);
    else if (party->refusable[1].frame == 0)
        remember(judge, &party->refusable[1], check);
}

/* What was found wrong with a message is what its receiver has to find. */
IW_COLD static void note_fault(struct iw_judge *judge) {
    enum iw_requirement_id check = IW_REQUIREMENT_COUNT;

    for (size_t i = 0; i < judge->finding_count && check == IW_REQUIREMENT_COUNT; i++)
        if (judge->findings[i].side == judge->event.mpa->side)
            check = check_against(judge,
                (enum iw_requirement_id)(judge->findings[i].requirement - iw_requirements),
                judge->event.segment);
    if (check != IW_REQUIREMENT_COUNT)
        refuse(judge, check);
}

/* ---- answers ---- */

IW_COLD static void served(
    struct iw_judge *judge, struct iw_refusable *fault, const struct iw_operation *request) {
    struct iw_finding *finding =
        iw_judge_report(judge, fault->check, IW_FIELD_COUNT, "What follows a message that has to be refused");

    iw_judge_texts(finding, "a Terminate", "the answer to it, or to what was sent behind it");
    iw_judge_context(finding, fault->frame);
    iw_judge_context(finding, request->request_frame);
    fault->answered = true;
}

IW_COLD static void served_beyond(struct iw_judge *judge, const struct iw_operation *request) {
    struct iw_finding *finding = iw_judge_report(
        judge, IW_REQ_RFC5040_7_2_13, IW_FIELD_COUNT, "What follows a Read Request for octets beyond 2^64");

    iw_judge_texts(finding, "a Terminate", "a Read Response");
    iw_judge_context(finding, request->request_frame);
}

static void answer(struct iw_judge *judge, const struct iw_operation *request) {
    struct iw_refusable *fault = &judge->party[iw_side_other(judge->event.mpa->side)].refusable[0];

    if (fault->frame != 0 && !fault->answered && request->number > fault->requests)
        served(judge, fault, request);
    if (request->opcode == IW_RDMAP_OP_READ_REQUEST && judge->event.fact->first &&
        iw_judge_wraps(request->request.read.source_to, request->request.read.size))
        served_beyond(judge, request);
}

/* ---- all of it ---- */

IW_COLD static void note_findings(struct iw_judge *judge) {
    const struct iw_monitor_event *event = &judge->event;
    struct iw_party *party = &judge->party[event->mpa->side];

    note_fault(judge);
    party->terminate_faulty |= event->segment->opcode == IW_RDMAP_OP_TERMINATE;
    party->read_faulty |= event->segment->opcode == IW_RDMAP_OP_READ_REQUEST;
}

void iw_rules_reaction(struct iw_judge *judge) {
    const struct iw_monitor_event *event = &judge->event;
    struct iw_party *party = &judge->party[event->mpa->side];
    bool over = party->terminate_sent;

    if (event->segment->tagged && event->segment->payload_octets == 0) {
        party->empty_sent = true;
        party->empty_stag = event->segment->stag;
        party->empty_to = event->segment->to;
    }
    if (event->response != NULL && event->response->operation != NULL && !over)
        answer(judge, event->response->operation);
    if (event->terminate != NULL && !over)
        iw_rules_terminated(judge);
    if (judge->finding_count > 0)
        note_findings(judge);
    if (event->segment->tagged && iw_judge_wraps(event->segment->to, event->segment->payload_octets))
        refuse(judge, IW_REQ_RFC5041_7_1_06); /* no rule of the sender's, but one of the receiver's */
}

/* A Terminate is to arrive, which a reset may prevent (RFC 5040 6.2.1). */
void iw_rules_teardown(struct iw_judge *judge) {
    const struct iw_mpa_event *mpa = judge->event.mpa;
    struct iw_party *party = &judge->party[mpa->side];
    bool after_fin = party->closed;
    struct iw_finding *finding;

    party->closed |= mpa->close == IW_MPA_CLOSE_FIN;
    if (mpa->close != IW_MPA_CLOSE_RST || after_fin || !party->terminate_sent)
        return;
    finding = iw_judge_report(judge, IW_REQ_RFC5040_6_2_1_04, IW_FIELD_COUNT, "The end behind the Terminate");
    iw_judge_texts(finding, "a FIN", "a reset");
    iw_judge_context(finding, party->terminate_frame);
}
