#ifndef IW_CHECK_EVENT_STORE_H
#define IW_CHECK_EVENT_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_check.h"
#include "iw_check_entry.h"

/* What is kept of a connection while it lasts, as the readable forms of report tell it: what was sent, and
 * the findings with what surrounds them. Memory is bounded by connections: of each the first findings are
 * kept, and all are counted. */

struct iw_waiver;
struct iw_waivers;
struct iw_check_event_ring;

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
    uint64_t log_omitted; /* entries without findings that were too many for the log; */
    uint64_t log_skipped; /* of them behind the last entry */
    unsigned log_more;    /* so many more are wanted all the same, for the finding before them */
    struct iw_check_event_ring *recent; /* those before a finding are wanted too; NULL: none yet */
    bool incomplete;                    /* there was no memory for all of it */
};

/* Value of stream->user if memory ran out before anything of its connection was kept. */
extern struct iw_check_kept iw_check_kept_nothing;

/* What is kept of a connection. */
struct iw_check_event_store {
    struct iw_check_chain chain; /* being read */
    const struct iw_waivers *waivers;
    unsigned log; /* entries of the wire log of a connection beside those with findings and around them; 0: no
                     log, and no fields */
    uint8_t stricter; /* see iw_totals.h */
};

/* Takes an event into what is kept of the stream, in stream->user. */
void iw_check_event_store_event(const struct iw_check_event_store *keep, struct iw_check_stream *stream,
    const struct iw_monitor_event *event);

/* Whether a finding that is kept follows from none that is kept before it. */
bool iw_check_is_root(const struct iw_check_kept *kept, const struct iw_check_finding *finding);

/* The breach that `finding` of `stream` counts among, after iw_check_event_store_event; NULL if there was no
 * memory.
 */
const struct iw_check_breach *iw_check_breach_of(
    const struct iw_check_stream *stream, const struct iw_finding *finding);

#endif
