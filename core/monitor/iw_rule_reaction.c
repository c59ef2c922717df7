#include "iw_rules.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* Rules about the reaction of a side to received messages (RFC 5040 4.8, 5.4, 6.2.1, 7). No capture shows
 * when a side received something. So a side is judged only by a message that proves it: a response proves its
 * request and all earlier octets of the requester, a Terminate the headers that it includes. */

/* ---- faults of the other side ---- */

static_assert(iw_ddp_tagged_octets <= iw_ddp_untagged_octets, "struct iw_refusable holds either header");

/* Whether the MSN was used before: no buffer is left. A higher MSN may have a buffer (RFC 5041 7.1). */
static bool reaction_used_before(const struct iw_segment *segment, const struct iw_segment_fact *fact) {
    return fact->bound == IW_BOUND_KEPT && !fact->doubted && (int32_t)(segment->msn - fact->msn_expected) < 0;
}

/* Whether the payload of the request does not begin at MO 0, or is incomplete, so that the request cannot be
 * read. A receiver may have a buffer for all of it (RFC 5041 7.1) and wait for the rest. */
static bool reaction_misplaces_request(enum iw_requirement_id fault, const struct iw_segment *segment) {
    return !segment->tagged && segment->op != NULL && segment->op->answer != IW_RDMAP_OP_NONE &&
           (fault == IW_REQ_RFC5041_4_3_12 || fault == IW_REQ_RFC5041_5_2_05 ||
               fault == IW_REQ_RFC5041_5_2_03);
}

/* Whether the message is a complete request, but too short for its header, so that its meaning is unknown. */
static bool reaction_lacks_header(enum iw_requirement_id fault, const struct iw_segment *segment) {
    return segment->header_missing && segment->last && segment->op->answer != IW_RDMAP_OP_NONE &&
           (fault == IW_REQ_RFC5040_4_4_01 || fault == IW_REQ_RFC7306_4_2_01 ||
               fault == IW_REQ_EXT01_4_2_01 || fault == IW_REQ_TALPEY_3_1_1_1_01 ||
               fault == IW_REQ_TALPEY_3_1_2_1_01 || fault == IW_REQ_TALPEY_3_1_3_1_01);
}

/* The check of a receiver that a message with this fault must fail (RFC 5040 5.2.2, 7.2), or
 * IW_REQUIREMENT_COUNT. A receiver may drop an FPDU that MPA finds wrong, and let TCP retransmit it. */
static enum iw_requirement_id reaction_check_against(
    const struct iw_judge *judge, enum iw_requirement_id fault, const struct iw_segment *segment) {
    bool read = segment->opcode == IW_RDMAP_OP_READ_REQUEST && !segment->tagged;

    if ((fault == IW_REQ_RFC5041_4_3_08 || fault == IW_REQ_RFC5041_4_3_09) &&
        !reaction_used_before(segment, judge->event.fact))
        return IW_REQUIREMENT_COUNT;
    if (fault == IW_REQ_RFC5040_4_1_08 && segment->rv == 0)
        return IW_REQUIREMENT_COUNT; /* "both version numbers are valid" to a receiver (RFC 5040 4.1) */
    if (reaction_lacks_header(fault, segment))
        return IW_REQ_RFC5040_7_1_02;
    if (segment->op != NULL && segment->op->extension != IW_EXT_BASE)
        return iw_answer_check(fault, segment);
    if (reaction_misplaces_request(fault, segment))
        return IW_REQ_RFC5040_7_2_06;
    switch (fault) {
    case IW_REQ_RFC5040_5_1_01:
    case IW_REQ_RFC5040_5_2_2_01:
    case IW_REQ_RFC5040_5_3_01:
    case IW_REQ_RFC5040_5_4_01:
    case IW_REQ_RFC5040_4_1_06:
        return IW_REQ_RFC5040_7_2_02;
    case IW_REQ_RFC5040_5_2_1_01:
        return IW_REQ_RFC5040_7_2_07;
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
    case IW_REQ_RFC5041_4_3_08:
    case IW_REQ_RFC5041_4_3_09:
        return read ? IW_REQ_RFC5040_7_2_06 : IW_REQ_RFC5040_7_2_01;
    default:
        return IW_REQUIREMENT_COUNT;
    }
}

