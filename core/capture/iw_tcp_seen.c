#include "iw_tcp_seen.h"

bool iw_tcp_seen_has(const struct iw_tcp_seen *seen, const struct iw_tcp_segment *segment) {
    for (unsigned i = 0; i < IW_TCP_SEEN; i++) {
        uint64_t time_ns = seen->segments[i].time_ns;

        if (time_ns != 0 && segment->time_ns >= time_ns && segment->time_ns - time_ns <= IW_TCP_SEEN_NS &&
            seen->segments[i].seq == segment->seq && seen->segments[i].ack == segment->ack &&
            seen->segments[i].length == segment->length && seen->segments[i].window == segment->window &&
            seen->segments[i].flags == segment->flags)
            return true;
    }
    return false;
}

void iw_tcp_seen_add(struct iw_tcp_seen *seen, const struct iw_tcp_segment *segment) {
    unsigned at = seen->next++ % IW_TCP_SEEN;

    seen->segments[at].time_ns = segment->time_ns;
    seen->segments[at].seq = segment->seq;
    seen->segments[at].ack = segment->ack;
    seen->segments[at].length = segment->length;
    seen->segments[at].window = segment->window;
    seen->segments[at].flags = segment->flags;
}
