#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Consecutive stream octets of one packet, or a FIN. */
struct iw_tcp_piece {
    uint64_t offset; /* stream offset of the first octet */
    uint32_t length; /* octets; 0 for a FIN */
    bool fin;
    bool single; /* single octet of a segment, out of order: perhaps garbage (RFC 9293 3.8.4) */
    bool has_ack;
    uint32_t ack; /* acknowledgement number of its packet */
    bool summed;  /* `sum` is the iw_tcp_checksum_sum of its octets */
    uint16_t sum;
    uint32_t turn;         /* number of segments of the connection before its packet */
    const uint8_t *octets; /* NULL: the capture truncated them */
    uint64_t frame;
    uint64_t time_ns;
};

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

/* The pieces of one stream that are held back, sorted by offset, without overlap. Adjacent pieces are not
 * joined, because each has its own frame. */
struct iw_tcp_pending {
    struct iw_tcp_node **nodes; /* `count` nodes, from index `head` on */
    uint32_t head;
    uint32_t count;
    uint32_t capacity;
    uint32_t octets;
};

/* Returns the piece with the lowest offset, or NULL; valid until the next call that changes `pending`. */
const struct iw_tcp_piece *iw_tcp_pending_first(const struct iw_tcp_pending *pending);

/* Returns the piece with the highest offset, or NULL. */
const struct iw_tcp_piece *iw_tcp_pending_last(const struct iw_tcp_pending *pending);

/* Stores the parts of `piece` that are missing. Keeps octets stored before; adds the number of those that
 * differ to *differing. Returns true if all of `piece` is then stored. Returns false at a limit of `pool` or
 * without memory: `piece` is then the rest. A FIN must not precede the end of a stored piece. */
bool iw_tcp_pending_add(struct iw_tcp_pending *pending, struct iw_tcp_pool *pool, struct iw_tcp_piece *piece,
    uint32_t *differing);

/* Whether all of `length` octets from stream offset `offset` on are present. */
bool iw_tcp_pending_has(const struct iw_tcp_pending *pending, uint64_t offset, uint32_t length);

/* Replaces each stored `single` octet by that of `piece` at the same offset, unless `piece` is `single` or
 * truncated. */
void iw_tcp_pending_replace_singles(struct iw_tcp_pending *pending, const struct iw_tcp_piece *piece);

/* Removes the piece with the lowest offset, which must exist. */
void iw_tcp_pending_drop_first(struct iw_tcp_pending *pending, struct iw_tcp_pool *pool);

/* Removes pieces whose acknowledgement number is not in `first` to `first` + `most`; returns their octets. */
uint32_t iw_tcp_pending_drop_acks_outside(
    struct iw_tcp_pending *pending, struct iw_tcp_pool *pool, uint32_t first, uint32_t most);

/* Removes everything and releases the memory; `pending` is empty and usable afterwards. */
void iw_tcp_pending_clear(struct iw_tcp_pending *pending, struct iw_tcp_pool *pool);

/* Returns how many of the first `length` octets of two pieces differ; 0 if one is truncated or `single`. */
uint32_t iw_tcp_piece_differing(
    const struct iw_tcp_piece *one, const struct iw_tcp_piece *other, uint32_t length);
