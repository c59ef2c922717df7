#ifndef IW_CHECK_RESULT_H
#define IW_CHECK_RESULT_H

#include "iw_check_event_store.h"
#include "iw_show.h"
#include "iw_totals.h"

/* ---- connections (iw_check_connection.c) ---- */

/* A connection that has ended, as reports show it: negotiated terms, kept events and findings, and what
 * could not be judged. */

struct iw_check_connection {
    const char *file; /* file in which the connection begins, path as given */
    const char *last_file;
    uint64_t number; /* same number as Wireshark's tcp.stream; SCTP sessions are counted from 0 */
    uint64_t first_frame, last_frame;
    uint64_t first_time_ns, last_time_ns;
    char address[2][IW_SHOW_ADDRESS_OCTETS]; /* by enum iw_side */
    enum iw_role role[2];
    bool mapped; /* the port mapper mapped the ports; `advertised` and `connecting` are the addresses before
                    the mapping */
    char advertised[IW_SHOW_ADDRESS_OCTETS]; /* address of the accepting peer, as the application knows it */
    char connecting[IW_SHOW_ADDRESS_OCTETS]; /* address of the connecting peer, as the application knows it */
    bool sctp;                               /* a DDP Stream Session, which `session` describes */
    struct iw_session session;
    uint64_t lost_chunks;      /* DATA chunks of its association that were not captured */
    struct iw_mpa_terms terms; /* the negotiated terms */
    struct iw_monitor_counts counts;
    struct iw_tcp_counters tcp[2];                       /* by enum iw_side */
    struct iw_unanswered unanswered[2];                  /* outstanding requests of each side */
    const char *unanswered_file[2][IW_UNANSWERED_NAMED]; /* file of each request's frame */
    struct iw_check_kept kept;
    struct iw_totals totals; /* of this connection; waived findings are counted separately */
    char *extract;           /* path of its extract; NULL: not extracted */
};

/* Shown beside the verdict if the startup did not finish. Verdict and exit code do not change: RFC 5044 7.1.2
 * (10) sets no deadline for the Reply, and everything captured has been judged. */
#define IW_CHECK_UNSTARTED "startup not finished: no Reply captured"

/* Moves what was kept of an ended stream into a new connection, and clears stream->user. Returns NULL if
 * memory runs out, or ran out at the first event. */
struct iw_check_connection *iw_check_connection_new(
    const struct iw_check_event_store *store, struct iw_check_stream *stream);
void iw_check_connection_free(struct iw_check_connection *connection);

/* Replace each frame number of the chain by a file and the number in that file: in a finding, and in an ended
 * connection. */
void iw_check_finding_place(const struct iw_check_chain *chain, struct iw_check_finding *placed);
void iw_check_connection_place(const struct iw_check_chain *chain, struct iw_check_connection *connection);

/* The violating side, for people: "initiator", "responder", or its address if the role is unknown. */
const char *iw_check_offender(
    const struct iw_check_connection *connection, enum iw_side side, enum iw_role role);

/* "initiator", or "side A" if the role is unknown: no startup frame was captured. */
const char *iw_check_party_name(enum iw_role role, enum iw_side side);
const char *iw_check_side_name(const struct iw_check_connection *connection, enum iw_side side);

/* Says why an outstanding request may have a response nevertheless: octets or chunks are missing, or a
 * captured response could not be matched. */
const char *iw_check_perhaps_answered(const struct iw_check_connection *connection);

/* The side that reports name first: the initiator, or side A. */
enum iw_side iw_check_first_side(const struct iw_check_connection *connection);

/* ---- the result ---- */

/* The result of a run of `warpcheck check`: its files, and their connections. */

/* A file, or a chain of files, that was read. */
struct iw_check_file_result {
    char *path;               /* path as given; for a chain, its first and its last path */
    const char *const *parts; /* all files of the chain */
    size_t part_count;        /* number of `parts`; 1 for a single file */
    struct iw_check_counts counts;
    char *error; /* why the file could not be judged completely; NULL: it was judged completely */
    bool unread; /* kind of `error`: true: the file was not read to its end; false: it has no iWARP */
};

/* What was not read or used for one reason: packets, frames or port mappings. */
struct iw_check_unread {
    const char *key;  /* for programs: "fragments" */
    const char *what; /* singular noun, for people: "frame" */
    char which[160];
    uint64_t count;
};
enum { IW_CHECK_UNREAD = 11 };
void iw_check_unread(const struct iw_check_counts *counts, struct iw_check_unread rows[IW_CHECK_UNREAD]);

/* Describes a row, for people: "2 frames truncated within the headers". */
enum { IW_CHECK_UNREAD_OCTETS = 256 };
const char *iw_check_unread_text(const struct iw_check_unread *row, char text[IW_CHECK_UNREAD_OCTETS]);

/* The results of the whole run: all files and, for forms with `whole`, all connections. All zero: empty. */
struct iw_check_result {
    struct iw_check_file_result *files;
    size_t file_count;
    size_t unread_count;                      /* number of files that were not read to their end */
    size_t without_iwarp_count;               /* number of files without iWARP */
    struct iw_check_connection **connections; /* in the order in which they ended */
    size_t connection_count;
    bool incomplete; /* memory ran out: something is missing */
};

/* Takes ownership of `connection`; NULL means that memory ran out. */
void iw_check_result_connection(struct iw_check_result *result, struct iw_check_connection *connection);
/* Copies `path` and `error` of `file`; `parts` must outlive the result. */
void iw_check_result_file(struct iw_check_result *result, const struct iw_check_file_result *file);
void iw_check_result_clear(struct iw_check_result *result);

#endif
