#include "iw_rules.h"

#include <inttypes.h>
#include <stdio.h>

#include "iw_plural.h"

/* Rules about the end of a stream: all that has begun must be complete (RFC 5044 4, 7.1.1, RFC 5041 6.2). */

/* The queue of a message without its last segment: IW_QN_TAGGED if tagged; -1: no such message. */
static int close_find_open_message(const struct iw_sequence *sequence) {
    if (sequence->tagged.open)
        return IW_QN_TAGGED;
    for (int qn = 0; qn < IW_QN_COUNT; qn++) {
        const struct iw_queue *queue = iw_sequence_queue(sequence, (uint32_t)qn);

        if (queue->known && queue->open)
            return qn;
    }
    return -1;
}

static void close_report_unfinished(struct iw_judge *judge, enum iw_requirement_id id, const char *subject) {
    iw_judge_report(judge, id, IW_FIELD_COUNT, subject, "complete", "incomplete (%u octet%s)",
        judge->event.llp->pending.octets, iw_plural(judge->event.llp->pending.octets));
}

/* If exactly four octets are missing, they are the CRC field (RFC 5044 4.4) or a Marker. */
static void close_report_unfinished_fpdu(struct iw_judge *judge) {
    const struct iw_llp_event *llp = judge->event.llp;
    bool four = llp->pending.octets + iw_mpa_crc_octets == llp->pending.whole;

    if (four && llp->pending.ends_with_crc)
        iw_judge_report(judge, IW_REQ_RFC5044_4_3_02, IW_FIELD_COUNT,
            "A Marker inside the last FPDU before the FIN", "present, 512 octets after the previous one",
            "missing");
    else if (four)
        iw_judge_report(judge, IW_REQ_RFC5044_4_4_10, IW_FIELD_COUNT, "CRC of the last FPDU before the FIN",
            "present", "missing");
    else
        close_report_unfinished(judge, IW_REQ_RFC5044_4_1_01, "The last FPDU before the FIN");
}

/* Reports a PD_Length that is too small: FPDUs begin a few octets after the end of the startup frame by its
 * PD_Length, and the octets between are private data that PD_Length does not count (RFC 5044 7.1.1). */
static void close_report_pd_length(struct iw_judge *judge) {
    const struct iw_llp_event *llp = judge->event.llp;
    uint16_t stated = judge->mpa.terms.frame[llp->side].header.pd_length;
    struct iw_finding *finding = iw_judge_report_value(
        judge, IW_REQ_RFC5044_7_1_1_15, IW_FIELD_COUNT, "PD_Length", stated + llp->octets, stated);

    iw_judge_context(finding, judge->sender->begin.startup_frame);
    iw_judge_because_of(finding,
        judge->sender->tcp.pd_length.number != 0 ? &judge->sender->tcp.pd_length : &judge->sender->tcp.crc);
}

/* Whether the Reply to this side's Request is missing in the capture. If it rejected, the ULP may have tried
 * MPA again, and the skipped octets are the second Request (RFC 5044 7.1.2). */
static bool close_may_be_rejected(const struct iw_judge *judge) {
    const struct iw_mpa_terms *terms = &judge->mpa.terms;

    return !terms->settled && terms->frame[judge->sender->side].key == IW_STARTUP_REQUEST;
}

/* Judges skipped octets. If they may be private data, PD_Length of the startup frame is wrong, unless they
 * may be a second Request; this is reported after other errors as well, as their consequence. Otherwise
 * ULPDU_Length of the FPDU before them is wrong; this is reported only if no octets are missing, no CRC was
 * wrong before, and the startup is settled without a rejection. */
void iw_rules_skipped(struct iw_judge *judge) {
    const struct iw_llp_event *llp = judge->event.llp;

    if (llp->loss.private_data) {
        if (close_may_be_rejected(judge))
            judge->counts.unjudged[IW_UNJUDGED_UNREAD] += llp->octets;
        else
            close_report_pd_length(judge);
        return;
    }
    if (llp->loss.unsearched || llp->loss.missing > 0 || judge->sender->lost || judge->sender->crc_bad ||
        !judge->mpa.terms.settled || judge->mpa.terms.rejected)
        return;
    iw_judge_report(judge, IW_REQ_RFC5044_4_1_01, IW_FIELD_COUNT, "The end of the FPDU by its ULPDU_Length",
        "the start of the next FPDU", "not the start of an FPDU");
}

