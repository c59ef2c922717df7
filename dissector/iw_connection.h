#pragma once

#include "iw_diagnosis.h"
#include "iw_frame_store.h"

/* What the first pass keeps of a TCP connection as a whole, for the tree that each of its frames has. */

/* A number that changes at frames. */
struct iw_connection_change {
    uint64_t value; /* from this frame on */
    uint32_t frame;
};

struct iw_connection_log {
    struct iw_connection_change *changes; /* in the order of the frames */
    uint32_t count, capacity;
};

struct iw_connection {
    struct iw_mpa_terms terms;           /* as far as the startup was captured */
    struct iw_connection_log waiting[2]; /* outstanding requests, by requester */
    struct iw_connection_log exchanges;  /* frames in which a startup frame or FPDU ends, and their times */
    uint32_t uncertain_frame;            /* from this frame on, outstanding requests are not known; 0: none */
    uint32_t fpdu_frame;                 /* frame of the first FPDU; 0: none */
    uint32_t end_frame[IW_ENDING_TERMINATE + 1][2]; /* of the first such end by each side; 0: none */
    uint32_t finding_frame;                         /* frame of the first finding that is shown; 0: none */
    const struct iw_stored_finding *finding;
    const struct iw_explanation *explanation; /* NULL before the connection has ended */
};

/* Takes the next event of the connection, and the item made of it, or NULL. */
void iw_connection_event(
    struct iw_connection *connection, const struct iw_monitor_event *event, const struct iw_item *item);

/* Returns true if the startup is complete after this frame: its terms are in `flow->settled`. */
bool iw_connection_settled(const struct iw_stored_flow *flow, uint32_t frame);

/* Sets *waiting to the outstanding requests of `requester` after this frame. Returns false if they are not
 * known: the startup is not captured, or octets are missing. */
bool iw_connection_waiting(
    const struct iw_stored_flow *flow, enum iw_side requester, uint32_t frame, uint32_t *waiting);

/* Sets *since_ns to the time from the latest exchange before this frame, whose time is `time_ns`. Returns
 * false without one, and if time has gone backwards. */
bool iw_connection_since(
    const struct iw_connection *connection, uint32_t frame, uint64_t time_ns, uint64_t *since_ns);

/* Returns the state of the connection after this frame, such as "full operation", in the packet scope. */
const char *iw_connection_state(const struct iw_stored_flow *flow, uint32_t frame, wmem_allocator_t *pool);

/* Returns "the initiator", "the responder", "side A" or "side B". */
const char *iw_connection_side_name(const struct iw_connection *connection, enum iw_side side);
