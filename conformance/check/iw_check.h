#ifndef IW_CHECK_H
#define IW_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_capture_unread.h"
#include "iw_check_mapping.h"
#include "iw_monitor.h"
#include "iw_packet.h"
#include "iw_sctp_association.h"
#include "iw_status.h"
#include "iw_tcp_stream.h"

/* Judges the files of a capture. Each TCP connection, and each session over SCTP, has its own monitor. */

/* A TCP connection recognised as iWARP, or a DDP Stream Session over SCTP. */
struct iw_check_stream {
    uint64_t id; /* 0, 1, 2, ...: TCP connections, iWARP or not, by first packet; sessions by first event */
    struct iw_tcp_address address[2];        /* by enum iw_side */
    const struct iw_session *session;        /* NULL over TCP */
    const struct iw_sctp_state *association; /* of the session; NULL over TCP */
    const struct iw_sctp_association *paths; /* addresses of the association; NULL over TCP */
    struct iw_check_mapped mapped;           /* over TCP: the addresses before the port mapper mapped them */
    bool file_unread; /* at `stream_end`: the unread part of a file may contain packets of the stream */
    const struct iw_monitor *monitor;
    uint64_t first_frame;
    uint64_t first_time_ns;
    uint64_t last_frame; /* this and the next two members are valid only at `stream_end` */
    uint64_t last_time_ns;
    struct iw_tcp_counters tcp[2]; /* by enum iw_side; all 0 over SCTP */
    void *user;                    /* for the handlers; NULL at first */
};

/* To limit memory, later streams remember fewer STags, and keep fewer findings and no wire log. */
enum {
    IW_CHECK_FIRST_STREAMS = 256, /* TCP connections, iWARP or not, and as many sessions over SCTP */
    IW_CHECK_LATER_STAGS = 16,    /* STags per side of each later stream; see iw_stags_init */
};

enum { IW_CHECK_TROUBLE_OCTETS = 512 }; /* size of an error message about a file */

/* Each handler may be NULL. The argument `event` is valid during the call only. */
struct iw_check_handlers {
    /* Gets every event. The events of one stream arrive in order, but events of different streams may arrive
     * concurrently on different threads: the handler must not change `user`, only data of the stream. */
    void (*note)(void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event);
    /* Gets the events in the order of the capture, each after `note`, on the caller's thread. The events of a
     * connection that is not yet recognised as iWARP are delivered once it is recognised. */
    void (*event)(void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event);
    bool findings_only; /* `event` gets only events with findings; false: all events, judged by one thread */
    /* Called on the caller's thread for every stream that had an event, in the order in which streams end. */
    void (*stream_end)(void *user, struct iw_check_stream *stream);
    /* Called from time to time on the caller's thread. So far, `frames` frames and about `octets` octets have
     * been read. */
    void (*progress)(void *user, uint64_t frames, uint64_t octets);
    /* Called on the caller's thread if a file cannot be read to its end, or if memory ran out; `line` starts
     * with the path of that file, or of the first file. */
    void (*trouble)(void *user, const char *line);
    /* Called on the caller's thread, at most once per capture, if the file `path`, which follows `before`,
     * has a packet that is `by_ns` older than the latest packet of `before`. The files are out of order, or
     * belong to two captures. */
    void (*overlap)(void *user, const char *path, const char *before, uint64_t by_ns);
};

/* The files of one capture, by time. Frame numbers continue from file to file, and so do connections. */
struct iw_check_chain {
    const char *const *paths;
    size_t count;
    uint64_t *first; /* by file: number of its first frame; UINT64_MAX until its reading begins */
};

/* Returns the file with frame `*frame` of the chain, and sets *frame to its number there; 0 stays 0. */
const char *iw_check_chain_place(const struct iw_check_chain *chain, uint64_t *frame);

struct iw_check_config {
    unsigned extensions; /* set of enum iw_extension */
    unsigned threads;    /* including the caller's, at most 16; 0: one per processor */
    uint64_t memory;     /* octets for TCP connections, as many for SCTP associations, and as many for
                            their sessions; 0: a quarter of this machine's memory */
};

