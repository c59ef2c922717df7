#include "iw_rules.h"

#include <inttypes.h>
#include <stdio.h>

#include "iw_plural.h"

/* Rules about the first FPDU of a side: when and what it may be (RFC 5044 7.1.2, RFC 6581 5, 9.2). */

/* A Read with an incomplete header counts as size 0: it was truncated, the rest of its header follows in
 * another segment, or another finding reports it. */
static bool first_is_zero_read(const struct iw_segment *segment) {
    struct iw_read_request read;

    if (segment->header_octets == 0)
        return true;
    iw_read_request_decode(segment->header, &read);
    return read.size == 0;
}

static bool first_is_rtr(const struct iw_segment *segment, unsigned types) {
    bool empty = segment->payload_octets == 0 && segment->last;

    if (segment->opcode == IW_RDMAP_OP_SEND)
        return (types & IW_RTR_SEND) && empty;
    if (segment->opcode == IW_RDMAP_OP_RDMA_WRITE)
        return (types & IW_RTR_WRITE) && empty;
    return segment->opcode == IW_RDMAP_OP_READ_REQUEST && (types & IW_RTR_READ) &&
           first_is_zero_read(segment);
}

/* Whether the side sent its next octets so soon after its startup frame that no complete Reply can have come
 * between. Without an exact acknowledgement number, this is not proven in the same segment, or if the startup
 * frame came later or in several segments: it may be retransmitted, or segments may be merged. */
static bool first_follows_at_once(const struct iw_judge *judge, const struct iw_received *received) {
    const struct iw_received *with_startup = &iw_mpa_startup(&judge->mpa, judge->sender->side)->received;
    const struct iw_party_begin *begin = &judge->sender->begin;

    if (received->known && received->exact)
        return received->up_to < iw_mpa_startup_octets;
    return received->known && with_startup->known && received->frame > begin->startup_frame &&
           begin->startup_first_frame == begin->startup_frame &&
           received->up_to < with_startup->up_to + iw_mpa_startup_octets;
}

/* Whether everything that the other side ever sent is captured and is not a complete Reply. A higher
 * acknowledgement number covers missing octets. Without a number, 20 octets of a Reply may be all of it. */
static bool first_is_without_reply(
    const struct iw_judge *judge, const struct iw_received *received, uint64_t frame) {
    const struct iw_mpa_kept kept = iw_mpa_kept(&judge->mpa, judge->peer->side);
    bool begun = kept.octets >= iw_mpa_startup_octets && frame >= kept.frame;

    if (!iw_mpa_without_startup(&judge->mpa, judge->peer->side))
        return false;
    if (!received->known)
        return !begun && !iw_judge_answers_missing(judge);
    return received->up_to <= kept.offset + kept.octets + iw_mpa_closed(&judge->mpa, judge->peer->side);
}

/* Whether the initiator sent its first FPDU before it had received the complete Reply. The acknowledgement
 * number of that FPDU shows it. A later acknowledgement number proves only what was not received. Without
 * both, the order of the capture decides; false if the Reply had begun or octets are missing. */
static bool first_is_before_whole_reply(
    const struct iw_judge *judge, const struct iw_received *received, uint64_t frame) {
    enum iw_side side = judge->sender->side;
    uint64_t end = iw_mpa_startup(&judge->mpa, judge->peer->side)->end;
    enum iw_sight sight = iw_judge_sight(received, end);

    if (sight != IW_SIGHT_UNKNOWN)
        return sight == IW_SIGHT_MISSING;
    if (judge->mpa.acked_known[side])
        return judge->mpa.acked[side] < end;
    return frame != 0 && frame < judge->peer->begin.startup_first_frame && !iw_judge_answers_missing(judge);
}

bool iw_rules_first_before_reply(
    const struct iw_judge *judge, const struct iw_received *received, uint64_t frame) {
    if (judge->mpa.terms.settled)
        return first_is_before_whole_reply(judge, received, frame);
    if (iw_mpa_startup_may_be_data(&judge->mpa, judge->sender->side))
        return false;
    return first_follows_at_once(judge, received) || first_is_without_reply(judge, received, frame);
}

IW_COLD static void first_before_reply(struct iw_judge *judge) {
    const struct iw_startup_facts *reply = iw_mpa_startup(&judge->mpa, judge->peer->side);
    const struct iw_received received = iw_judge_first_received(judge);
    uint64_t start = reply->received.offset;
    bool begun = received.known && received.up_to > start && received.up_to < reply->end;
    struct iw_finding *finding;

    if (!iw_rules_first_before_reply(judge, &received, judge->event.llp->frame))
        return;
    finding = iw_judge_report(judge, IW_REQ_RFC5044_7_1_2_11, IW_FIELD_COUNT, "The initiator's first FPDU",
        "after the Reply", begun ? "after %u of the Reply's %u octets" : "before the Reply",
        (unsigned)(received.up_to - start), (unsigned)(reply->end - start));
    iw_judge_context(finding, judge->peer->begin.startup_frame);
}

