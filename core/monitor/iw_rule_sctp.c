#include "iw_rules.h"

#include <inttypes.h>
#include <stdio.h>

#include "iw_name.h"
#include "iw_plural.h"

/* Rules about DDP over SCTP: association, DATA chunks, DDP-SSNs, control messages (RFC 5043, RFC 6581 7). */

enum { PRIVATE_DATA_MAX = 512 };

/* ---- the association ---- */

static bool rule_sctp_is_for_ddp(const struct iw_sctp_setup *setup) {
    return setup->frame == 0 || (setup->cut && !setup->indicated) ||
           (setup->indicated && setup->indication == IW_SCTP_INDICATION);
}

static void rule_sctp_report_indication(struct iw_judge *judge, enum iw_requirement_id id,
    const char *subject, const struct iw_sctp_setup *setup) {
    struct iw_finding *finding = iw_judge_report(judge, id, IW_FIELD_COUNT, subject, "0x00000001",
        setup->indicated ? "0x%08" PRIx32 : "missing", setup->indication);

    iw_judge_context(finding, setup->frame);
}

/* Both numbers of streams should be equal (RFC 5043 8). But the INIT limits the outbound streams of the INIT
 * ACK (RFC 9260 5.1.1): a sender that uses all of them has no choice. */
static void rule_sctp_session_streams(
    struct iw_judge *judge, const struct iw_sctp_setup *own, const struct iw_sctp_setup *peer) {
    struct iw_finding *finding;
    char expected[32];

    if (own->frame == 0 || own->outbound == own->inbound ||
        (own->ack && (peer->frame == 0 || own->outbound >= peer->inbound)))
        return;
    snprintf(expected, sizeof expected, "%u outbound and inbound", own->inbound);
    finding = iw_judge_report(judge, IW_REQ_RFC5043_8_01, IW_FIELD_COUNT,
        own->ack ? "The number of streams in the INIT ACK" : "The number of streams in the INIT", expected,
        "%u outbound, %u inbound", own->outbound, own->inbound);
    iw_judge_context(finding, own->frame);
}

/* Only the first DDP chunk shows that the association is used for DDP. */
static void rule_sctp_session_association(struct iw_judge *judge, const struct iw_session_event *session) {
    const struct iw_sctp_setup *own = &session->association->setup[judge->event.llp->side];
    const struct iw_sctp_setup *peer = &session->association->setup[iw_side_other(judge->event.llp->side)];

    if (!rule_sctp_is_for_ddp(own))
        rule_sctp_report_indication(judge, IW_REQ_RFC5043_5_1_01,
            own->ack ? "The Adaptation Layer Indication of the INIT ACK"
                     : "The Adaptation Layer Indication of the INIT",
            own);
    if (!rule_sctp_is_for_ddp(peer))
        rule_sctp_report_indication(judge, IW_REQ_RFC5043_11_1_02,
            "The other side's Adaptation Layer Indication on an association with DDP", peer);
    rule_sctp_session_streams(judge, own, peer);
}

/* ---- DATA chunks ---- */

static void rule_sctp_sequence_number(struct iw_judge *judge, const struct iw_session_event *session) {
    enum iw_field_id field =
        judge->event.llp->kind == IW_LLP_CONTROL ? iw_field_sctp_control_ssn : iw_field_sctp_segment_ssn;
    bool missing = session->order == IW_SESSION_MISSING;

    if (missing || session->order == IW_SESSION_AGAIN)
        iw_judge_report_value(judge, missing ? IW_REQ_RFC5043_6_01 : IW_REQ_RFC5043_5_2_1_01, field,
            "DDP-SSN", session->ssn_expected, iw_field_get(&iw_fields[field], session->message->octets));
}

/* Whether the chunk was wrongly sent before a control message with an earlier DDP-SSN. Only a segment of the
 * passive side may be sent so early, before its Accept (RFC 5043 6.6). */
static bool rule_sctp_overtakes(const struct iw_llp_event *llp) {
    const struct iw_session *session = llp->session->session;

    return llp->session->overtaken_frame != 0 &&
           (llp->kind == IW_LLP_CONTROL || (session->active_known && session->active == llp->side));
}

