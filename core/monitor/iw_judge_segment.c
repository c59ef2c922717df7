#include "iw_judge_segment.h"

#include <stdlib.h>

/* Missing octets of one side may be requests or responses: the requests of both sides are unknown. */
IW_COLD void iw_judge_forget(struct iw_judge *judge, enum iw_side side) {
    if (judge->party[side].terminate.stage == IW_TERMINATE_STAGE_OPEN)
        judge->party[side].terminate.stage = IW_TERMINATE_STAGE_TORN;
    iw_sequence_lost(&judge->party[side].sequence);
    iw_operations_lost(&judge->party[IW_SIDE_A].operations);
    iw_operations_lost(&judge->party[IW_SIDE_B].operations);
    judge->event.request = NULL; /* event.request was one of the forgotten requests */
}

IW_HOT void iw_judge_count_segment(struct iw_judge *judge, enum iw_side side) {
    const struct iw_monitor_event *event = &judge->event;
    bool hidden = !event->segment->tagged && event->segment->qn < IW_QN_COUNT && !event->fact->sequence_known;

    hidden |= event->response != NULL && !event->response->known;
    judge->counts.payload_octets[side] += event->segment->payload_octets;
    judge->counts.messages[side] += event->segment->last;
    if (event->fact->order_unknown)
        judge->counts.unjudged[IW_UNJUDGED_LIMIT]++;
    if (hidden && !event->llp->damaged)
        judge->counts.unjudged[IW_UNJUDGED_SEQUENCE]++;
}

IW_COLD static void judge_segment_forget_request(struct iw_response_fact *response) {
    response->known = false;
    response->operation = NULL;
}

/* Whether the peer's startup was captured, and over TCP its octets are read as proven FPDUs. */
static bool judge_segment_requests_seen(const struct iw_judge *judge) {
    enum iw_side side = judge->peer->side;

    if (judge->event.llp->session != NULL)
        return judge->event.llp->session->session->from_start;
    return judge->mpa.terms.seen[side] && iw_mpa_reads(&judge->mpa, side) &&
           !iw_mpa_unproven(&judge->mpa, side);
}

/* Whether a request makes the order of responses unknown: either its MO is unexpected, so that its header
 * cannot be read; or its MSN is lower than that of an earlier request, so that it is answered before. */
static bool judge_segment_asks_out_of_order(const struct iw_judge_parts *parts) {
    const struct iw_segment *segment = &parts->segment;

    return segment->op != NULL && segment->op->answer != IW_RDMAP_OP_NONE && !segment->tagged &&
           ((segment->header_octets == 0 && !parts->fact.mo_ok) || parts->fact.bound == IW_BOUND_SKIPPED);
}

static void judge_segment_note_outstanding(struct iw_judge *judge) {
    const struct iw_operations *own = &judge->sender->operations;

    if (judge->waiting_known)
        return;
    judge->waiting_known = own->known && !own->doubted;
    judge->waiting = iw_operations_waiting(own) - (judge->event.request != NULL);
}

/* Reassembles the header of a request that is split into several segments (RFC 5041 5.2). Returns NONE if
 * memory runs out: the request then counts as unknown, because its header is incomplete. */
static enum iw_split_request_state judge_segment_reassemble_request(
    struct iw_party *party, const struct iw_judge_parts *parts, struct iw_segment *whole) {
    const struct iw_segment_fact *fact = &parts->fact;
    bool placed = fact->sequence_known && fact->msn_ok && fact->mo_ok;

    if (party->split == NULL && (parts->segment.header_missing || !parts->segment.last))
        party->split = calloc(1, sizeof *party->split);
    if (party->split == NULL)
        return IW_SPLIT_REQUEST_NONE;
    return iw_split_request_segment(&party->split->request, &parts->segment, placed, whole);
}

static void judge_segment_take_request(
    struct iw_judge *judge, const struct iw_llp_event *llp, const struct iw_segment *segment) {
    struct iw_operations *own = &judge->sender->operations;
    uint64_t dropped = own->dropped;

    judge->event.request = iw_operations_request(own, segment, llp->frame, llp->time_ns);
    judge->counts.unjudged[IW_UNJUDGED_LIMIT] += own->dropped - dropped;
}

