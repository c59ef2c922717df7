#ifndef IW_CHECK_ENTRY_H
#define IW_CHECK_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_check_octets.h"
#include "iw_walk.h"

/* A line of the wire log, with what a report shows of it. */

/* A field of a header as a report shows it. */
struct iw_check_field {
    const struct iw_field *field;
    enum iw_walk_place place;
    char *value; /* with the name of the value behind it: "3 (Send)" */
};

/* A startup frame, an FPDU, a loss or a close. */
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

/* What a report shows of the event; the fields only if asked for. NULL: no memory. */
struct iw_check_entry *iw_check_entry_new(const struct iw_monitor_event *event, bool with_fields);
void iw_check_entry_free(struct iw_check_entry *entry);

#endif
