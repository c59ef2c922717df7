#include "iw_monitor.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "iw_judge_segment.h"

struct iw_monitor {
    struct iw_judge judge;
    iw_monitor_sink *sink;
    void *user;
};

static_assert(sizeof(struct iw_monitor) <= 5504,
    "an idle connection takes at most 8 KiB, including the contents of its tables");

IW_COLD static void monitor_on_loss(struct iw_judge *judge, const struct iw_llp_event *llp) {
    const struct iw_mpa_loss *loss = &llp->loss;
    uint64_t *unjudged = judge->counts.unjudged;

    if (judge->defined)
        iw_rules_skipped(judge);
    if (loss->private_data)
        return; /* private data certainly contain no FPDU */
    iw_judge_forget(judge, llp->side);
    judge->sender->lost = true;
    judge->sender->crc_bad = false;
    judge->sender->tcp.marker.placed = false;
    unjudged[loss->cut ? IW_UNJUDGED_CUT : IW_UNJUDGED_LOST] += loss->missing - loss->limited;
    unjudged[IW_UNJUDGED_GIVEN_UP] += loss->given_up; /* `limited` octets are counted elsewhere, at the gap */
    unjudged[loss->streaming ? IW_UNJUDGED_STREAMING : IW_UNJUDGED_UNREAD] +=
        llp->octets > loss->missing + loss->given_up ? llp->octets - loss->missing - loss->given_up : 0;
}

/* Counts octets of the event that the capture lacks. If given up at a limit, they were counted at the gap. */
static void monitor_count_hidden(struct iw_judge *judge, enum iw_side side, uint64_t octets) {
    if (judge->party[side].tcp.hole != IW_UNJUDGED_GIVEN_UP)
        judge->counts.unjudged[judge->party[side].tcp.hole] += octets;
}

/* Counts each side without FPDUs that may have sent a startup frame that was not read (RFC 5044 7.1). */
static void monitor_count_missing_startup(struct iw_judge *judge) {
    const struct iw_mpa *mpa = &judge->mpa;

    if (!iw_mpa_recognised(mpa))
        return;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        if (!iw_mpa_startup(mpa, side)->read && judge->party[side].fpdus == 0 && !iw_mpa_unstarted(mpa, side))
            judge->counts.unjudged[IW_UNJUDGED_STARTUP]++;
}

IW_COLD static void monitor_note_gap(struct iw_judge *judge, const struct iw_chunk *chunk) {
    judge->party[chunk->side].tcp.gap = true;
    judge->party[chunk->side].tcp.hole = chunk->cut       ? IW_UNJUDGED_CUT
                                         : chunk->limited ? IW_UNJUDGED_GIVEN_UP
                                                          : IW_UNJUDGED_LOST;
    judge->counts.unjudged[IW_UNJUDGED_GIVEN_UP] += chunk->limited ? chunk->length : 0;
}

static void monitor_count_fpdu(struct iw_judge *judge, const struct iw_llp_event *llp, bool first) {
    const struct iw_fpdu *fpdu = llp->fpdu;
    uint64_t *unjudged = judge->counts.unjudged;

    judge->counts.fpdus[llp->side]++;
    if (first && !judge->mpa.terms.seen[llp->side])
        unjudged[IW_UNJUDGED_STARTUP]++;
    if (fpdu->crc == IW_CRC_NOT_CAPTURED)
        monitor_count_hidden(judge, llp->side, fpdu->image_octets - fpdu->image_captured);
    if (fpdu->crc == IW_CRC_UNPROVEN ||
        (fpdu->crc == IW_CRC_NOT_CAPTURED && judge->mpa.terms.crc != IW_CRC_OFF))
        unjudged[IW_UNJUDGED_CRC]++;
}

/* The contents of an FPDU with a wrong CRC are unknown (RFC 5044 6), also if the use of CRCs is unknown: the
 * FPDU is shown, but only its CRC, unexpected Markers and the time of sending are judged. It leaves a hole
 * like a loss. So does an FPDU with an incomplete DDP header: only its fields of MPA are judged. */
