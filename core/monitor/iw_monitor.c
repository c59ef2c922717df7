#include "iw_monitor.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "iw_judge.h"
#include "iw_name.h"

struct iw_monitor {
    struct iw_judge judge;
    iw_monitor_sink *sink;
    void *user;
};

static_assert(sizeof(struct iw_monitor) <= 5120,
    "a connection that waits takes at most 8 KiB in all, and what its tables hold comes to this");

const char *iw_role_name(enum iw_role role) {
    static const char *const names[] = {"unknown", "initiator", "responder"};

    return names[role];
}

static const struct {
    const char *key, *one, *many, *why;
} unjudged_names[] = {
    [IW_UNJUDGED_LOST] = {"lost", "octet not captured", "octets not captured",
        "TCP octets are missing: the capture lost packets"},
    [IW_UNJUDGED_CUT] = {"cut", "octet cut by the capture", "octets cut by the capture",
        "packets are shorter than on the wire (snaplen)"},
    [IW_UNJUDGED_STARTUP] = {"startup", "side whose startup frame was not captured",
        "sides whose startup frame was not captured",
        "the capture begins later: CRC and Markers are not known to be in use"},
    [IW_UNJUDGED_CRC] = {"crc", "FPDU whose CRC could not be checked", "FPDUs whose CRC could not be checked",
        "it is not known whether CRC is in use, or octets of them are missing"},
    [IW_UNJUDGED_UNREAD] = {"unread", "octet in which no FPDU could be found",
        "octets in which no FPDU could be found",
        "a gap, or a wrong CRC and a ULPDU_Length that leads nowhere, hides where FPDUs begin"},
    [IW_UNJUDGED_CHUNKS] = {"chunks", "DATA chunk not captured", "DATA chunks not captured",
        "SCTP chunks are missing: the capture lost packets, or ends before they came"},
    [IW_UNJUDGED_SEQUENCE] = {"sequence", "message whose place in the sequence is not known",
        "messages whose place in the sequence is not known",
        "MSN, or what is answered, cannot be followed across a gap"},
    [IW_UNJUDGED_LIMIT] = {"limit", "segment, STag or finding beyond what is remembered",
        "segments, STags and findings beyond what is remembered",
        "a connection has more holes in a message, invalidated STags or findings in an FPDU than are kept"},
};

const char *iw_unjudged_why(enum iw_unjudged reason) {
    return unjudged_names[reason].why;
}

const char *iw_unjudged_name(enum iw_unjudged reason, uint64_t count) {
    return count == 1 ? unjudged_names[reason].one : unjudged_names[reason].many;
}

const char *iw_unjudged_key(enum iw_unjudged reason) {
    return unjudged_names[reason].key;
}

static enum iw_role role_of(const struct iw_mpa_terms *terms, enum iw_side side) {
    if (!terms->initiator_known)
        return IW_ROLE_UNKNOWN;
    return terms->initiator == side ? IW_ROLE_INITIATOR : IW_ROLE_RESPONDER;
}

static uint8_t version_of(const struct iw_mpa_terms *terms) {
    return terms->settled && terms->frame[iw_side_other(terms->initiator)].header.rev == 0 ? 0 : 1;
}

/* Requests and answers cross: octets missing on one side leave a hole in what both sides' requests wait for.
 */
static void forget_sequence(struct iw_judge *judge, enum iw_side side) {
    iw_sequence_lost(&judge->party[side].sequence);
    iw_operations_lost(&judge->party[IW_SIDE_A].operations);
    iw_operations_lost(&judge->party[IW_SIDE_B].operations);
    judge->event.request = NULL; /* it was in one of them */
}

static void on_loss(struct iw_judge *judge, const struct iw_mpa_event *mpa) {
    uint64_t *unjudged = judge->counts.unjudged;

    forget_sequence(judge, mpa->side);
    judge->party[mpa->side].lost = true;
    judge->party[mpa->side].crc_bad = false;
    unjudged[mpa->cut ? IW_UNJUDGED_CUT : IW_UNJUDGED_LOST] += mpa->missing;
    unjudged[IW_UNJUDGED_UNREAD] += mpa->octets > mpa->missing ? mpa->octets - mpa->missing : 0;
}

/* What has hidden octets of the event that has just come from this side. */
static enum iw_unjudged hole_of(const struct iw_judge *judge, enum iw_side side) {
    return judge->party[side].gap_cut ? IW_UNJUDGED_CUT : IW_UNJUDGED_LOST;
}

