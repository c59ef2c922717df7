#include "iw_check_watch.h"

#include <stdlib.h>

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
    watch->config = config;
    watch->sink = sink;
    watch->owner = owner;
    return watch;
}

void iw_check_watch_free(struct iw_check_watch *watch) {
    if (!watch)
        return;
    iw_monitor_free(watch->monitor);
    free(watch->early);
    free(watch);
}

static bool carries_octets(const struct iw_chunk *chunk) {
    return chunk->kind == IW_CHUNK_DATA || chunk->kind == IW_CHUNK_GAP;
}

static bool begin(struct iw_check_watch *watch) {
    watch->monitor = iw_monitor_new(watch->config, watch->sink, watch);
    if (!watch->monitor)
        return false;
    watch->stream.monitor = watch->monitor;
    for (unsigned i = 0; i < watch->early_count; i++)
        iw_monitor_feed(watch->monitor, &watch->early[i]);
    free(watch->early);
    watch->early = NULL;
    return true;
}

static enum iw_check_watched give_up(struct iw_check_watch *watch, enum iw_check_watched reason) {
    iw_monitor_free(watch->monitor);
    watch->monitor = NULL;
    watch->stream.monitor = NULL;
    watch->given_up = true;
    return reason;
}

static bool keep_early(struct iw_check_watch *watch, const struct iw_chunk *chunk) {
    if (!watch->early)
        watch->early = malloc(IW_CHECK_EARLY_MAX * sizeof *watch->early);
    if (!watch->early)
        return false;
    watch->early[watch->early_count++] = *chunk;
    return true;
}

enum iw_check_watched iw_check_watch_feed(struct iw_check_watch *watch, const struct iw_chunk *chunk) {
    if (!watch->monitor && !carries_octets(chunk) && watch->early_count < IW_CHECK_EARLY_MAX)
        return keep_early(watch, chunk) ? IW_CHECK_WATCHED : give_up(watch, IW_CHECK_NO_MEMORY);
    if (!watch->monitor && !begin(watch))
        return give_up(watch, IW_CHECK_NO_MEMORY);
    iw_monitor_feed(watch->monitor, chunk);
    if (iw_monitor_hopeless(watch->monitor) && !iw_monitor_recognised(watch->monitor))
        return give_up(watch, iw_monitor_failed(watch->monitor) ? IW_CHECK_NO_MEMORY : IW_CHECK_HOPELESS);
    return IW_CHECK_WATCHED;
}

bool iw_check_watch_finish(struct iw_check_watch *watch) {
    if (!watch->monitor)
        return false;
    iw_monitor_finish(watch->monitor);
    watch->no_memory = !iw_monitor_recognised(watch->monitor) && iw_monitor_failed(watch->monitor);
    return iw_monitor_recognised(watch->monitor);
}

void iw_check_watch_detach(struct iw_check_watch *watch) {
    const struct iw_tcp_flow *flow = watch->flow;

    watch->end = (struct iw_check_flow_end){
        flow->frame, flow->time_ns, {flow->stream[IW_SIDE_A].counters, flow->stream[IW_SIDE_B].counters}};
    watch->flow = NULL;
}

void iw_check_watch_show_end(struct iw_check_watch *watch) {
    watch->stream.last_frame = watch->end.frame;
    watch->stream.last_time_ns = watch->end.time_ns;
    watch->stream.tcp[IW_SIDE_A] = watch->end.counters[IW_SIDE_A];
    watch->stream.tcp[IW_SIDE_B] = watch->end.counters[IW_SIDE_B];
}
