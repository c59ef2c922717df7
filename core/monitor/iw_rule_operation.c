#include "iw_rules.h"

#include <inttypes.h>
#include <stdio.h>

/* Rules about the relation of a response to its request, and the number of outstanding requests (RFC 5040
 * 5.2, 5.5, 6.1; RFC 7306 5; draft-talpey-rdma-commit-01 3.1). */

/* The lowest TO of a Read Response is the Data Sink Tagged Offset. Only the last segment shows it: segments
 * may come in any order (RFC 5041 5.3). Until then the lowest TO must be inside the requested octets. */
static bool rule_operation_wrong_to(
    const struct iw_judge *judge, const struct iw_segment *segment, const struct iw_response_fact *fact) {
    const struct iw_read_request *read = &fact->operation->request.header.read_request;
    const struct iw_segment_fact *place = judge->event.fact;
    uint64_t beyond = place->message_to - read->sink_to;

    if (segment->payload_octets == 0 || read->size == 0)
        return false;
    return beyond >= read->size ? place->message_to == segment->to : segment->last && beyond > 0;
}

/* Reports a segment with more octets than are left of the Read, or a last segment with fewer. */
static struct iw_finding *rule_operation_overlong_or_short(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_response_fact *fact) {
    bool nothing = fact->operation->request.header.read_request.size == 0;
    uint64_t left = fact->octets_left;
    enum iw_requirement_id id = nothing ? IW_REQ_RFC5040_5_2_1_14 : IW_REQ_RFC5040_4_4_05;

    if (segment->last)
        return iw_judge_report_value(judge, id, IW_FIELD_COUNT,
            "Payload of the last segment of a Read Response", left, segment->payload_octets);
    return iw_judge_report_at_most(judge, id, IW_FIELD_COUNT, "Payload of a Read Response segment with L=0",
        left, segment->payload_octets);
}

/* A wrong STag, length or TO may follow from skipped octets, or from a later response that came early. */
IW_COLD static void rule_operation_attach_misplaced(
    struct iw_judge *judge, struct iw_finding *finding, const struct iw_operation *operation) {
    const struct iw_faults *faults = &iw_party_trouble(judge->sender)->faults;
    const struct iw_response_faults *responses = &faults->response;
    const struct iw_fault *fault = &faults->order;

    if (responses->order.due_frame == operation->request_frame)
        iw_judge_because_of(finding, &responses->order.finding);
    if (fault->qn == IW_QN_TAGGED && !fault->warning &&
        fault->message_frame == judge->event.fact->message_frame)
        iw_judge_because_of(finding, &fault->finding);
}

/* If a tagged message interrupts a Read Response, the rest of it looks like a separate Read Response. */
IW_COLD static void rule_operation_attach_interrupted(
    struct iw_judge *judge, struct iw_finding *finding, const struct iw_response_fact *fact) {
    const struct iw_fault *open = &iw_party_trouble(judge->sender)->faults.open;

    if (finding->cause == 0 && fact->to_ok && open->qn == IW_QN_TAGGED &&
        open->finding.frame > fact->operation->request_frame)
        iw_judge_because_of(finding, &open->finding);
}

/* If two Read Responses come in the wrong order, each has the length expected of the other: one fault. To
 * detect that, stores the lengths of the latest wrong Read Response. */
static void rule_operation_note_length(
    struct iw_judge *judge, struct iw_finding *finding, const struct iw_operation *operation) {
    struct iw_response_faults *faults = &iw_judge_trouble(judge, judge->sender)->faults.response;
    uint32_t expected = operation->request.header.read_request.size;
    uint32_t actual = operation->answered < UINT32_MAX ? (uint32_t)operation->answered : UINT32_MAX;

    if (faults->length.expected == actual && faults->length.actual == expected && finding->cause == 0)
        iw_judge_because_of(finding, &faults->length.finding);
    faults->length.finding = finding->cause == 0 ? iw_judge_finding_ref(finding) : (struct iw_finding_ref){0};
    faults->length.expected = expected;
    faults->length.actual = actual;
}

