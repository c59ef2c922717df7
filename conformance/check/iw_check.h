#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_capture_file.h"
#include "iw_capture_unread.h"
#include "iw_check_mapping.h"
#include "iw_check_order.h"
#include "iw_check_shard.h"
#include "iw_monitor.h"
#include "iw_packet.h"
#include "iw_sctp_association.h"
#include "iw_status.h"
#include "iw_tcp_life.h"
#include "iw_tcp_stream.h"

/* Reads the files of a capture and judges the iWARP in them. Each TCP connection, and each session over SCTP,
 * has its own monitor. */

/* A TCP connection recognised as iWARP, or a DDP Stream Session over SCTP. */
struct iw_check_stream {
    uint64_t id; /* in order of first packets or events, from 0; sessions are counted apart */
    struct iw_tcp_address address[2];        /* by enum iw_side */
    const struct iw_session *session;        /* NULL over TCP */
    const struct iw_sctp_state *association; /* state of the association; NULL over TCP */
    const struct iw_sctp_association *paths; /* addresses of the association; NULL over TCP */
    struct iw_check_mapped mapped;           /* over TCP: the addresses before the port mapping */
    bool file_unread; /* at `stream_end`: the unread rest of a file may contain packets of the stream */
    const struct iw_monitor *monitor;
    uint64_t first_frame;
    uint64_t first_time_ns;
    uint64_t last_frame; /* `last_frame`, `last_time_ns` and `tcp` are valid only at `stream_end` */
    uint64_t last_time_ns;
    /* At `stream_end`: how far the capture had come in time when the connection ended; if it is open, the end
     * of the capture. 0: a file of `split`, which lacks packets. */
    uint64_t capture_ns;
    struct iw_tcp_counters tcp[2];  /* by enum iw_side; all 0 over SCTP */
    const struct iw_tcp_life *life; /* at `stream_end`, over TCP, if the configuration asks for it; or NULL */
    uint64_t order; /* if the check is divided: iw_check_order.now of the latest call of a handler */
    bool deferred;  /* `stream_end` may set it, over TCP: that call did not count, and comes again after those
                       of all other streams. Keeps the memory of the connection until then. */
    void *user;     /* data of the handlers; NULL at first */
    void *story;    /* data of a struct iw_check_teller; NULL at first */
    void *row;      /* data of a form of a report; NULL at first */
};

/* To limit memory, streams after the first IW_CHECK_FIRST_STREAMS remember fewer STags and keep fewer
 * findings and no wire log. */
enum {
    IW_CHECK_FIRST_STREAMS = 256, /* TCP connections (iWARP or not); and as many sessions */
    IW_CHECK_LATER_STAGS = 16,    /* STags per side of each later stream; see iw_stags_init */
};

enum { IW_CHECK_TROUBLE_OCTETS = 512 }; /* size of an error message about a file */

/* Each handler may be NULL. The argument `event` is valid during the call only. */
struct iw_check_handlers {
    /* Gets every event. The events of one stream arrive in order, but events of different streams may arrive
     * concurrently on different threads: the handler must not change `user`, only data of the stream. */
    void (*note)(void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event);
    /* Gets the events in the order of the capture, each after `note`, on the caller's thread. Gets the
     * earlier events of a connection once the connection is recognised as iWARP. */
    void (*event)(void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event);
    bool findings_only; /* false: `event` gets all events, and one thread judges them */
    /* Called on the caller's thread for every stream that had an event, in the order in which streams end. */
    void (*stream_end)(void *user, struct iw_check_stream *stream);
    /* Called on the caller's thread for a TCP connection without `stream_end`: it is not iWARP, or memory ran
     * out, perhaps after some events. Frees what `note` keeps of it. */
    void (*stream_drop)(void *user, struct iw_check_stream *stream);
    /* Called from time to time on the caller's thread: `frames` frames, about `octets` octets, were read. */
    void (*progress)(void *user, uint64_t frames, uint64_t octets);
    /* Called on the caller's thread about ten times a second while packets come from a struct
     * iw_check_source. */
    void (*tick)(void *user);
    /* Called on the caller's thread if a file cannot be read to its end, or if memory ran out. `line` is the
     * error message; it starts with the path of the file, or of the first file if memory ran out. */
    void (*trouble)(void *user, const char *line);
    /* Called on the caller's thread, at most once per capture, if the files are out of order or of two
     * captures: `path` has a packet that is `by_ns` older than a packet of the earlier file `before`. */
    void (*overlap)(void *user, const char *path, const char *before, uint64_t by_ns);
};

/* The files of one capture, in order of time. Frame numbers and connections continue from file to file. */
struct iw_check_chain {
    const char *const *paths;
    size_t count;
    uint64_t *first; /* by file: number of its first frame; UINT64_MAX: not yet read */
};

/* A file that `warpcheck split` has written (iw_check_origin.h). The chain is that of the split capture. */
struct iw_check_split {
    const char *path;   /* of the file to read, instead of those of the chain */
    char **paths;       /* for each file of the chain: the reader stores its path; the caller frees it */
    const char **names; /* `paths` of the chain: the reader replaces each by the path */
};

/* Packets that come while they are judged, as from a network, instead of files. A connection that both sides
 * have closed ends a few seconds later, not at the end of the source. */
struct iw_check_source {
    void *user;
    /* Waits for the next packet, which is valid until the next call. Returns an enum iw_check_step, or a
     * negative enum iw_status with a line in `error`: the source has ended before its end. */
    int (*next)(void *user, struct iw_packet *packet, char *error, size_t error_octets);
    /* Returns how many packets the system has dropped so far, instead of giving them to this program. */
    uint64_t (*lost)(void *user);
};