/* Octets of `memory` counted for an idle TCP connection, for a TCP connection known not to be iWARP, and for
 * an idle SCTP association; all are upper estimates. The octets of FPDUs and startup frames that a TCP
 * connection keeps are counted in addition (iw_mpa_memory). If a chunk makes all of them exceed `memory`, the
 * kept octets of its connection and side are dropped, and that side is no longer read. Sessions: see
 * iw_sctp_judge_limit. The same files and `memory` give the same report. Not counted: outstanding requests
 * and what reports keep. */
enum {
    IW_CHECK_CONNECTION_OCTETS = 12 << 10,
    IW_CHECK_IGNORED_OCTETS = 2 << 10,
    IW_CHECK_ASSOCIATION_OCTETS = 32 << 10,
};

/* The part of `memory` for TCP segments, or for user data of SCTP, that are held back: one eighth, at most
 * `most` octets. */
static inline uint64_t iw_check_waiting_octets(uint64_t memory, uint64_t most) {
    return memory / 8 < most ? memory / 8 : most;
}

/* ---- contents that are not iWARP (iw_check_contents.c) ---- */

/* Contents of the frames that are neither TCP nor SCTP. Reports show all of them if the capture has no iWARP,
 * otherwise only those of iw_check_unread. */

enum { IW_CHECK_CONTENTS = 16 }; /* kinds counted separately; all further kinds are counted together */

struct iw_check_content {
    enum iw_content content;
    uint16_t number; /* by `content`: an Ethernet type, IP protocol, PPP protocol or port; or 0 */
    uint64_t frames;
};

struct iw_check_contents {
    struct iw_check_content rows[IW_CHECK_CONTENTS];
    unsigned count;
    uint64_t more;                     /* frames of kinds beyond IW_CHECK_CONTENTS */
    uint64_t frames[IW_CONTENT_COUNT]; /* frames by content, over all values of `number` */
};

/* Adds `frames` frames with this content and number. Beyond IW_CHECK_CONTENTS kinds, only the sum is kept. */
void iw_check_contents_add(
    struct iw_check_contents *contents, enum iw_content content, uint16_t number, uint64_t frames);

/* Adds the counts of `other`. */
void iw_check_contents_join(struct iw_check_contents *contents, const struct iw_check_contents *other);

/* Sorts the kinds; the most frequent comes first. */
void iw_check_contents_sort(struct iw_check_contents *contents);

/* Describes the content of a row, for people: "RoCEv2 (UDP port 4791), not iWARP". */
void iw_check_content_text(const struct iw_check_content *row, char *text, size_t octets);

/* Describes the four most frequent kinds in one line, then counts the other frames: ": 18 with RoCEv2 (UDP
 * port 4791), not iWARP; 2 with Ethernet type 0x0806". The line begins with `separator`; it is empty if there
 * are no kinds. */
void iw_check_contents_line(
    const struct iw_check_contents *contents, const char *separator, char *line, size_t octets);

/* ---- a check ---- */

struct iw_check_counts {
    uint64_t frames;    /* number of frames, as Wireshark counts */
    uint64_t streams;   /* iWARP connections and sessions */
    uint64_t tcp_flows; /* all TCP connections, iWARP or not */
    uint64_t fragments; /* frames with fragments of IP packets that could not be reassembled */
    uint64_t differing; /* frames with fragments that contradict earlier fragments */
    uint64_t cut;       /* frames truncated within their headers */
    uint64_t malformed; /* frames with an invalid length or version number in a header */
    uint64_t tags;      /* SCTP packets whose Verification Tag is not that of the association */
    uint64_t dropped;   /* TCP segments and SCTP packets dropped at a limit or without memory */
    uint64_t mappings;  /* port mappings forgotten at a limit before a connection has used them */
    struct iw_check_contents contents; /* frames that are neither TCP nor SCTP, by content */
    struct iw_capture_unread links;    /* packets that were not read because of their link type */
};

/* Reads the files of the chain to their ends. Returns IW_OK, the status of the first file that failed, or
 * IW_ERR_NOMEM. The packets before a failure and the later files are judged nevertheless, as `counts` shows.
 * The handlers get the same events with any number of threads. */
enum iw_status iw_check_files(struct iw_check_chain *chain, const struct iw_check_config *config,
    const struct iw_check_handlers *handlers, void *user, struct iw_check_counts *counts);

#endif
