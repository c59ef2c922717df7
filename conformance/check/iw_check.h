#ifndef IW_CHECK_H
#define IW_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_capture_unread.h"
#include "iw_check_contents.h"
#include "iw_check_mapping.h"
#include "iw_monitor.h"
#include "iw_sctp_association.h"
#include "iw_status.h"
#include "iw_tcp_stream.h"

/* Judges a capture file: its packets go through TCP reassembly, and each TCP connection through a monitor of
 * its own. */

/* One TCP connection that has turned out to be iWARP, or a DDP Stream Session over SCTP. */
struct iw_check_stream {
    uint64_t id; /* among the TCP connections, or the sessions: 0, 1, 2, ... in the order of first packets */
    struct iw_tcp_address address[2];        /* by enum iw_side */
    const struct iw_session *session;        /* NULL over TCP */
    const struct iw_sctp_state *association; /* that it is on; NULL over TCP */
    const struct iw_sctp_association *paths; /* of the association; NULL over TCP */
    struct iw_check_mapped mapped;           /* over TCP: the ports before the port mapper mapped them */
    const struct iw_monitor *monitor;
    uint64_t first_frame;
    uint64_t first_time_ns;
    uint64_t last_frame; /* this and what follows: at `stream_end` */
    uint64_t last_time_ns;
    struct iw_tcp_counters tcp[2]; /* by enum iw_side: what the capture lost; all 0 over SCTP */
    bool file_unread; /* at `stream_end`: the stream was open at a place where a file could not be read
                         further */
    void *user;       /* for the handlers' use; NULL at first */
};

/* Memory is bounded by connections: where there are many, those behind the first remember less. */
enum {
    IW_CHECK_FIRST_STREAMS = 256, /* over TCP, and as many sessions over SCTP */
    IW_CHECK_LATER_STAGS = 16,    /* of each side of the others: see iw_stags_init */
};

enum { IW_CHECK_TROUBLE_OCTETS = 512 }; /* of a line about a file */

/* Any may be NULL. `event` is valid during the call only. */
struct iw_check_handlers {
    /* Every event, in the order of its stream. Those of several streams may come at the same time, on threads
     * of their own: it reads `user`, and changes nothing but what hangs on the stream. */
    void (*note)(void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event);
    /* Events in the order of the capture, each after it has been noted, on the caller's thread. */
    void (*event)(void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event);
    bool findings_only; /* for `event`: those with findings. All of them keep it to one thread. */
    /* Follows for every stream that had an event, on the caller's thread, in the order in which they end. */
    void (*stream_end)(void *user, struct iw_check_stream *stream);
    /* Now and then, on the caller's thread: `octets` of the files have been read, or somewhat less. */
    void (*progress)(void *user, uint64_t frames, uint64_t octets);
    /* On the caller's thread: a file cannot be read, or not to its end; one line that starts with its path.
     */
    void (*trouble)(void *user, const char *line);
    /* On the caller's thread, once for a chain: packets of `path` are older than some of `before`, by so
     * much; so they are of one capture in no order, or of two. */
    void (*overlap)(void *user, const char *path, const char *before, uint64_t by_ns);
};

/* The files of one capture in the order of time. Frames are numbered through all of them, and connections go
 * on from one to the next. */
struct iw_check_chain {
    const char *const *paths;
    size_t count;
    uint64_t *first; /* by file: the number of its first frame, UINT64_MAX before it is read */
};

/* Where the chain has frame `*frame`: returns the file, and makes *frame the number that it has there. */
const char *iw_check_chain_place(const struct iw_check_chain *chain, uint64_t *frame);

struct iw_check_config {
    unsigned extensions; /* set of enum iw_extension */
    unsigned threads;    /* the caller's is the first; 0: as many as there are processors */
};

struct iw_check_counts {
    uint64_t frames;    /* number of frames, as Wireshark counts */
    uint64_t streams;   /* iWARP connections and sessions */
    uint64_t tcp_flows; /* TCP connections, these among them */
    uint64_t fragments; /* frames with fragments of IP packets that could not be reassembled */
    uint64_t differing; /* frames with fragments that contradict earlier fragments */
    uint64_t cut;       /* frames that were cut in their TCP or SCTP header */
    uint64_t malformed; /* frames whose lengths contradict themselves */
    uint64_t tags;      /* packets of SCTP whose tag is not that of the association between their addresses */
    uint64_t dropped;   /* segments that were one too many for a limit */
    uint64_t mappings;  /* port mappings forgotten at a limit before a connection has used them */
    struct iw_check_contents contents; /* what the frames hold that are neither TCP nor SCTP */
    struct iw_capture_unread links;    /* packets that were not read because of their link type */
};

/* Reads the files of the chain to their ends. Returns what the first file that made trouble has met; what
 * stood before the trouble, and the files behind it, have been judged all the same, and `counts` says how
 * much it was. What the handlers are told is the same with any number of threads. */
enum iw_status iw_check_files(struct iw_check_chain *chain, const struct iw_check_config *config,
    const struct iw_check_handlers *handlers, void *user, struct iw_check_counts *counts);

#endif
