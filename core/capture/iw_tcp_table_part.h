#pragma once

#include <string.h>
#include <sys/queue.h>

#include "iw_hash_table.h"
#include "iw_tcp_table.h"

/* Shared by iw_tcp_table.c, which finds and opens flows, and iw_tcp_table_end.c. */

/* Cache of recently used flows, found without the keyed hash. Collisions only make it slower. */
enum { RECENT_BITS = 7 };

struct iw_tcp_recent {
    uint32_t mark; /* hash of both addresses: if it differs, the flow need not be read */
    struct iw_tcp_flow *flow;
};

struct iw_tcp_table {
    struct iw_tcp_handlers handlers;
    void *user;
    struct iw_tcp_pool pool;
    struct iw_tcp_pool withheld; /* for segments with wrong checksums */
    struct iw_hash_table flows;
    size_t flows_max;
    TAILQ_HEAD(iw_tcp_flows, iw_tcp_flow) by_age; /* the oldest first */
    struct iw_tcp_flow *next_to_end; /* where the search for a closed flow continues; NULL: at the oldest */
    struct iw_tcp_recent
        recent[1 << RECENT_BITS]; /* only flows without another flow between their addresses */
    uint64_t next_id;
};

/* Returns a hash that is the same for both directions. */
static inline uint32_t iw_tcp_table_addresses_mark(
    const struct iw_tcp_address *one, const struct iw_tcp_address *other) {
    uint32_t word[4]; /* of an IPv4 address all octets, of an IPv6 address those that differ most */

    memcpy(&word[0], one->octets, 4);
    memcpy(&word[1], one->octets + 12, 4);
    memcpy(&word[2], other->octets, 4);
    memcpy(&word[3], other->octets + 12, 4);
    return ((word[0] ^ word[1] ^ word[2] ^ word[3]) + (uint32_t)(one->port ^ other->port) * 0x10001u) *
           UINT32_C(0x9E3779B1);
}

static inline struct iw_tcp_recent *iw_tcp_table_recent_of(struct iw_tcp_table *table, uint32_t mark) {
    return &table->recent[mark >> (32 - RECENT_BITS)];
}

static inline void iw_tcp_table_forget_recent(struct iw_tcp_table *table, const struct iw_tcp_flow *flow) {
    iw_tcp_table_recent_of(
        table, iw_tcp_table_addresses_mark(&flow->address[IW_SIDE_A], &flow->address[IW_SIDE_B]))
        ->flow = NULL;
}

/* Where the chunks of a flow go. */
struct iw_tcp_sink {
    struct iw_tcp_table *table;
    struct iw_tcp_flow *flow;
};

/* `sink` outlives the result. */
struct iw_tcp_output iw_tcp_table_output(struct iw_tcp_sink *sink);

/* Calls flow_end, and frees the flow, whose chunks were handed over or dropped. */
void iw_tcp_table_end_flow(struct iw_tcp_table *table, struct iw_tcp_flow *flow);

/* Hands over what is held back, and ends the flow. */
void iw_tcp_table_finish_flow(struct iw_tcp_table *table, struct iw_tcp_flow *flow);

/* To make room: looks at some flows from next_to_end on, and ends the first that is closed, is ignored, or
 * has no octets yet. Returns false if there is no such flow. */
bool iw_tcp_table_end_flow_early(struct iw_tcp_table *table);