static void monitor_on_fpdu(
    struct iw_judge *judge, const struct iw_llp_event *llp, struct iw_judge_parts *parts) {
    bool first = judge->sender->fpdus++ == 0;
    bool readable;

    if (first && !judge->mpa.terms.seen[llp->side]) {
        iw_judge_forget(judge, llp->side);
        judge->sender->lost = true;
    }
    monitor_count_fpdu(judge, llp, first);
    if ((llp->unproven || !judge->defined || (judge->sender->lost && iw_judge_disproves(judge, llp))) &&
        iw_judge_unproven(judge, llp, parts))
        return;
    readable = iw_judge_follow(judge, llp, parts);
    /* Without the other side's startup frame, a wrong CRC may be due to a Marker. */
    if (llp->damaged && judge->sender->lost && !judge->mpa.terms.seen[judge->peer->side]) {
        judge->counts.unjudged[IW_UNJUDGED_UNREAD] += llp->octets;
        judge->sender->crc_bad = true;
        judge->sender->hidden = true;
        iw_judge_forget(judge, llp->side);
        return;
    }
    if (readable)
        iw_judge_count_segment(judge, llp->side);
    iw_rules_marker(judge);
    iw_rules_crc(judge);
    iw_rules_fpdu(judge);
    judge->sender->crc_bad = llp->damaged;
    if (first && llp->offset == iw_mpa_startup(&judge->mpa, llp->side)->received_next.offset)
        judge->sender->begin.fpdu_end = llp->offset + llp->octets;
    if (first)
        iw_rules_first_fpdu(judge);
    if (llp->damaged || !readable) {
        judge->sender->hidden = true;
        iw_judge_forget(judge, llp->side);
    }
    if (judge->sender->fpdus <= IW_HEADER_LOG_MAX + 1 && readable && !llp->damaged)
        iw_judge_log_header(judge, llp);
    if (readable && !llp->damaged)
        iw_judge_segment(judge, llp, parts);
}

/* DV and RV may be 0 only with a Reply of Rev 0, or if the capture lacks the Reply (RFC 5044 C). */
IW_COLD static void monitor_on_startup(struct iw_judge *judge, const struct iw_llp_event *llp) {
    const struct iw_mpa_terms *terms = &judge->mpa.terms;

    judge->sender->begin.startup_first_frame = llp->first_frame;
    judge->sender->begin.startup_frame = llp->frame;
    if (llp->image_captured < llp->octets) {
        /* The end of the startup frame was not captured. */
        judge->sender->begin.startup_frame = llp->first_frame;
        monitor_count_hidden(judge, llp->side, llp->octets - llp->image_captured);
    }
    judge->version_settled = terms->settled && terms->frame[iw_side_other(terms->initiator)].header.rev != 0;
    judge->defined = iw_mpa_is_defined(terms);
    iw_rules_startup(judge);
}

/* Only a FIN proves that the rest of an FPDU will not come (RFC 5044 4.1); the rules judge that case. */
IW_COLD static void monitor_count_unfinished(struct iw_judge *judge, const struct iw_llp_event *llp) {
    if (llp->pending.startup)
        return;
    monitor_count_hidden(judge, llp->side, llp->pending.missing);
    if (llp->close == IW_LLP_CLOSE_INPUT)
        judge->counts.unjudged[IW_UNJUDGED_UNFINISHED] += llp->pending.octets - llp->pending.missing;
}

static enum iw_unanswered_end monitor_unanswered_end(const struct iw_judge *judge, enum iw_side responder) {
    const struct iw_party *party = judge->party;

    if (party[IW_SIDE_A].terminate.stage != IW_TERMINATE_STAGE_NONE ||
        party[IW_SIDE_B].terminate.stage != IW_TERMINATE_STAGE_NONE)
        return IW_UNANSWERED_TERMINATE;
    if (party[IW_SIDE_A].end.reset || party[IW_SIDE_B].end.reset)
        return IW_UNANSWERED_RESET;
    return party[responder].end.orderly ? IW_UNANSWERED_CLOSED : IW_UNANSWERED_INPUT;
}

/* Whether the responder has certainly sent no FPDU, so no response. */
static bool monitor_is_without_fpdus(const struct iw_judge *judge, enum iw_side responder) {
    return judge->mpa.terms.seen[responder] && judge->party[responder].fpdus == 0 &&
           !judge->party[responder].lost && iw_mpa_reads(&judge->mpa, responder) &&
           !iw_mpa_within_fpdu(&judge->mpa, responder) &&
           !judge->mpa.acknowledges_missing[iw_side_other(responder)];
}

static void monitor_count_unanswered(
    const struct iw_judge *judge, enum iw_side requester, struct iw_unanswered *unanswered) {
    const struct iw_operations *operations = &judge->party[requester].operations;
    enum iw_side responder = iw_side_other(requester);
    bool captured = judge->party[responder].fpdus > 0 || judge->mpa.terms.seen[responder];

    if (monitor_is_without_fpdus(judge, responder))
        iw_operations_without_response(operations, unanswered);
    else
        iw_operations_unanswered(
            operations, !captured || iw_mpa_unframed(&judge->mpa, responder), unanswered);
    unanswered->end = monitor_unanswered_end(judge, responder);
}

