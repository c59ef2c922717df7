#include "iw_judge_session.h"

#include "iw_name.h"

/* ---- conversion to an MPA event ---- */

/* Before the user data of a DDP Segment Chunk there is a DDP-SSN where an FPDU has its ULPDU_Length, and of
 * the same size (RFC 5043 5.2.2). */
static void frame_chunk(const struct iw_sctp_message *message, struct iw_span *span, struct iw_fpdu *fpdu) {
    uint32_t length = message->length - (message->length < iw_mpa_fpdu_octets ? 0 : iw_mpa_fpdu_octets);

    *span = (struct iw_span){.octets = message->captured, .frame = message->frame};
    *fpdu = (struct iw_fpdu){.side = message->side,
        .wire_octets = message->length,
        .frame = message->frame,
        .time_ns = message->time_ns,
        .first_frame = message->first_frame,
        .image = message->octets,
        .image_octets = message->length,
        .image_captured = message->captured,
        .ulpdu_length = (uint16_t)(length < UINT16_MAX ? length : UINT16_MAX),
        .crc = IW_CRC_UNCHECKED,
        .spans = span,
        .span_count = message->captured > 0 ? 1 : 0};
}

void iw_session_as_mpa(const struct iw_session_event *session, struct iw_session_as_mpa *as) {
    static const enum iw_llp_event_kind kinds[] = {[IW_SESSION_CONTROL] = IW_LLP_CONTROL,
        [IW_SESSION_SEGMENT] = IW_LLP_SEGMENT,
        [IW_SESSION_END] = IW_LLP_CLOSE};

    as->event = (struct iw_llp_event){.kind = kinds[session->kind],
        .side = session->side,
        .frame = session->frame,
        .first_frame = session->frame,
        .time_ns = session->time_ns};
    if (session->kind == IW_SESSION_END) {
        as->event.close = session->end == IW_SESSION_END_INPUT   ? IW_LLP_CLOSE_INPUT
                          : session->end == IW_SESSION_END_ABORT ? IW_LLP_CLOSE_ABORTIVE
                                                                 : IW_LLP_CLOSE_GRACEFUL;
        return;
    }
    as->event.octets = session->message->length;
    as->event.first_frame = session->message->first_frame;
    if (session->kind == IW_SESSION_SEGMENT) {
        frame_chunk(session->message, &as->span, &as->fpdu);
        as->event.fpdu = &as->fpdu;
    }
}

/* ---- judging ---- */

bool iw_judge_session_heard(const struct iw_session_event *session) {
    const struct iw_sctp_state *state = session->association;
    enum iw_side other = iw_side_other(session->side);

    return session->kind != IW_SESSION_END && session->certain && session->message->acks &&
           state->seen_known[other] && (int32_t)(state->seen[other] - session->message->ack) >= 0;
}

/* Over SCTP, control messages have the contents of startup frames over TCP (RFC 6581 7). */
void iw_judge_session_terms(struct iw_mpa_terms *terms, const struct iw_session_event *session) {
    const struct iw_sctp_session *control = &session->control;
    uint16_t function = control->header.function;
    enum iw_side side = session->side;
    bool initiate = function == IW_SCTP_INITIATE || function == IW_SCTP_ENHANCED_INITIATE;

    if (session->kind != IW_SESSION_CONTROL || !session->whole_header || session->of_before)
        return;
    terms->initiator_known = session->session->active_known;
    terms->initiator = session->session->active;
    terms->rejected |= session->session->state == IW_SESSION_REJECTED;
    if (function < IW_SCTP_INITIATE || function > IW_SCTP_ENHANCED_REJECT || terms->seen[side] ||
        function == IW_SCTP_TERMINATE)
        return;
    terms->seen[side] = true;
    terms->frame[side] = (struct iw_startup){.key = initiate ? IW_STARTUP_REQUEST : IW_STARTUP_REPLY,
        .header = {.rev = function >= IW_SCTP_ENHANCED_INITIATE ? 2 : 1,
            .s = function >= IW_SCTP_ENHANCED_INITIATE,
            .r = function == IW_SCTP_REJECT || function == IW_SCTP_ENHANCED_REJECT,
            .pd_length = (uint16_t)(session->message->length - iw_sctp_control_octets)},
        .enhanced = control->enhanced,
        .enhanced_data = control->enhanced_data};
    terms->settled = terms->seen[IW_SIDE_A] && terms->seen[IW_SIDE_B];
}

/* Octets of a chunk out of order leave a hole, as after a loss. Missing chunks that SCTP reports are counted
 * at the end. */
static void on_turn(struct iw_judge *judge, const struct iw_session_event *session) {
    if (session->order == IW_SESSION_IN_ORDER)
        return;
    judge->sender->hidden = true;
    iw_judge_forget(judge, session->side);
    if (session->order == IW_SESSION_UNKNOWN)
        judge->counts.unjudged[IW_UNJUDGED_STARTUP]++;
    else if (session->order == IW_SESSION_LOST &&
             (session->missing == 0 || session->association->lost[session->side] == 0))
        judge->counts.unjudged[IW_UNJUDGED_SEQUENCE]++;
}

/* Counts chunks that were lost during the session: they may belong to it, even if no later DDP-SSN shows a
 * hole. At least one side must end an accepted session (RFC 5043 6.2). The shutdown of SCTP does not show how
 * many chunks a side sent: the capture may lack the last one and its acknowledgement. So it is unknown
 * whether that was a session Terminate. RFC 5043 does not define a session that begins after the end of its
 * association. */
static void on_end(struct iw_judge *judge, const struct iw_session_event *session) {
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

static void on_segment(struct iw_judge *judge, const struct iw_llp_event *llp, struct iw_judge_parts *parts) {
    const struct iw_sctp_message *message = judge->event.session->message;
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

void iw_judge_session(struct iw_judge *judge, const struct iw_llp_event *llp, struct iw_judge_parts *parts) {
    const struct iw_session_event *session = judge->event.session;

    if (session->kind == IW_SESSION_END) {
        on_end(judge, session);
        iw_rules_session_end(judge);
        return;
    }
    on_turn(judge, session);
    if (session->kind == IW_SESSION_SEGMENT)
        on_segment(judge, llp, parts);
    iw_rules_session(judge);
}
