#pragma once

#include "iw_chunk.h"
#include "iw_icmp.h"
#include "iw_status.h"
#include "iw_tcp_flow.h"
#include "iw_tcp_segment.h"

/* Limits; 0 means the default. */
struct iw_tcp_config {
    uint32_t stream_octets;   /* most octets held back for one direction of a flow, default 1 MiB */
    uint32_t stream_segments; /* most segments held back for it, default 4096, at most 65536 */
    size_t total_octets;      /* most octets held back for all flows, default 256 MiB */
    size_t flows;             /* most flows at a time, default 4 Mi */
};

/* Called by iw_tcp_table_segment, _finish and _free. Must not call these functions. Each may be NULL. */
struct iw_tcp_handlers {
    void (*flow_new)(void *user, struct iw_tcp_flow *flow);
    /* Takes chunks: of one side in stream order; of both sides in capture order, unless held back. */
    void (*chunk)(void *user, struct iw_tcp_flow *flow, const struct iw_chunk *chunk);
    /* The last call for `flow`, which is freed afterwards. */
    void (*flow_end)(void *user, struct iw_tcp_flow *flow);
    /* Whether the user has memory for one more flow. If not, the table ends a flow that is closed, is
     * ignored, or has no octets yet, and calls this handler again. */
    bool (*has_room)(void *user);
    /* Takes each segment that the flow, not ignored, takes, after its chunks were handed over. A SYN of
     * another connection that its sender refuses itself comes before that RST. */
    void (*segment)(
        void *user, struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment);
    /* Takes an ICMP error about a segment of `side`, of which iw_packet_find has set addresses and `seq`. */
    void (*rejected)(void *user, struct iw_tcp_flow *flow, enum iw_side side,
        const struct iw_tcp_segment *segment, const struct iw_icmp *icmp);
};

/* Withheld segments with wrong checksums may take one eighth of `total_octets`, in addition to it. */
enum { IW_TCP_WITHHELD_SHARE = 8 };

struct iw_tcp_table;

/* Returns NULL if memory runs out, or if a value of `config` is out of range. `config` may be NULL. */
struct iw_tcp_table *iw_tcp_table_new(
    const struct iw_tcp_config *config, const struct iw_tcp_handlers *handlers, void *user);

/* Gives the segment to its flow. A segment that opens a new connection between the addresses ends the flow,
 * and starts a flow with a new id. A segment discarded for its checksum is only counted. IW_ERR_ARGUMENT:
 * `length` exceeds IW_TCP_SEGMENT_OCTETS_MAX, or `captured` exceeds `length`. IW_ERR_LIMIT: a limit or
 * `has_room` permits no new flow. IW_ERR_NOMEM: no memory for a new flow. Errors drop only this segment. */
enum iw_status iw_tcp_table_segment(struct iw_tcp_table *table, const struct iw_tcp_segment *segment);

/* Gives an ICMP error to the flow of the rejected segment, if there is one that is not ignored. */
void iw_tcp_table_rejected(
    struct iw_tcp_table *table, const struct iw_tcp_segment *segment, const struct iw_icmp *icmp);

/* Returns the number of ids that flows have got so far, including those of flows that have not begun. */
uint64_t iw_tcp_table_ids(const struct iw_tcp_table *table);

/* For captures that may go on for days: ends the flows that are closed and have no segment since `before_ns`,
 * among the next IW_TCP_END_CLOSED_SEARCH flows by age. Later segments of such a flow begin a new flow. */
enum { IW_TCP_END_CLOSED_SEARCH = 1024 };
void iw_tcp_table_end_closed(struct iw_tcp_table *table, uint64_t before_ns);

/* For the end of the capture: ends all flows, the oldest first. Ids of later flows continue. */
void iw_tcp_table_finish(struct iw_tcp_table *table);

/* Frees the table. For each flow that has not ended, calls flow_end and no other handler. NULL is allowed. */
void iw_tcp_table_free(struct iw_tcp_table *table);