/* Later correct segments differ from this wrong segment: findings about them follow from `finding`. */
static void rule_operation_note_beginning(
    const struct iw_judge *judge, struct iw_fault *fault, const struct iw_finding *finding) {
    if (finding->cause == 0)
        iw_judge_note_fault(fault, finding, IW_QN_TAGGED, judge->event.fact->message_frame);
}

/* Other rules compare later segments with the first (RFC 5041 4.2, 5.2). Excess length is reported once. */
static void rule_operation_judge_read_response(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_response_fact *fact) {
    const struct iw_read_request *read = &fact->operation->request.header.read_request;
    uint64_t answered = fact->operation->answered - segment->payload_octets; /* before this segment */
    bool wrong_stag = judge->event.fact->first && !fact->stag_ok;
    bool wrong_to = !wrong_stag && rule_operation_wrong_to(judge, segment, fact);
    struct iw_finding *finding;

    if (wrong_stag) {
        finding = iw_judge_report_value(judge, IW_REQ_RFC5040_4_4_02, iw_field_ddp_tagged_stag,
            "STag of a Read Response", read->sink_stag, segment->stag);
    } else if (wrong_to) {
        finding = iw_judge_report_value(judge, IW_REQ_RFC5040_4_4_05, iw_field_ddp_tagged_to,
            "TO of a Read Response", read->sink_to, judge->event.fact->message_to);
    } else if (!fact->length_ok && answered <= read->size) {
        finding = rule_operation_overlong_or_short(judge, segment, fact);
    } else {
        return;
    }
    iw_judge_context(finding, fact->operation->request_frame);
    rule_operation_attach_misplaced(judge, finding, fact->operation);
    if (wrong_to)
        rule_operation_attach_interrupted(judge, finding, fact);
    if (wrong_stag)
        rule_operation_note_beginning(judge, &iw_judge_trouble(judge, judge->sender)->faults.stag, finding);
    else if (wrong_to)
        rule_operation_note_beginning(judge, &iw_judge_trouble(judge, judge->sender)->faults.order, finding);
    else if (segment->last)
        rule_operation_note_length(judge, finding, fact->operation);
}

/* Reports a response sent before the response to the request in frame `waits`; one fault for all of them. */
IW_COLD static struct iw_finding *rule_operation_report_response_order(
    struct iw_judge *judge, enum iw_requirement_id id, uint64_t waits, const char *expected) {
    struct iw_response_faults *faults = &iw_judge_trouble(judge, judge->sender)->faults.response;
    struct iw_finding *finding = iw_judge_report(judge, id, IW_FIELD_COUNT, judge->event.segment->op->title,
        expected, "sent before the response to the request in frame %" PRIu64, waits);

    iw_judge_context(finding, waits);
    if (faults->order.finding.number != 0 && faults->order.due_frame == waits) {
        iw_judge_because_of(finding, &faults->order.finding);
    } else {
        faults->order.finding = iw_judge_finding_ref(finding);
        faults->order.due_frame = waits;
    }
    return finding;
}

/* A request that the responder had not yet received is not outstanding, whatever the order of the capture. */
IW_COLD static void rule_operation_report_unsolicited(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_response_fact *fact) {
    bool read = segment->opcode == IW_RDMAP_OP_READ_RESPONSE;
    const char *request = read ? "Read Request" : "request";
    struct iw_finding *finding;
    char which[24];

    if (read)
        snprintf(which, sizeof which, "STag 0x%08" PRIx32, segment->stag);
    else
        snprintf(which, sizeof which, "MSN %" PRIu32, segment->msn);
    finding = iw_judge_report(judge, read ? IW_REQ_RFC5040_5_2_01 : IW_REQ_RFC7306_5_05, IW_FIELD_COUNT,
        segment->op->title, "the response to an outstanding request",
        fact->too_early != 0 ? "for %s, sent before the %s had arrived" : "for %s, without an outstanding %s",
        which, request);
    iw_judge_context(finding, fact->too_early);
    if (segment->tagged && !segment->last)
        rule_operation_note_beginning(
            judge, &iw_judge_trouble(judge, judge->sender)->faults.control, finding);
}