enum iw_check_step {
    IW_CHECK_PACKET = IW_CAPTURE_PACKET,
    IW_CHECK_END = IW_CAPTURE_END,
    IW_CHECK_TICK, /* no packet: it is time for the handler `tick` */
};

struct iw_check_config {
    unsigned extensions; /* set of enum iw_extension */
    unsigned threads;    /* including the caller's, at most 16; 0: one per processor */
    bool lives;          /* follow the lives of TCP connections: iw_check_stream.life */
    bool expected;       /* every TCP connection is known to use MPA from its first octet on (iw_mpa.h) */
    uint64_t memory; /* limit in octets, separately for TCP connections, SCTP associations and their sessions;
                        0: a quarter of the machine's memory */
    struct iw_check_shard shard;          /* judge only this shard, on the caller's thread */
    struct iw_check_order *order;         /* NULL if the check is not divided; otherwise zeroed */
    const struct iw_check_split *split;   /* NULL: read the files of the chain */
    const struct iw_check_source *source; /* NULL: read files; else the chain has only its name, as a file */
};

/* A TCP connection counts as CONNECTION octets of `memory` or, once ignored, as IGNORED octets; an SCTP
 * association counts as ASSOCIATION octets: upper estimates. The octets of FPDUs and startup frames that a
 * TCP connection keeps (iw_mpa_memory) are added. If a chunk makes the sum exceed `memory`, the kept octets
 * of its sender are dropped, and that side is no longer read. Sessions: see iw_sctp_judge_limit. Outstanding
 * requests and the data of reports are not counted. The same files and `memory` give the same report. */
enum {
    IW_CHECK_CONNECTION_OCTETS = 12 << 10,
    IW_CHECK_IGNORED_OCTETS = 2 << 10,
    IW_CHECK_ASSOCIATION_OCTETS = 32 << 10,
};

/* Returns the part of `memory` for TCP segments, or SCTP user data, that wait for missing octets before them:
 * one eighth, at most `most` octets. */
static inline uint64_t iw_check_waiting_octets(uint64_t memory, uint64_t most) {
    return memory / 8 < most ? memory / 8 : most;
}

/* ---- frames that are neither TCP nor SCTP (iw_check_contents.c) ---- */

/* What frames contain that are neither TCP nor SCTP. If a capture has no iWARP, reports show all these
 * contents, otherwise only those of iw_check_unread. */

enum { IW_CHECK_CONTENTS = 16 }; /* pairs of content and number that are counted separately */

struct iw_check_content {
    enum iw_content content;
    uint16_t number; /* depends on `content`: an Ethernet type, IP protocol, PPP protocol or port; or 0 */
    uint64_t frames;
};

struct iw_check_contents {
    struct iw_check_content rows[IW_CHECK_CONTENTS];
    unsigned count;
    uint64_t more;                     /* frames of all further pairs */
    uint64_t frames[IW_CONTENT_COUNT]; /* by content, with any number */
    uint64_t first[IW_CONTENT_COUNT];  /* the first of these frames; 0: none */
};

/* Adds `frames` frames with this content and number, the first of them `first`: to `more` if all rows are
 * taken by other pairs. */
void iw_check_contents_add(struct iw_check_contents *contents, enum iw_content content, uint16_t number,
    uint64_t frames, uint64_t first);

/* Adds the counts of `other` to `contents`. */
void iw_check_contents_join(struct iw_check_contents *contents, const struct iw_check_contents *other);

/* Sorts the rows by their number of frames, the largest first. */
void iw_check_contents_sort(struct iw_check_contents *contents);

/* Describes the content of a row, for people. Example: "RoCEv2 (UDP port 4791), not iWARP". */
void iw_check_content_text(const struct iw_check_content *row, char *text, size_t octets);

/* Writes `separator`, the four most frequent rows, and the number of all other frames. Example: ": 18 with
 * RoCEv2 (UDP port 4791), not iWARP; 2 with Ethernet type 0x0806". Without rows, *line is empty. */
void iw_check_contents_line(
    const struct iw_check_contents *contents, const char *separator, char *line, size_t octets);

/* ---- check of a capture ---- */

struct iw_check_counts {
    uint64_t frames;    /* number of frames, counted as by Wireshark */
    uint64_t streams;   /* iWARP connections and sessions */
    uint64_t tcp_flows; /* all TCP connections, iWARP or not */
    uint64_t cut_flows; /* those that lack their first octets, or octets cut by the snapshot length */
    uint64_t fragments; /* frames with fragments of IP packets that could not be reassembled */
    uint64_t differing; /* frames with fragments that contradict earlier fragments */
    uint64_t cut;       /* frames truncated within their headers */
    uint64_t malformed; /* frames with an invalid length or version number in a header */
    uint64_t tags;      /* SCTP packets whose Verification Tag is not that of the association */
    uint64_t dropped;   /* TCP segments and SCTP packets dropped at a limit or without memory */
    uint64_t lost;      /* packets of a struct iw_check_source that the system dropped */
    uint64_t mappings;  /* port mappings, not rejected, forgotten at a limit before their use */
    struct iw_check_contents contents; /* frames that are neither TCP nor SCTP, by content */
    struct iw_capture_unread links;    /* packets that were not read because of their link type */
};

/* Reads the files of the chain, or the source, to their ends. Returns IW_OK, the status of the first file
 * that failed, or IW_ERR_NOMEM. After a failure, the packets before it and the later files are judged
 * nevertheless; `counts` includes them. The handlers get the same events with any number of threads. */
enum iw_status iw_check_files(struct iw_check_chain *chain, const struct iw_check_config *config,
    const struct iw_check_handlers *handlers, void *user, struct iw_check_counts *counts);
