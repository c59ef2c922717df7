#include "iw_history_request.h"

#include <stdlib.h>

#include "iw_history_row.h"

void iw_history_requests_free(struct iw_history_requests *requests) {
    if (requests == NULL)
        return;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        struct iw_history_requester *own = &requests->side[side];

        for (unsigned i = 0; i < own->latency_count; i++)
            iw_latency_dispose(&own->latency[i].latency);
        free(own->latency);
    }
    free(requests);
}

static bool history_has_requests(struct iw_history_requests **requests) {
    if (*requests == NULL)
        *requests = calloc(1, sizeof **requests);
    return *requests != NULL;
}

bool iw_history_take_request(struct iw_history_requests **requests, const struct iw_monitor_event *event) {
    struct iw_history_requester *own;

    if (!history_has_requests(requests))
        return false;
    own = &(*requests)->side[event->llp->side];
    own->waiting = event->requests_waiting;
    own->last_request_ns = event->llp->time_ns;
    if (event->requests_waiting > own->most_waiting)
        own->most_waiting = event->requests_waiting;
    return true;
}

static bool history_take_latency(struct iw_history_requester *requester, const struct iw_operation *operation,
    uint64_t first_ns, const struct iw_llp_event *llp) {
    uint64_t from = operation->request_time_ns;
    struct iw_history_latency *row;

    if (operation->opcode >= IW_RDMAP_OP_COUNT || llp->time_ns < from)
        return true;
    row = iw_history_row(
        &requester->latency, &requester->latency_count, sizeof *requester->latency, operation->opcode);
    return row != NULL && iw_latency_add(&row->latency, llp->time_ns - from,
                              first_ns > from ? first_ns - from : 0, operation->request_frame, llp->frame);
}

bool iw_history_take_response(struct iw_history_requests **requests, const struct iw_monitor_event *event) {
    const struct iw_response_fact *response = event->response;
    const struct iw_operation *operation = response->operation;
    enum iw_side side = event->llp->side;
    struct iw_history_requester *requester;
    enum iw_operation_kind kind;

    if (!history_has_requests(requests))
        return false;
    requester = &(*requests)->side[iw_side_other(side)];
    requester->waiting = event->requests_waiting;
    (*requests)->side[side].last_answer_frame = event->llp->frame;
    (*requests)->side[side].last_answer_ns = event->llp->time_ns;
    if (!response->known || operation == NULL)
        return true;
    kind = operation->opcode == IW_RDMAP_OP_READ_REQUEST ? IW_OPERATION_READS : IW_OPERATION_OTHERS;
    if (requester->answering[kind].number != operation->number) {
        requester->answering[kind].number = operation->number;
        requester->answering[kind].first_ns = event->llp->time_ns;
    }
    return !response->complete ||
           history_take_latency(requester, operation, requester->answering[kind].first_ns, event->llp);
}

void iw_history_take_silence(
    struct iw_history_requests *requests, uint64_t begin_frame, uint64_t end_frame, uint64_t ns) {
    uint32_t waiting;

    if (requests == NULL || ns <= requests->stall_ns)
        return;
    waiting = requests->side[IW_SIDE_A].waiting + requests->side[IW_SIDE_B].waiting;
    if (waiting == 0)
        return;
    requests->stall_ns = ns;
    requests->stall_begin_frame = begin_frame;
    requests->stall_end_frame = end_frame;
    requests->stall_waiting = waiting;
}