static void count_fpdu(struct iw_judge *judge, const struct iw_mpa_event *mpa, bool first) {
    const struct iw_fpdu *fpdu = mpa->fpdu;
    uint64_t *unjudged = judge->counts.unjudged;

    judge->counts.fpdus[mpa->side]++;
    if (first && !judge->mpa.terms.seen[mpa->side])
        unjudged[IW_UNJUDGED_STARTUP]++;
    if (fpdu->crc == IW_CRC_NOT_CAPTURED)
        unjudged[hole_of(judge, mpa->side)] += fpdu->image_octets - fpdu->image_captured;
    if (fpdu->crc == IW_CRC_UNPROVEN ||
        (fpdu->crc == IW_CRC_NOT_CAPTURED && judge->mpa.terms.crc != IW_CRC_OFF))
        unjudged[IW_UNJUDGED_CRC]++;
}

static void count_segment(struct iw_judge *judge, enum iw_side side) {
    const struct iw_monitor_event *event = &judge->event;
    bool hidden = !event->segment->tagged && event->segment->qn < IW_QN_COUNT && !event->fact->sequence_known;

    hidden |= event->response != NULL && !event->response->known;
    judge->counts.payload_octets[side] += event->segment->payload_octets;
    judge->counts.messages[side] += event->segment->last;
    judge->counts.unjudged[IW_UNJUDGED_LIMIT] += event->fact->order_unknown;
    judge->counts.unjudged[IW_UNJUDGED_SEQUENCE] += hidden && event->mpa->fpdu->crc != IW_CRC_BAD;
}

/* The parts of an FPDU event beyond MPA. The storage is the caller's. */
struct parts {
    struct iw_segment segment;
    struct iw_segment_fact fact;
    struct iw_response_fact response;
    struct iw_terminate_message terminate;
    struct iw_stag_use stag_uses[IW_STAG_USES_MAX];
};

/* Which request this answers is not known. */
static void forget_request(struct iw_response_fact *response) {
    response->known = false;
    response->operation = NULL;
}

/* The side is read from its startup on. */
static bool requests_seen(const struct iw_judge *judge, enum iw_side side) {
    if (judge->event.session != NULL)
        return judge->event.session->session->from_start;
    return judge->mpa.terms.seen[side] && judge->mpa.half[side].phase == IW_HALF_FPDU;
}

static void follow_operations(struct iw_judge *judge, const struct iw_mpa_event *mpa, struct parts *parts) {
    struct iw_monitor_event *event = &judge->event;
    struct iw_operations *own = &judge->party[mpa->side].operations;
    struct iw_operations *peer = &judge->party[iw_side_other(mpa->side)].operations;

    event->request = iw_operations_request(own, &parts->segment, mpa->frame, mpa->time_ns);
    if (event->request != NULL)
        event->requests_waiting = iw_operations_waiting(own);
    if (iw_operations_response(peer, &parts->segment, mpa->frame, &parts->response)) {
        bool unseen = parts->response.operation == NULL && judge->party[mpa->side].answers_unseen;

        if (unseen || !requests_seen(judge, iw_side_other(mpa->side)))
            forget_request(&parts->response);
        event->response = &parts->response;
        event->requests_waiting = iw_operations_waiting(peer);
    }
}

/* Whether the header leaves no doubt where the segment belongs. With another DV its fields may be others
 * (RFC 5041 4.1), but not if they are just what was to come. With a T or QN that the opcode does not have
 * nobody can say which queue was meant, unless it goes on with an open message. */
static bool in_its_place(const struct iw_judge *judge, const struct parts *parts) {
    const struct iw_segment *segment = &parts->segment;
    const struct iw_segment_fact *fact = &parts->fact;
    bool expected = segment->tagged ? fact->same_message && fact->to_ok
                                    : fact->sequence_known && fact->msn_ok && fact->mo_ok;

    if (segment->rv == iw_judge_version(judge) && !iw_segment_opcode_fits(segment) && !fact->strayed)
        return false;
    return segment->dv == iw_judge_version(judge) || expected;
}

static void follow_stags(struct iw_judge *judge, const struct iw_mpa_event *mpa, struct parts *parts) {
    struct iw_stags *stags[2] = {&judge->party[IW_SIDE_A].stags, &judge->party[IW_SIDE_B].stags};
    const struct iw_segment *segment = &parts->segment;
    uint8_t version = iw_judge_version(judge);
    uint64_t doubtful = stags[IW_SIDE_A]->doubtful + stags[IW_SIDE_B]->doubtful;

    if (mpa->fpdu->crc == IW_CRC_BAD || segment->dv != version || segment->rv != version ||
        !iw_segment_opcode_fits(segment))
        return;
    judge->event.stag_use_count = iw_stags_segment(stags, mpa->side, segment, mpa->frame, parts->stag_uses);
    judge->event.stag_uses = parts->stag_uses;
    judge->counts.unjudged[IW_UNJUDGED_LIMIT] +=
        stags[IW_SIDE_A]->doubtful + stags[IW_SIDE_B]->doubtful - doubtful;
}

