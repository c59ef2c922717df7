#ifndef IW_CHECK_RESULT_H
#define IW_CHECK_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_check.h"
#include "iw_check_octets.h"
#include "iw_show.h"
#include "iw_tally.h"
#include "iw_walk.h"

/* What a run of `warpcheck check` has found, as the readable forms of report tell it: per connection what was
 * negotiated, what was sent, what could not be judged, and the findings with what surrounds them. Memory is
 * bounded by connections: of each the first findings are kept, and all are counted. */

struct iw_waiver;
struct iw_waivers;
struct iw_check_recent;

/* A field of a header as a report shows it. */
struct iw_check_field {
    const struct iw_field *field;
    enum iw_walk_place place;
    char *value; /* with the name of the value behind it: "3 (Send)" */
};

/* A line of the wire log: a startup frame, an FPDU, a loss or a close. */
struct iw_check_entry {
    enum iw_mpa_event_kind kind;
    enum iw_side side; /* who sent it */
    enum iw_role role;
    const char *file; /* which has: */
    uint64_t frame;   /* the capture frame in which it ends; and in which it begins, unless that is in the */
    uint64_t first_frame; /* file before: then 1 */
    uint64_t time_ns;
    uint64_t offset;               /* place in the stream of its side */
    uint64_t octets;               /* of the stream, Markers among them */
    const char *title;             /* "RDMA Read Request" */
    char *text;                    /* the line of --decode: title and fields */
    struct iw_check_field *fields; /* in the order of the wire; only with a wire log */
    unsigned field_count;
    struct iw_check_octets head; /* its first octets, nothing marked */
    unsigned findings;           /* how many of its findings are kept */
    uint64_t skipped; /* so many events right before it have no entry: they have no finding, and the log is
                         full */
};

struct iw_check_finding {
    struct iw_finding finding; /* with frames as they are numbered in `file` and `context_file` */
    const char *file;
    const char *context_file[IW_FINDING_CONTEXT_MAX];
    const struct iw_check_entry *entry; /* what it is about */
    struct iw_check_octets octets;      /* those that offend, and some around them */
    const struct iw_waiver *waiver;     /* it does not count because of this; or NULL */
};

/* How often a side broke a requirement. */
struct iw_check_breach {
    const struct iw_requirement *requirement;
    enum iw_side side;
    enum iw_role role;
    const struct iw_requirement *root; /* it follows from waived findings of this one; or NULL */
    const struct iw_waiver *waiver;    /* or NULL */
    uint64_t count;                    /* all of them; */
    uint64_t kept;                     /* so many are in the findings */
};

/* A waived finding: what follows from it is waived with it. */
enum { IW_CHECK_WAIVED = 16 };
struct iw_check_waived {
    uint64_t number;
    const struct iw_waiver *waiver;
    const struct iw_requirement *requirement;
};

/* What one side sent with one opcode. */
struct iw_check_traffic {
    const struct iw_opcode *op; /* NULL: opcodes that no document in force defines */
    enum iw_side side;
    uint64_t fpdus;
    uint64_t messages; /* by their last segments */
    uint64_t octets;   /* of payload */
};

/* What grows while a connection lasts. */
struct iw_check_kept {
    struct iw_check_traffic *traffic;
    struct iw_check_breach *breaches;
    struct iw_check_finding *findings; /* in the order in which they were found */
    struct iw_check_entry **log;       /* in the order in which they came */
    struct iw_check_waived *waived;    /* latest, each at the remainder of its number; or NULL */
    size_t traffic_count, breach_count, finding_count, log_count;
    uint64_t log_omitted;           /* entries without findings that were too many for the log; */
    uint64_t log_skipped;           /* of them behind the last entry */
    unsigned log_more;              /* so many more are wanted all the same, for the finding before them */
    struct iw_check_recent *recent; /* those before a finding are wanted too; NULL: none yet */
    bool incomplete;                /* there was no memory for all of it */
};

