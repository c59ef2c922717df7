#pragma once

#include <string.h>

#include "iw_capture_source.h"

/* Reads a capture file, pcap or pcapng, into three blocks of memory, which it reuses in turn. A packet in
 * block n stays valid until block n + 3 begins. */

enum {
    IW_CAPTURE_BLOCKS = 3,
    IW_CAPTURE_PACKET_MAX = 1 << 18,                 /* octets; libpcap and Wireshark reject longer packets */
    IW_CAPTURE_RUN_MAX = IW_CAPTURE_PACKET_MAX + 64, /* most octets that a reader may request at once */
};

enum iw_capture_outcome {
    IW_CAPTURE_GOT,       /* success */
    IW_CAPTURE_ENDED,     /* the file has no more octets */
    IW_CAPTURE_TRUNCATED, /* the file ends within a header, packet or block */
    IW_CAPTURE_DAMAGED,   /* the file violates its format */
    IW_CAPTURE_FAILED,    /* the source failed: see iw_capture_source_reason */
    IW_CAPTURE_NO_MEMORY,
};

struct iw_capture_blocks {
    struct iw_capture_source *source; /* borrowed */
    uint8_t *memory;                  /* memory of all blocks */
    uint8_t *block;                   /* the current block */
    uint64_t ordinal;                 /* number of the current block, from 1 */
    uint64_t begin;                   /* file offset of the current block */
    size_t used, filled, octets;      /* octets consumed, octets read, and size of the current block */
    bool lent;                        /* the caller may still use a packet in the current block */
};

/* Begins at the first unread octet of the source. Returns false if memory runs out. */
bool iw_capture_blocks_init(struct iw_capture_blocks *blocks, struct iw_capture_source *source);
void iw_capture_blocks_dispose(struct iw_capture_blocks *blocks);

/* The slow path of iw_capture_blocks_need: reads from the source. */
enum iw_capture_outcome iw_capture_blocks_fill(struct iw_capture_blocks *blocks, size_t octets);

/* Makes the next `octets` octets, at most IW_CAPTURE_RUN_MAX, available at iw_capture_blocks_at. If the file
 * ends earlier: IW_CAPTURE_ENDED if no octet is left, otherwise IW_CAPTURE_TRUNCATED. Begins a new block at
 * most once between two packets. */
static inline enum iw_capture_outcome iw_capture_blocks_need(
    struct iw_capture_blocks *blocks, size_t octets) {
    return blocks->filled - blocks->used >= octets ? IW_CAPTURE_GOT : iw_capture_blocks_fill(blocks, octets);
}

static inline const uint8_t *iw_capture_blocks_at(const struct iw_capture_blocks *blocks) {
    return blocks->block + blocks->used;
}

/* Consumes `octets` available octets, which contain a packet that the caller may use from now on. */
static inline void iw_capture_blocks_lend(struct iw_capture_blocks *blocks, size_t octets) {
    blocks->used += octets;
    blocks->lent = true;
}

/* Skips `octets` octets, perhaps more than a block holds. IW_CAPTURE_TRUNCATED: the file ends earlier. */
enum iw_capture_outcome iw_capture_blocks_skip(struct iw_capture_blocks *blocks, uint64_t octets);

/* Offset of the next octet in the decompressed file. */
static inline uint64_t iw_capture_blocks_offset(const struct iw_capture_blocks *blocks) {
    return blocks->begin + blocks->used;
}

/* Read a number from the file. `swapped`: the byte order of the file is not that of this host. */
static inline uint16_t iw_capture_16(bool swapped, const uint8_t *at) {
    uint16_t value;

    memcpy(&value, at, sizeof value);
    return swapped ? __builtin_bswap16(value) : value;
}

static inline uint32_t iw_capture_32(bool swapped, const uint8_t *at) {
    uint32_t value;

    memcpy(&value, at, sizeof value);
    return swapped ? __builtin_bswap32(value) : value;
}

static inline uint64_t iw_capture_64(bool swapped, const uint8_t *at) {
    uint64_t value;

    memcpy(&value, at, sizeof value);
    return swapped ? __builtin_bswap64(value) : value;
}