/* Wherever the segment belongs, it is neither a request nor an answer. */
static bool no_request(const struct iw_judge *judge, const struct iw_segment *segment) {
    uint8_t version = iw_judge_version(judge);

    return segment->dv == version && segment->rv == version && segment->op != NULL &&
           segment->op->answer == IW_RDMAP_OP_NONE && iw_opcode_answered(segment->opcode) == IW_RDMAP_OP_NONE;
}

/* Decodes the ULPDU and finds its place in queues, operations and STags. */
static bool follow(struct iw_judge *judge, const struct iw_mpa_event *mpa, struct parts *parts) {
    const struct iw_fpdu *fpdu = mpa->fpdu;
    struct iw_monitor_event *event = &judge->event;
    struct iw_segment *segment = &parts->segment;

    if (!iw_segment_decode(iw_fpdu_ulpdu(fpdu), iw_fpdu_ulpdu_captured(fpdu), fpdu->ulpdu_length,
            judge->config.extensions, segment))
        return false;
    iw_sequence_segment(&judge->party[mpa->side].sequence, segment, mpa->frame, &parts->fact);
    event->segment = segment;
    event->fact = &parts->fact;
    follow_operations(judge, mpa, parts);
    follow_stags(judge, mpa, parts);
    if (iw_segment_terminate(segment, judge->config.extensions, &parts->terminate))
        event->terminate = &parts->terminate;
    if (!in_its_place(judge, parts)) {
        parts->fact.sequence_known = false;
        forget_request(&parts->response);
        if (no_request(judge, segment))
            iw_sequence_lost(&judge->party[mpa->side].sequence);
        else
            forget_sequence(judge, mpa->side);
    }
    return true;
}

static bool is_terminate(const struct iw_judge *judge) {
    const struct iw_segment *segment = judge->event.segment;
    uint8_t version = iw_judge_version(judge);

    return segment->dv == version && segment->rv == version && segment->opcode == IW_RDMAP_OP_TERMINATE &&
           iw_segment_opcode_fits(segment);
}

static void judge_message(struct iw_judge *judge, const struct iw_mpa_event *mpa) {
    struct iw_party *party = &judge->party[mpa->side];

    if (!party->terminate_sent) {
        iw_rules_ddp(judge);
        iw_rules_rdmap(judge);
        iw_rules_operation(judge);
        iw_rules_stag(judge);
        if (judge->event.session == NULL)
            iw_rules_size(judge);
        if (judge->event.terminate != NULL && judge->event.session == NULL)
            iw_rules_llp(judge);
    }
    iw_rules_terminate(judge);
    iw_rules_reaction(judge);
    if (is_terminate(judge) && !party->terminate_sent) {
        party->terminate_sent = true;
        party->terminate_frame = mpa->frame;
    }
}

/* Whether there are Markers in what a side sends, the startup frame of the other side says. Where that is
 * missing, and the first octets are too, a CRC that does not match may tell of a Marker, and what follows may
 * be no FPDU. */
static bool framing_in_doubt(const struct iw_judge *judge, const struct iw_fpdu *fpdu) {
    return !judge->mpa.terms.seen[iw_side_other(fpdu->side)] && judge->party[fpdu->side].lost &&
           (fpdu->crc == IW_CRC_BAD || fpdu->crc == IW_CRC_UNPROVEN);
}

/* What an FPDU with a wrong CRC says nobody can know (RFC 5044 6): it is shown, but only its CRC and when it
 * was sent are judged, and it leaves a hole like a loss. So does one whose header the input does not hold. */
static void on_fpdu(struct iw_judge *judge, const struct iw_mpa_event *mpa, struct parts *parts) {
    const struct iw_fpdu *fpdu = mpa->fpdu;
    struct iw_party *party = &judge->party[mpa->side];
    bool first = party->fpdus++ == 0;
    bool bad = fpdu->crc == IW_CRC_BAD;
    bool readable;

    if (first && !judge->mpa.terms.seen[mpa->side]) {
        forget_sequence(judge, mpa->side);
        party->lost = true;
    }
    count_fpdu(judge, mpa, first);
    readable = follow(judge, mpa, parts);
    if (framing_in_doubt(judge, fpdu)) {
        judge->counts.unjudged[IW_UNJUDGED_UNREAD] += fpdu->wire_octets;
        party->crc_bad = true;
        forget_sequence(judge, mpa->side);
        return;
    }
    if (readable)
        count_segment(judge, mpa->side);
    iw_rules_marker(judge);
    iw_rules_crc(judge);
    iw_rules_fpdu(judge);
    party->crc_bad = bad;
    if (first)
        iw_rules_first_fpdu(judge);
    if (bad || (!readable && iw_fpdu_ulpdu_captured(fpdu) < fpdu->ulpdu_length))
        forget_sequence(judge, mpa->side);
    if (readable && !bad)
        judge_message(judge, mpa);
}