/* Reports the requests that the closing side has not answered. A session ends for both sides at once. */
IW_COLD static void monitor_note_close(
    struct iw_judge *judge, const struct iw_llp_event *llp, struct iw_unanswered unanswered[2]) {
    const struct iw_session_event *session = llp->session;
    bool terminated = session != NULL && session->session->state == IW_SESSION_TERMINATED;

    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        struct iw_party *responder = &judge->party[side];
        enum iw_side requester = iw_side_other(side);

        if (session == NULL && side != llp->side)
            continue;
        responder->end.reset |= llp->close == IW_LLP_CLOSE_ABORTIVE;
        responder->end.orderly |= llp->close == IW_LLP_CLOSE_GRACEFUL || terminated;
        responder->end.captured |= llp->close != IW_LLP_CLOSE_INPUT;
        monitor_count_unanswered(judge, requester, &unanswered[requester]);
        if (unanswered[requester].count > 0)
            judge->event.unanswered[requester] = &unanswered[requester];
    }
}

static void monitor_judge_mpa_event(
    struct iw_judge *judge, const struct iw_llp_event *llp, struct iw_judge_parts *parts) {
    switch (llp->kind) {
    case IW_LLP_STARTUP:
        monitor_on_startup(judge, llp);
        break;
    case IW_LLP_SEGMENT:
        monitor_on_fpdu(judge, llp, parts);
        break;
    case IW_LLP_LOSS:
        monitor_on_loss(judge, llp);
        break;
    case IW_LLP_CLOSE:
        monitor_count_unfinished(judge, llp);
        iw_rules_close(judge);
        iw_rules_teardown(judge);
        break;
    case IW_LLP_CONTROL:
        break; /* iw_monitor_session handles it */
    }
}

IW_HOT static void monitor_judge_event(void *user, const struct iw_llp_event *llp) {
    struct iw_monitor *monitor = user;
    struct iw_judge *judge = &monitor->judge;
    struct iw_monitor_event *event = &judge->event;
    struct iw_judge_parts parts;
    struct iw_unanswered unanswered[2];

    memset(event, 0, sizeof *event);
    judge->finding_count = 0;
    event->llp = llp;
    judge->sender = &judge->party[llp->side];
    judge->peer = &judge->party[iw_side_other(llp->side)];
    event->role = iw_role_of(&judge->mpa.terms, llp->side);
    judge->version = 1;
    if (llp->session == NULL)
        monitor_judge_mpa_event(judge, llp, &parts);
    else
        iw_judge_session(judge, llp, &parts);
    if (llp->kind == IW_LLP_CLOSE)
        monitor_note_close(judge, llp, unanswered);

    for (size_t i = 0; i < judge->finding_count; i++)
        judge->counts.findings[iw_requirement_severity(judge->findings[i].requirement)]++;
    event->findings = judge->findings;
    event->finding_count = judge->finding_count;
    monitor->sink(monitor->user, event);
    if (judge->findings != NULL) { /* nearly never: then the call of free() costs a cache line of code */
        free(judge->findings);
        judge->findings = NULL;
    }
}

struct iw_monitor *iw_monitor_new(const struct iw_monitor_config *config, iw_monitor_sink *sink, void *user) {
    struct iw_monitor *monitor = calloc(1, sizeof *monitor);

    if (monitor == NULL)
        return NULL;
    monitor->sink = sink;
    monitor->user = user;
    monitor->judge.config = *config;
    monitor->judge.defined = true;
    iw_mpa_init(&monitor->judge.mpa, &config->mpa, monitor_judge_event, monitor);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        struct iw_party *party = &monitor->judge.party[side];

        party->side = side;
        iw_sequence_init(&party->sequence);
        iw_operations_init(&party->operations);
        iw_stags_init(&party->stags, config->stags ? config->stags : IW_STAG_MAX);
    }
    return monitor;
}

void iw_monitor_free(struct iw_monitor *monitor) {
    if (monitor == NULL)
        return;
    iw_mpa_dispose(&monitor->judge.mpa);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        struct iw_party *party = &monitor->judge.party[side];

        free(party->headers);
        iw_sequence_dispose(&party->sequence);
        iw_operations_dispose(&party->operations);
        iw_in_flight_free(party->in_flight);
        iw_stags_dispose(&party->stags);
        free(party->split);
        free(party->trouble);
    }
    free(monitor);
}

