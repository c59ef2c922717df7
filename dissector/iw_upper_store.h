#pragma once

#include "iw_frame_store.h"
#include "iw_upper.h"

/* What the protocol above RDMAP does in each FPDU, by iw_upper.h: its calls, the buffers that it advertises
 * and uses, and what breaks its rules. Stored on the first pass, unless the preference `upper` is off. */

struct iw_stored_call {
    struct iw_stored_call *next;       /* of the same message */
    struct iw_stored_call *next_reply; /* with its reply in the same message */
    const char *name;                  /* such as "NFS READ, XID 0x00000009" */
    enum iw_side caller;
    uint32_t frame;
    uint32_t reply_frame; /* 0: none yet */
    uint64_t time_ns;
    bool moved;               /* octets were placed in one of its buffers: */
    uint64_t first_octets_ns; /* time from the call to the first FPDU with them, and to the latest */
    uint64_t last_octets_ns;
    uint64_t reply_ns; /* time from the call to its reply */
};

/* Memory that a message has advertised. */
struct iw_stored_buffer {
    struct iw_stored_buffer *next; /* of the same message */
    struct iw_stored_call *call;   /* or NULL */
    const char *purpose;           /* such as "for NFS READ in frame 104, offset 0x2000 of 0x8000" */
    uint32_t stag;
    uint8_t access; /* set of enum iw_upper_access */
    enum iw_side owner;
    enum iw_upper_end end : 8;
    uint64_t to;
    uint64_t length;
    uint32_t frame;               /* of the message */
    uint32_t end_frame;           /* 0: still in use */
    uint32_t first_use, last_use; /* frames of Writes and Read Requests to it; 0: none */
    uint64_t octets;              /* placed in it, or read from it */
};

struct iw_stored_upper_finding {
    struct iw_stored_upper_finding *next;
    const struct iw_upper_rule *rule;
    uint32_t about_frame; /* frame of the message that it contradicts; 0: none */
    const char *message, *expected, *actual;
};

/* What an FPDU is for the layer above. Unset members are NULL. */
struct iw_upper_note {
    struct iw_stored_call *calls;
    struct iw_stored_call *replies; /* the calls to which it is the reply */
    struct iw_stored_buffer *advertised;
    const struct iw_stored_buffer *used; /* of a Write, Read Request or Read Response */
    struct iw_stored_upper_finding *findings;
};

/* Call this function when a file is opened. */
void iw_upper_store_open(void);

struct iw_upper_follower;

/* Follows a connection. Returns NULL if memory runs out. */
struct iw_upper_follower *iw_upper_follower_new(const struct iw_stored_flow *flow);
void iw_upper_follower_free(struct iw_upper_follower *follower);

/* The layer above; NULL if `follower` is NULL. */
const struct iw_upper *iw_upper_follower_upper(const struct iw_upper_follower *follower);

/* Takes the next event of the connection; `item` was made of it, or is NULL. `received` as in iw_upper_event.
 */
void iw_upper_follower_event(struct iw_upper_follower *follower, const struct iw_monitor_event *event,
    struct iw_item *item, uint64_t received);

/* Returns what the FPDU is for the layer above; NULL if nothing is known. */
const struct iw_upper_note *iw_upper_note(const struct iw_item *item);
