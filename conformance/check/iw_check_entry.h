#pragma once

#include "iw_check_octets.h"
#include "iw_walk.h"

/* Lines of the wire log. */

/* A header field, as reports show it. */
struct iw_check_field {
    const struct iw_field *field;
    enum iw_walk_place place;
    char *value; /* the value and its name. Example: "3 (Send)" */
};

/* A startup frame, an FPDU, a loss or a close; over SCTP, a DDP chunk or the end of a session. */
struct iw_check_entry {
    enum iw_llp_event_kind kind;
    enum iw_side side; /* the sender */
    enum iw_role role;
    const char *file;     /* path of the file with `frame`; NULL until iw_check_connection_place */
    uint64_t frame;       /* frame in which the event ends: number in the whole capture; later in `file` */
    uint64_t first_frame; /* frame in which the event begins; later 1 if that is in an earlier file */
    uint64_t time_ns;
    uint64_t offset;               /* offset in the octets that `side` sent */
    uint64_t octets;               /* length in octets, including Markers */
    const char *title;             /* Example: "RDMA Read Request" */
    char *text;                    /* title and fields, as in a line of --decode */
    struct iw_check_field *fields; /* in the order of iw_walk_event; only with a wire log */
    unsigned field_count;
    struct iw_check_octets head; /* first octets of the event, none marked */
    unsigned findings;           /* number of kept findings about this event */
    uint64_t skipped;            /* number of events directly before this one that the full log omitted */
};

/* Makes a line of an event, with its header fields if `with_fields`. Returns NULL if memory runs out. */
struct iw_check_entry *iw_check_entry_new(const struct iw_monitor_event *event, bool with_fields);
void iw_check_entry_free(struct iw_check_entry *entry);