/* Describes the message in place of the RTR: "Send of 4 octets". */
IW_COLD static void first_text(char text[64], const struct iw_segment *segment) {
    struct iw_read_request read;

    if (segment->opcode == IW_RDMAP_OP_READ_REQUEST && segment->header_octets > 0) {
        iw_read_request_decode(segment->header, &read);
        snprintf(text, 64, "%s of %" PRIu32 " octet%s", segment->op->title, read.size, iw_plural(read.size));
    } else if (segment->op == NULL)
        snprintf(text, 64, "Opcode 0x%x", segment->opcode);
    else if (segment->header_octets > 0)
        snprintf(text, 64, "%s", segment->op->title);
    else
        snprintf(text, 64, "%s of %u octet%s%s", segment->op->title, segment->payload_octets,
            iw_plural(segment->payload_octets), segment->last ? "" : ", L=0");
}

IW_COLD static void first_report_rtr(
    struct iw_judge *judge, enum iw_requirement_id id, const char *expected) {
    const struct iw_monitor_event *event = &judge->event;
    struct iw_finding *finding;
    char actual[64];

    first_text(actual, event->segment);
    finding =
        iw_judge_report(judge, id, IW_FIELD_COUNT, "The initiator's first FPDU", expected, "%s", actual);
    iw_judge_context(finding, judge->sender->begin.startup_frame);
    iw_judge_context(finding, judge->peer->begin.startup_frame);
}

/* Whether the initiator can generate an RTR of a type in `common`, which both sides named. It cannot send a
 * Read if the IRD of the responder or its own ORD is 0: the responder may keep an IRD of 0 (RFC 6581 9.1). */
static bool first_can_generate(const struct iw_judge *judge, unsigned common) {
    uint32_t depth;

    return (common & (IW_RTR_SEND | IW_RTR_WRITE)) ||
           ((common & IW_RTR_READ) &&
               (!iw_mpa_depth(&judge->mpa.terms, judge->sender->side, &depth) || depth > 0));
}

/* Reports a Terminate for the lack of a common RTR type instead of an RTR of a type in `common`: the
 * initiator itself has named this type, so it supports it (RFC 6581 9.2). */
IW_COLD static void first_report_false_lack(struct iw_judge *judge, unsigned common) {
    char expected[96];
    struct iw_finding *finding;

    snprintf(expected, sizeof expected, "a %s, which both sides named", iw_startup_rtr_text(common));
    finding = iw_judge_report(judge, IW_REQ_RFC6581_9_2_09, iw_field_terminate_code,
        "The initiator's first message", expected, "a Terminate for the lack of a common RTR type");
    iw_judge_context(finding, judge->sender->begin.startup_frame);
    iw_judge_context(finding, judge->peer->begin.startup_frame);
}

/* A Terminate may replace the RTR, and must replace it if both sides named no common type. It then reports
 * the lack of a common type, too little IRD, or another error of the initiator (RFC 6581 9.1 to 9.3). */
static void first_judge_terminate_as_rtr(
    struct iw_judge *judge, const struct iw_terminate_message *message, unsigned common) {
    uint16_t error = iw_terminate_error(&message->control);
    char text[IW_ERROR_TEXT_OCTETS];

    if (common != 0) {
        if (error == IW_ERROR_MPA_NO_RTR && first_can_generate(judge, common))
            first_report_false_lack(judge, common);
        return;
    }
    if (judge->peer->fpdus > 0 || !iw_judge_all_seen(judge))
        return; /* the Terminate may report an FPDU of the responder, perhaps not captured */
    if (error == IW_ERROR_MPA_NO_RTR || error == IW_ERROR_MPA_INSUFFICIENT_IRD ||
        error == IW_ERROR_MPA_LOCAL_CATASTROPHIC)
        return;
    iw_error_text(error, text);
    iw_judge_report(judge, IW_REQ_RFC6581_9_2_11, iw_field_terminate_code,
        "The Terminate for the lack of a common RTR type", "2/0/07", "%s", text);
}

/* The clause that forbids this first FPDU, which is not an RTR of a type in `common`. An RTR of a type that
 * only the responder named proves that the initiator supports this type, so the Request had to name it. */