/* Stores the message as one of the first two that the receiver must reject (struct iw_refusable). */
IW_COLD static void reaction_note_refusable(
    struct iw_judge *judge, enum iw_requirement_id check, bool own_response_only) {
    const struct iw_monitor_event *event = &judge->event;
    struct iw_party_trouble *trouble = iw_judge_trouble(judge, judge->sender);
    struct iw_refusable *fault;

    judge->refused_now |= trouble->refusable_count == 0;
    if (trouble->refusable_count == IW_REFUSABLE_MAX)
        return;
    fault = &trouble->refusable[trouble->refusable_count++];
    fault->frame = event->llp->frame;
    fault->requests = judge->sender->operations.requests - (event->request != NULL);
    fault->check = check;
    fault->own_response_only = own_response_only;
    fault->last = event->segment->last;
    fault->length = event->segment->length;
    fault->hidden_before = judge->sender->lost || judge->sender->hidden;
    fault->again = !event->segment->tagged && reaction_used_before(event->segment, event->fact);
    fault->ddp_octets = event->segment->ddp_octets;
    memcpy(fault->header, iw_llp_segment(event->llp), fault->ddp_octets);
}

/* Notes that the receiver must reject the message, if it must detect the fault of a finding. */
IW_COLD static void reaction_note_fault(struct iw_judge *judge) {
    enum iw_requirement_id check = IW_REQUIREMENT_COUNT;
    bool own_response_only = false;

    for (size_t i = 0; i < judge->finding_count && check == IW_REQUIREMENT_COUNT; i++) {
        enum iw_requirement_id fault =
            (enum iw_requirement_id)(judge->findings[i].requirement - iw_requirements);

        if (judge->findings[i].side != judge->event.llp->side)
            continue;
        check = reaction_check_against(judge, fault, judge->event.segment);
        own_response_only = reaction_misplaces_request(fault, judge->event.segment);
    }
    if (check != IW_REQUIREMENT_COUNT)
        reaction_note_refusable(judge, check, own_response_only);
}

/* ---- responses to known requests ---- */

IW_COLD static void reaction_report_served(
    struct iw_judge *judge, struct iw_refusable *fault, uint64_t request_frame) {
    struct iw_finding *finding =
        iw_judge_report(judge, fault->check, IW_FIELD_COUNT, "What follows a message that must be rejected",
            "a Terminate", "%s to %s in frame %" PRIu64, judge->event.segment->op->title,
            fault->frame == request_frame ? "that message" : "the later request", request_frame);

    iw_judge_context(finding, fault->frame);
    iw_judge_context(finding, request_frame);
    fault->answered = true;
}

/* Whether a response to `request` is proof: to the faulty one or, unless own_response_only, a later one. */
static bool reaction_is_proven_by(const struct iw_refusable *fault, const struct iw_operation *request) {
    return fault->own_response_only
               ? request->number == fault->requests + 1 && request->request_frame == fault->frame
               : request->number > fault->requests;
}

static void reaction_response(struct iw_judge *judge, const struct iw_operation *request) {
    struct iw_party_trouble *trouble = judge->peer->trouble;

    if (trouble != NULL && trouble->refusable_count > 0 && !trouble->refusable[0].answered &&
        reaction_is_proven_by(&trouble->refusable[0], request))
        reaction_report_served(judge, &trouble->refusable[0], request->request_frame);
    if (request->opcode == IW_RDMAP_OP_READ_REQUEST && judge->event.fact->first &&
        iw_judge_wraps(
            request->request.header.read_request.source_to, request->request.header.read_request.size))
        iw_judge_context(
            iw_judge_report(judge, IW_REQ_RFC5040_7_2_13, IW_FIELD_COUNT,
                "What follows a Read Request for octets beyond 2^64", "a Terminate", "a Read Response"),
            request->request_frame);
}

/* ---- responses while the outstanding requests are unknown ---- */

/* Stores the first request whose response would be proof: the message at fault, or a later request. */
static void reaction_note_proof(struct iw_judge *judge) {
    const struct iw_segment *segment = judge->event.segment;
    struct iw_proving_response *proof = &judge->sender->trouble->proof;
    struct iw_atomic_request atomic;
    struct iw_read_request read;

    if (judge->header == NULL || segment->op == NULL || segment->op->answer == IW_RDMAP_OP_NONE)
        return;
    proof->request_known = true;
    proof->opcode = segment->op->answer;
    proof->request_frame = judge->event.llp->frame;
    proof->request_end = judge->event.llp->offset + judge->event.llp->octets;
    if (segment->opcode == IW_RDMAP_OP_READ_REQUEST) {
        iw_read_request_decode(judge->header, &read);
        proof->stag = read.sink_stag;
        proof->to = read.sink_to;
        proof->payload = read.size > 0;
    } else if (segment->opcode == IW_RDMAP_OP_ATOMIC_REQUEST) {
        iw_atomic_request_decode(judge->header, &atomic);
        proof->stag = atomic.identifier;
    }
}