static void rule_sctp_session_chunk(struct iw_judge *judge, const struct iw_session_event *session) {
    const struct iw_sctp_message *message = session->message;

    if (message->ordered)
        iw_judge_report_value(judge, IW_REQ_RFC5043_10_01, IW_FIELD_COUNT, "U of the DATA chunk", 1, 0);
    if (message->needless) {
        iw_judge_report(judge, IW_REQ_RFC5043_9_02, IW_FIELD_COUNT, "The number of DATA chunks",
            "one, because it fits into a packet", "several for %" PRIu32 " octet%s", message->length,
            iw_plural(message->length));
    }
    if (rule_sctp_overtakes(judge->event.llp)) {
        struct iw_finding *finding = iw_judge_report(judge, IW_REQ_RFC5043_6_6_01, IW_FIELD_COUNT,
            "The position of the chunk by its TSN", "after it", "before an earlier control message");

        iw_judge_context(finding, session->overtaken_frame);
    }
}

static bool rule_sctp_tsn_precedes(uint32_t tsn, uint32_t later) {
    return (int32_t)(later - tsn) > 0;
}

/* Stores only the first early chunk, and counts later chunks after the same control message: these repeat its
 * fault. A fragmented chunk, or a chunk after another control message, counts as a doubt. */
static void rule_sctp_session_note_early(struct iw_judge *judge, const struct iw_session_event *session) {
    struct iw_session_place *place = &judge->sender->sctp.place;
    uint32_t tsn = session->message->tsn;

    if (session->message->fragmented ||
        (place->early.frame != 0 && place->early.control_tsn != session->unacked_tsn)) {
        place->early_doubts++;
        return;
    }
    if (place->early.frame == 0) {
        place->early.frame = judge->event.llp->frame;
        place->early.control_frame = session->unacked_frame;
        place->early.tsn = place->early.last_tsn = tsn;
        place->early.control_tsn = session->unacked_tsn;
        place->early.chunks = 0;
    }
    place->early.chunks++;
    if (rule_sctp_tsn_precedes(place->early.last_tsn, tsn))
        place->early.last_tsn = tsn;
}

/* Finds a SACK that shows the chunk with TSN `chunk` as received and a chunk from `first` to `last` as
 * missing: the missing one was outstanding when `chunk` was sent. Returns NULL if there is no such SACK. */
static const struct iw_sctp_gap *rule_sctp_proof_of_early(const struct iw_sctp_state *association,
    enum iw_side side, uint32_t first, uint32_t last, uint32_t chunk) {
    for (unsigned i = 0; i < IW_SCTP_GAPS_MAX && i < association->gaps[side]; i++) {
        const struct iw_sctp_gap *gap = &association->gap[side][i];

        if (!rule_sctp_tsn_precedes(last, gap->missing) && rule_sctp_tsn_precedes(first, gap->from) &&
            !rule_sctp_tsn_precedes(chunk, gap->from) && !rule_sctp_tsn_precedes(gap->to, chunk))
            return gap;
    }
    return NULL;
}

/* A later SACK may prove that chunks before the Initiate were outstanding at that time (RFC 5043 6.6). */
static void rule_sctp_session_reuse(struct iw_judge *judge) {
    const struct iw_session_event *event = judge->event.llp->session;
    const struct iw_session *session = event->session;
    bool *reported = &judge->party[session->active].sctp.place.reuse_reported;
    const struct iw_sctp_gap *gap;
    struct iw_finding *finding;

    if (session->outstanding.frame == 0 || *reported)
        return;
    gap = rule_sctp_proof_of_early(event->association, session->active, session->outstanding.from,
        session->outstanding.to, session->initiate_tsn);
    if (gap == NULL)
        return;
    finding = iw_judge_report(judge, IW_REQ_RFC5043_6_6_01, IW_FIELD_COUNT,
        "The acknowledgement of the previous chunks on the DDP Stream",
        "received before the Initiate is sent",
        "missing: the receiver has the Initiate and lacks one of these chunks");
    iw_judge_charge(judge, finding, session->active);
    iw_judge_context(finding, session->outstanding.frame);
    iw_judge_context(finding, session->initiate_frame);
    iw_judge_context(finding, gap->frame);
    *reported = true;
}

/* A SACK after the chunk may prove that the chunk was sent too early. */
static void rule_sctp_session_early(struct iw_judge *judge) {
    const struct iw_session_event *session = judge->event.llp->session;

    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        struct iw_session_place *place = &judge->party[side].sctp.place;
        const struct iw_sctp_gap *gap =
            place->early.frame != 0
                ? rule_sctp_proof_of_early(session->association, side, place->early.control_tsn,
                      place->early.control_tsn, place->early.tsn)
                : NULL;
        struct iw_finding *finding;

        if (gap == NULL)
            continue;
        finding = iw_judge_report(judge, IW_REQ_RFC5043_6_6_01, IW_FIELD_COUNT,
            "The acknowledgement of an earlier control message", "received before the chunk is sent",
            "missing: the receiver has the chunk and lacks that message");
        iw_judge_charge(judge, finding, side);
        iw_judge_context(finding, place->early.control_frame);
        iw_judge_context(finding, place->early.frame);
        iw_judge_context(finding, gap->frame);
        place->early.frame = 0;
        /* only the first chunk is certainly in the gap's block */
        if (rule_sctp_tsn_precedes(gap->to, place->early.last_tsn))
            place->early_doubts += place->early.chunks - 1;
    }
}