static void on_startup(struct iw_judge *judge, const struct iw_mpa_event *mpa) {
    judge->party[mpa->side].startup_frame = mpa->frame;
    if (mpa->startup_captured < mpa->octets)
        judge->counts.unjudged[hole_of(judge, mpa->side)] += mpa->octets - mpa->startup_captured;
    iw_rules_startup(judge);
}

static void judge_mpa_event(struct iw_judge *judge, const struct iw_mpa_event *mpa, struct parts *parts) {
    switch (mpa->kind) {
    case IW_MPA_STARTUP:
        on_startup(judge, mpa);
        break;
    case IW_MPA_FPDU:
        on_fpdu(judge, mpa, parts);
        break;
    case IW_MPA_LOSS:
        on_loss(judge, mpa);
        break;
    case IW_MPA_CLOSE:
        iw_rules_close(judge);
        iw_rules_teardown(judge);
        break;
    case IW_MPA_SESSION:
        break; /* comes by iw_monitor_session */
    }
}

/* ---- DDP over SCTP ---- */

/* What a startup frame says over TCP, a control message says over SCTP (RFC 6581 7). */
static void take_terms(struct iw_mpa_terms *terms, const struct iw_session_event *session) {
    const struct iw_sctp_session *control = &session->control;
    uint16_t function = control->header.function;
    enum iw_side side = session->side;
    bool initiate = function == IW_SCTP_INITIATE || function == IW_SCTP_ENHANCED_INITIATE;

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

/* A chunk out of its turn leaves a hole like a loss. */
static void on_turn(struct iw_judge *judge, const struct iw_session_event *session) {
    if (session->order == IW_SESSION_IN_ORDER)
        return;
    forget_sequence(judge, session->side);
    if (session->order == IW_SESSION_UNKNOWN)
        judge->counts.unjudged[IW_UNJUDGED_STARTUP]++;
    else if (session->order == IW_SESSION_LOST)
        judge->counts.unjudged[IW_UNJUDGED_CHUNKS] += session->missing;
}

static void on_segment(struct iw_judge *judge, const struct iw_mpa_event *mpa, struct parts *parts) {
    const struct iw_sctp_message *message = judge->event.session->message;
    bool readable = follow(judge, mpa, parts);

    judge->counts.fpdus[mpa->side]++;
    judge->party[mpa->side].fpdus++;
    judge->counts.unjudged[IW_UNJUDGED_CUT] += message->length - message->captured;
    if (readable) {
        count_segment(judge, mpa->side);
        judge_message(judge, mpa);
    } else if (message->captured < message->length) {
        forget_sequence(judge, mpa->side);
    }
}

static void judge_session_event(struct iw_judge *judge, const struct iw_mpa_event *mpa, struct parts *parts) {
    const struct iw_session_event *session = judge->event.session;

    if (session->kind == IW_SESSION_END) {
        iw_rules_session_end(judge);
        return;
    }
    on_turn(judge, session);
    if (session->kind == IW_SESSION_SEGMENT)
        on_segment(judge, mpa, parts);
    iw_rules_session(judge);
}

/* ---- events ---- */

static void judge_event(
    struct iw_monitor *monitor, const struct iw_mpa_event *mpa, const struct iw_session_event *session) {
    struct iw_judge *judge = &monitor->judge;
    struct iw_monitor_event *event = &judge->event;
    struct parts parts;

    memset(event, 0, sizeof *event);
    judge->finding_count = 0;
    event->mpa = mpa;
    event->session = session;
    event->role = role_of(&judge->mpa.terms, mpa->side);
    judge->version = version_of(&judge->mpa.terms);
    if (session == NULL)
        judge_mpa_event(judge, mpa, &parts);
    else
        judge_session_event(judge, mpa, &parts);

    for (size_t i = 0; i < judge->finding_count; i++)
        judge->counts.findings[iw_requirement_severity(judge->findings[i].requirement)]++;
    event->findings = judge->findings;
    event->finding_count = judge->finding_count;
    monitor->sink(monitor->user, event);
    if (judge->findings != NULL) {
        free(judge->findings);
        judge->findings = NULL;
    }
}

static void on_mpa_event(void *user, const struct iw_mpa_event *mpa) {
    judge_event(user, mpa, NULL);
}

struct iw_monitor *iw_monitor_new(const struct iw_monitor_config *config, iw_monitor_sink *sink, void *user) {
    struct iw_monitor *monitor = calloc(1, sizeof *monitor);

    if (monitor == NULL)
        return NULL;
    monitor->sink = sink;
    monitor->user = user;
    monitor->judge.config = *config;
    iw_mpa_init(&monitor->judge.mpa, &config->mpa, on_mpa_event, monitor);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        iw_sequence_init(&monitor->judge.party[side].sequence, true);
        iw_operations_init(&monitor->judge.party[side].operations, true);
        iw_stags_init(&monitor->judge.party[side].stags, config->stags ? config->stags : IW_STAG_MAX);
    }
    return monitor;
}