IW_COLD static enum iw_requirement_id first_rtr_clause(const struct iw_judge *judge, unsigned common) {
    unsigned taken = iw_startup_rtr(&judge->mpa.terms.frame[judge->peer->side].enhanced_data);

    if (first_is_rtr(judge->event.segment, taken))
        return IW_REQ_RFC6581_9_2_02;
    if (common == 0)
        return IW_REQ_RFC6581_9_2_10;
    return first_is_rtr(judge->event.segment, IW_RTR_SEND | IW_RTR_WRITE | IW_RTR_READ)
               ? IW_REQ_RFC6581_9_2_09
               : IW_REQ_RFC6581_5_01;
}

/* Whether the segment has only a part of its message, which does not show whether the message is an RTR: DDP
 * may split any message (RFC 5041 5.2). */
static bool first_is_part(const struct iw_segment *segment) {
    return segment->header_missing && !segment->last &&
           (segment->opcode == IW_RDMAP_OP_TERMINATE || segment->opcode == IW_RDMAP_OP_READ_REQUEST);
}

/* Judges a first FPDU that should be an RTR of a type in `common`, the types that both sides named. */
static void first_judge_rtr(struct iw_judge *judge, unsigned common) {
    char expected[96] = "a Terminate, because both sides named no common RTR type";

    judge->sender->begin.rtr_split = first_is_part(judge->event.segment);
    if (judge->event.segment->opcode == IW_RDMAP_OP_TERMINATE) {
        if (judge->event.terminate != NULL)
            first_judge_terminate_as_rtr(judge, judge->terminate->meant, common);
        return;
    }
    if (first_is_rtr(judge->event.segment, common))
        return;
    if (common != 0)
        snprintf(expected, sizeof expected, "a %s, which both sides named", iw_startup_rtr_text(common));
    first_report_rtr(judge, first_rtr_clause(judge, common), expected);
}

IW_COLD static void first_judge_split_read(struct iw_judge *judge, unsigned common) {
    uint32_t size = judge->event.request->request.header.read_request.size;
    struct iw_finding *finding;
    char expected[96];

    if (size == 0 || (common & IW_RTR_READ) == 0)
        return; /* the first segment was judged, too */
    snprintf(expected, sizeof expected, "a %s, which both sides named", iw_startup_rtr_text(common));
    finding = iw_judge_report(judge, IW_REQ_RFC6581_5_01, IW_FIELD_COUNT, "The initiator's first message",
        expected, "an RDMA Read Request of %" PRIu32 " octet%s", size, iw_plural(size));
    iw_judge_context(finding, judge->event.fact->message_frame);
    iw_judge_context(finding, judge->sender->begin.startup_frame);
    iw_judge_context(finding, judge->peer->begin.startup_frame);
}

/* The rest of the first message has MSN 1, and MO above 0. */
void iw_rules_first_rtr_rest(struct iw_judge *judge) {
    struct iw_party_begin *begin = &judge->sender->begin;
    const struct iw_segment *segment = judge->event.segment;
    unsigned common;

    if (!begin->rtr_split || segment->mo == 0 || segment->msn != 1 ||
        !iw_judge_header_is_right(judge, segment))
        return;
    if (judge->sender->lost || judge->sender->hidden || !iw_mpa_peer_to_peer(&judge->mpa.terms, &common)) {
        begin->rtr_split = false; /* the rest may be missing */
    } else if (segment->opcode == IW_RDMAP_OP_READ_REQUEST && judge->event.request != NULL) {
        begin->rtr_split = false;
        first_judge_split_read(judge, common);
    } else if (segment->opcode == IW_RDMAP_OP_TERMINATE && judge->terminate != NULL) {
        begin->rtr_split = false;
        first_judge_terminate_as_rtr(judge, judge->terminate->meant, common);
    }
}

/* Reports an FPDU after a startup that failed: the other side's frame is a Request or has an invalid Key. */
static void first_after_invalid_frame(struct iw_judge *judge) {
    const struct iw_llp_event *llp = judge->event.llp;
    uint64_t answer = judge->peer->begin.startup_frame;
    bool requests = iw_judge_startup(judge, judge->peer, IW_STARTUP_REQUEST) != NULL;
    const struct iw_received received = iw_judge_first_received(judge);
    enum iw_sight sight = iw_judge_sight(&received, iw_mpa_startup(&judge->mpa, judge->peer->side)->end);
    struct iw_finding *finding;

    if (answer == 0 || sight == IW_SIGHT_MISSING || (sight == IW_SIGHT_UNKNOWN && llp->frame <= answer) ||
        (judge->mpa.terms.seen[judge->peer->side] && !requests))
        return;
    finding = iw_judge_report(judge, requests ? IW_REQ_RFC5044_7_1_2_20 : IW_REQ_RFC5044_7_1_1_04,
        IW_FIELD_COUNT, "What follows a Request that was not answered by a Reply", "nothing", "an FPDU");
    iw_judge_context(finding, answer);
}