/* Whether the side sent only a startup frame that is correct except for its Key, and a Reply rejected it. */
static bool close_rejected_without_key(const struct iw_judge *judge, const struct iw_startup_facts *sent) {
    enum iw_side side = judge->sender->side;
    struct iw_startup frame;

    if (!judge->mpa.terms.rejected || judge->sender->begin.startup_frame != 0 ||
        judge->sender->tcp.keyless_reported || sent->hole || sent->streaming < iw_mpa_startup_octets ||
        iw_mpa_reached(&judge->mpa, side) != sent->streaming ||
        judge->peer->begin.startup_frame <= sent->streaming_frame ||
        iw_mpa_startup(&judge->mpa, judge->peer->side)->streaming > 0 || !iw_mpa_opens(&judge->mpa, side))
        return false;
    iw_startup_decode(sent->first, sizeof sent->first, &frame);
    return frame.key == IW_STARTUP_UNKNOWN && (frame.header.rev == 1 || frame.header.rev == 2) &&
           sent->streaming == iw_mpa_startup_octets + (uint64_t)frame.header.pd_length;
}

/* The rejected frame was meant as a Request (RFC 5044 7.1.1). The close proves that no Request follows. */
static void close_judge_missing_key(struct iw_judge *judge) {
    const struct iw_startup_facts *sent = iw_mpa_startup(&judge->mpa, judge->sender->side);
    struct iw_finding *finding;

    if (!close_rejected_without_key(judge, sent))
        return;
    judge->sender->tcp.keyless_reported = true;
    finding = iw_judge_report_key(judge, IW_REQ_RFC5044_7_1_1_01, IW_FIELD_COUNT, "Key of the first frame",
        "\"MPA ID Req Frame\"", sent->first);
    iw_judge_context(finding, sent->streaming_frame);
    iw_judge_context(finding, judge->peer->begin.startup_frame);
}

/* Reports a message without L=1. `whole`: only its L is wrong (RFC 5041 4.1); known only for a Terminate and
 * a message of fixed length. Otherwise, the sender should have completed the message before it closed the
 * connection (RFC 5041 6.2.1). */
IW_COLD static void close_report_open_message(
    struct iw_judge *judge, const char *subject, bool whole, uint64_t frame, int qn) {
    const struct iw_sequence *sequence = &judge->sender->sequence;
    const struct iw_queue *queue = iw_sequence_queue(sequence, (uint32_t)qn % IW_QN_COUNT);
    char actual[96] = "incomplete";

    if (qn == IW_QN_TAGGED)
        snprintf(actual, sizeof actual, "STag 0x%08" PRIx32 ", incomplete at TO 0x%016" PRIx64,
            sequence->tagged.stag.latest, sequence->tagged.to);
    else if (queue->known)
        snprintf(actual, sizeof actual,
            whole ? "MSN %" PRIu32 " with L=0" : "MSN %" PRIu32 ", incomplete at MO %" PRIu32, queue->msn,
            queue->mo);
    iw_judge_context(
        iw_judge_report(judge, whole ? IW_REQ_RFC5041_4_1_02 : IW_REQ_RFC5041_6_2_1_01, IW_FIELD_COUNT,
            subject, whole ? "a last segment with L=1" : "a complete message", "%s", actual),
        frame);
}

/* Whether octets after the Request were sent before the Reply came, too early for FPDUs (RFC 5044 7.1.2). */
static bool close_continues_before_reply(const struct iw_judge *judge) {
    const struct iw_startup_facts *sent = iw_mpa_startup(&judge->mpa, judge->sender->side);
    const struct iw_received *received = &sent->received_next;

    return iw_judge_startup(judge, judge->sender, IW_STARTUP_REQUEST) != NULL && sent->continued &&
           judge->sender->fpdus == 0 && !judge->sender->lost && judge->event.llp->pending.octets > 0 &&
           iw_rules_first_before_reply(judge, received, received->frame);
}

/* Reports octets before the Reply: an FPDU, or private data beyond PD_Length (RFC 5044 7.1.1). */
static void close_report_before_reply(struct iw_judge *judge) {
    const struct iw_llp_event *llp = judge->event.llp;
    uint16_t stated = judge->mpa.terms.frame[llp->side].header.pd_length;
    struct iw_finding *finding =
        llp->pending.fpdu ? iw_judge_report(judge, IW_REQ_RFC5044_7_1_2_11, IW_FIELD_COUNT,
                                "The initiator's first FPDU", "after the Reply", "before the Reply")
                          : iw_judge_report_value(judge, IW_REQ_RFC5044_7_1_1_15, IW_FIELD_COUNT, "PD_Length",
                                stated + (uint64_t)llp->pending.octets, stated);

    iw_judge_context(finding, judge->sender->begin.startup_frame);
    iw_judge_context(finding, iw_mpa_startup(&judge->mpa, llp->side)->received_next.frame);
}

