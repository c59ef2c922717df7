#ifndef IW_TCP_PENDING_H
#define IW_TCP_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A run of stream octets that one packet carried, or the FIN at the end of them. */
struct iw_tcp_piece {
    uint64_t offset; /* stream offset of the first octet */
    uint32_t length; /* octets; 0 for a FIN */
    bool fin;
    bool single; /* the only octet of a segment captured out of order: may be garbage (RFC 9293 3.8.4) */
    bool has_ack;
    uint32_t ack; /* acknowledgement number of its packet */
    bool summed;  /* `sum` is the iw_tcp_checksum_sum of its octets */
    uint16_t sum;
    uint32_t turn;         /* number of the connection's segments up to its packet */
    const uint8_t *octets; /* NULL: the capture truncated them */
    uint64_t frame;
    uint64_t time_ns;
};

/* First offset after the piece. */
static inline uint64_t iw_tcp_piece_end(const struct iw_tcp_piece *piece) {
    return piece->offset + piece->length;
}

/* Removes the first `octets` octets of the piece. */
void iw_tcp_piece_advance(struct iw_tcp_piece *piece, uint32_t octets);

/* The octets that all streams of a table hold back, and their limits. */
struct iw_tcp_pool {
    uint32_t stream_octets;   /* limit for one stream */
    uint32_t stream_segments; /* limit of pieces for one stream */
    size_t octets;            /* limit for all streams, including bookkeeping */
    size_t used;
};

/* The pieces of one stream that wait: sorted, without overlap, never joined, since each has its own frame.
 * Inserting takes a binary search and moves pointers; the limit of pieces bounds the move. */
struct iw_tcp_pending {
    struct iw_tcp_node **nodes; /* `count` nodes from index `head` on */
    uint32_t head;
    uint32_t count;
    uint32_t capacity;
    uint32_t octets;
};

/* The piece with the lowest offset, or NULL. It is valid until the next call that changes `pending`. */
const struct iw_tcp_piece *iw_tcp_pending_first(const struct iw_tcp_pending *pending);

/* The piece with the highest offset, or NULL. */
const struct iw_tcp_piece *iw_tcp_pending_last(const struct iw_tcp_pending *pending);

/* Copies the parts of `piece` that are missing. Octets already present stay; those that differ are added to
 * *differing. Returns true if all of `piece` is present; false at a limit of `pool` or without memory: then
 * `piece` holds the rest. A FIN, of length 0, must lie at or after the end of all others. */
bool iw_tcp_pending_add(struct iw_tcp_pending *pending, struct iw_tcp_pool *pool, struct iw_tcp_piece *piece,
    uint32_t *differing);

/* Whether all of `length` octets from stream offset `offset` on are present. */
bool iw_tcp_pending_has(const struct iw_tcp_pending *pending, uint64_t offset, uint32_t length);

/* Replaces each pending `single` octet, perhaps garbage, by that of `piece`, unless `piece` is `single`. */
void iw_tcp_pending_replace_singles(struct iw_tcp_pending *pending, const struct iw_tcp_piece *piece);

/* Removes the piece with the lowest offset, which must exist. */
void iw_tcp_pending_drop_first(struct iw_tcp_pending *pending, struct iw_tcp_pool *pool);

/* Removes pieces with an acknowledgement number outside `first` to `first` + `most`; returns their octets. */
uint32_t iw_tcp_pending_drop_acks_outside(
    struct iw_tcp_pending *pending, struct iw_tcp_pool *pool, uint32_t first, uint32_t most);

/* Removes everything and releases the memory; `pending` is empty and usable afterwards. */
void iw_tcp_pending_clear(struct iw_tcp_pending *pending, struct iw_tcp_pool *pool);

/* How many of the first `length` octets of two pieces differ; truncated and `single` octets never count. */
uint32_t iw_tcp_piece_differing(
    const struct iw_tcp_piece *one, const struct iw_tcp_piece *other, uint32_t length);

#endif