/* A connection that has ended. */
struct iw_check_connection {
    const char *file; /* as given; in which it begins */
    const char *last_file;
    uint64_t number; /* as Wireshark's tcp.stream; among the sessions over SCTP from 0 */
    uint64_t first_frame, last_frame;
    uint64_t first_time_ns, last_time_ns;
    char address[2][IW_SHOW_ADDRESS_OCTETS]; /* by enum iw_side */
    enum iw_role role[2];
    bool sctp; /* a DDP Stream Session, and which: */
    struct iw_session session;
    uint64_t lost_chunks;      /* of its association */
    struct iw_mpa_terms terms; /* what the startup settled */
    struct iw_monitor_counts counts;
    struct iw_tcp_counters tcp[2]; /* what the capture lost of each side */
    struct iw_check_kept kept;
    struct iw_tally tally; /* of this connection alone, waived findings apart */
    char *extract;         /* path of the small capture that was made of it, or NULL */
};

/* What is kept of a connection. */
struct iw_check_keep {
    struct iw_check_chain chain; /* being read */
    const struct iw_waivers *waivers;
    unsigned log; /* entries of the wire log of a connection beside those with findings and around them; 0: no
                     log, and no fields */
    uint8_t stricter; /* see iw_tally.h */
};

/* The most findings kept of a connection: of the 4096th and all later ones few, of the first 256 many, so
 * that a capture that is wrong throughout does not need memory without bounds. */
unsigned iw_check_findings_max(uint64_t number);

/* Takes an event into what is kept of the stream, in stream->user. */
void iw_check_keep_event(
    const struct iw_check_keep *keep, struct iw_check_stream *stream, const struct iw_monitor_event *event);

/* The breach that `finding` of `stream` counts among, after iw_check_keep_event; NULL if there was no memory.
 */
const struct iw_check_breach *iw_check_breach_of(
    const struct iw_check_stream *stream, const struct iw_finding *finding);

/* The stream has ended: what was kept of it, for the caller to free, and nothing in stream->user. NULL: no
 * memory. */
struct iw_check_connection *iw_check_keep_end(
    const struct iw_check_keep *keep, struct iw_check_stream *stream);
void iw_check_connection_free(struct iw_check_connection *connection);

/* The finding with its frames as they are numbered in the files of the chain. */
struct iw_check_finding iw_check_finding_placed(
    const struct iw_check_chain *chain, const struct iw_finding *finding);

/* Says of all frames of a connection that has ended in which file they are, and which number they have there:
 * before, they are numbered through the chain. */
void iw_check_connection_place(const struct iw_check_chain *chain, struct iw_check_connection *connection);

/* The side that reports name first: the initiator, or side A. */
enum iw_side iw_check_first_side(const struct iw_check_connection *connection);

/* A file that was read. */
struct iw_check_file_result {
    char *path; /* as given; of a chain, the first and the last */
    struct iw_check_counts counts;
    char *error; /* why it was not judged, or not to its end; or NULL */
};

/* What of the files could not be read, so that it is not judged. */
struct iw_check_unread {
    const char *key;  /* for programs: "fragments" */
    const char *what; /* one of it, for people: "frame" */
    const char *which;
    uint64_t count;
};
enum { IW_CHECK_UNREAD = 4 };
void iw_check_unread(const struct iw_check_counts *counts, struct iw_check_unread rows[IW_CHECK_UNREAD]);

/* The whole run, for forms that need all of it at once. All zero: nothing yet. */
struct iw_check_result {
    struct iw_check_file_result *files;
    size_t file_count;
    struct iw_check_connection **connections; /* in the order in which they ended */
    size_t connection_count;
    bool incomplete; /* there was no memory for all of it */
};

/* Takes over `connection`, which may be NULL: no memory. */
void iw_check_result_connection(struct iw_check_result *result, struct iw_check_connection *connection);
void iw_check_result_file(struct iw_check_result *result, const char *path,
    const struct iw_check_counts *counts, const char *error);
void iw_check_result_clear(struct iw_check_result *result);

#endif