/* ---- control messages ---- */

static void rule_sctp_session_private_data(struct iw_judge *judge, const struct iw_session_event *session) {
    uint32_t octets = session->message->length - iw_sctp_control_octets;
    uint16_t function = session->control.header.function;
    bool enhanced = function >= IW_SCTP_ENHANCED_INITIATE;

    if (function == IW_SCTP_TERMINATE && octets > 0)
        iw_judge_report_value(judge,
            session->session->enhanced ? IW_REQ_RFC6581_7_05 : IW_REQ_RFC5043_5_2_3_03, IW_FIELD_COUNT,
            "The number of private data octets in a session Terminate", 0, octets);
    else if (octets > PRIVATE_DATA_MAX)
        iw_judge_report_at_most(judge, enhanced ? IW_REQ_RFC6581_7_04 : IW_REQ_RFC5043_5_2_3_02,
            IW_FIELD_COUNT,
            enhanced ? "The number of octets of private data and enhanced data"
                     : "The number of octets of private data",
            PRIVATE_DATA_MAX, octets);
    if ((function == IW_SCTP_ENHANCED_INITIATE || function == IW_SCTP_ENHANCED_ACCEPT) &&
        octets < iw_mpa_enhanced_octets)
        iw_judge_report_at_least(judge, IW_REQ_RFC6581_7_03, IW_FIELD_COUNT,
            "The number of octets after the Function Code", iw_mpa_enhanced_octets, octets);
}

/* Reports a chunk that fits no legal sequence (RFC 5043 6.2 to 6.4, RFC 6581 7). */
static struct iw_finding *rule_sctp_report_illegal(struct iw_judge *judge,
    const struct iw_session_event *session, const char *subject, const char *expected) {
    struct iw_session_place *place = &judge->sender->sctp.place;
    bool control = judge->event.llp->kind == IW_LLP_CONTROL;
    struct iw_finding *finding = iw_judge_report(judge, IW_REQ_RFC5043_6_1_01,
        control ? iw_field_sctp_control_function : IW_FIELD_COUNT, subject, expected, "%s",
        control ? iw_value_name(IW_KIND_FUNCTION, session->control.header.function) : "a DDP Segment");

    iw_judge_context(finding, place->control_frame);
    iw_judge_context(finding, session->session->initiate_frame);
    return finding;
}

/* Reports a chunk after the end of its session. All such chunks of a side are one fault. */
static void rule_sctp_session_stray(struct iw_judge *judge, const struct iw_session_event *session) {
    struct iw_session_place *place = &judge->sender->sctp.place;
    bool refused = session->session->refused && judge->event.llp->side == session->session->active;
    struct iw_finding *finding = rule_sctp_report_illegal(judge, session,
        refused ? "What follows the rejection of a session" : "What follows the end of a session", "nothing");

    iw_judge_context(finding, session->session->answer_frame);
    iw_judge_because_of(finding, &place->stray);
    if (place->stray.number == 0)
        place->stray = iw_judge_finding_ref(finding);
}

/* Whether a message with this Function Code answers an Initiate. False for 0, the value with a segment. */
static bool rule_sctp_is_session_answer(uint16_t function, bool enhanced) {
    switch (function) {
    case IW_SCTP_ACCEPT:
        return !enhanced;
    case IW_SCTP_ENHANCED_ACCEPT:
    case IW_SCTP_ENHANCED_REJECT:
        return enhanced;
    case IW_SCTP_REJECT: /* also answers an Enhanced Initiate, for a reason other than its data */
    case IW_SCTP_TERMINATE:
        return true;
    default:
        return false;
    }
}

/* Whether the active side wrongly continues after the other side has refused the session (RFC 5043 6.3, 6.4).
 * If the refusal was a Terminate, a Terminate of the active side may cross it: no clause forbids that. */
static bool rule_sctp_goes_on_refused(const struct iw_judge *judge, const struct iw_session_event *session) {
    bool terminate = session->control.header.function == IW_SCTP_TERMINATE;

    return session->session->refused && judge->event.llp->side == session->session->active &&
           (!terminate || judge->mpa.terms.rejected);
}

