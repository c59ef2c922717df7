#include <stdlib.h>

#include "iw_placement.h"
#include "iw_tcp_table_part.h"
#include "iw_tcp_withheld.h"

/* The ends of flows. */

/* Most flows examined to find a flow that may end early. */
enum { END_EARLY_SEARCH = 256 };

void iw_tcp_table_end_flow(struct iw_tcp_table *table, struct iw_tcp_flow *flow) {
    iw_hash_table_remove(&table->flows, &flow->entry);
    if (table->next_to_end == flow)
        table->next_to_end = TAILQ_NEXT(flow, by_age);
    TAILQ_REMOVE(&table->by_age, flow, by_age);
    iw_tcp_table_forget_recent(table, flow);
    if (table->handlers.flow_end)
        table->handlers.flow_end(table->user, flow);
    iw_tcp_flow_clear(flow, &table->pool);
    iw_tcp_withheld_clear(flow, &table->withheld);
    free(flow->rival);
    free(flow);
}

static void tcp_table_report_withheld(struct iw_tcp_flow *flow, const struct iw_tcp_output *output) {
    uint64_t frame, time_ns;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        uint32_t octets = iw_tcp_withheld_unread(flow, side, &frame, &time_ns);
        if (octets > 0)
            iw_tcp_stream_report_outside(&flow->stream[side], output, octets, frame, time_ns);
    }
}

void iw_tcp_table_finish_flow(struct iw_tcp_table *table, struct iw_tcp_flow *flow) {
    struct iw_tcp_sink sink = {table, flow};
    struct iw_tcp_output output = iw_tcp_table_output(&sink);
    if (!flow->ignored) {
        iw_tcp_flow_finish(flow, &output);
        tcp_table_report_withheld(flow, &output);
    }
    iw_tcp_table_end_flow(table, flow);
}

static bool tcp_table_is_closed(const struct iw_tcp_flow *flow) {
    const struct iw_tcp_stream *a = &flow->stream[IW_SIDE_A], *b = &flow->stream[IW_SIDE_B];
    return (a->closed && b->closed) || a->reset.rank == IW_TCP_RESET_EXACT ||
           b->reset.rank == IW_TCP_RESET_EXACT;
}

static bool tcp_table_holds_back(const struct iw_tcp_flow *flow) {
    return flow->rival || flow->withheld || flow->stream[IW_SIDE_A].pending ||
           flow->stream[IW_SIDE_B].pending;
}

/* Whether the flow may end early: nothing is held back, and it is ignored, closed, or has no octets yet. */
static bool tcp_table_may_end_early(const struct iw_tcp_flow *flow) {
    return !tcp_table_holds_back(flow) &&
           (flow->ignored || tcp_table_is_closed(flow) ||
               flow->stream[IW_SIDE_A].next_offset + flow->stream[IW_SIDE_B].next_offset == 0);
}

IW_COLD bool iw_tcp_table_end_flow_early(struct iw_tcp_table *table) {
    for (unsigned i = 0; i < END_EARLY_SEARCH; i++) {
        struct iw_tcp_flow *flow = table->next_to_end ? table->next_to_end : TAILQ_FIRST(&table->by_age);
        if (!flow)
            return false;
        table->next_to_end = TAILQ_NEXT(flow, by_age);
        if (tcp_table_may_end_early(flow)) {
            iw_tcp_table_finish_flow(table, flow);
            return true;
        }
    }
    return false;
}

void iw_tcp_table_end_closed(struct iw_tcp_table *table, uint64_t before_ns) {
    for (unsigned i = 0; i < IW_TCP_END_CLOSED_SEARCH; i++) {
        struct iw_tcp_flow *flow = table->next_to_end ? table->next_to_end : TAILQ_FIRST(&table->by_age);
        if (!flow)
            return;
        table->next_to_end = TAILQ_NEXT(flow, by_age);
        if (flow->time_ns < before_ns && tcp_table_is_closed(flow) && !tcp_table_holds_back(flow))
            iw_tcp_table_finish_flow(table, flow);
        if (!table->next_to_end)
            return; /* the newest flow: the next call begins at the oldest */
    }
}
