#ifndef IW_TCP_TABLE_H
#define IW_TCP_TABLE_H

#include "iw_chunk.h"
#include "iw_status.h"
#include "iw_tcp_flow.h"
#include "iw_tcp_segment.h"

/* Limits; 0 means the default. */
struct iw_tcp_config {
    uint32_t stream_octets;   /* octets held back for one direction of a flow, default 1 MiB */
    uint32_t stream_segments; /* the same in segments, default 4096, at most 65536 */
    size_t total_octets;      /* octets held back for all flows, default 256 MiB */
    size_t flows;             /* flows, default 4 Mi */
};

/* Called by iw_tcp_table_segment, _finish and _free, which a handler must not call. Any may be NULL. */
struct iw_tcp_handlers {
    void (*flow_new)(void *user, struct iw_tcp_flow *flow);
    /* Chunks of one side come in stream order; both sides in capture order, unless held back. */
    void (*chunk)(void *user, struct iw_tcp_flow *flow, const struct iw_chunk *chunk);
    /* All chunks have been handed over; `flow` is released afterwards. */
    void (*flow_end)(void *user, struct iw_tcp_flow *flow);
    /* Whether the user has memory for one more flow. If not, the table ends a flow that needs no more
     * judgement, because it is closed, is ignored, or has no octets yet, and asks again. */
    bool (*has_room)(void *user);
};

/* Withheld segments with wrong checksums may take one eighth of `total_octets`, in addition to it. */
enum { IW_TCP_WITHHELD_SHARE = 8 };

struct iw_tcp_table;

/* Returns NULL without memory, or if a value of `config` is out of range. `config` may be NULL. */
struct iw_tcp_table *iw_tcp_table_new(
    const struct iw_tcp_config *config, const struct iw_tcp_handlers *handlers, void *user);

/* Gives the segment to its flow. One that opens a new connection between the addresses ends the flow and
 * starts a new one with a new id. One discarded for its checksum is only counted. IW_ERR_ARGUMENT: `length`
 * exceeds IW_TCP_SEGMENT_OCTETS_MAX, or `captured` exceeds `length`. IW_ERR_LIMIT: a limit or `has_room`
 * permits no new flow. IW_ERR_NOMEM: no memory for one. Errors drop only this segment. */
enum iw_status iw_tcp_table_segment(struct iw_tcp_table *table, const struct iw_tcp_segment *segment);

/* End of the capture: ends all flows, the oldest first. Ids of later flows continue. */
void iw_tcp_table_finish(struct iw_tcp_table *table);

/* Frees the table; flows that have not ended get only flow_end. NULL is allowed. */
void iw_tcp_table_free(struct iw_tcp_table *table);

#endif
