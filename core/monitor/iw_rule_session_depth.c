#include "iw_rules.h"

/* IRD and ORD over SCTP (RFC 5040 6.1, RFC 6581 9.1): a SACK in the packet of a Read Request proves how many
 * are outstanding. The order of the capture does not: a response may be captured late. */

static void depth_report(struct iw_judge *judge, enum iw_side requester, uint32_t allowed, uint32_t waiting) {
    struct iw_session_depth *depth = &judge->party[requester].sctp.depth;
    struct iw_finding *finding = iw_judge_report_at_most(judge, IW_REQ_RFC5040_6_1_04, IW_FIELD_COUNT,
        "Number of outstanding Read Requests", allowed, waiting);

    iw_judge_charge(judge, finding, requester);
    iw_judge_context(finding, depth->request_frame);
    iw_judge_context(finding, judge->event.llp->session->session->initiate_frame);
    iw_judge_context(finding, judge->event.llp->session->session->answer_frame);
    depth->doubts = 0;
}

void iw_rules_session_depth_request(struct iw_judge *judge) {
    const struct iw_session_event *session = judge->event.llp->session;
    struct iw_session_depth *depth = &judge->sender->sctp.depth;

    depth->packet_requests = depth->request_frame == judge->event.llp->frame ? depth->packet_requests + 1 : 1;
    depth->request_frame = judge->event.llp->frame;
    depth->request_tsn = session->message->tsn;
}

bool iw_rules_session_depth(struct iw_judge *judge, uint32_t allowed) {
    struct iw_session_depth *depth = &judge->sender->sctp.depth;

    if (judge->event.llp->session->certain &&
        (!iw_judge_answers_missing(judge) || depth->packet_requests > allowed))
        return true;
    depth->doubts++;
    return false;
}

static bool depth_is_in_doubt(const struct iw_judge *judge, enum iw_side requester, uint32_t *allowed) {
    const struct iw_party *party = &judge->party[requester];

    return party->sctp.depth.doubts > 0 && party->operations.known && !party->operations.doubted &&
           iw_mpa_depth(&judge->mpa.terms, requester, allowed);
}

/* Reports too many outstanding Read Requests if the packet of a response proves them: if it acknowledges the
 * latest Read Request, that request was sent before the response could arrive, when the answered request was
 * still outstanding. */
void iw_rules_session_depth_answered(struct iw_judge *judge) {
    const struct iw_session_event *session = judge->event.llp->session;
    enum iw_side requester = iw_side_other(judge->event.llp->side);
    bool read = judge->event.segment->opcode == IW_RDMAP_OP_READ_RESPONSE;
    uint32_t waiting = iw_operations_reads_waiting(&judge->party[requester].operations) +
                       (read && judge->event.response->complete ? 1 : 0);
    uint32_t allowed;

    if (session->certain && session->message->acks && judge->event.response->known &&
        depth_is_in_doubt(judge, requester, &allowed) && waiting > allowed &&
        (int32_t)(session->message->ack - judge->party[requester].sctp.depth.request_tsn) >= 0)
        depth_report(judge, requester, allowed, waiting);
}

/* If the requester's SHUTDOWN acknowledges exactly the captured chunks, no response is missing: reports a
 * number of Read Requests above the limit. Counts the doubts that remain. */
void iw_rules_session_depth_end(struct iw_judge *judge) {
    const struct iw_session_event *session = judge->event.llp->session;

    for (enum iw_side requester = IW_SIDE_A; requester <= IW_SIDE_B; requester++) {
        uint32_t waiting = iw_operations_reads_waiting(&judge->party[requester].operations);
        uint32_t allowed;

        if (session->lost == 0 && session->session->from_start && session->association->drained[requester] &&
            depth_is_in_doubt(judge, requester, &allowed) && waiting > allowed)
            depth_report(judge, requester, allowed, waiting);
        judge->counts.unjudged[IW_UNJUDGED_SESSION] += judge->party[requester].sctp.depth.doubts;
    }
}