static void rule_operation_judge_response(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_response_fact *fact) {
    struct iw_finding *finding;
    bool read = segment->opcode == IW_RDMAP_OP_READ_RESPONSE;
    size_t first = judge->finding_count;
    size_t rest;

    if (!fact->known || segment->tagged != segment->op->tagged || fact->resumed)
        return;
    if (fact->operation == NULL && segment->opcode == IW_RDMAP_OP_EXPERIMENTAL &&
        (judge->config.extensions & IW_EXT_DRAFT_NOTE))
        return; /* Fh may be an experiment, not the draft's response (RFC 6580 3.4) */
    if (fact->operation == NULL) {
        rule_operation_report_unsolicited(judge, segment, fact);
        return;
    }
    if (fact->overtakes != 0) {
        finding = rule_operation_report_response_order(
            judge, IW_REQ_RFC5040_5_5_16, fact->overtakes, "after the responses to earlier Read Requests");
        iw_judge_context(finding, fact->operation->request_frame);
    } else if (!fact->in_order && judge->event.fact->first &&
               /* the response to a Read may pass those to an earlier Flush, Verify or Atomic Write
                  (draft-talpey-rdma-commit-01 2) */
               (fact->operation->opcode != IW_RDMAP_OP_READ_REQUEST ||
                   iw_opcodes[fact->earlier->opcode].extension != IW_EXT_COMMIT)) {
        rule_operation_report_response_order(judge, IW_REQ_RFC5040_5_2_2_05, fact->earlier->request_frame,
            "after the responses to earlier requests");
    }
    rest = judge->finding_count;
    if (read)
        rule_operation_judge_read_response(judge, segment, fact);
    else
        iw_answer_response(judge, segment, fact);
    if (first < rest && fact->overtaken != NULL) /* overtakes requests of both lists: one fault */
        iw_judge_attach(judge, first, rest);
}

/* Whether the request is a Read as RTR: the responder need not raise its IRD for it (RFC 6581 9.1). */
static bool rule_operation_is_read_rtr(const struct iw_judge *judge) {
    const struct iw_operation *request = judge->event.request;

    return judge->mpa.terms.initiator == judge->event.llp->side && judge->event.fact->segment == 1 &&
           request->opcode == IW_RDMAP_OP_READ_REQUEST && request->request.header.read_request.size == 0;
}

/* `in_flight` outstanding Read Requests have a response that had not reached the requester. */
IW_COLD static void rule_operation_report_too_many(
    struct iw_judge *judge, uint32_t in_flight, uint32_t allowed, uint32_t waiting) {
    char subject[80] = "Number of outstanding Read Requests";
    struct iw_finding *finding;

    if (in_flight > 0)
        snprintf(subject, sizeof subject,
            "Number of outstanding Read Requests, %" PRIu32 " with a response in flight,", in_flight);
    finding =
        iw_judge_report_at_most(judge, IW_REQ_RFC5040_6_1_04, IW_FIELD_COUNT, subject, allowed, waiting);
    iw_judge_context(finding, judge->party[IW_SIDE_A].begin.startup_frame);
    iw_judge_context(finding, judge->party[IW_SIDE_B].begin.startup_frame);
}

/* ORD of the requester and IRD of the other side limit Read Requests (RFC 5040 6.1, RFC 6581 9.1). The ULPs
 * agree on the limit of Atomic Requests, which is not on the wire (RFC 7306 5.2.2). */
