/* Transforms of the capture: which packets it has, and in which order. */

#include "iw_transform.h"

static bool is_data(const struct iw_trace_packet *packet) {
    return !(packet->segment.flags & (IW_TCP_SYN | IW_TCP_FIN | IW_TCP_RST));
}

/* Sets where a stream without SYN begins: at the first packet of its side in the capture, even if packets
 * with lower sequence numbers follow. */
static bool begins_stream(const struct iw_trace *trace, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (trace->packets[i].side == trace->packets[at].side)
            return false;
    return true;
}

/* Moves the packet among the packets of its own conversation. */
static void move_within(struct iw_trace *trace, size_t from, size_t to) {
    if (trace->packets[from].copy == trace->packets[to].copy)
        iw_trace_move(trace, from, to);
}

/* Moves a packet with payload after the packets of the same side that follow it directly. The other side has
 * answered none of them yet. */
void iw_transform_reorder(struct iw_trace *trace, uint64_t *state) {
    size_t first = trace->count > 0 ? iw_transform_below(state, trace->count) : 0;

    for (size_t i = 0; i < trace->count; i++) {
        size_t at = (first + i) % trace->count;
        size_t end = at + 1;

        while (end < trace->count && trace->packets[end].side == trace->packets[at].side &&
               is_data(&trace->packets[end]))
            end++;
        if (!is_data(&trace->packets[at]) || end - at < 2 || begins_stream(trace, at))
            continue;
        iw_trace_move(trace, at, at + 1 + iw_transform_below(state, end - at - 1));
        return;
    }
}

/* Reorders packets of both sides within a window, as a capture of several receive queues does. */
void iw_transform_shuffle(struct iw_trace *trace, uint64_t *state) {
    size_t window = 2 + iw_transform_below(state, 4);

    for (size_t i = 0; i + 1 < trace->count; i++) {
        size_t left = trace->count - i < window ? trace->count - i : window;

        if (iw_transform_below(state, 3) == 0)
            move_within(trace, i, i + iw_transform_below(state, left));
    }
}

/* Moves a packet before the packet of the other side that it answers. */
void iw_transform_answer_first(struct iw_trace *trace, uint64_t *state) {
    size_t first = trace->count > 1 ? iw_transform_below(state, trace->count - 1) : 0;

    for (size_t i = 0; i + 1 < trace->count; i++) {
        size_t at = (first + i) % (trace->count - 1);

        if (trace->packets[at].side == trace->packets[at + 1].side)
            continue;
        move_within(trace, at + 1, at);
        return;
    }
}

/* Merges the captures of both hosts: every packet occurs twice, the second time a little later. */
void iw_transform_two_hosts(struct iw_trace *trace, uint64_t *state) {
    for (size_t i = trace->count; i-- > 0;) {
        size_t left = trace->count - i < 3 ? trace->count - i : 3;

        iw_trace_insert(trace, i + 1 + iw_transform_below(state, left), &trace->packets[i]);
    }
}

/* Makes the clock jump forwards and backwards, up to the first FIN or RST: the same octets long after the
 * end would belong to another connection. */
void iw_transform_times(struct iw_trace *trace, uint64_t *state) {
    for (size_t i = 0; i < trace->count; i++) {
        struct iw_tcp_segment *segment = &trace->packets[i].segment;

        if (segment->flags & (IW_TCP_FIN | IW_TCP_RST))
            break;
        if (iw_transform_below(state, 4) == 0)
            segment->time_ns += iw_transform_below(state, UINT64_C(7200000000000)) - UINT64_C(3600000000000);
    }
}

void iw_transform_drop(struct iw_trace *trace, uint64_t *state) {
    if (trace->count > 1)
        iw_trace_remove(trace, iw_transform_below(state, trace->count));
}

void iw_transform_drop_many(struct iw_trace *trace, uint64_t *state) {
    uint64_t share = 2 + iw_transform_below(state, 20);

    for (size_t i = trace->count; i-- > 0 && trace->count > 1;)
        if (iw_transform_below(state, share) == 0)
            iw_trace_remove(trace, i);
}

void iw_transform_late_start(struct iw_trace *trace, uint64_t *state) {
    for (size_t i = trace->count > 1 ? iw_transform_below(state, trace->count) : 0; i > 0; i--)
        iw_trace_remove(trace, 0);
}

void iw_transform_early_end(struct iw_trace *trace, uint64_t *state) {
    if (trace->count > 1)
        trace->count -= iw_transform_below(state, trace->count);
}

void iw_transform_one_direction(struct iw_trace *trace, uint64_t *state) {
    enum iw_side side = (enum iw_side)iw_transform_below(state, 2);

    for (size_t i = trace->count; i-- > 0 && trace->count > 1;)
        if (trace->packets[i].side == side)
            iw_trace_remove(trace, i);
}
