#include "iw_history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL_OCTETS = 256, EXAMINED_MAX = 4 };

struct iw_history *iw_history_new(void) {
    return calloc(1, sizeof(struct iw_history));
}

void iw_history_free(struct iw_history *history) {
    if (history == NULL)
        return;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        for (unsigned i = 0; i < IW_RDMAP_OP_COUNT; i++)
            free(history->side[side].latency[i]);
    free(history);
}

const struct iw_history_message *iw_history_find(const struct iw_history *history,
    bool (*wanted)(const struct iw_history_message *message, const void *what), const void *what) {
    uint64_t kept =
        history->message_count < IW_HISTORY_MESSAGES ? history->message_count : IW_HISTORY_MESSAGES;

    for (uint64_t i = 1; i <= kept; i++) {
        const struct iw_history_message *message =
            &history->messages[(history->message_count - i) % IW_HISTORY_MESSAGES];

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
    size_t captured;

    if (startup == NULL || own->startup.frame != 0)
        return;
    own->startup = history_mark(llp);
    own->private_octets = (uint16_t)(startup->private_octets < UINT16_MAX ? startup->private_octets : 0);
    if (startup->private_data == NULL || llp->image == NULL || startup->private_data < llp->image ||
        startup->private_data > llp->image + llp->image_captured)
        return;
    captured = (size_t)(llp->image + llp->image_captured - startup->private_data);
    if (captured > own->private_octets)
        captured = own->private_octets;
    memcpy(own->private_data, startup->private_data,
        captured < IW_HISTORY_PRIVATE ? captured : IW_HISTORY_PRIVATE);
    if (captured < own->private_octets && captured < IW_HISTORY_PRIVATE)
        own->private_octets = (uint16_t)captured;
}

/* ---- segments ---- */

static void history_crc(struct iw_history_crc *crc, const struct iw_llp_event *llp) {
    const struct iw_fpdu *fpdu = llp->fpdu;
    struct iw_crc_trace trace;

    if (fpdu == NULL)
        return;
    crc->good += fpdu->crc == IW_CRC_GOOD;
    if (fpdu->crc == IW_CRC_GOOD && crc->bad > 0)
        crc->good_after++;
    if (fpdu->crc != IW_CRC_BAD)
        return;
    if (crc->bad++ == 0)
        crc->first = history_mark(llp);
    crc->last = history_mark(llp);
    if (crc->examined == EXAMINED_MAX)
        return;
    crc->examined++;
    trace = iw_crc_pattern_find(fpdu);
    crc->patterns[trace.pattern]++;
    if (crc->trace.pattern == IW_CRC_PATTERN_UNKNOWN)
        crc->trace = trace;
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
    message->sink_to = read.sink_to;
}

static struct iw_history_message history_message(const struct iw_monitor_event *event) {
    const struct iw_llp_event *llp = event->llp;
    const struct iw_segment *segment = event->segment;
    struct iw_history_message message = {.mark = history_mark(llp),
        .side = llp->side,
        .crc = llp->fpdu != NULL ? llp->fpdu->crc : IW_CRC_GOOD,
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

static void history_traffic(struct iw_history_side *own, const struct iw_monitor_event *event) {
    const struct iw_segment *segment = event->segment;
    const struct iw_llp_event *llp = event->llp;
    struct iw_history_traffic *traffic;

    own->fpdus++;
    own->small += llp->octets < SMALL_OCTETS;
    own->within_segment += llp->first_frame == llp->frame;
    own->last = history_mark(llp);
    if (own->first.frame == 0)
        own->first = own->last;
    if (segment == NULL)
        return;
    traffic =
        &own->traffic[segment->op != NULL && segment->op->value < IW_RDMAP_OP_COUNT ? segment->op->value
                                                                                    : IW_RDMAP_OP_COUNT];
    traffic->segments++;
    traffic->messages += segment->last;
    traffic->octets += segment->payload_octets;
}

/* ---- requests and responses ---- */

static void history_request(struct iw_history *history, const struct iw_monitor_event *event) {
    struct iw_history_side *own = &history->side[event->llp->side];

    history->waiting[event->llp->side] = event->requests_waiting;
    if (event->requests_waiting <= own->most_waiting)
        return;
    own->most_waiting = event->requests_waiting;
    own->most_waiting_at = history_mark(event->llp);
}

static void history_latency(struct iw_history *history, struct iw_history_side *requester,
    const struct iw_operation *operation, uint64_t first_ns, const struct iw_llp_event *llp) {
    uint64_t from = operation->request_time_ns;
    struct iw_latency **latency;

    if (operation->opcode >= IW_RDMAP_OP_COUNT || llp->time_ns < from)
        return;
    latency = &requester->latency[operation->opcode];
    if (*latency == NULL)
        *latency = calloc(1, sizeof **latency);
    if (*latency == NULL)
        history->incomplete = true;
    else
        iw_latency_add(*latency, llp->time_ns - from, first_ns > from ? first_ns - from : 0,
            operation->request_frame, llp->frame);
}

static void history_response(struct iw_history *history, const struct iw_monitor_event *event) {
    const struct iw_response_fact *response = event->response;
    const struct iw_operation *operation = response->operation;
    enum iw_side side = event->llp->side;
    struct iw_history_side *requester = &history->side[iw_side_other(side)];
    enum iw_operation_kind kind;

    history->waiting[iw_side_other(side)] = event->requests_waiting;
    history->side[side].last_answer = history_mark(event->llp);
    if (!response->known || operation == NULL)
        return;
    kind = operation->opcode == IW_RDMAP_OP_READ_REQUEST ? IW_OPERATION_READS : IW_OPERATION_OTHERS;
    if (requester->answering[kind].number != operation->number) {
        requester->answering[kind].number = operation->number;
        requester->answering[kind].first_ns = event->llp->time_ns;
    }
    if (!response->complete)
        return;
    history->side[side].answers++;
    history_latency(history, requester, operation, requester->answering[kind].first_ns, event->llp);
}

/* ---- Terminates ---- */

/* Whether the segment, sent by the other side, has the header that the Terminate includes. */
static bool history_is_terminated(const struct iw_history_message *message, const void *what) {
    const struct iw_history_terminate *terminate = what;

    if (!message->decoded || message->tagged != terminate->header_tagged ||
        message->opcode != terminate->header_opcode)
        return false;
    if (message->tagged)
        return message->stag == terminate->header_stag && message->to == terminate->header_to;
    return message->qn == terminate->header_qn && message->msn == terminate->header_msn &&
           message->mo == terminate->header_mo;
}

static void history_terminate(struct iw_history *history, const struct iw_monitor_event *event) {
    const struct iw_terminate_message *sent = event->terminate;
    enum iw_side side = event->llp->side;
    struct iw_history_terminate *own = &history->side[side].terminate;
    const struct iw_history_message *message;

    if (own->mark.frame != 0)
        return;
    own->mark = history_mark(event->llp);
    own->error = iw_terminate_error(&sent->control);
    own->messages_before = history->side[iw_side_other(side)].fpdus;
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
    own->header_length = sent->has_length ? sent->segment_length : 0;
    message = iw_history_find(history, history_is_terminated, own);
    if (message == NULL || message->side == side)
        return;
    own->has_message = true;
    own->message = *message;
}

/* ---- findings, ends ---- */

static void history_findings(struct iw_history *history, const struct iw_monitor_event *event) {
    for (size_t i = 0; i < event->finding_count; i++) {
        const struct iw_finding *finding = &event->findings[i];
        struct iw_history_finding *kept;

        if (iw_requirement_severity(finding->requirement) != IW_SEVERITY_ERROR || finding->cause != 0)
            continue;
        history->findings_total++;
        if (history->finding_count == IW_HISTORY_FINDINGS)
            continue;
        kept = &history->findings[history->finding_count++];
        kept->requirement = finding->requirement;
        kept->side = finding->side;
        kept->frame = finding->frame;
        snprintf(
            kept->message, sizeof kept->message, "%.*s", (int)sizeof kept->message - 1, finding->message);
    }
}

static void history_close(struct iw_history_side *own, const struct iw_llp_event *llp) {
    if (llp->close == IW_LLP_CLOSE_ABORTIVE && own->rst.frame == 0)
        own->rst = history_mark(llp);
    if (own->close.frame != 0)
        return;
    own->close = history_mark(llp);
    own->close_kind = llp->close;
    own->close_unfinished = llp->pending.fpdu || llp->pending.startup;
}

static void history_loss(struct iw_history_side *own, const struct iw_llp_event *llp) {
    if (own->lost.frame == 0)
        own->lost = history_mark(llp);
    own->lost_octets += llp->octets;
}

/* A stall: no event of either side for a time, although a request is outstanding. */
static void history_time(struct iw_history *history, const struct iw_llp_event *llp) {
    struct iw_history_mark mark = history_mark(llp);
    uint32_t waiting = history->waiting[IW_SIDE_A] + history->waiting[IW_SIDE_B];

    if (history->first.frame == 0)
        history->first = history->last = mark;
    if (mark.time_ns < history->last.time_ns || llp->kind == IW_LLP_CLOSE)
        return;
    if (waiting > 0 && mark.time_ns - history->last.time_ns > history->stall_ns) {
        history->stall_ns = mark.time_ns - history->last.time_ns;
        history->stall_begin = history->last;
        history->stall_end = mark;
        history->stall_waiting = waiting;
    }
    history->last = mark;
}

static void history_segment(struct iw_history *history, const struct iw_monitor_event *event) {
    struct iw_history_side *own = &history->side[event->llp->side];

    history_crc(&own->crc, event->llp);
    history_traffic(own, event);
    if (event->llp->markers_unexpected && own->markers_unexpected.frame == 0)
        own->markers_unexpected = history_mark(event->llp);
    if (event->terminate != NULL)
        history_terminate(history, event);
    history->messages[history->message_count++ % IW_HISTORY_MESSAGES] = history_message(event);
    if (event->request != NULL)
        history_request(history, event);
    if (event->response != NULL)
        history_response(history, event);
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
        history_loss(own, llp);
        break;
    case IW_LLP_CLOSE:
        history_close(own, llp);
        break;
    case IW_LLP_CONTROL:
        if (own->startup.frame == 0)
            own->startup = history_mark(llp);
        break;
    }
    history_findings(history, event);
}
