#include "iw_tcp_pending.h"

#include <stdlib.h>
#include <string.h>

#include "iw_placement.h"

struct iw_tcp_node {
    struct iw_tcp_piece piece; /* octets of the piece are in the member `octets` below */
    uint8_t octets[];
};

#define NODE_POINTER sizeof(struct iw_tcp_node *)

void iw_tcp_piece_advance(struct iw_tcp_piece *piece, uint32_t octets) {
    piece->offset += octets;
    piece->length -= octets;
    piece->summed = false;
    if (piece->octets)
        piece->octets += octets;
}

uint32_t iw_tcp_piece_differing(
    const struct iw_tcp_piece *one, const struct iw_tcp_piece *other, uint32_t length) {
    uint32_t differing = 0;
    if (one->single || other->single || !one->octets || !other->octets ||
        memcmp(one->octets, other->octets, length) == 0)
        return 0;
    for (uint32_t i = 0; i < length; i++)
        differing += one->octets[i] != other->octets[i];
    return differing;
}

static const struct iw_tcp_piece *pending_piece_at(const struct iw_tcp_pending *pending, uint32_t index) {
    return index < pending->count ? &pending->nodes[pending->head + index]->piece : NULL;
}

const struct iw_tcp_piece *iw_tcp_pending_first(const struct iw_tcp_pending *pending) {
    return pending_piece_at(pending, 0);
}

const struct iw_tcp_piece *iw_tcp_pending_last(const struct iw_tcp_pending *pending) {
    return pending->count ? pending_piece_at(pending, pending->count - 1) : NULL;
}

static uint32_t pending_stored_octets(const struct iw_tcp_piece *piece) {
    return piece->octets ? piece->length : 0;
}

static size_t pending_piece_cost(const struct iw_tcp_piece *piece) {
    return sizeof(struct iw_tcp_node) + NODE_POINTER + pending_stored_octets(piece);
}

/* Makes space for one more pointer before, and one more after, the pointers in use. */
static bool pending_reserve(struct iw_tcp_pending *pending) {
    if (pending->head > 0 && pending->head + pending->count < pending->capacity)
        return true;
    uint32_t capacity =
        pending->count < pending->capacity / 2 ? pending->capacity : pending->capacity * 2 + 16;
    struct iw_tcp_node **nodes = malloc(capacity * NODE_POINTER);
    if (!nodes)
        return false;
    uint32_t head = (capacity - pending->count) / 2;
    if (pending->count)
        memcpy(nodes + head, pending->nodes + pending->head, pending->count * NODE_POINTER);
    free(pending->nodes);
    pending->nodes = nodes;
    pending->head = head;
    pending->capacity = capacity;
    return true;
}

static struct iw_tcp_node *pending_new_node(const struct iw_tcp_piece *piece) {
    uint32_t octets = pending_stored_octets(piece);
    struct iw_tcp_node *node = malloc(sizeof *node + octets);
    if (!node)
        return NULL;
    node->piece = *piece;
    if (octets) {
        memcpy(node->octets, piece->octets, octets);
        node->piece.octets = node->octets;
    }
    return node;
}

/* Inserts a copy of `piece` at `index`. Returns false at a limit of `pool` or if memory runs out. */
static bool pending_insert(struct iw_tcp_pending *pending, struct iw_tcp_pool *pool, uint32_t index,
    const struct iw_tcp_piece *piece) {
    if (pending->count >= pool->stream_segments ||
        pending_stored_octets(piece) > pool->stream_octets - pending->octets ||
        pending_piece_cost(piece) > pool->octets - pool->used)
        return false;
    struct iw_tcp_node *node = pending_reserve(pending) ? pending_new_node(piece) : NULL;
    if (!node)
        return false;
    struct iw_tcp_node **place = pending->nodes + pending->head + index;
    if (index < pending->count / 2) {
        memmove(pending->nodes + pending->head - 1, pending->nodes + pending->head, index * NODE_POINTER);
        pending->head--;
        place--;
    } else {
        memmove(place + 1, place, (pending->count - index) * NODE_POINTER);
    }
    *place = node;
    pending->count++;
    pending->octets += pending_stored_octets(piece);
    pool->used += pending_piece_cost(piece);
    return true;
}

