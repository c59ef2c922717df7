#include "iw_history_part.h"

#include <stdlib.h>
#include <string.h>

#include "iw_history_row.h"
#include "iw_name.h"
#include "iw_session.h"

enum { SMALL_OCTETS = 256, EXAMINED_MAX = 4 };

void iw_history_init(struct iw_history *history, uint32_t messages) {
    *history = (struct iw_history){.message_max = messages};
}

static void history_side_dispose(struct iw_history_side *own) {
    free(own->traffic);
    free(own->trouble);
}

void iw_history_dispose(struct iw_history *history) {
    history_side_dispose(&history->side[IW_SIDE_A]);
    history_side_dispose(&history->side[IW_SIDE_B]);
    iw_history_requests_free(history->requests);
    free(history->messages);
    free(history->findings);
}

/* ---- what is allocated when it is needed ---- */

struct iw_history_trouble *iw_history_make_trouble(struct iw_history *history, enum iw_side side) {
    struct iw_history_trouble **trouble = &history->side[side].trouble;

    if (*trouble == NULL)
        *trouble = calloc(1, sizeof **trouble);
    history->incomplete |= *trouble == NULL;
    return *trouble;
}

const struct iw_history_trouble *iw_history_trouble(const struct iw_history *history, enum iw_side side) {
    static const struct iw_history_trouble none;

    return history->side[side].trouble != NULL ? history->side[side].trouble : &none;
}

const struct iw_history_requests *iw_history_requests(const struct iw_history *history) {
    static const struct iw_history_requests none;

    return history->requests != NULL ? history->requests : &none;
}

enum iw_side iw_history_first_terminate(const struct iw_history *history) {
    uint64_t a = iw_history_trouble(history, IW_SIDE_A)->terminate.mark.frame;
    uint64_t b = iw_history_trouble(history, IW_SIDE_B)->terminate.mark.frame;

    return b != 0 && (a == 0 || b < a) ? IW_SIDE_B : IW_SIDE_A;
}

/* ---- startup ---- */

static void history_startup(struct iw_history_side *own, const struct iw_llp_event *llp) {
    const struct iw_startup *startup = llp->startup;
    size_t captured, octets;

    if (startup == NULL || own->startup.frame != 0)
        return;
    own->startup = iw_history_mark_of(llp);
    octets =
        startup->header.pd_length; /* `startup` has what is there of them; over SCTP there is no length */
    octets -= startup->enhanced && octets >= iw_mpa_enhanced_octets ? iw_mpa_enhanced_octets : 0;
    octets = octets > startup->private_octets ? octets : startup->private_octets;
    own->private_octets = (uint16_t)(octets < UINT16_MAX ? octets : 0);
    if (startup->private_data == NULL || llp->image == NULL || startup->private_data < llp->image ||
        startup->private_data > llp->image + llp->image_captured)
        return;
    captured = (size_t)(llp->image + llp->image_captured - startup->private_data);
    if (captured > startup->private_octets)
        captured = startup->private_octets;
    own->private_kept = (uint8_t)(captured < IW_HISTORY_PRIVATE ? captured : IW_HISTORY_PRIVATE);
    memcpy(own->private_data, startup->private_data, own->private_kept);
}

/* ---- segments ---- */

static void history_bad_crc(struct iw_history_crc *crc, const struct iw_llp_event *llp) {
    struct iw_crc_trace trace;

    if (crc->bad++ == 0)
        crc->first = iw_history_mark_of(llp);
    crc->last = iw_history_mark_of(llp);
    crc->unproven += llp->fpdu->crc == IW_CRC_UNPROVEN;
    crc->halved_end =
        iw_crc_pattern_is_marker_alone(llp->fpdu) ? llp->fpdu->offset + llp->fpdu->wire_octets : 0;
    if (crc->examined == EXAMINED_MAX)
        return;
    crc->examined++;
    trace = iw_crc_pattern_find(llp->fpdu);
    crc->patterns[trace.pattern]++;
    if (crc->trace.pattern == IW_CRC_PATTERN_UNKNOWN)
        crc->trace = trace;
}

