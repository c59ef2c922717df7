#ifndef IW_CHECK_EVENT_STORE_H
#define IW_CHECK_EVENT_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_check.h"
#include "iw_check_octets.h"
#include "iw_walk.h"

/* What reports keep of a connection: what was sent, and the findings with the events around them. Memory per
 * connection is limited: all findings are counted, but only the first ones are kept. */

struct iw_waiver;
struct iw_waivers;
struct iw_check_event_ring;

/* ---- the lines of the wire log (iw_check_entry.c) ---- */

/* A field of a header as a report shows it. */
struct iw_check_field {
    const struct iw_field *field;
    enum iw_walk_place place;
    char *value; /* the value and its name: "3 (Send)" */
};

/* A startup frame, an FPDU, a loss or a close; over SCTP, a chunk of DDP or the end of a session. */
struct iw_check_entry {
    enum iw_llp_event_kind kind;
    enum iw_side side; /* the sender */
    enum iw_role role;
    const char *file;     /* file that contains `frame` */
    uint64_t frame;       /* capture frame in which the entry ends */
    uint64_t first_frame; /* frame in which the entry begins; 1 if it begins in an earlier file */
    uint64_t time_ns;
    uint64_t offset;               /* offset in the stream of its side */
    uint64_t octets;               /* number of octets in the stream, including Markers */
    const char *title;             /* "RDMA Read Request" */
    char *text;                    /* as in a line of --decode: title and fields */
    struct iw_check_field *fields; /* in the order of iw_walk_event; only with a wire log */
    unsigned field_count;
    struct iw_check_octets head; /* first octets of the entry, none marked */
    unsigned findings;           /* number of kept findings about this entry */
    uint64_t skipped;            /* number of events omitted directly before this one, as the log is full */
};

/* Describes an event for a report, with its header fields if `with_fields`. Returns NULL if memory runs
 * out. */
struct iw_check_entry *iw_check_entry_new(const struct iw_monitor_event *event, bool with_fields);
void iw_check_entry_free(struct iw_check_entry *entry);

/* ---- what is kept ---- */

struct iw_check_finding {
    struct iw_finding finding; /* until iw_check_finding_place is called, its frame numbers count through the
                                  chain */
    const char *file; /* files of the finding's frame, of `cause_frame` and of the context frames; NULL until
                         iw_check_finding_place is called */
    const char *cause_file;
    const char *context_file[IW_FINDING_CONTEXT_MAX];
    const struct iw_check_entry *entry; /* the event that the finding is about */
    struct iw_check_octets octets;      /* the violating octets, and some around them */
    const struct iw_waiver *waiver;     /* waiver of the finding; NULL: not waived */
};

/* The findings against a side for one requirement. */
struct iw_check_breach {
    const struct iw_requirement *requirement;
    enum iw_side side;
    enum iw_role role;
    const struct iw_requirement *root; /* requirement of the waived cause; NULL: no waived cause */
    const struct iw_waiver *waiver;    /* of the counted findings; NULL: not waived */
    uint64_t count;                    /* all findings */
    uint64_t kept;                     /* number of these findings that are stored */
};

/* A waived finding: the findings that it causes are waived too. */
enum { IW_CHECK_WAIVED = 16 }; /* size of the table of waived findings, by number % IW_CHECK_WAIVED */
struct iw_check_waived {
    uint64_t number;
    const struct iw_waiver *waiver;
    const struct iw_requirement *requirement;
};

/* What one side sent with one opcode. */
struct iw_check_traffic {
    const struct iw_opcode *op; /* NULL: opcodes without a definition in the documents in force */
    enum iw_side side;
    uint64_t fpdus;
    uint64_t messages; /* number of segments with L=1 */
    uint64_t octets;   /* of payload */
};

/* What is kept of a connection: in stream->user while it is open, later in struct iw_check_connection. */
struct iw_check_kept {
    struct iw_check_traffic *traffic;
    struct iw_check_breach *breaches;
    struct iw_check_finding *findings; /* in the order of detection */
    struct iw_check_entry **log;       /* in the order of the capture */
    struct iw_check_waived *waived;    /* by number % IW_CHECK_WAIVED: the latest waived finding; or NULL */
    size_t traffic_count, breach_count, finding_count, log_count;
    uint64_t log_omitted; /* number of events without findings that are not in the log */
    uint64_t log_skipped; /* number of events that the full log omitted after its last entry */
    unsigned log_more; /* number of events still to log after the latest finding, even if the log is full */
    struct iw_check_event_ring *ring; /* the latest events that the full log omitted; NULL: none yet */
    bool incomplete;                  /* memory ran out: something is missing */
};

/* Value of stream->user if memory ran out at the first event of the stream: nothing is kept. */
extern struct iw_check_kept iw_check_kept_nothing;

/* What to keep of the chain that is being read. */
struct iw_check_event_store {
    struct iw_check_chain chain; /* the files, for waivers and for the places of findings */
    const struct iw_waivers *waivers;
    unsigned log; /* number of entries after which a wire log takes only findings and the events around them;
                     0: no log, and no fields */
    uint8_t stricter; /* see iw_totals.h */
};

/* Adds an event to the struct iw_check_kept of the stream, in stream->user. */
void iw_check_event_store_event(const struct iw_check_event_store *store, struct iw_check_stream *stream,
    const struct iw_monitor_event *event);

/* False if the cause of the finding is also kept; true otherwise. */
bool iw_check_is_root(const struct iw_check_kept *kept, const struct iw_check_finding *finding);

/* The breach that counts `finding`, after iw_check_event_store_event; NULL if memory ran out. */
const struct iw_check_breach *iw_check_breach_of(
    const struct iw_check_stream *stream, const struct iw_finding *finding);

#endif
