#include "iw_check_order.h"

#include <stdlib.h>
#include <string.h>

#include "iw_array.h"

/* What ends at the end of the capture has the order of its begin, after everything before this end. */
#define ORDER_FLOW_ENDS (UINT64_C(1) << 56)
#define ORDER_WITHIN_PHASE (ORDER_FLOW_ENDS - 1)

void iw_check_order_clear(struct iw_check_order *order) {
    free(order->begun);
    free(order->ids[IW_CHECK_TCP]);
    free(order->ids[IW_CHECK_SCTP]);
    memset(order, 0, sizeof *order);
}

static bool order_grow(struct iw_check_order *order, uint64_t **list, size_t count) {
    bool good = iw_array_grow(list, count, sizeof **list);

    order->no_memory |= !good;
    return good;
}

void iw_check_order_begin_flow(struct iw_check_order *order, uint64_t id) {
    while (order->begun_count <= id && order_grow(order, &order->begun, order->begun_count))
        order->begun[order->begun_count++] = 0;
    if (id < order->begun_count)
        order->begun[id] = order->now & ORDER_WITHIN_PHASE;
}

void iw_check_order_end_flow(struct iw_check_order *order, uint64_t id) {
    order->now = ORDER_FLOW_ENDS | (id < order->begun_count ? order->begun[id] : 0);
}

void iw_check_order_end_association(
    struct iw_check_order *order, const struct iw_sctp_association *association) {
    static const uint64_t phase[] = {[IW_SCTP_OPEN] = 2, [IW_SCTP_CLOSED] = 3, [IW_SCTP_WAITING] = 4};

    order->now = phase[association->stage] * ORDER_FLOW_ENDS | association->stage_frame;
}

void iw_check_order_ids(struct iw_check_order *order, enum iw_check_transport transport, uint64_t count) {
    while (order->id_count[transport] < count &&
           order_grow(order, &order->ids[transport], order->id_count[transport]))
        order->ids[transport][order->id_count[transport]++] = order->now;
}
