#pragma once

#include "iw_check_event_store.h"
#include "iw_tcp_address_text.h"
#include "iw_totals.h"

/* ---- ended connections (iw_check_connection.c) ---- */

/* A connection that has ended, as reports show it. */

struct iw_check_connection {
    const char *file; /* path, as given, of the file in which the connection begins */
    const char *last_file;
    uint64_t number; /* the same as Wireshark's tcp.stream; SCTP sessions are counted from 0 */
    uint64_t first_frame, last_frame;
    uint64_t first_time_ns, last_time_ns;
    char address[2][IW_TCP_ADDRESS_TEXT_OCTETS]; /* by enum iw_side */
    enum iw_role role[2];
    bool mapped; /* the port mapper mapped the ports: `advertised` and `connecting` are valid */
    char advertised[IW_TCP_ADDRESS_TEXT_OCTETS]; /* unmapped address of the accepting peer */
    char connecting[IW_TCP_ADDRESS_TEXT_OCTETS]; /* unmapped address of the connecting peer */
    bool sctp;                                   /* over SCTP: `session` describes the DDP Stream Session */
    struct iw_session session;
    uint64_t lost_chunks; /* DATA chunks of the SCTP association that were not captured */
    struct iw_mpa_terms terms;
    struct iw_monitor_counts counts;
    struct iw_tcp_counters tcp[2];                       /* by enum iw_side */
    struct iw_unanswered unanswered[2];                  /* by side: outstanding requests */
    const char *unanswered_file[2][IW_UNANSWERED_NAMED]; /* files with the frames of these */
    struct iw_check_kept kept;
    struct iw_check_upper *upper; /* the protocol above; NULL: not read */
    struct iw_totals totals;      /* waived findings are counted separately */
    uint64_t order;               /* of the end of its stream: see struct iw_check_stream */
    char *story;                  /* see struct iw_check_teller; NULL: none */
    char *extract;                /* path of its extract; NULL: not extracted */
    bool open;                    /* from iw_check_connection_peek: it has not ended */
    void *row;                    /* stream->row, moved: data of the form; NULL: none */
};

/* Reports show this text beside the verdict if the startup did not finish. Verdict and exit code do not
 * change: RFC 5044 7.1.2 (10) sets no deadline for the Reply, and everything captured has been judged. */
#define IW_CHECK_UNSTARTED "startup not finished: no Reply captured"

/* Frees what iw_check_event_store_event keeps of a stream that has no end. */
void iw_check_connection_drop(struct iw_check_stream *stream);

/* Moves the data kept of an ended stream into a new connection, and clears stream->user. Returns NULL if
 * memory runs out, or ran out at the first event of the stream. */
struct iw_check_connection *iw_check_connection_new(
    const struct iw_check_event_store *store, struct iw_check_stream *stream);
/* Sets `connection` to what an open stream has so far. Its `kept` belongs to the stream and is valid until
 * the next event; do not free the connection. The stream must have a monitor. */
void iw_check_connection_peek(const struct iw_check_stream *stream, struct iw_check_connection *connection);
void iw_check_connection_free(struct iw_check_connection *connection);

/* Returns the file that has frame *frame of the chain. Sets *frame to its number in this file; 0 stays 0. */
const char *iw_check_chain_place(const struct iw_check_chain *chain, uint64_t *frame);

/* Replace each frame number in the whole capture by a file and the number in that file:
 * iw_check_finding_place in a finding, iw_check_connection_place in an ended connection with its findings. */
void iw_check_finding_place(const struct iw_check_chain *chain, struct iw_check_finding *placed);
void iw_check_connection_place(const struct iw_check_chain *chain, struct iw_check_connection *connection);

/* Names a violating side, for people: its role, or its address if the role is unknown. */
const char *iw_check_offender(
    const struct iw_check_connection *connection, enum iw_side side, enum iw_role role);

/* Names a side, for people: its role, or "side A" or "side B" if the role is unknown. */
const char *iw_check_party_name(enum iw_role role, enum iw_side side);
const char *iw_check_side_name(const struct iw_check_connection *connection, enum iw_side side);

/* Returns a text: an outstanding request may have a response, as not all was captured, or as a captured
 * response could not be matched. */
const char *iw_check_perhaps_answered(const struct iw_check_connection *connection);

/* Returns the side that reports name first: the initiator if known, otherwise side A. */
enum iw_side iw_check_first_side(const struct iw_check_connection *connection);

/* ---- results of the whole run (iw_check_result.c) ---- */

/* A file, or a chain of files, that was read. */
struct iw_check_file_result {
    char *path;               /* path as given; for a chain, a text with its first and last path */
    const char *const *parts; /* all files of the chain */
    size_t part_count;        /* number of `parts`; 1 for a single file */
    struct iw_check_counts counts;
    char *error; /* why the file could not be judged completely; NULL: no error */
    bool unread; /* true: the file was not read to its end; false with an `error`: it has no iWARP */
};

/* Counts packets, frames or port mappings that were not read or not used for one reason. */
struct iw_check_unread {
    const char *key;  /* the reason, for programs. Example: "fragments" */
    const char *what; /* what is counted, for people. Example: "frame" */
    char which[160];  /* text that follows `what` */
    uint64_t count;
};
enum { IW_CHECK_UNREAD = 12 };
/* Sets all rows, one for each reason; counts may be 0. */
void iw_check_unread(const struct iw_check_counts *counts, struct iw_check_unread rows[IW_CHECK_UNREAD]);

/* Describes a row, for people. Example: "2 frames truncated within the headers". */
enum { IW_CHECK_UNREAD_OCTETS = 256 };
const char *iw_check_unread_text(const struct iw_check_unread *row, char text[IW_CHECK_UNREAD_OCTETS]);

/* All files of the run and, for forms with `whole`, all connections. All zero: empty. */
struct iw_check_result {
    struct iw_check_file_result *files;
    size_t file_count;
    size_t unread_count;                      /* number of files that were not read to their end */
    size_t without_iwarp_count;               /* number of files without iWARP */
    struct iw_check_connection **connections; /* in the order in which they ended */
    size_t connection_count;
    bool incomplete; /* memory ran out: something is missing */
};

/* Adds `connection` and owns it from now on. NULL: memory ran out, so `incomplete` is set. */
void iw_check_result_add_connection(struct iw_check_result *result, struct iw_check_connection *connection);
/* Adds a row for `file`. Copies its `path` and `error`; its `parts` must outlive the result. */
void iw_check_result_add_file(struct iw_check_result *result, const struct iw_check_file_result *file);
void iw_check_result_clear(struct iw_check_result *result);
