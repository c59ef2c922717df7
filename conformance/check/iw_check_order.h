#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_sctp_association.h"

/* Where the results of a shard belong in the report of the whole capture. The report of one run has results
 * in the order of the packets that led to them; at the end of the capture, first the connections in the order
 * in which they began, then the associations by stage. A number expresses that order for all shards. Streams
 * are numbered in the order in which their ids were given, so each shard stores the order of each id. */

enum iw_check_transport { IW_CHECK_TCP, IW_CHECK_SCTP, IW_CHECK_TRANSPORTS };

struct iw_check_order {
    uint64_t now;       /* order of what is reported now; while packets are read, the frame number */
    uint64_t *begun;    /* by id of a TCP flow: order of its begin */
    size_t begun_count; /* size of `begun` */
    uint64_t *ids[IW_CHECK_TRANSPORTS]; /* by transport, then by id: order of what got this id */
    size_t id_count[IW_CHECK_TRANSPORTS];
    bool no_memory;
};

void iw_check_order_clear(struct iw_check_order *order);

/* The TCP flow with this id begins, or ends at the end of the capture. Ending sets `now`. */
void iw_check_order_begin_flow(struct iw_check_order *order, uint64_t id);
void iw_check_order_end_flow(struct iw_check_order *order, uint64_t id);

/* The association reports at the end of the capture. Sets `now`. */
void iw_check_order_end_association(
    struct iw_check_order *order, const struct iw_sctp_association *association);

/* Stores `now` for the ids below `count` that have no time yet: connections get their ids in turn. */
void iw_check_order_ids(struct iw_check_order *order, enum iw_check_transport transport, uint64_t count);
