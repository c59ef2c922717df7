#ifndef IW_CHECK_H
#define IW_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "iw_monitor.h"
#include "iw_status.h"
#include "iw_tcp_flow.h"

/* Judges a capture file: its packets go through TCP reassembly, and each TCP connection through a monitor of
 * its own. */

/* One TCP connection that has turned out to be iWARP. */
struct iw_check_stream {
    const struct iw_tcp_flow *flow; /* its id, addresses and what the capture lost of it */
    const struct iw_monitor *monitor;
    uint64_t first_frame;
    void *user; /* the handlers' own; NULL at first */
};

/* Any may be NULL. */
struct iw_check_handlers {
    /* `event` is valid during the call only. */
    void (*event)(void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event);
    /* Follows for every stream that had an event. */
    void (*stream_end)(void *user, struct iw_check_stream *stream);
};

struct iw_check_counts {
    uint64_t frames;
    uint64_t streams;   /* iWARP connections */
    uint64_t tcp_flows; /* TCP connections, these among them */
    uint64_t fragments; /* frames with an IP fragment of TCP, which cannot be judged */
    uint64_t cut;       /* frames that were cut in their TCP header */
    uint64_t malformed; /* frames whose lengths contradict themselves */
    uint64_t dropped;   /* segments that were one too many for a limit */
};

/* Reads the file at `path` to its end. With another result than IW_OK,
 * `error` holds one line that starts with the path; what stood before the trouble has been judged all the
 * same, and `counts` says how much it was. `extensions` is a set of enum iw_extension. */
enum iw_status iw_check_file(const char *path, unsigned extensions, const struct iw_check_handlers *handlers,
    void *user, struct iw_check_counts *counts, char *error, size_t error_octets);

#endif
