#include "iw_links.h"
#include "iw_scope.h"

#include <string.h>

void iw_links_init(struct iw_links *links) {
    memset(links, 0, sizeof *links);
}

static struct iw_stored_message *new_message(uint64_t first_frame) {
    struct iw_stored_message *message = wmem_new0(iw_scope(), struct iw_stored_message);

    message->first_frame = (uint32_t)first_frame;
    return message;
}

/* The message that the segment belongs to, or NULL if it is one in itself. */
static struct iw_stored_message *follow_message(
    struct iw_links *links, const struct iw_monitor_event *event, unsigned queue) {
    const struct iw_segment_fact *fact = event->fact;
    struct iw_stored_message **open = &links->open[event->mpa->side][queue];
    struct iw_stored_message *message;

    if (fact->first)
        *open = NULL;
    if (*open == NULL && !(fact->first && fact->last))
        *open = new_message(fact->message_frame);
    message = *open;
    if (fact->last)
        *open = NULL;
    return message;
}

/* A request brings its operation along, and every segment of the answer finds it there. */
static struct iw_stored_operation *follow_request(const struct iw_monitor_event *event) {
    struct iw_stored_operation *stored = wmem_new0(iw_scope(), struct iw_stored_operation);
    const struct iw_operation *operation = event->request;

    stored->request_frame = (uint32_t)event->mpa->frame;
    stored->opcode = operation->opcode;
    if (operation->opcode == IW_RDMAP_OP_ATOMIC_REQUEST)
        stored->aopcode = (uint8_t)operation->request.atomic.aopcode;
    event->request->user = stored;
    return stored;
}

static struct iw_stored_operation *follow_response(
    const struct iw_monitor_event *event, const struct iw_item *item) {
    const struct iw_operation *operation = event->response->operation;
    struct iw_stored_operation *stored;
    uint64_t time_ns = 0;

    if (!event->response->known || operation == NULL)
        return NULL;
    stored = operation->user;
    if (event->mpa->time_ns > operation->request_time_ns)
        time_ns = event->mpa->time_ns - operation->request_time_ns;
    if (stored->response == NULL) {
        stored->response = item;
        stored->response_frame = (uint32_t)event->mpa->frame;
        stored->response_time_ns = time_ns;
    }
    if (event->response->complete) {
        stored->complete = item;
        stored->complete_time_ns = time_ns;
    }
    return stored;
}

void iw_links_event(struct iw_links *links, const struct iw_monitor_event *event, struct iw_item *item) {
    const struct iw_segment *segment = event->segment;
    struct iw_stored_message *message = NULL;
    struct iw_stored_operation *operation = NULL;

    if (event->mpa->kind == IW_MPA_LOSS)
        memset(links->open[event->mpa->side], 0, sizeof links->open[event->mpa->side]);
    if (segment == NULL)
        return;
    if (segment->tagged || segment->qn < IW_QN_COUNT)
        message = follow_message(links, event, segment->tagged ? IW_QN_COUNT : segment->qn);
    if (event->request != NULL)
        operation = follow_request(event);
    else if (event->response != NULL)
        operation = follow_response(event, item);
    if (operation != NULL && message == NULL)
        message = new_message(event->mpa->frame);
    if (operation != NULL)
        message->operation = operation;
    if (message != NULL)
        item->message = message;
}
