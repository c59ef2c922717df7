#include "iw_links.h"

#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_atomic.h"
#include "iw_file_memory.h"

void iw_links_dispose(struct iw_links *links) {
    free(links->history[IW_SIDE_A].segments);
    free(links->history[IW_SIDE_B].segments);
}

static struct iw_stored_message *links_new_message(const struct iw_monitor_event *event) {
    struct iw_stored_message *message = wmem_new0(iw_file_memory(), struct iw_stored_message);

    message->first_frame = (uint32_t)event->fact->message_frame;
    message->begin_captured = event->fact->first;
    return message;
}

static void links_count_segment(struct iw_stored_message *message, const struct iw_monitor_event *event) {
    message->segments++;
    message->octets += event->segment->payload_octets;
    if (event->segment->last)
        message->last_frame = (uint32_t)event->llp->frame;
}

/* Returns the message of the segment, and counts the segment in it; NULL for a single-segment message. */
static struct iw_stored_message *links_find_message(
    struct iw_links *links, const struct iw_monitor_event *event, unsigned queue) {
    const struct iw_segment_fact *fact = event->fact;
    struct iw_stored_message **open = &links->open[event->llp->side][queue];
    struct iw_stored_message *message;

    if (fact->first)
        *open = NULL;
    if (*open == NULL && !(fact->first && event->segment->last))
        *open = links_new_message(event);
    message = *open;
    if (message != NULL)
        links_count_segment(message, event);
    if (event->segment->last)
        *open = NULL;
    return message;
}

static struct iw_stored_message *links_message(
    struct iw_stored_message *message, const struct iw_monitor_event *event) {
    if (message != NULL)
        return message;
    message = links_new_message(event);
    links_count_segment(message, event);
    return message;
}

/* Stores a record for the request in event->request->user, where the segments of the response find it. */
static struct iw_stored_operation *link_request(
    struct iw_links *links, const struct iw_monitor_event *event) {
    struct iw_stored_end **end = &links->end[event->llp->side];
    struct iw_stored_operation *stored = wmem_new0(iw_file_memory(), struct iw_stored_operation);
    const struct iw_operation *operation = event->request;

    if (*end == NULL)
        *end = wmem_new0(iw_file_memory(), struct iw_stored_end);
    stored->end = *end;
    stored->number = operation->number;
    stored->request_frame = (uint32_t)event->llp->frame;
    stored->opcode = operation->opcode;
    if (operation->opcode == IW_RDMAP_OP_ATOMIC_REQUEST)
        stored->aopcode = (uint8_t)operation->request.header.atomic_request.aopcode;
    stored->waiting = event->requests_waiting;
    event->request->user = stored;
    return stored;
}

static void links_note_result(struct iw_stored_operation *stored, const struct iw_segment *segment,
    const struct iw_operation *operation) {
    struct iw_atomic_response response;

    if (segment->opcode != IW_RDMAP_OP_ATOMIC_RESPONSE || segment->header_octets == 0 ||
        operation->opcode != IW_RDMAP_OP_ATOMIC_REQUEST)
        return;
    iw_atomic_response_decode(segment->header, &response);
    stored->original = response.value;
    stored->has_result =
        iw_atomic_result(&operation->request.header.atomic_request, response.value, &stored->result);
}

static struct iw_stored_operation *link_response(
    const struct iw_monitor_event *event, const struct iw_item *item) {
    const struct iw_response_fact *fact = event->response;
    const struct iw_operation *operation = fact->operation;
    struct iw_stored_operation *stored;
    uint64_t time_ns = 0;

    if (!fact->known || operation == NULL)
        return NULL;
    stored = operation->user;
    if (event->llp->time_ns > operation->request_time_ns)
        time_ns = event->llp->time_ns - operation->request_time_ns;
    if (stored->response == NULL) {
        stored->response = item;
        stored->response_frame = (uint32_t)event->llp->frame;
        stored->response_time_ns = time_ns;
    }
    stored->answered |= fact->complete || operation->filled;
    if (fact->complete) {
        stored->complete = item;
        stored->complete_time_ns = time_ns;
        stored->waiting_after = event->requests_waiting;
    }
    if (fact->opcode_ok && fact->identifier_ok)
        links_note_result(stored, event->segment, operation);
    return stored;
}

/* Over TCP, the close of a side ends its peer's requests; an SCTP session ends for both sides at once. */
void iw_links_close(struct iw_links *links, const struct iw_monitor_event *event) {
    for (enum iw_side requester = IW_SIDE_A; requester <= IW_SIDE_B; requester++) {
        const struct iw_unanswered *unanswered = event->unanswered[requester];
        struct iw_stored_end *end = links->end[requester];

        if (unanswered == NULL || end == NULL)
            continue;
        end->known = true;
        end->perhaps = unanswered->perhaps > 0;
        end->sure_after = unanswered->sure_after;
    }
}

static struct iw_stored_stag *link_stag(const struct iw_stag_use *use) {
    struct iw_stag_life *life = use->life;
    struct iw_stored_stag *stored = life->user;

