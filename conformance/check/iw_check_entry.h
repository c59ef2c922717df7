#ifndef IW_CHECK_ENTRY_H
#define IW_CHECK_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_check_octets.h"
#include "iw_walk.h"

/* A line of the wire log. */

/* A field of a header as a report shows it. */
struct iw_check_field {
    const struct iw_field *field;
    enum iw_walk_place place;
    char *value; /* followed by the name of the value: "3 (Send)" */
};

/* A startup frame, an FPDU, a loss or a close. */
struct iw_check_entry {
    enum iw_llp_event_kind kind;
    enum iw_side side; /* the sender */
    enum iw_role role;
    const char *file;     /* that contains `frame` */
    uint64_t frame;       /* the capture frame in which it ends, and the one in which it begins; */
    uint64_t first_frame; /* 1 if it begins in the previous file */
    uint64_t time_ns;
    uint64_t offset;               /* offset in the stream of its side */
    uint64_t octets;               /* of the stream, including Markers */
    const char *title;             /* "RDMA Read Request" */
    char *text;                    /* the line of --decode: title and fields */
    struct iw_check_field *fields; /* in wire order; only with a wire log */
    unsigned field_count;
    struct iw_check_octets head; /* its first octets, without a mark */
    unsigned findings;           /* number of its findings that are kept */
    uint64_t
        skipped; /* number of events left out right before it: they have no finding, and the log is full */
};

/* Describes an event for a report; `with_fields`: with its header fields. Returns NULL if memory runs out. */
struct iw_check_entry *iw_check_entry_new(const struct iw_monitor_event *event, bool with_fields);
void iw_check_entry_free(struct iw_check_entry *entry);

#endif