/* A RST ahead of the captured octets comes directly after OUTSIDE, or after a GAP if they were acknowledged.
 */
static void monitor_note_end(struct iw_judge *judge, const struct iw_chunk *chunk) {
    if (chunk->kind != IW_CHUNK_RST)
        judge->party[chunk->side].end.hidden =
            chunk->kind == IW_CHUNK_OUTSIDE || (chunk->kind == IW_CHUNK_GAP && !chunk->cut);
}

/* If a gap hides FPDUs, the side is unknown now, although LOSS comes only when reading continues. */
IW_HOT void iw_monitor_feed(struct iw_monitor *monitor, const struct iw_chunk *chunk) {
    struct iw_judge *judge = &monitor->judge;

    if (chunk->kind == IW_CHUNK_GAP)
        monitor_note_gap(judge, chunk);
    if (chunk->kind == IW_CHUNK_OUTSIDE)
        judge->counts.unjudged[IW_UNJUDGED_OUTSIDE] += chunk->length;
    if (chunk->kind == IW_CHUNK_DIFFERING) {
        judge->counts.unjudged[IW_UNJUDGED_DIFFERING] += chunk->length;
        judge->party[chunk->side].differing = true;
    }
    if (chunk->kind == IW_CHUNK_START)
        judge->party[chunk->side].mss = chunk->mss;
    monitor_note_end(judge, chunk);
    iw_mpa_feed(&judge->mpa, chunk);
    if (chunk->kind == IW_CHUNK_GAP && iw_mpa_searches(&judge->mpa, chunk->side)) {
        judge->party[chunk->side].lost = true;
        iw_judge_note_before_gap(judge, chunk->side);
        iw_judge_forget(judge, chunk->side);
    }
}

void iw_monitor_set_sink(struct iw_monitor *monitor, iw_monitor_sink *sink, void *user) {
    monitor->sink = sink;
    monitor->user = user;
}

size_t iw_monitor_memory(const struct iw_monitor *monitor, enum iw_side side) {
    return iw_mpa_memory(&monitor->judge.mpa, side);
}

void iw_monitor_end_reading(struct iw_monitor *monitor, enum iw_side side) {
    iw_mpa_end_reading(&monitor->judge.mpa, side);
}

void iw_monitor_session(struct iw_monitor *monitor, const struct iw_llp_event *llp) {
    /* In struct iw_party, TCP and SCTP share memory in a union: a monitor gets only one of the two. */
    assert(iw_mpa_reached(&monitor->judge.mpa, llp->side) == 0);
    /* A DATA chunk shows what its sender has received only with a SACK in the same packet. */
    monitor->judge.mpa.acknowledges_missing[llp->side] = !iw_judge_session_heard(llp);
    monitor->judge.version_settled = true;
    iw_judge_session_terms(&monitor->judge.mpa.terms, llp);
    monitor_judge_event(monitor, llp);
}

void iw_monitor_finish(struct iw_monitor *monitor) {
    iw_mpa_finish(&monitor->judge.mpa);
    monitor_count_missing_startup(&monitor->judge);
}

bool iw_monitor_recognised(const struct iw_monitor *monitor) {
    return iw_mpa_recognised(&monitor->judge.mpa);
}

uint64_t iw_monitor_received_at_most(const struct iw_monitor *monitor) {
    return iw_judge_received_at_most(&monitor->judge);
}

bool iw_monitor_over(const struct iw_monitor *monitor) {
    const struct iw_party *party = monitor->judge.party;

    return (party[IW_SIDE_A].end.captured && party[IW_SIDE_B].end.captured) || party[IW_SIDE_A].end.reset ||
           party[IW_SIDE_B].end.reset;
}

bool iw_monitor_hopeless(const struct iw_monitor *monitor) {
    return iw_mpa_abandoned(&monitor->judge.mpa);
}

bool iw_monitor_failed(const struct iw_monitor *monitor) {
    return iw_mpa_failed(&monitor->judge.mpa) || monitor->judge.findings_lost;
}

const struct iw_mpa_terms *iw_monitor_terms(const struct iw_monitor *monitor) {
    return &monitor->judge.mpa.terms;
}

const struct iw_monitor_counts *iw_monitor_counts(const struct iw_monitor *monitor) {
    return &monitor->judge.counts;
}

void iw_monitor_unanswered(
    const struct iw_monitor *monitor, enum iw_side requester, struct iw_unanswered *unanswered) {
    monitor_count_unanswered(&monitor->judge, requester, unanswered);
}