static void rule_operation_judge_depth(struct iw_judge *judge) {
    uint32_t in_flight = iw_in_flight_received(judge->sender->in_flight, iw_judge_received_at_most(judge));
    uint32_t waiting = iw_operations_reads_waiting(&judge->sender->operations) + in_flight;
    uint32_t allowed;

    if (!iw_mpa_depth(&judge->mpa.terms, judge->sender->side, &allowed) || !judge->sender->operations.known ||
        judge->sender->operations.doubted ||
        (judge->event.llp->session == NULL &&
            (iw_judge_answers_missing(judge) || iw_mpa_within_fpdu(&judge->mpa, judge->peer->side))))
        return;
    if (waiting <= allowed)
        return;
    if (rule_operation_is_read_rtr(judge) ||
        (judge->event.llp->session != NULL && !iw_rules_session_depth(judge, allowed)))
        return;
    if (iw_judge_joined(judge)) { /* a response that had arrived may be captured after this request */
        judge->counts.unjudged[IW_UNJUDGED_SEQUENCE]++;
        return;
    }
    rule_operation_report_too_many(judge, in_flight, allowed, waiting);
}

/* If the MSN of a message is wrong, findings about its request or response follow from that finding. On queue
 * 3, the MSN selects the request (RFC 7306 5): each later response may have a different request. */
static void rule_operation_attach_to_msn(struct iw_judge *judge, size_t first) {
    const struct iw_segment_fact *fact = judge->event.fact;
    const struct iw_fault *fault = &iw_party_trouble(judge->sender)->faults.msn;
    bool wrong = !judge->event.segment->tagged && fact->sequence_known && !fact->msn_ok;
    bool later = judge->event.response != NULL && fault->qn == IW_QN_RESPONSE;

    if (fault->finding.number == 0 || !(wrong || later))
        return;
    for (size_t i = first; i < judge->finding_count; i++)
        if (judge->findings[i].cause == 0)
            iw_judge_because_of(&judge->findings[i], &fault->finding);
}

static void rule_operation_judge(struct iw_judge *judge) {
    const struct iw_monitor_event *event = &judge->event;

    if (event->llp->session != NULL && event->response != NULL)
        iw_rules_session_depth_answered(judge);
    if (event->response != NULL)
        rule_operation_judge_response(judge, event->segment, event->response);
    if (event->request == NULL)
        return;
    if (event->request->opcode != IW_RDMAP_OP_READ_REQUEST) {
        iw_extension_request(judge, event->request);
        return;
    }
    if (event->llp->session != NULL)
        iw_rules_session_depth_request(judge);
    rule_operation_judge_depth(judge);
}

/* Index of the finding about the length of this message, or finding_count. */
static size_t rule_operation_wrong_length(const struct iw_judge *judge) {
    size_t i = 0;

    while (i < judge->finding_count && judge->findings[i].field != &iw_fields[iw_field_mpa_fpdu_ulpdu_length])
        i++;
    return i;
}

/* A segment that does not continue the open message correctly is perhaps no response, or a response to
 * another request (RFC 5041 4.1 to 4.3). A segment of the wrong length may have a different opcode. */
void iw_rules_operation(struct iw_judge *judge) {
    size_t first = judge->finding_count;
    size_t length = rule_operation_wrong_length(judge);

    rule_operation_judge(judge);
    if (judge->finding_count == 0)
        return;
    rule_operation_attach_to_msn(judge, first);
    if (judge->event.response != NULL) {
        iw_judge_attach_to(judge, IW_REQ_RFC5041_4_1_02, first);
        iw_judge_attach_to(judge, IW_REQ_RFC5041_4_2_04, first);
        iw_judge_attach_to(judge, IW_REQ_RFC5041_4_3_04, first);
    }
    iw_judge_attach_to(judge, IW_REQ_RFC5044_4_1_02, length);
    if (length < first && (judge->event.request != NULL || judge->event.response != NULL)) {
        iw_judge_attach(judge, length, first);
        iw_operations_doubt(&judge->party[IW_SIDE_A].operations);
        iw_operations_doubt(&judge->party[IW_SIDE_B].operations);
    }
}