static void first_without_reply(struct iw_judge *judge) {
    const struct iw_received received = iw_judge_first_received(judge);
    uint64_t begun = iw_mpa_kept(&judge->mpa, judge->peer->side).frame;
    struct iw_finding *finding;

    if (!iw_rules_first_before_reply(judge, &received, judge->event.llp->frame))
        return;
    finding = iw_judge_report(judge, IW_REQ_RFC5044_7_1_2_11, IW_FIELD_COUNT, "The initiator's first FPDU",
        "after the Reply", "%s", begun != 0 ? "before the Reply is complete" : "before any Reply");
    iw_judge_context(finding, begun);
}

static void first_of_initiator(struct iw_judge *judge) {
    const struct iw_mpa_terms *terms = &judge->mpa.terms;
    const struct iw_monitor_event *event = &judge->event;
    unsigned common;

    first_before_reply(judge);
    if (judge->sender->lost || event->llp->damaged)
        return; /* a different FPDU may be the first one, or its octets may be wrong */
    /* With a wrong version, T or QN, the intended message is unknown; another finding reports that. */
    if (event->segment != NULL && iw_judge_header_is_right(judge, event->segment) &&
        iw_mpa_peer_to_peer(terms, &common))
        first_judge_rtr(judge, common);
}

/* Whether the FPDU is a Terminate that may report the failure of an enhanced startup. Either side may send
 * it, before it resets the connection (RFC 6581 9.3). */
static bool first_reports_failure(const struct iw_judge *judge) {
    const struct iw_mpa_terms *terms = &judge->mpa.terms;
    const struct iw_terminate_message *terminate = judge->event.terminate;
    const struct iw_segment *segment = judge->event.segment;
    bool split = segment != NULL && segment->opcode == IW_RDMAP_OP_TERMINATE && segment->header_missing &&
                 !segment->last; /* its error is in a later segment */

    return terms->frame[IW_SIDE_A].enhanced && terms->frame[IW_SIDE_B].enhanced &&
           (split || (terminate != NULL &&
                         iw_terminate_error(&terminate->control) == IW_ERROR_MPA_LOCAL_CATASTROPHIC));
}

/* Whether the responder sent its first FPDU before it had received an FPDU of the initiator. Without an
 * acknowledgement as proof, this requires a capture of everything that the initiator sent. */
static bool first_is_before_any_fpdu(const struct iw_judge *judge) {
    const struct iw_party *initiator = judge->peer;
    enum iw_side other = initiator->side;
    const struct iw_startup_facts *request = iw_mpa_startup(&judge->mpa, other);
    const struct iw_received received = iw_judge_first_received(judge);

    if (iw_judge_sight(&received, request->end + 1) == IW_SIGHT_MISSING)
        return request->read;
    if (initiator->fpdus == 0 && !initiator->lost && request->read &&
        iw_judge_sight(&received, iw_mpa_begun_fpdu_end(&judge->mpa, other)) == IW_SIGHT_MISSING)
        return true;
    if (initiator->fpdus > 0)
        return initiator->begin.fpdu_end != 0 &&
               iw_judge_sight(&received, initiator->begin.fpdu_end) == IW_SIGHT_MISSING;
    return !initiator->lost && !iw_judge_answers_missing(judge) && iw_mpa_reads(&judge->mpa, other) &&
           !iw_mpa_within_fpdu(&judge->mpa, other);
}

void iw_rules_first_fpdu(struct iw_judge *judge) {
    const struct iw_monitor_event *event = &judge->event;
    struct iw_finding *finding;

    if (!judge->mpa.terms.settled) {
        if (iw_judge_startup(judge, judge->sender, IW_STARTUP_REQUEST) == NULL ||
            event->llp->fpdu->crc != IW_CRC_GOOD)
            return;
        first_after_invalid_frame(judge);
        first_without_reply(judge);
        return;
    }
    if (event->role == IW_ROLE_INITIATOR) {
        first_of_initiator(judge);
        return;
    }
    if (event->role != IW_ROLE_RESPONDER || first_reports_failure(judge) || !first_is_before_any_fpdu(judge))
        return;
    finding = iw_judge_report(judge, IW_REQ_RFC5044_7_1_2_15, IW_FIELD_COUNT, "The responder's first FPDU",
        "after the initiator's first FPDU", "before any FPDU of the initiator");
    iw_judge_context(finding, judge->sender->begin.startup_frame);
}
