#ifndef IW_CAPTURE_BLOCKS_H
#define IW_CAPTURE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_capture_source.h"

/* The octets of a capture file in blocks of memory, three in turn: a packet stays where it is until the third
 * block after its own is begun. For iw_capture_pcap.c and iw_capture_pcapng.c. */

enum {
    IW_CAPTURE_BLOCKS = 3,
    IW_CAPTURE_PACKET_MAX = 1 << 18, /* octets; libpcap and Wireshark read no longer packets */
    IW_CAPTURE_RUN_MAX = IW_CAPTURE_PACKET_MAX + 64, /* that can be needed at once, at least */
};

enum iw_capture_outcome {
    IW_CAPTURE_GOT,       /* done */
    IW_CAPTURE_ENDED,     /* the file has ended, and nothing was left */
    IW_CAPTURE_TRUNCATED, /* it has ended before that */
    IW_CAPTURE_DAMAGED,   /* the octets contradict themselves */
    IW_CAPTURE_FAILED,    /* the source says why it cannot be read */
    IW_CAPTURE_NO_MEMORY,
};

struct iw_capture_blocks {
    struct iw_capture_source *source; /* borrowed */
    uint8_t *memory;                  /* of all blocks */
    uint8_t *block;                   /* the current one, */
    uint64_t ordinal;                 /* which it is, from 1, */
    uint64_t begin;                   /* where in the file it begins */
    size_t used, filled, octets;      /* of it; and its size */
    bool lent;                        /* a packet of it has been given out */
};

/* Begins at the first octet of the source that has not been read. False: no memory. */
bool iw_capture_blocks_init(struct iw_capture_blocks *blocks, struct iw_capture_source *source);
void iw_capture_blocks_dispose(struct iw_capture_blocks *blocks);

/* Reads until `octets` octets are there, no more than the size of a block. */
enum iw_capture_outcome iw_capture_blocks_fill(struct iw_capture_blocks *blocks, size_t octets);

/* Sees to it that the next `octets` octets of the file, at most IW_CAPTURE_RUN_MAX or the size of a block,
 * are at iw_capture_blocks_at. Goes on by one block at the most between two packets. */
static inline enum iw_capture_outcome iw_capture_blocks_need(
    struct iw_capture_blocks *blocks, size_t octets) {
    return blocks->filled - blocks->used >= octets ? IW_CAPTURE_GOT : iw_capture_blocks_fill(blocks, octets);
}

static inline const uint8_t *iw_capture_blocks_at(const struct iw_capture_blocks *blocks) {
    return blocks->block + blocks->used;
}

/* Steps over octets that are there; a packet among them is given out. */
static inline void iw_capture_blocks_lend(struct iw_capture_blocks *blocks, size_t octets) {
    blocks->used += octets;
    blocks->lent = true;
}

/* Steps over any number of octets, none of which are given out. */
enum iw_capture_outcome iw_capture_blocks_skip(struct iw_capture_blocks *blocks, uint64_t octets);

/* Octets of the file, decompressed, before the next one. */
static inline uint64_t iw_capture_blocks_offset(const struct iw_capture_blocks *blocks) {
    return blocks->begin + blocks->used;
}

#endif