    if (stored == NULL) {
        stored = wmem_new0(iw_file_memory(), struct iw_stored_stag);
        stored->first_frame = (uint32_t)life->first_frame;
        stored->ended_before = (uint32_t)life->ended_before;
        stored->alone.stags[0] = stored;
        stored->alone.stag_fields[0] = iw_field_ddp_tagged_stag;
        life->user = stored;
    }
    stored->advertised_frame = (uint32_t)life->advertised_frame;
    stored->invalidated_frame = (uint32_t)life->invalidated_frame;
    return stored;
}

/* Adds the STags of the segment to its message. Tagged messages of one segment share stag->alone. */
static struct iw_stored_message *link_stags(
    struct iw_stored_message *message, const struct iw_monitor_event *event) {
    for (unsigned i = 0; i < event->stag_use_count; i++) {
        struct iw_stored_stag *stag = link_stag(&event->stag_uses[i]);

        if (message == NULL && event->segment->tagged)
            return &stag->alone;
        message = links_message(message, event);
        if (message->stags[i] == NULL) {
            message->stags[i] = stag;
            message->stag_fields[i] = (uint16_t)event->stag_uses[i].field;
        }
    }
    return message;
}

struct iw_segment_history_segment {
    uint64_t key;
    struct iw_item *item;
};

/* Returns a hash of the fields of the segment's DDP header. */
static uint64_t links_segment_key(const struct iw_segment *segment) {
    uint64_t place = segment->tagged ? segment->to : (uint64_t)segment->msn << 32 | segment->mo;
    uint64_t buffer = segment->tagged ? segment->stag : segment->qn;
    uint64_t flags = segment->control | (uint64_t)segment->tagged << 8 | (uint64_t)segment->last << 9;

    return ((buffer << 32 | flags) * UINT64_C(0x9E3779B97F4A7C15)) ^ place;
}

static void links_note_segment(
    struct iw_segment_history *history, const struct iw_segment *segment, struct iw_item *item) {
    if (history->count < IW_SEGMENT_HISTORY_MAX &&
        !iw_array_grow(&history->segments, history->count, sizeof *history->segments))
        return;
    history->segments[history->count++ % IW_SEGMENT_HISTORY_MAX] =
        (struct iw_segment_history_segment){links_segment_key(segment), item};
}

/* Returns the item of the latest segment with this DDP header, or NULL. */
static struct iw_item *links_find_segment(
    const struct iw_segment_history *history, const struct iw_segment *segment) {
    uint64_t remembered = MIN(history->count, IW_SEGMENT_HISTORY_MAX);
    uint64_t key = links_segment_key(segment);

    for (uint64_t back = 1; back <= remembered; back++) {
        const struct iw_segment_history_segment *one =
            &history->segments[(history->count - back) % IW_SEGMENT_HISTORY_MAX];

        if (one->key == key)
            return one->item;
    }
    return NULL;
}

static void link_terminate(
    struct iw_links *links, const struct iw_monitor_event *event, struct iw_item *item) {
    const struct iw_terminate_message *terminate = event->terminate;
    enum iw_side offender = iw_side_other(event->llp->side);
    struct iw_item *cause = NULL;

    /* Without an included header, only the error "wrong CRC" identifies the segment (RFC 5044 8). */
    if (terminate->has_ddp)
        cause = links_find_segment(&links->history[offender], &terminate->terminated);
    else if (iw_terminate_error(&terminate->control) == IW_ERROR_MPA_CRC)
        cause = links->crc_bad[offender];
    if (cause == NULL)
        return;
    iw_frame_store_more(cause)->terminate_frame = item->frame;
    iw_frame_store_more(item)->cause_frame = cause->frame;
}

static void link_segment(struct iw_links *links, const struct iw_monitor_event *event, struct iw_item *item) {
    const struct iw_segment *segment = event->segment;
    struct iw_stored_message *message = NULL;
    struct iw_stored_operation *operation = NULL;

    if (segment->tagged || segment->qn < IW_QN_COUNT)
        message = links_find_message(links, event, segment->tagged ? IW_QN_TAGGED : segment->qn);
    if (event->request != NULL)
        operation = link_request(links, event);
    else if (event->response != NULL)
        operation = link_response(event, item);
    if (operation != NULL) {
        message = links_message(message, event);
        message->operation = operation;
    }
    message = link_stags(message, event);
    if (message != NULL)
        item->message = message;
}

void iw_links_event(struct iw_links *links, const struct iw_monitor_event *event, struct iw_item *item) {
    enum iw_side side = event->llp->side;

    if (event->llp->kind == IW_LLP_LOSS)
        memset(links->open[side], 0, sizeof links->open[side]);
    if (item->kind == IW_LLP_SEGMENT && item->crc == IW_CRC_BAD)
        links->crc_bad[side] = item;
    if (event->segment == NULL)
        return;
    link_segment(links, event, item);
    if (event->terminate != NULL)
        link_terminate(links, event, item);
    links_note_segment(&links->history[side], event->segment, item);
}
