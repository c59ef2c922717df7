#include "iw_history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"

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

/* Returns NULL if memory runs out. */
static struct iw_history_trouble *history_trouble(struct iw_history *history, enum iw_side side) {
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

/* Allocates the ring at once: of rings that grow together, the small ones would leave holes. Returns false if
 * memory runs out. */
static bool history_has_ring(struct iw_history *history) {
    if (history->messages == NULL)
        history->messages = calloc(history->message_max, sizeof *history->messages);
    history->incomplete |= history->messages == NULL;
    return history->messages != NULL;
}

/* ---- kept segments ---- */

uint32_t iw_history_kept(const struct iw_history *history) {
    return history->message_count < history->message_max ? (uint32_t)history->message_count
                                                         : history->message_max;
}

const struct iw_history_message *iw_history_back(const struct iw_history *history, uint32_t back) {
    return &history->messages[(history->message_count - 1 - back) % history->message_max];
}

const struct iw_history_message *iw_history_find(const struct iw_history *history,
    bool (*wanted)(const struct iw_history_message *message, const void *what), const void *what) {
    uint32_t kept = iw_history_kept(history);

    for (uint32_t i = 0; i < kept; i++) {
        const struct iw_history_message *message = iw_history_back(history, i);

        if (wanted(message, what))
            return message;
    }
    return NULL;
}

static struct iw_history_mark history_mark(const struct iw_llp_event *llp) {
    return (struct iw_history_mark){llp->frame, llp->time_ns};
}

/* ---- startup ---- */

static void history_startup(struct iw_history_side *own, const struct iw_llp_event *llp) {
    const struct iw_startup *startup = llp->startup;
    size_t captured, octets;

    if (startup == NULL || own->startup.frame != 0)
        return;
    own->startup = history_mark(llp);
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
        crc->first = history_mark(llp);
    crc->last = history_mark(llp);
    if (crc->examined == EXAMINED_MAX)
        return;
    crc->examined++;
    trace = iw_crc_pattern_find(llp->fpdu);
    crc->patterns[trace.pattern]++;
    if (crc->trace.pattern == IW_CRC_PATTERN_UNKNOWN)
        crc->trace = trace;
}

static void history_crc(struct iw_history *history, const struct iw_llp_event *llp) {
    const struct iw_fpdu *fpdu = llp->fpdu;
    struct iw_history_side *own = &history->side[llp->side];
    struct iw_history_trouble *trouble;

    if (fpdu == NULL)
        return;
    own->crc_good += fpdu->crc == IW_CRC_GOOD;
    if (fpdu->crc != IW_CRC_BAD && own->trouble == NULL)
        return;
    trouble = history_trouble(history, llp->side);
    if (trouble == NULL)
        return;
    if (fpdu->crc == IW_CRC_BAD)
        history_bad_crc(&trouble->crc, llp);
    else if (trouble->crc.bad > 0)
        trouble->crc.good_after += fpdu->crc == IW_CRC_GOOD;
}

/* Takes where the STag of the memory of the receiver was used before. */
static void history_stag(
    struct iw_history_message *message, const struct iw_monitor_event *event, enum iw_side owner) {
    for (unsigned i = 0; i < event->stag_use_count; i++) {
        const struct iw_stag_use *use = &event->stag_uses[i];

        if (use->owner == owner && use->life != NULL && use->life->stag == message->stag) {
            message->stag_first_frame = use->life->first_frame;
            message->stag_ended_frame = use->life->ended_before;
        }
    }
}

static void history_target(struct iw_history_message *message, const struct iw_segment *segment) {
    const struct iw_opcode *op = segment->op;
    struct iw_read_request read;
    struct iw_target target;

    message->length = segment->payload_octets;
    if (segment->tagged) {
        message->stag = segment->stag;
        message->to = segment->to;
        return;
    }
    message->qn = segment->qn;
    message->msn = segment->msn;
    message->mo = segment->mo;
    message->invalidates = op != NULL && op->invalidate == IW_INVALIDATE_STAG;
    if (message->invalidates)
        message->invalidate_stag = segment->invalidate_stag;
    if (op == NULL || op->answer == IW_RDMAP_OP_NONE || segment->header_octets == 0)
        return;
    target = iw_opcode_target(op, segment->header);
    message->stag = target.stag;
    message->to = target.to;
    message->length = target.length;
    if (op->value != IW_RDMAP_OP_READ_REQUEST || segment->header_octets < iw_read_request_octets)
        return;
    iw_read_request_decode(segment->header, &read);
    message->sink_stag = read.sink_stag;
}

static struct iw_history_message history_message(const struct iw_monitor_event *event) {
    const struct iw_llp_event *llp = event->llp;
    const struct iw_segment *segment = event->segment;
    struct iw_history_message message = {.mark = history_mark(llp),
        .side = (uint8_t)llp->side,
        .crc = (uint8_t)(llp->fpdu != NULL ? llp->fpdu->crc : IW_CRC_GOOD),
        .length = llp->segment_octets};