/* Takes the first message that the receiver must reject, and later segments, until `proof` is known. */
IW_COLD static void reaction_follow_proof(struct iw_judge *judge) {
    struct iw_proving_response *proof = &judge->sender->trouble->proof;
    const struct iw_refusable *fault = &judge->sender->trouble->refusable[0];

    if (!proof->request_known && (judge->refused_now || !fault->own_response_only))
        reaction_note_proof(judge);
    if (!proof->before_known && judge->waiting_known && !fault->hidden_before) {
        proof->before_known = true;
        proof->before = judge->waiting;
    }
}

static bool reaction_is_proof(const struct iw_proving_response *proof, const struct iw_segment *segment) {
    struct iw_atomic_response response;

    if (segment->opcode != proof->opcode)
        return false;
    if (segment->opcode == IW_RDMAP_OP_READ_RESPONSE)
        return proof->payload
                   ? segment->payload_octets > 0 && segment->stag == proof->stag && segment->to == proof->to
                   : segment->payload_octets == 0;
    if (segment->opcode != IW_RDMAP_OP_ATOMIC_RESPONSE || segment->header_octets == 0)
        return true;
    iw_atomic_response_decode(segment->header, &response);
    return response.identifier == proof->stag;
}

/* Takes a response that may prove that this side continued; earlier requests come first (RFC 5040 5.5). */
IW_COLD static void reaction_match_proof(struct iw_judge *judge) {
    const struct iw_segment *segment = judge->event.segment;
    struct iw_refusable *fault = &judge->peer->trouble->refusable[0];
    struct iw_proving_response *proof = &judge->peer->trouble->proof;

    if (!proof->before_known || fault->answered || segment->op == NULL ||
        iw_opcode_answered(segment->opcode) == IW_RDMAP_OP_NONE || !iw_segment_opcode_fits(segment))
        return;
    if (proof->before > 0)
        proof->before -= segment->last;
    else if (proof->request_known && reaction_is_proof(proof, segment) &&
             proof->request_end <= iw_judge_received_at_most(judge) && iw_judge_all_seen(judge))
        reaction_report_served(judge, fault, proof->request_frame);
}

/* ---- rules ---- */

void iw_rules_reaction(struct iw_judge *judge) {
    const struct iw_monitor_event *event = &judge->event;

    judge->refused_now = false;
    if (event->response != NULL && event->response->operation != NULL && !judge->over)
        reaction_response(judge, event->response->operation);
    if (iw_party_trouble(judge->peer)->refusable_count > 0 && !judge->over)
        reaction_match_proof(judge);
    if (iw_judge_terminate_headers(judge))
        iw_rules_terminated(judge);
    if (judge->finding_count > 0) {
        reaction_note_fault(judge);
        judge->sender->terminate.faulty |= event->segment->opcode == IW_RDMAP_OP_TERMINATE;
        if (event->segment->opcode == IW_RDMAP_OP_READ_REQUEST)
            iw_judge_trouble(judge, judge->sender)->faults.read = true;
    }
    /* No finding reports a TO that wraps: only the receiver has a rule about it. */
    if (event->segment->tagged && iw_judge_wraps(event->segment->to, event->segment->payload_octets))
        reaction_note_refusable(judge, IW_REQ_RFC5041_7_1_06, false);
    if (iw_party_trouble(judge->sender)->refusable_count > 0)
        reaction_follow_proof(judge);
}

/* Reports a reset by the sender of a Terminate: it may prevent the Terminate's delivery (RFC 5040 6.2.1). If
 * the capture lacks what the sender sent before the reset, that may have been a FIN. */
void iw_rules_teardown(struct iw_judge *judge) {
    const struct iw_llp_event *llp = judge->event.llp;
    struct iw_finding *finding;

    if (llp->close != IW_LLP_CLOSE_ABORTIVE || judge->sender->end.orderly || judge->sender->end.hidden ||
        judge->sender->terminate.stage == IW_TERMINATE_STAGE_NONE)
        return;
    finding = iw_judge_report(
        judge, IW_REQ_RFC5040_6_2_1_04, IW_FIELD_COUNT, "The close after the Terminate", "a FIN", "a reset");
    iw_judge_context(finding, judge->sender->terminate.frame);
}