/* Returns the index of the first piece that ends after `offset`. */
static uint32_t pending_find(const struct iw_tcp_pending *pending, uint64_t offset) {
    uint32_t low = 0, high = pending->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (iw_tcp_piece_end(pending_piece_at(pending, middle)) > offset)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static uint32_t pending_min_length(uint64_t one, uint64_t other) {
    return (uint32_t)(one < other ? one : other);
}

bool iw_tcp_pending_add(struct iw_tcp_pending *pending, struct iw_tcp_pool *pool, struct iw_tcp_piece *piece,
    uint32_t *differing) {
    if (piece->fin)
        return pending_insert(pending, pool, pending->count, piece);
    for (uint32_t i = pending_find(pending, piece->offset); piece->length > 0; i++) {
        const struct iw_tcp_piece *there = pending_piece_at(pending, i);
        if (there && there->offset <= piece->offset) {
            struct iw_tcp_piece rest = *there;
            iw_tcp_piece_advance(&rest, (uint32_t)(piece->offset - rest.offset));
            uint32_t overlap = pending_min_length(rest.length, piece->length);
            *differing += iw_tcp_piece_differing(&rest, piece, overlap);
            iw_tcp_piece_advance(piece, overlap);
            continue;
        }
        struct iw_tcp_piece part = *piece;
        if (there)
            part.length = pending_min_length(part.length, there->offset - piece->offset);
        part.summed &= part.length == piece->length;
        if (!pending_insert(pending, pool, i, &part))
            return false;
        iw_tcp_piece_advance(piece, part.length);
    }
    return true;
}

bool iw_tcp_pending_has(const struct iw_tcp_pending *pending, uint64_t offset, uint32_t length) {
    uint64_t end = offset + length;

    for (uint32_t i = pending_find(pending, offset); i < pending->count && offset < end; i++) {
        const struct iw_tcp_piece *piece = pending_piece_at(pending, i);
        if (piece->offset > offset)
            return false;
        offset = iw_tcp_piece_end(piece);
    }
    return offset >= end;
}

IW_COLD void iw_tcp_pending_replace_singles(
    struct iw_tcp_pending *pending, const struct iw_tcp_piece *piece) {
    if (piece->single || !piece->octets)
        return;
    for (uint32_t i = pending_find(pending, piece->offset); i < pending->count; i++) {
        struct iw_tcp_node *node = pending->nodes[pending->head + i];
        if (node->piece.offset >= iw_tcp_piece_end(piece))
            return;
        if (!node->piece.single || !node->piece.octets)
            continue;
        node->octets[0] = piece->octets[node->piece.offset - piece->offset];
        node->piece.single = node->piece.summed = false;
        node->piece.frame = piece->frame;
        node->piece.time_ns = piece->time_ns;
    }
}

static void pending_free_node(
    struct iw_tcp_pending *pending, struct iw_tcp_pool *pool, struct iw_tcp_node *node) {
    pending->octets -= pending_stored_octets(&node->piece);
    pool->used -= pending_piece_cost(&node->piece);
    free(node);
}

void iw_tcp_pending_drop_first(struct iw_tcp_pending *pending, struct iw_tcp_pool *pool) {
    struct iw_tcp_node *node = pending->nodes[pending->head];
    pending->head++;
    pending->count--;
    pending_free_node(pending, pool, node);
}

uint32_t iw_tcp_pending_drop_acks_outside(
    struct iw_tcp_pending *pending, struct iw_tcp_pool *pool, uint32_t first, uint32_t most) {
    uint32_t kept = 0, octets = 0;

    for (uint32_t i = 0; i < pending->count; i++) {
        struct iw_tcp_node *node = pending->nodes[pending->head + i];
        if (!node->piece.has_ack || node->piece.ack - first <= most) {
            pending->nodes[pending->head + kept++] = node;
            continue;
        }
        octets += node->piece.length;
        pending_free_node(pending, pool, node);
    }
    pending->count = kept;
    return octets;
}

void iw_tcp_pending_clear(struct iw_tcp_pending *pending, struct iw_tcp_pool *pool) {
    while (pending->count)
        iw_tcp_pending_drop_first(pending, pool);
    free(pending->nodes);
    *pending = (struct iw_tcp_pending){0};
}