/* Whether the FPDU is the rest of one whose CRC was counted as wrong: that of an FPDU after a Marker. */
static bool history_is_rest(const struct iw_history_side *own, const struct iw_fpdu *fpdu) {
    return own->trouble != NULL && own->trouble->crc.halved_end == fpdu->offset && fpdu->offset > 0;
}

static void history_crc(struct iw_history *history, const struct iw_llp_event *llp) {
    const struct iw_fpdu *fpdu = llp->fpdu;
    struct iw_history_side *own = &history->side[llp->side];
    struct iw_history_trouble *trouble;

    if (fpdu == NULL)
        return;
    own->crc_good += fpdu->crc == IW_CRC_GOOD && !history_is_rest(own, fpdu);
    if (!iw_crc_differs(fpdu->crc) && own->trouble == NULL)
        return;
    trouble = iw_history_make_trouble(history, llp->side);
    if (trouble == NULL)
        return;
    if (iw_crc_differs(fpdu->crc))
        history_bad_crc(&trouble->crc, llp);
    else if (trouble->crc.bad > 0)
        trouble->crc.good_after += fpdu->crc == IW_CRC_GOOD && !history_is_rest(own, fpdu);
}

static void history_traffic(struct iw_history *history, const struct iw_monitor_event *event) {
    const struct iw_segment *segment = event->segment;
    const struct iw_llp_event *llp = event->llp;
    struct iw_history_side *own = &history->side[llp->side];
    struct iw_history_traffic *traffic;

    if (own->fpdus++ == 0)
        own->first_ns = llp->time_ns;
    own->last_ns = llp->time_ns;
    own->small += llp->octets < SMALL_OCTETS;
    own->within_packet += llp->first_frame == llp->frame;
    if (segment == NULL)
        return;
    traffic = iw_history_row(&own->traffic, &own->traffic_count, sizeof *own->traffic,
        segment->op != NULL && segment->op->value < IW_RDMAP_OP_COUNT ? segment->op->value
                                                                      : IW_RDMAP_OP_COUNT);
    if (traffic == NULL) {
        history->incomplete = true;
        return;
    }
    traffic->segments++;
    traffic->messages += segment->last;
    traffic->octets += segment->payload_octets;
}

/* ---- findings, ends ---- */

static void history_keep_finding(struct iw_history *history, const struct iw_finding *finding) {
    struct iw_history_finding *kept;

    if (history->finding_count == IW_HISTORY_FINDINGS)
        return;
    if (history->findings == NULL)
        history->findings = calloc(IW_HISTORY_FINDINGS, sizeof *history->findings);
    if (history->findings == NULL) {
        history->incomplete = true;
        return;
    }
    kept = &history->findings[history->finding_count++];
    kept->requirement = finding->requirement;
    kept->side = finding->side;
    kept->frame = finding->frame;
    memcpy(kept->message, finding->message, sizeof kept->message);
}

static void history_findings(struct iw_history *history, const struct iw_monitor_event *event) {
    for (size_t i = 0; i < event->finding_count; i++)
        if (iw_requirement_severity(event->findings[i].requirement) == IW_SEVERITY_ERROR &&
            event->findings[i].cause == 0)
            history_keep_finding(history, &event->findings[i]);
}

static void history_close(struct iw_history *history, const struct iw_llp_event *llp) {
    struct iw_history_side *own = &history->side[llp->side];
    struct iw_history_trouble *trouble;

    if (llp->close == IW_LLP_CLOSE_ABORTIVE &&
        (trouble = iw_history_make_trouble(history, llp->side)) != NULL && trouble->rst.frame == 0)
        trouble->rst = iw_history_mark_of(llp);
    if (own->close.frame != 0)
        return;
    own->close = iw_history_mark_of(llp);
    own->close_kind = (uint8_t)llp->close;
    own->close_unfinished = llp->pending.fpdu || llp->pending.startup;
}

