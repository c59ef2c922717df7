#include "iw_tcp_seen.h"

#include <stdlib.h>

static uint32_t seen_us(const struct iw_tcp_segment *segment) {
    return (uint32_t)(segment->time_ns / 1000);
}

static unsigned seen_count(const struct iw_tcp_seen *seen) {
    return seen->mirror != NULL ? IW_TCP_SEEN_MIRROR : IW_TCP_SEEN;
}

void iw_tcp_seen_dispose(struct iw_tcp_seen *seen) {
    free(seen->mirror);
}

bool iw_tcp_seen_expect_mirror(struct iw_tcp_seen *seen) {
    if (seen->mirror != NULL)
        return true;
    seen->mirror = calloc(IW_TCP_SEEN_MIRROR, sizeof *seen->mirror);
    if (seen->mirror == NULL)
        return false;
    for (unsigned i = 0; i < IW_TCP_SEEN; i++)
        seen->mirror[i] = seen->segments[i];
    seen->next %= IW_TCP_SEEN;
    if (seen->mirror[seen->next].known)
        seen->next = IW_TCP_SEEN;
    return true;
}

bool iw_tcp_seen_has(const struct iw_tcp_seen *seen, const struct iw_tcp_segment *segment) {
    const struct iw_tcp_seen_segment *segments = seen->mirror != NULL ? seen->mirror : seen->segments;
    uint32_t within =
        seen->mirror != NULL || (segment->flags & IW_TCP_SYN) != 0 ? IW_TCP_SEEN_MIRROR_US : IW_TCP_SEEN_US;

    for (unsigned i = 0; i < seen_count(seen); i++) {
        if (segments[i].known && seen_us(segment) - segments[i].time_us <= within &&
            segments[i].seq == segment->seq && segments[i].ack == segment->ack &&
            segments[i].length == segment->length && segments[i].window == segment->window &&
            segments[i].flags == segment->flags)
            return true;
    }
    return false;
}

void iw_tcp_seen_add(struct iw_tcp_seen *seen, const struct iw_tcp_segment *segment) {
    struct iw_tcp_seen_segment *slot =
        &(seen->mirror != NULL ? seen->mirror : seen->segments)[seen->next++ % seen_count(seen)];

    *slot = (struct iw_tcp_seen_segment){.time_us = seen_us(segment),
        .seq = segment->seq,
        .ack = segment->ack,
        .length = segment->length,
        .window = segment->window,
        .flags = segment->flags,
        .known = segment->time_ns != 0};
}
