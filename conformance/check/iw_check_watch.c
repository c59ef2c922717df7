#include "iw_check_watch.h"

#include <stdlib.h>

#include "iw_placement.h"

struct iw_check_watch *iw_check_watch_new(struct iw_tcp_flow *flow, const struct iw_chunk *first,
    const struct iw_monitor_config *config, iw_monitor_sink *sink, void *owner) {
    struct iw_check_watch *watch = calloc(1, sizeof *watch);

    if (!watch)
        return NULL;
    watch->stream = (struct iw_check_stream){.id = flow->id,
        .address = {flow->address[IW_SIDE_A], flow->address[IW_SIDE_B]},
        .first_frame = first->frame,
        .first_time_ns = first->time_ns};
    watch->flow = flow;
    watch->owner = owner;
    iw_lazy_monitor_init(&watch->lazy, config, sink, watch);
    return watch;
}

void iw_check_watch_free(struct iw_check_watch *watch) {
    if (!watch)
        return;
    iw_lazy_monitor_dispose(&watch->lazy);
    if (watch->life != NULL)
        iw_tcp_life_dispose(watch->life);
    free(watch->life);
    free(watch);
}

bool iw_check_watch_follow_life(struct iw_check_watch *watch) {
    watch->life = malloc(sizeof *watch->life);
    if (watch->life != NULL)
        iw_tcp_life_init(watch->life);
    return watch->life != NULL;
}

static enum iw_lazy_monitor_state watch_state(
    struct iw_check_watch *watch, enum iw_lazy_monitor_state state) {
    if (state != IW_LAZY_MONITOR_OPEN)
        watch->stream.monitor = NULL;
    return state;
}

enum iw_lazy_monitor_state iw_check_watch_feed(struct iw_check_watch *watch, const struct iw_chunk *chunk) {
    if (chunk->frame < watch->stream.first_frame) { /* captured before the SYN */
        watch->stream.first_frame = chunk->frame;
        watch->stream.first_time_ns = chunk->time_ns;
    }
    if (!watch->lazy.monitor) {
        iw_lazy_monitor_wake(&watch->lazy, chunk);
        watch->stream.monitor = watch->lazy.monitor;
    }
    return watch_state(watch, iw_lazy_monitor_feed(&watch->lazy, chunk));
}

enum iw_lazy_monitor_state iw_check_watch_end_reading(struct iw_check_watch *watch, enum iw_side side) {
    return watch_state(watch, iw_lazy_monitor_end_reading(&watch->lazy, side));
}

static int64_t watch_side_growth(struct iw_check_watch *watch, enum iw_side side) {
    size_t before = watch->kept[side];

    watch->kept[side] = iw_lazy_monitor_memory(&watch->lazy, side);
    return (int64_t)watch->kept[side] - (int64_t)before;
}

/* The other side has sent nothing since the latest call, so it cannot keep more octets than before. If it
 * kept none, nothing is to be read. */
IW_HOT int64_t iw_check_watch_growth(struct iw_check_watch *watch, enum iw_side side) {
    enum iw_side other = iw_side_other(side);

    return watch_side_growth(watch, side) + (watch->kept[other] == 0 ? 0 : watch_side_growth(watch, other));
}

void iw_check_watch_detach(struct iw_check_watch *watch, uint64_t capture_ns) {
    const struct iw_tcp_flow *flow = watch->flow;

    watch->stream.last_frame = flow->frame;
    watch->stream.last_time_ns = flow->time_ns;
    watch->stream.capture_ns = capture_ns;
    watch->stream.tcp[IW_SIDE_A] = flow->stream[IW_SIDE_A].counters;
    watch->stream.tcp[IW_SIDE_B] = flow->stream[IW_SIDE_B].counters;
    watch->stream.life = watch->life;
    watch->flow = NULL;
}