static void judge_follow_request(
    struct iw_judge *judge, const struct iw_llp_event *llp, struct iw_judge_parts *parts) {
    struct iw_segment whole;

    if (parts->segment.op == NULL || parts->segment.op->answer == IW_RDMAP_OP_NONE)
        return;
    switch (judge_segment_reassemble_request(judge->sender, parts, &whole)) {
    case IW_SPLIT_REQUEST_PART:
        return;
    case IW_SPLIT_REQUEST_WHOLE:
        judge->header = whole.header;
        judge_segment_take_request(judge, llp, &whole);
        return;
    case IW_SPLIT_REQUEST_BROKEN:
        iw_operations_doubt(&judge->sender->operations);
        break;
    case IW_SPLIT_REQUEST_NONE:
        break;
    }
    if (parts->segment.header_missing)
        judge_segment_note_outstanding(judge);
    judge_segment_take_request(judge, llp, &parts->segment);
}

/* Notes a complete Read Response that the requester may not have received when it sends its next requests. */
static void judge_segment_note_in_flight(struct iw_judge *judge) {
    const struct iw_llp_event *llp = judge->event.llp;
    struct iw_party *requester = judge->peer;
    uint32_t allowed;

    if (llp->session != NULL || !requester->operations.known ||
        !iw_mpa_depth(&judge->mpa.terms, requester->side, &allowed) ||
        iw_in_flight_add(&requester->in_flight, llp->offset + llp->octets, allowed))
        return;
    requester->operations.known = false;
    judge->counts.unjudged[IW_UNJUDGED_LIMIT]++;
}

static void judge_follow_response(struct iw_judge *judge, struct iw_judge_parts *parts) {
    struct iw_operations *requests = &judge->peer->operations;
    struct iw_response_fact *response = &parts->response;
    bool unsolicited, unseen;

    if (parts->segment.op == NULL || iw_opcode_answered(parts->segment.opcode) == IW_RDMAP_OP_NONE)
        return;
    iw_operations_response(
        requests, &parts->segment, iw_judge_received_at_most(judge), judge->event.llp->frame, response);
    unsolicited = response->operation == NULL && response->too_early == 0;
    if (unsolicited && iw_judge_joined(judge))
        iw_operations_doubt(requests); /* the request may be captured after this response */
    unseen = (response->operation == NULL && iw_judge_answers_missing(judge)) ||
             (unsolicited && (iw_judge_joined(judge) || iw_mpa_within_fpdu(&judge->mpa, judge->peer->side)));
    if (response->complete && parts->segment.opcode == IW_RDMAP_OP_READ_RESPONSE)
        judge_segment_note_in_flight(judge);
    if (unseen || !judge_segment_requests_seen(judge))
        judge_segment_forget_request(response);
    judge->event.response = response;
    judge->event.requests_waiting = iw_operations_waiting(requests);
}

static void judge_follow_operations(
    struct iw_judge *judge, const struct iw_llp_event *llp, struct iw_judge_parts *parts) {
    struct iw_monitor_event *event = &judge->event;
    struct iw_operations *own = &judge->sender->operations;

    judge_follow_request(judge, llp, parts);
    if (event->request != NULL) {
        event->request->request_end = llp->offset + llp->octets;
        event->requests_waiting = iw_operations_waiting(own);
    }
    if (judge_segment_asks_out_of_order(parts)) {
        iw_operations_lost(own);
        event->request = NULL;
    }
    judge_follow_response(judge, parts);
}

/* Whether the header shows where the segment belongs. With a different DV the fields may have a different
 * meaning (RFC 5041 4.1), unless they are exactly the expected ones. With a T or QN that does not fit the
 * opcode, the intended queue is unknown, unless the segment continues an open message. */
static bool judge_segment_is_placed(const struct iw_judge *judge, const struct iw_judge_parts *parts) {
    const struct iw_segment *segment = &parts->segment;
    const struct iw_segment_fact *fact = &parts->fact;
    bool expected = segment->tagged ? fact->same_message && fact->to_ok
                                    : fact->sequence_known && fact->msn_ok && fact->mo_ok;

    if (segment->rv == iw_judge_rv(judge, segment) && !iw_segment_opcode_fits(segment) && !fact->strayed)
        return false;
    return segment->dv == judge->version || expected;
}

static void judge_follow_stags(
    struct iw_judge *judge, const struct iw_llp_event *llp, struct iw_judge_parts *parts) {
    struct iw_stags *stags[2] = {&judge->party[IW_SIDE_A].stags, &judge->party[IW_SIDE_B].stags};
    const struct iw_segment *segment = &parts->segment;
    uint64_t doubtful = stags[IW_SIDE_A]->doubtful + stags[IW_SIDE_B]->doubtful;

    if (llp->damaged || !iw_judge_header_is_right(judge, segment))
        return;
    judge->event.stag_use_count = iw_stags_segment(stags, llp->side, segment, llp->frame, parts->stag_uses);
    judge->event.stag_uses = parts->stag_uses;
    judge->counts.unjudged[IW_UNJUDGED_LIMIT] +=
        stags[IW_SIDE_A]->doubtful + stags[IW_SIDE_B]->doubtful - doubtful;
}