/* A session Terminate ends the session in order (RFC 5043 6.2), whether or not the association goes on. */
static void history_session_end(struct iw_history_side *own, const struct iw_llp_event *llp) {
    const struct iw_session_event *event = llp->session;

    if (own->close.frame != 0 || !event->whole_header || event->of_before ||
        event->control.header.function != IW_SCTP_TERMINATE)
        return;
    own->close = iw_history_mark_of(llp);
    own->close_kind = IW_LLP_CLOSE_GRACEFUL;
}

static void history_loss(struct iw_history *history, const struct iw_llp_event *llp) {
    struct iw_history_trouble *trouble = iw_history_make_trouble(history, llp->side);

    if (trouble == NULL)
        return;
    trouble->lost_last_frame = llp->frame;
    if (trouble->lost_frame == 0)
        trouble->lost_frame = llp->frame;
}

static void history_unexpected_markers(struct iw_history *history, const struct iw_llp_event *llp) {
    struct iw_history_trouble *trouble = iw_history_make_trouble(history, llp->side);

    if (trouble != NULL && trouble->markers_unexpected_frame == 0)
        trouble->markers_unexpected_frame = llp->frame;
}

/* A right CRC covers all octets: then octets that look like a Marker are payload. */
static void history_stray_marker(struct iw_history *history, const struct iw_llp_event *llp) {
    struct iw_history_trouble *trouble = history->side[llp->side].trouble;
    const struct iw_fpdu *fpdu = llp->fpdu;
    uint32_t at;

    if (fpdu == NULL || trouble == NULL || trouble->markers_unexpected_frame == 0 ||
        trouble->stray_marker_frame != 0 || fpdu->crc == IW_CRC_GOOD || fpdu->marker_count > 0)
        return;
    at = iw_fpdu_marker_like(fpdu, iw_mpa_marker_octets);
    if (at == UINT32_MAX)
        return;
    trouble->stray_marker_frame = llp->frame;
    trouble->stray_marker_at = fpdu->position + at;
}

/* Close events wait for the end of the capture if nothing closes the connection, so they end no stall. */
static void history_time(struct iw_history *history, const struct iw_llp_event *llp) {
    struct iw_history_mark mark = iw_history_mark_of(llp);

    if (history->last.frame == 0)
        history->last = mark;
    if (mark.time_ns < history->last.time_ns || llp->kind == IW_LLP_CLOSE)
        return;
    iw_history_take_silence(
        history->requests, history->last.frame, mark.frame, mark.time_ns - history->last.time_ns);
    history->last = mark;
}

static void history_segment(struct iw_history *history, const struct iw_monitor_event *event) {
    history_crc(history, event->llp);
    history_traffic(history, event);
    if (event->llp->markers_unexpected)
        history_unexpected_markers(history, event->llp);
    history_stray_marker(history, event->llp);
    if (event->terminate != NULL)
        iw_history_take_terminate(history, event);
    iw_history_take_message(history, event);
    if (event->request != NULL)
        history->incomplete |= !iw_history_take_request(&history->requests, event);
    if (event->response != NULL)
        history->incomplete |= !iw_history_take_response(&history->requests, event);
}

void iw_history_event(struct iw_history *history, const struct iw_monitor_event *event) {
    const struct iw_llp_event *llp = event->llp;
    struct iw_history_side *own = &history->side[llp->side];

    history_time(history, llp);
    switch (llp->kind) {
    case IW_LLP_STARTUP:
        history_startup(own, llp);
        break;
    case IW_LLP_SEGMENT:
        history_segment(history, event);
        break;
    case IW_LLP_LOSS:
        history_loss(history, llp);
        break;
    case IW_LLP_CLOSE:
        history_close(history, llp);
        break;
    case IW_LLP_CONTROL:
        if (own->startup.frame == 0)
            own->startup = iw_history_mark_of(llp);
        history_session_end(own, llp);
        break;
    }
    history_findings(history, event);
}