/* Whether the message refuses the session after segments of the active side, perhaps sent before. By RFC 5043
 * 6.2 such segments wait for an Accept; by 6.6, only for the acknowledgement of the Initiate. */
static bool rule_sctp_comes_after_segments(
    const struct iw_judge *judge, const struct iw_session_event *session) {
    return judge->event.llp->kind == IW_LLP_CONTROL && session->session->refused &&
           judge->event.llp->frame == session->session->answer_frame &&
           judge->party[session->session->active].fpdus > 0;
}

static void rule_sctp_session_opening(struct iw_judge *judge, const struct iw_session_event *session) {
    const struct iw_session *own = session->session;
    uint16_t function = session->control.header.function;

    if (own->initiate_frame == 0)
        rule_sctp_report_illegal(judge, session, "The first chunk of a session", "an Initiate");
    else if (own->active != judge->event.llp->side && !rule_sctp_is_session_answer(function, own->enhanced))
        rule_sctp_report_illegal(judge, session, "The answer to an Initiate",
            own->enhanced ? "Enhanced Accept, Enhanced Reject, Reject or Terminate"
                          : "Accept, Reject or Terminate");
}

/* Reports that an accepted session has ended without a session Terminate. Only the answer to the next
 * Initiate proves that: earlier chunks of the passive side may be delayed. */
static void rule_sctp_session_unended(struct iw_judge *judge, const struct iw_session_before *before) {
    struct iw_finding *finding =
        iw_judge_report(judge, before->enhanced ? IW_REQ_RFC6581_7_09 : IW_REQ_RFC5043_6_2_01, IW_FIELD_COUNT,
            "The session Terminate of at least one side in the previous session", "present", "missing");

    iw_judge_context(finding, before->answer_frame);
}

/* Whether the chunk may belong to a session without captured Initiate: an answer with DDP-SSN 0, or a later
 * chunk after it, if no Initiate was captured or the side has sent something before. */
static bool rule_sctp_may_answer_unseen(struct iw_judge *judge, const struct iw_session_event *session) {
    struct iw_session_place *place = &judge->sender->sctp.place;
    uint16_t function = session->control.header.function;
    bool answers = session->control.header.ssn == 0 && (rule_sctp_is_session_answer(function, false) ||
                                                           rule_sctp_is_session_answer(function, true));

    place->unseen |= answers && place->stage != IW_SESSION_STAGE_BEFORE;
    return place->unseen ||
           (answers && place->stage == IW_SESSION_STAGE_BEFORE && session->session->initiate_frame == 0);
}

static bool rule_sctp_is_its_initiate(const struct iw_llp_event *llp) {
    const struct iw_session *session = llp->session->session;

    return llp->kind == IW_LLP_CONTROL && llp->side == session->active &&
           llp->session->control.header.ssn == 0 && llp->frame == session->initiate_frame;
}

/* Between its first and last control message, a side sends only segments; nothing follows the last one. */
static void rule_sctp_session_sequence(struct iw_judge *judge, const struct iw_session_event *session) {
    struct iw_session_place *place = &judge->sender->sctp.place;
    bool terminate = session->control.header.function == IW_SCTP_TERMINATE;

    if (rule_sctp_is_its_initiate(judge->event.llp) && place->stage != IW_SESSION_STAGE_AFTER)
        return; /* the Initiate may be captured after its answer */
    if (place->stage == IW_SESSION_STAGE_AFTER || rule_sctp_goes_on_refused(judge, session))
        rule_sctp_session_stray(judge, session);
    else if (place->stage == IW_SESSION_STAGE_BEFORE)
        rule_sctp_session_opening(judge, session);
    else if (judge->event.llp->kind == IW_LLP_CONTROL && !terminate)
        rule_sctp_report_illegal(
            judge, session, "A control message in a session", "DDP Stream Session Terminate");
}

/* The place of this side's messages in the session is unknown, so their sequence is not judged. Counts that
 * once for each side. Messages out of order are counted in iw_judge_session.c. */
static void rule_sctp_session_note_unplaced(struct iw_judge *judge, const struct iw_session_event *session) {
    struct iw_session_place *place = &judge->sender->sctp.place;

    if (session->order == IW_SESSION_IN_ORDER && !place->unplaced)
        judge->counts.unjudged[IW_UNJUDGED_SEQUENCE]++;
    place->unplaced = true;
}