/* Whether DV and RV are right, and the opcode is known, but is neither a request nor a response. */
IW_COLD static bool judge_segment_is_unrelated_opcode(
    const struct iw_judge *judge, const struct iw_segment *segment) {
    return iw_judge_version_right(judge, segment) && segment->op != NULL &&
           segment->op->answer == IW_RDMAP_OP_NONE && iw_opcode_answered(segment->opcode) == IW_RDMAP_OP_NONE;
}

/* Whether T or QN allows that the segment is a request or response, if its opcode is wrong. */
IW_COLD static bool judge_segment_may_be_operation(const struct iw_segment *segment) {
    return segment->tagged || segment->qn == IW_QN_REQUEST || segment->qn == IW_QN_RESPONSE;
}

IW_COLD static void judge_segment_doubt_operations(struct iw_judge *judge) {
    iw_operations_doubt(&judge->party[IW_SIDE_A].operations);
    iw_operations_doubt(&judge->party[IW_SIDE_B].operations);
}

IW_COLD static void judge_segment_forget_misplaced(struct iw_judge *judge, const struct iw_segment *segment) {
    if (!judge_segment_is_unrelated_opcode(judge, segment)) {
        judge_segment_note_outstanding(judge);
        iw_judge_forget(judge, judge->sender->side);
        return;
    }
    iw_sequence_lost(&judge->sender->sequence);
    if (judge_segment_may_be_operation(segment))
        judge_segment_doubt_operations(judge);
}

/* Whether the segment, a Write with a reserved bit, may be an Atomic Write Request with a wrong T. */
static bool judge_segment_may_be_atomic_write(
    const struct iw_judge *judge, const struct iw_segment *segment) {
    return segment->rsv == 1 && segment->tagged && segment->opcode == IW_RDMAP_OP_RDMA_WRITE &&
           (judge->config.extensions & IW_EXT_COMMIT) &&
           segment->length == iw_opcode_min_ulpdu(&iw_opcodes[IW_RDMAP_OP_ATOMIC_WRITE_REQUEST]);
}

/* The opcode may be wrong with a wrong RV (RFC 5040 4.1), and in a tagged segment whose STag or control octet
 * differs from those of the message that it continues. Then requests and responses are uncertain; with a
 * wrong RV, only if T or QN allows that the segment is a request or response. */
static void judge_segment_doubt_opcode(struct iw_judge *judge, struct iw_judge_parts *parts) {
    bool version = parts->segment.rv != iw_judge_rv(judge, &parts->segment);

    if (version)
        judge_segment_forget_request(&parts->response);
    if ((version && judge_segment_may_be_operation(&parts->segment)) ||
        (parts->segment.tagged && !parts->fact.same_message))
        judge_segment_doubt_operations(judge);
}

/* With Rev 0, or without a captured Reply, each side may use either version (RFC 5040 4.1). Only RNICs of the
 * RDMA Consortium use 0 (RFC 5041 4.1), not a side that has used 1. Messages of RFC 7306 always have RV 1. */
IW_COLD static void judge_segment_settle_version(struct iw_judge *judge, const struct iw_segment *segment) {
    if (segment->dv == 0 && (segment->rv == 0 || iw_segment_is_rfc7306(segment)) && !judge->sender->version_1)
        judge->version = 0;
    judge->sender->version_1 |= segment->dv == 1 && segment->rv == 1;
}

IW_COLD static void judge_follow_terminate(struct iw_judge *judge, struct iw_judge_parts *parts) {
    judge->event.terminate = parts->judged.sent = parts->judged.meant = &parts->terminate;
    if (iw_segment_terminate_reversed(&parts->segment, judge->config.extensions, &parts->reversed))
        parts->judged.meant = &parts->reversed;
    judge->terminate = &parts->judged;
}