    if (segment == NULL)
        return message;
    message.decoded = true;
    message.opcode = segment->opcode;
    message.known_opcode = segment->op != NULL;
    message.tagged = segment->tagged;
    message.last = segment->last;
    message.msn_expected = event->fact == NULL || event->fact->msn_ok;
    message.waiting = event->requests_waiting;
    history_target(&message, segment);
    history_stag(&message, event, iw_side_other(llp->side));
    return message;
}

/* Returns the row of the opcode, a new one at the first use; NULL if memory runs out. */
static struct iw_history_traffic *history_traffic_row(struct iw_history_side *own, uint8_t opcode) {
    unsigned at = 0;

    while (at < own->traffic_count && own->traffic[at].opcode < opcode)
        at++;
    if (at < own->traffic_count && own->traffic[at].opcode == opcode)
        return &own->traffic[at];
    if (!iw_array_grow(&own->traffic, own->traffic_count, sizeof *own->traffic))
        return NULL;
    memmove(&own->traffic[at + 1], &own->traffic[at], (own->traffic_count - at) * sizeof *own->traffic);
    own->traffic_count++;
    own->traffic[at] = (struct iw_history_traffic){.opcode = opcode};
    return &own->traffic[at];
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
    traffic = history_traffic_row(own, segment->op != NULL && segment->op->value < IW_RDMAP_OP_COUNT
                                           ? segment->op->value
                                           : IW_RDMAP_OP_COUNT);
    if (traffic == NULL) {
        history->incomplete = true;
        return;
    }
    traffic->segments++;
    traffic->messages += segment->last;
    traffic->octets += segment->payload_octets;
}

/* ---- Terminates ---- */

struct history_terminated {
    const struct iw_history_terminate *terminate;
    enum iw_side sender; /* of the segment */
};

/* Whether the segment is of that sender, and has the header that the Terminate includes. */
static bool history_is_terminated(const struct iw_history_message *message, const void *what) {
    const struct history_terminated *terminated = what;
    const struct iw_history_terminate *terminate = terminated->terminate;

    if (!message->decoded || message->side != terminated->sender ||
        message->tagged != terminate->header_tagged || message->opcode != terminate->header_opcode)
        return false;
    if (message->tagged)
        return message->stag == terminate->header_stag && message->to == terminate->header_to;
    return message->qn == terminate->header_qn && message->msn == terminate->header_msn &&
           message->mo == terminate->header_mo;
}

static void history_terminate(struct iw_history *history, const struct iw_monitor_event *event) {
    const struct iw_terminate_message *sent = event->terminate;
    enum iw_side side = event->llp->side;
    struct iw_history_trouble *trouble = history_trouble(history, side);
    struct iw_history_terminate *own;
    const struct iw_history_message *message;

    if (trouble == NULL || trouble->terminate.mark.frame != 0)
        return;
    own = &trouble->terminate;
    own->mark = history_mark(event->llp);
    own->error = iw_terminate_error(&sent->control);
    if (!sent->has_ddp)
        return;
    own->has_header = true;
    own->header_tagged = sent->terminated.tagged;
    own->header_opcode = sent->terminated.opcode;
    own->header_qn = sent->terminated.qn;
    own->header_msn = sent->terminated.msn;
    own->header_mo = sent->terminated.mo;
    own->header_stag = sent->terminated.stag;
    own->header_to = sent->terminated.to;
    message = iw_history_find(
        history, history_is_terminated, &(struct history_terminated){own, iw_side_other(side)});
    if (message == NULL)
        return;
    own->has_message = true;
    own->message = *message;
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
    snprintf(kept->message, sizeof kept->message, "%.*s", (int)sizeof kept->message - 1, finding->message);
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

    if (llp->close == IW_LLP_CLOSE_ABORTIVE && (trouble = history_trouble(history, llp->side)) != NULL &&
        trouble->rst.frame == 0)
        trouble->rst = history_mark(llp);
    if (own->close.frame != 0)
        return;
    own->close = history_mark(llp);
    own->close_kind = (uint8_t)llp->close;
    own->close_unfinished = llp->pending.fpdu || llp->pending.startup;
}

static void history_loss(struct iw_history *history, const struct iw_llp_event *llp) {
    struct iw_history_trouble *trouble = history_trouble(history, llp->side);

    if (trouble != NULL && trouble->lost_frame == 0)
        trouble->lost_frame = llp->frame;
}

static void history_unexpected_markers(struct iw_history *history, const struct iw_llp_event *llp) {
    struct iw_history_trouble *trouble = history_trouble(history, llp->side);

    if (trouble != NULL && trouble->markers_unexpected_frame == 0)
        trouble->markers_unexpected_frame = llp->frame;
}

/* Close events wait for the end of the capture if nothing closes the connection, so they end no stall. */
static void history_time(struct iw_history *history, const struct iw_llp_event *llp) {
    struct iw_history_mark mark = history_mark(llp);

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
    if (event->terminate != NULL)
        history_terminate(history, event);
    if (history_has_ring(history))
        history->messages[history->message_count++ % history->message_max] = history_message(event);
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
            own->startup = history_mark(llp);
        break;
    }
    history_findings(history, event);
}