static void rule_sctp_session_opens(struct iw_party *party) {
    if (party->sctp.place.stage == IW_SESSION_STAGE_BEFORE)
        party->sctp.place.stage = IW_SESSION_STAGE_WITHIN;
}

static void rule_sctp_note_sequence(struct iw_judge *judge, const struct iw_session_event *session) {
    struct iw_session_place *place = &judge->sender->sctp.place;
    uint16_t function = session->control.header.function;

    if (session->of_before)
        return;
    if (session->session->initiate_frame == 0) /* the Initiate is missing: the other side may have sent it */
        rule_sctp_session_opens(judge->peer);
    rule_sctp_session_opens(judge->sender);
    if (judge->event.llp->kind != IW_LLP_CONTROL)
        return;
    place->control_frame = judge->event.llp->frame;
    if (function == IW_SCTP_TERMINATE || function == IW_SCTP_REJECT || function == IW_SCTP_ENHANCED_REJECT)
        place->stage = IW_SESSION_STAGE_AFTER;
}

static void rule_sctp_without_header(struct iw_judge *judge, const struct iw_session_event *session) {
    if (session->message->captured < session->message->length)
        return;
    iw_judge_report(judge, IW_REQ_RFC5043_6_1_01, IW_FIELD_COUNT,
        judge->event.llp->kind == IW_LLP_CONTROL ? "A DDP Stream Session Control chunk"
                                                 : "A DDP Segment Chunk",
        judge->event.llp->kind == IW_LLP_CONTROL ? "a Function Code" : "a complete DDP header",
        "%" PRIu32 " octet%s", session->message->length, iw_plural(session->message->length));
}

/* An experimental code has a meaning only within the experiment (RFC 6580 3.5). */
static void rule_sctp_function_code(struct iw_judge *judge, const struct iw_session_event *session) {
    bool experimental = session->control.header.function == IW_SCTP_EXPERIMENTAL;

    iw_judge_report(judge, experimental ? IW_REQ_RFC6580_3_5_02 : IW_REQ_RFC5043_6_5_03,
        iw_field_sctp_control_function, "Function Code", "1 to 7", "%u%s", session->control.header.function,
        experimental ? ", reserved for experiments" : "");
}

IW_COLD void iw_rules_session(struct iw_judge *judge) {
    const struct iw_session_event *session = judge->event.llp->session;
    bool header =
        judge->event.llp->kind == IW_LLP_CONTROL ? session->whole_header : judge->event.segment != NULL;
    bool unproven = rule_sctp_may_answer_unseen(judge, session);
    uint16_t function = session->control.header.function;

    if (session->first)
        rule_sctp_session_association(judge, session);
    rule_sctp_session_chunk(judge, session);
    if (session->proves_open)
        rule_sctp_session_unended(judge, &session->session->before);
    if (!unproven)
        rule_sctp_sequence_number(judge, session);
    if (!header) {
        rule_sctp_without_header(judge, session);
        return;
    }
    if (judge->event.llp->kind == IW_LLP_CONTROL &&
        (function < IW_SCTP_INITIATE || function > IW_SCTP_ENHANCED_REJECT)) {
        rule_sctp_function_code(judge, session);
        return;
    }
    if (!unproven && session->certain)
        rule_sctp_session_sequence(judge, session);
    else
        rule_sctp_session_note_unplaced(judge, session);
    if (judge->event.llp->kind == IW_LLP_CONTROL) {
        rule_sctp_session_private_data(judge, session);
        if (!unproven)
            iw_rules_session_terms(judge);
    }
    if (session->unacked_frame != 0 && !rule_sctp_overtakes(judge->event.llp))
        rule_sctp_session_note_early(judge, session);
    if (rule_sctp_comes_after_segments(judge, session))
        judge->counts.unjudged[IW_UNJUDGED_SESSION]++;
    rule_sctp_note_sequence(judge, session);
    rule_sctp_session_early(judge);
    rule_sctp_session_reuse(judge);
}

void iw_rules_session_end(struct iw_judge *judge) {
    const struct iw_session *session = judge->event.llp->session->session;

    iw_rules_session_depth_end(judge);
    rule_sctp_session_early(judge);
    rule_sctp_session_reuse(judge);
    judge->counts.unjudged[IW_UNJUDGED_SESSION] +=
        session->outstanding.frame != 0 && !judge->party[session->active].sctp.place.reuse_reported;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        const struct iw_session_place *place = &judge->party[side].sctp.place;

        judge->counts.unjudged[IW_UNJUDGED_SESSION] +=
            (uint64_t)place->early_doubts + (place->early.frame != 0 ? place->early.chunks : 0);
    }
}