static bool close_is_terminated(const struct iw_party *party) {
    return party->terminate.stage != IW_TERMINATE_STAGE_NONE || party->terminate.perhaps;
}

/* Whether a startup frame stays incomplete, and not because the peer has reset the connection. Fewer than 20
 * octets prove a startup frame only if the peer sent a startup frame, or MPA is `expected`. */
static bool close_is_unfinished_startup(const struct iw_judge *judge) {
    return !judge->peer->end.reset &&
           (judge->event.llp->pending.octets >= iw_mpa_startup_octets || judge->config.mpa.expected ||
               judge->mpa.terms.seen[judge->peer->side]);
}

static void close_unfinished(struct iw_judge *judge) {
    const struct iw_llp_event *llp = judge->event.llp;
    const struct iw_sequence *sequence = &judge->sender->sequence;
    int qn = close_find_open_message(sequence);

    if (llp->pending.startup) {
        if (close_is_unfinished_startup(judge))
            close_report_unfinished(judge, IW_REQ_RFC5044_7_1_1_15, "The startup frame before the FIN");
    } else if (llp->pending.octets > 0 && !llp->pending.marker) {
        close_report_unfinished_fpdu(judge);
    } else if (qn == IW_QN_TAGGED) {
        close_report_open_message(
            judge, "The last message before the FIN", false, sequence->tagged.first_frame, qn);
    } else if (qn >= 0) {
        close_report_open_message(judge, "The last message before the FIN", judge->sender->whole[qn],
            iw_sequence_queue(sequence, (uint32_t)qn)->first_frame, qn);
    }
}

/* Whether it is known where the last FPDU begins. After a hole, even inside an FPDU, it is unknown if a
 * startup frame is missing, because Markers may be in use; or if no FPDU can begin with these octets, because
 * they may be of another connection. */
static bool close_knows_the_place(const struct iw_judge *judge) {
    const struct iw_llp_event *llp = judge->event.llp;
    bool impossible = llp->pending.octets > 0 && !llp->pending.marker && !llp->pending.fpdu;

    if (!judge->mpa.terms.settled)
        return !judge->sender->lost && !judge->sender->tcp.gap;
    return !judge->sender->tcp.gap || !impossible;
}

/* A Marker is due at every 512th octet of the stream (RFC 5044 4.3). It may be sent before an FPDU exists to
 * contain it, so a Marker alone begins no FPDU. A side that has sent or received a Terminate may stop
 * anywhere (RFC 5040 6.2.1); missing octets may contain a Terminate. The end of an FPDU is unknown after a
 * wrong CRC. After a retransmission that differs, it is unknown which copy the later octets continue. */
void iw_rules_close(struct iw_judge *judge) {
    const struct iw_llp_event *llp = judge->event.llp;
    bool terminated =
        close_is_terminated(&judge->party[IW_SIDE_A]) || close_is_terminated(&judge->party[IW_SIDE_B]);

    close_judge_missing_key(judge);
    if (judge->defined && close_continues_before_reply(judge)) {
        close_report_before_reply(judge);
        if (!llp->pending.fpdu)
            return;
    }
    if (llp->unproven || !judge->defined) { /* it is unknown whether an FPDU had begun */
        if (!llp->pending.startup && llp->close != IW_LLP_CLOSE_INPUT)
            judge->counts.unjudged[IW_UNJUDGED_UNREAD] += llp->pending.octets;
        return;
    }
    if (llp->close == IW_LLP_CLOSE_GRACEFUL && judge->sender->terminate.stage == IW_TERMINATE_STAGE_OPEN &&
        llp->pending.octets == 0 && !judge->sender->crc_bad)
        close_report_open_message(judge, "The Terminate before the FIN",
            judge->sender->split != NULL && judge->sender->split->progress.headers,
            judge->sender->terminate.frame, IW_QN_TERMINATE);
    if (llp->close == IW_LLP_CLOSE_GRACEFUL && !terminated && !judge->sender->crc_bad &&
        !judge->sender->differing && !iw_judge_answers_missing(judge) && close_knows_the_place(judge))
        close_unfinished(judge);
}