IW_HOT bool iw_judge_follow(
    struct iw_judge *judge, const struct iw_llp_event *llp, struct iw_judge_parts *parts) {
    struct iw_monitor_event *event = &judge->event;
    struct iw_segment *segment = &parts->segment;

    if (!iw_judge_decode(judge, llp, segment))
        return false;
    if (!judge->version_settled)
        judge_segment_settle_version(judge, segment);
    judge->waiting_known = false;
    iw_sequence_segment(&judge->sender->sequence, segment, llp->frame, &parts->fact);
    event->segment = segment;
    event->fact = &parts->fact;
    event->received_at_most = iw_judge_received_at_most(judge);
    judge->header = segment->header;
    judge_follow_operations(judge, llp, parts);
    judge_follow_stags(judge, llp, parts);
    if (iw_segment_terminate(segment, judge->config.extensions, &parts->terminate))
        judge_follow_terminate(judge, parts);
    if (!judge_segment_is_placed(judge, parts)) {
        parts->fact.sequence_known = false;
        judge_segment_forget_request(&parts->response);
        judge_segment_forget_misplaced(judge, segment);
    } else if (judge_segment_may_be_atomic_write(judge, segment)) {
        iw_judge_forget(judge, llp->side);
    }
    judge_segment_doubt_opcode(judge, parts);
    return true;
}

/* For a segment without L: whether it is already the whole message. Then no later segment of it can come. */
static bool judge_segment_lacks_only_l(const struct iw_segment *segment) {
    return segment->op != NULL && iw_segment_opcode_fits(segment) &&
           segment->op->payload == IW_PAYLOAD_NONE && segment->mo == 0 &&
           segment->length == iw_opcode_min_ulpdu(segment->op);
}

static bool judge_segment_continues_terminate(
    const struct iw_party *party, const struct iw_monitor_event *event) {
    const struct iw_segment *segment = event->segment;

    return party->terminate.stage == IW_TERMINATE_STAGE_OPEN && !segment->tagged &&
           segment->qn == IW_QN_TERMINATE && event->fact->msn_ok && !event->fact->first;
}

IW_COLD static void judge_note_terminate(struct iw_judge *judge, const struct iw_llp_event *llp) {
    struct iw_party_terminate *terminate = &judge->sender->terminate;
    const struct iw_segment *segment = judge->event.segment;

    if (judge->sender->split != NULL && judge->terminate != NULL)
        judge->sender->split->progress = (struct iw_party_terminate_progress){
            true, !judge->terminate->sent->truncated, judge->terminate->progress.excess_reported};
    if (terminate->stage == IW_TERMINATE_STAGE_NONE) {
        if (segment->opcode != IW_RDMAP_OP_TERMINATE || !iw_judge_header_is_right(judge, segment))
            return;
        terminate->faulty |=
            judge->event.terminate == NULL || segment->payload_captured < segment->payload_octets;
        terminate->frame = llp->frame;
    }
    terminate->stage = segment->last ? IW_TERMINATE_STAGE_OVER : IW_TERMINATE_STAGE_OPEN;
}

void iw_judge_log_header(struct iw_judge *judge, const struct iw_llp_event *llp) {
    const struct iw_segment *segment = judge->event.segment;
    struct iw_header_log **log = &judge->sender->headers;
    bool alone = judge->event.fact->first && segment->last;

    if (*log == NULL)
        *log = calloc(1, sizeof **log);
    if (*log == NULL)
        judge->counts.unjudged[IW_UNJUDGED_LIMIT]++;
    else
        iw_header_log_add(*log, segment, iw_llp_segment(llp), alone, llp->offset, llp->frame);
}

IW_HOT void iw_judge_segment(
    struct iw_judge *judge, const struct iw_llp_event *llp, struct iw_judge_parts *parts) {
    const struct iw_segment *segment = judge->event.segment;
    bool continues = judge_segment_continues_terminate(judge->sender, &judge->event);
    bool terminate = continues || segment->opcode == IW_RDMAP_OP_TERMINATE;

    if (!segment->last && !segment->tagged && segment->qn < IW_QN_COUNT)
        judge->sender->whole[segment->qn] = judge_segment_lacks_only_l(segment);
    if (segment->tagged && segment->payload_octets == 0)
        judge->sender->empty = (struct iw_empty_segment){true, segment->stag, segment->to};
    judge->over = judge->sender->terminate.stage != IW_TERMINATE_STAGE_NONE && !continues;
    judge->terminate = NULL;
    if (!judge->over) {
        if (terminate)
            iw_judge_join_terminate(judge, parts);
        iw_rules_ddp(judge);
        iw_rules_rdmap(judge);
        iw_rules_operation(judge);
        iw_rules_stag(judge);
        if (judge->event.llp->session == NULL)
            iw_rules_size(judge);
        if (judge->terminate != NULL && judge->terminate->sent == judge->terminate->meant &&
            !judge->terminate->progress.control && judge->event.llp->session == NULL)
            iw_rules_llp(judge);
        iw_rules_first_rtr_rest(judge);
    }
    iw_rules_terminate(judge);
    iw_rules_reaction(judge);
    if (terminate && !judge->over)
        judge_note_terminate(judge, llp);
}
