#include "iw_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_capture_file.h"
#include "iw_packet.h"
#include "iw_tcp_table.h"

struct check {
    const struct iw_check_handlers *handlers;
    void *user;
    struct iw_check_counts *counts;
    struct iw_monitor_config config;
    bool no_memory;
};

/* Each side can at most start, close and reset. */
enum { EARLY_MAX = 6 };

/* What hangs on a flow. A capture may be full of connections without an octet, so the monitor, which is
 * large, waits for the first; what came before is kept for it. */
struct watch {
    struct check *check;
    struct iw_check_stream stream;
    struct iw_monitor *monitor;
    struct iw_chunk early[EARLY_MAX];
    unsigned early_count;
};

static void take_event(void *user, const struct iw_monitor_event *event) {
    struct watch *watch = user;
    struct check *check = watch->check;

    if (check->handlers->event && iw_monitor_recognised(watch->monitor))
        check->handlers->event(check->user, &watch->stream, event);
}

static void forget(struct iw_tcp_flow *flow) {
    struct watch *watch = flow->user;

    flow->user = NULL;
    if (watch)
        iw_monitor_free(watch->monitor);
    free(watch);
}

static struct watch *watch_flow(struct check *check, struct iw_tcp_flow *flow, uint64_t frame) {
    struct watch *watch = calloc(1, sizeof *watch);

    if (!watch)
        return NULL;
    watch->check = check;
    watch->stream = (struct iw_check_stream){.flow = flow, .first_frame = frame};
    flow->user = watch;
    return watch;
}

static bool carries_octets(const struct iw_chunk *chunk) {
    return chunk->kind == IW_CHUNK_DATA || chunk->kind == IW_CHUNK_GAP;
}

/* Gives the watch its monitor when there is something for it. False: no memory. */
static bool feed_watch(struct watch *watch, const struct iw_chunk *chunk) {
    if (!watch->monitor && !carries_octets(chunk) && watch->early_count < EARLY_MAX) {
        watch->early[watch->early_count++] = *chunk;
        return true;
    }
    if (!watch->monitor) {
        watch->monitor = iw_monitor_new(&watch->check->config, take_event, watch);
        if (!watch->monitor)
            return false;
        watch->stream.monitor = watch->monitor;
        for (unsigned i = 0; i < watch->early_count; i++)
            iw_monitor_feed(watch->monitor, &watch->early[i]);
    }
    iw_monitor_feed(watch->monitor, chunk);
    return true;
}

static void take_flow(void *user, struct iw_tcp_flow *flow) {
    struct check *check = user;

    (void)flow;
    check->counts->tcp_flows++;
}

static void take_chunk(void *user, struct iw_tcp_flow *flow, const struct iw_chunk *chunk) {
    struct check *check = user;
    struct watch *watch = flow->user;

    if (!watch)
        watch = watch_flow(check, flow, chunk->frame);
    if (!watch || !feed_watch(watch, chunk)) {
        check->no_memory = true;
        forget(flow);
        iw_tcp_flow_ignore(flow);
    } else if (watch->monitor && iw_monitor_hopeless(watch->monitor) &&
               !iw_monitor_recognised(watch->monitor)) {
        forget(flow);
        iw_tcp_flow_ignore(flow);
    }
}

static void end_flow(void *user, struct iw_tcp_flow *flow) {
    struct check *check = user;
    struct watch *watch = flow->user;

    if (watch && watch->monitor) {
        iw_monitor_finish(watch->monitor);
        if (iw_monitor_recognised(watch->monitor)) {
            check->counts->streams++;
            if (check->handlers->stream_end)
                check->handlers->stream_end(check->user, &watch->stream);
        }
    }
    forget(flow);
}

static void take_packet(struct check *check, struct iw_tcp_table *table, const struct iw_packet *packet) {
    struct iw_check_counts *counts = check->counts;
    struct iw_tcp_segment segment;

    counts->frames++;
    switch (iw_packet_decode(packet, &segment)) {
    case IW_PACKET_TCP:
        if (iw_tcp_table_segment(table, &segment) != IW_OK)
            counts->dropped++;
        break;
    case IW_PACKET_FRAGMENT:
        counts->fragments++;
        break;
    case IW_PACKET_CUT:
        counts->cut++;
        break;
    case IW_PACKET_MALFORMED:
        counts->malformed++;
        break;
    case IW_PACKET_OTHER:
        break;
    }
}

/* All packets through the table, and the table to its end whatever happened. */
static enum iw_status read_packets(struct check *check, struct iw_capture_file *file,
    struct iw_tcp_table *table, char *error, size_t error_octets) {
    struct iw_packet packet;
    int step;

    while ((step = iw_capture_file_next(file, &packet, error, error_octets)) == IW_CAPTURE_PACKET)
        take_packet(check, table, &packet);
    iw_tcp_table_finish(table);
    return step < 0 ? (enum iw_status)step : IW_OK;
}

enum iw_status iw_check_file(const char *path, unsigned extensions, const struct iw_check_handlers *handlers,
    void *user, struct iw_check_counts *counts, char *error, size_t error_octets) {
    static const struct iw_tcp_handlers tcp = {take_flow, take_chunk, end_flow};
    struct check check = {handlers, user, counts, {.extensions = extensions}, false};
    struct iw_capture_file *file;
    struct iw_tcp_table *table;
    enum iw_status status;

    memset(counts, 0, sizeof *counts);
    status = iw_capture_file_open(path, &file, error, error_octets);
    if (status != IW_OK)
        return status;
    table = iw_tcp_table_new(NULL, &tcp, &check);
    if (table)
        status = read_packets(&check, file, table, error, error_octets);
    iw_tcp_table_free(table);
    iw_capture_file_close(file);
    if (!table || check.no_memory) {
        snprintf(error, error_octets, "%s: out of memory", path);
        return IW_ERR_NOMEM;
    }
    return status;
}
