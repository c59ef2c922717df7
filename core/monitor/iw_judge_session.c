#include "iw_judge_segment.h"

#include "iw_mpa_sctp_map.h"

bool iw_judge_session_heard(const struct iw_llp_event *llp) {
    const struct iw_session_event *session = llp->session;
    const struct iw_sctp_state *state = session->association;
    enum iw_side other = iw_side_other(llp->side);

    return llp->kind != IW_LLP_CLOSE && session->certain && session->message->acks &&
           state->seen_known[other] && (int32_t)(state->seen[other] - session->message->ack) >= 0;
}

/* Over SCTP, control messages have the contents of startup frames over TCP (RFC 6581 7). */
void iw_judge_session_terms(struct iw_mpa_terms *terms, const struct iw_llp_event *llp) {
    const struct iw_session_event *session = llp->session;
    enum iw_side side = llp->side;

    if (llp->kind != IW_LLP_CONTROL || !session->whole_header || session->of_before)
        return;
    terms->initiator_known = session->session->active_known;
    terms->initiator = session->session->active;
    terms->rejected |= session->session->state == IW_SESSION_REJECTED;
    if (terms->seen[side])
        return;
    terms->seen[side] = iw_mpa_sctp_map_startup(
        &session->control, session->message->length - iw_sctp_control_octets, &terms->frame[side]);
    terms->settled = terms->seen[IW_SIDE_A] && terms->seen[IW_SIDE_B];
}

/* A chunk out of order leaves a hole, like a loss. Chunks that the capture lacks are counted at the end. */
static void judge_session_order(struct iw_judge *judge, const struct iw_llp_event *llp) {
    const struct iw_session_event *session = llp->session;

    if (session->order == IW_SESSION_IN_ORDER)
        return;
    judge->sender->hidden = true;
    iw_judge_forget(judge, llp->side);
    if (session->order == IW_SESSION_UNKNOWN)
        judge->counts.unjudged[IW_UNJUDGED_STARTUP]++;
    else if (session->order == IW_SESSION_LOST &&
             (session->missing == 0 || session->association->lost[llp->side] == 0))
        judge->counts.unjudged[IW_UNJUDGED_SEQUENCE]++;
}

/* Counts chunks that were lost during the session: they may belong to it, even if no later DDP-SSN shows a
 * hole. At least one side must end an accepted session (RFC 5043 6.2). The shutdown of SCTP does not show how
 * many chunks a side sent, so the capture may lack a session Terminate. RFC 5043 does not define a session
 * that begins after the end of its association. */
static void judge_session_on_end(struct iw_judge *judge, const struct iw_session_event *session) {
    uint64_t *unjudged = judge->counts.unjudged;
    uint64_t ended_frame = session->association->ended_frame;
    bool after_end = ended_frame > 0 && session->session->first_frame > ended_frame;
    bool open = session->end == IW_SESSION_END_ASSOCIATION && session->session->state == IW_SESSION_ACCEPTED;

    unjudged[IW_UNJUDGED_LIMIT] += session->limited;
    unjudged[IW_UNJUDGED_CHUNKS] += session->lost;
    unjudged[IW_UNJUDGED_SESSION] += (open && session->lost == 0) || after_end;
    if (session->lost > 0 || session->limited > 0) {
        iw_operations_lost(&judge->party[IW_SIDE_A].operations);
        iw_operations_lost(&judge->party[IW_SIDE_B].operations);
    }
}

static void judge_session_on_segment(
    struct iw_judge *judge, const struct iw_llp_event *llp, struct iw_judge_parts *parts) {
    const struct iw_sctp_message *message = llp->session->message;
    bool readable = iw_judge_follow(judge, llp, parts);

    judge->counts.fpdus[llp->side]++;
    judge->sender->fpdus++;
    judge->counts.unjudged[IW_UNJUDGED_CUT] += message->length - message->captured;
    if (readable) {
        iw_judge_count_segment(judge, llp->side);
        iw_judge_segment(judge, llp, parts);
    } else {
        judge->sender->hidden = true;
        iw_judge_forget(judge, llp->side);
    }
}

IW_COLD void iw_judge_session(
    struct iw_judge *judge, const struct iw_llp_event *llp, struct iw_judge_parts *parts) {
    if (llp->kind == IW_LLP_CLOSE) {
        judge_session_on_end(judge, llp->session);
        iw_rules_session_end(judge);
        return;
    }
    judge_session_order(judge, llp);
    if (llp->kind == IW_LLP_SEGMENT)
        judge_session_on_segment(judge, llp, parts);
    iw_rules_session(judge);
}