void iw_monitor_free(struct iw_monitor *monitor) {
    if (monitor == NULL)
        return;
    iw_mpa_dispose(&monitor->judge.mpa);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        iw_operations_dispose(&monitor->judge.party[side].operations);
        iw_stags_dispose(&monitor->judge.party[side].stags);
    }
    free(monitor);
}

/* A hole that hides where FPDUs begin is reported as a loss when reading goes on, but what it hides is
 * unknown from now on. */
void iw_monitor_feed(struct iw_monitor *monitor, const struct iw_chunk *chunk) {
    struct iw_judge *judge = &monitor->judge;

    if (chunk->kind == IW_CHUNK_GAP)
        judge->party[chunk->side].gap_cut = chunk->cut;
    if (chunk->kind == IW_CHUNK_START)
        judge->party[chunk->side].mss = chunk->mss;
    judge->party[chunk->side].answers_unseen = chunk->answers_unseen;
    iw_mpa_feed(&judge->mpa, chunk);
    if (chunk->kind == IW_CHUNK_GAP && judge->mpa.half[chunk->side].phase == IW_HALF_SEEK) {
        judge->party[chunk->side].lost = true;
        forget_sequence(judge, chunk->side);
    }
}

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

void iw_monitor_session(struct iw_monitor *monitor, const struct iw_session_event *session) {
    static const enum iw_mpa_event_kind kinds[] = {[IW_SESSION_CONTROL] = IW_MPA_SESSION,
        [IW_SESSION_SEGMENT] = IW_MPA_FPDU,
        [IW_SESSION_END] = IW_MPA_CLOSE};
    struct iw_mpa_event mpa = {.kind = kinds[session->kind],
        .side = session->side,
        .frame = session->frame,
        .first_frame = session->frame,
        .time_ns = session->time_ns};
    struct iw_fpdu fpdu;
    struct iw_span span;

    /* A DATA chunk does not say what its sender has received, as a TCP segment does. */
    monitor->judge.party[session->side].answers_unseen = true;
    if (session->kind == IW_SESSION_END) {
        mpa.close = session->end == IW_SESSION_END_INPUT   ? IW_MPA_CLOSE_INPUT
                    : session->end == IW_SESSION_END_ABORT ? IW_MPA_CLOSE_RST
                                                           : IW_MPA_CLOSE_FIN;
    } else {
        mpa.octets = session->message->length;
        mpa.first_frame = session->message->first_frame;
    }
    if (session->kind == IW_SESSION_SEGMENT) {
        frame_chunk(session->message, &span, &fpdu);
        mpa.fpdu = &fpdu;
    } else if (session->kind == IW_SESSION_CONTROL && session->whole_header) {
        take_terms(&monitor->judge.mpa.terms, session);
    }
    judge_event(monitor, &mpa, session);
}

void iw_monitor_finish(struct iw_monitor *monitor) {
    iw_mpa_finish(&monitor->judge.mpa);
}

bool iw_monitor_recognised(const struct iw_monitor *monitor) {
    return iw_mpa_recognised(&monitor->judge.mpa);
}

bool iw_monitor_hopeless(const struct iw_monitor *monitor) {
    return iw_mpa_hopeless(&monitor->judge.mpa);
}

const struct iw_mpa_terms *iw_monitor_terms(const struct iw_monitor *monitor) {
    return &monitor->judge.mpa.terms;
}

const struct iw_monitor_counts *iw_monitor_counts(const struct iw_monitor *monitor) {
    return &monitor->judge.counts;
}
