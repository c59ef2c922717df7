#include "iw_tcp_seen.h"

static uint32_t seen_us(const struct iw_tcp_segment *segment) {
    return (uint32_t)(segment->time_ns / 1000);
}

bool iw_tcp_seen_has(const struct iw_tcp_seen *seen, const struct iw_tcp_segment *segment) {
    for (unsigned i = 0; i < IW_TCP_SEEN; i++) {
        if (seen->segments[i].known && seen_us(segment) - seen->segments[i].time_us <= IW_TCP_SEEN_US &&
            seen->segments[i].seq == segment->seq && seen->segments[i].ack == segment->ack &&
            seen->segments[i].length == segment->length && seen->segments[i].window == segment->window &&
            seen->segments[i].flags == segment->flags)
            return true;
    }
    return false;
}

void iw_tcp_seen_add(struct iw_tcp_seen *seen, const struct iw_tcp_segment *segment) {
    unsigned at = seen->next++ % IW_TCP_SEEN;

    seen->segments[at].known = segment->time_ns != 0;
    seen->segments[at].time_us = seen_us(segment);
    seen->segments[at].seq = segment->seq;
    seen->segments[at].ack = segment->ack;
    seen->segments[at].length = segment->length;
    seen->segments[at].window = segment->window;
    seen->segments[at].flags = segment->flags;
}
