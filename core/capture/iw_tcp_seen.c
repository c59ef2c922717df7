#include "iw_tcp_seen.h"

#include <stdlib.h>

static uint32_t seen_us(const struct iw_tcp_segment *segment) {
    return (uint32_t)(segment->time_ns / 1000);
}

static unsigned seen_count(const struct iw_tcp_seen *seen) {
    return seen->mirror != NULL ? IW_TCP_SEEN_MIRROR : IW_TCP_SEEN;
}

static const struct iw_tcp_seen_segment *seen_segments(const struct iw_tcp_seen *seen) {
    return seen->mirror != NULL ? seen->mirror : seen->segments;
}

void iw_tcp_seen_dispose(struct iw_tcp_seen *seen) {
    free(seen->mirror);
}

static bool seen_is_equal(const struct iw_tcp_seen_segment *one, const struct iw_tcp_segment *other) {
    return one->known && one->seq == other->seq && one->ack == other->ack && one->length == other->length &&
           one->window == other->window && one->flags == other->flags;
}

/* Whether the sender gave another datagram another IPv4 Identification than this one. */
static bool seen_numbers(const struct iw_tcp_seen *seen, uint16_t id) {
    const struct iw_tcp_seen_segment *segments = seen_segments(seen);

    for (unsigned i = 0; i < seen_count(seen); i++)
        if (segments[i].known && segments[i].id != 0 && segments[i].id != id)
            return true;
    return false;
}

/* Whether the segment, identical to `one`, is a copy of it. */
static enum iw_tcp_seen_copy seen_copy_of(const struct iw_tcp_seen *seen,
    const struct iw_tcp_seen_segment *one, const struct iw_tcp_segment *segment) {
    uint32_t age_us = seen_us(segment) - one->time_us, within_us = IW_TCP_SEEN_US;

    if (one->id != 0 && segment->ip_id != 0 && one->id != segment->ip_id)
        return IW_TCP_SEEN_NEW;
    if (one->checksum == segment->checksum && age_us <= IW_TCP_SEEN_PROVEN_US && one->id != 0 &&
        one->id == segment->ip_id && seen_numbers(seen, one->id))
        return IW_TCP_SEEN_PROVEN;
    if (one->checksum == segment->checksum && (segment->flags & IW_TCP_SYN))
        within_us = IW_TCP_SEEN_PROVEN_US;
    else if (one->checksum == segment->checksum && seen->mirror != NULL)
        within_us = seen->mirror_us;
    return age_us <= within_us ? IW_TCP_SEEN_SOON : IW_TCP_SEEN_NEW;
}

/* Finds the latest identical segment, or NULL. */
static const struct iw_tcp_seen_segment *seen_latest(
    const struct iw_tcp_seen *seen, const struct iw_tcp_segment *segment) {
    const struct iw_tcp_seen_segment *segments = seen_segments(seen), *latest = NULL;

    for (unsigned i = 0; i < seen_count(seen); i++)
        if (seen_is_equal(&segments[i], segment) &&
            (latest == NULL || seen_us(segment) - segments[i].time_us < seen_us(segment) - latest->time_us))
            latest = &segments[i];
    return latest;
}

enum iw_tcp_seen_copy iw_tcp_seen_find(const struct iw_tcp_seen *seen, const struct iw_tcp_segment *segment) {
    const struct iw_tcp_seen_segment *latest = seen_latest(seen, segment);

    return latest != NULL ? seen_copy_of(seen, latest, segment) : IW_TCP_SEEN_NEW;
}

/* Remembers more segments from now on. */
static void seen_expect_mirror(struct iw_tcp_seen *seen) {
    seen->mirror = calloc(IW_TCP_SEEN_MIRROR, sizeof *seen->mirror);
    if (seen->mirror == NULL) {
        seen->incomplete = true;
        return;
    }
    for (unsigned i = 0; i < IW_TCP_SEEN; i++)
        seen->mirror[i] = seen->segments[i];
    seen->mirror_us = IW_TCP_SEEN_MIRROR_US;
    seen->next %= IW_TCP_SEEN;
    if (seen->mirror[seen->next].known)
        seen->next = IW_TCP_SEEN;
}

void iw_tcp_seen_take_copy(struct iw_tcp_seen *seen, const struct iw_tcp_segment *segment) {
    const struct iw_tcp_seen_segment *latest = seen_latest(seen, segment);
    uint32_t age_us = latest != NULL ? seen_us(segment) - latest->time_us : 0;

    if (age_us <= IW_TCP_SEEN_US ||
        (!(segment->flags & IW_TCP_SYN) && seen_copy_of(seen, latest, segment) != IW_TCP_SEEN_PROVEN))
        return;
    if (seen->mirror == NULL)
        seen_expect_mirror(seen);
    if (seen->mirror != NULL && 2 * age_us > seen->mirror_us)
        seen->mirror_us = 2 * age_us < IW_TCP_SEEN_PROVEN_US ? 2 * age_us : IW_TCP_SEEN_PROVEN_US;
}

void iw_tcp_seen_add(struct iw_tcp_seen *seen, const struct iw_tcp_segment *segment) {
    struct iw_tcp_seen_segment *slot =
        &(seen->mirror != NULL ? seen->mirror : seen->segments)[seen->next++ % seen_count(seen)];

    *slot = (struct iw_tcp_seen_segment){.time_us = seen_us(segment),
        .seq = segment->seq,
        .ack = segment->ack,
        .length = segment->length,
        .window = segment->window,
        .checksum = segment->checksum,
        .id = segment->ip_id,
        .flags = segment->flags,
        .known = segment->time_ns != 0};
}
