#include "iw_capture_blocks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Octets of one block. A block holds the longest packet, and is large enough to be worth handing to another
 * thread. All blocks together fit into most L2 caches, so packets are still cached when they are checked. */
enum { BLOCK_OCTETS = 0x41000 };
/* Most octets of one read from the source: few, so that they are still cached when they are checked. */
enum { READ_OCTETS = 0x10000 };
static_assert(BLOCK_OCTETS >= (int)IW_CAPTURE_RUN_MAX, "a block holds the longest packet");

bool iw_capture_blocks_init(struct iw_capture_blocks *blocks, struct iw_capture_source *source) {
    *blocks = (struct iw_capture_blocks){.source = source, .ordinal = 1, .octets = BLOCK_OCTETS};
    blocks->memory = malloc(IW_CAPTURE_BLOCKS * blocks->octets);
    blocks->block = blocks->memory;
    return blocks->memory != NULL;
}

void iw_capture_blocks_dispose(struct iw_capture_blocks *blocks) {
    free(blocks->memory);
    blocks->memory = NULL;
}

/* Moves the unread octets to the start of the block; with `lent`, of the next block. */
static void blocks_compact(struct iw_capture_blocks *blocks) {
    size_t left = blocks->filled - blocks->used;
    const uint8_t *from = blocks->block + blocks->used;

    if (blocks->lent) {
        blocks->ordinal++;
        blocks->block = blocks->memory + (blocks->ordinal - 1) % IW_CAPTURE_BLOCKS * blocks->octets;
        blocks->lent = false;
    }
    memmove(blocks->block, from, left);
    blocks->begin += blocks->used;
    blocks->used = 0;
    blocks->filled = left;
}

enum iw_capture_outcome iw_capture_blocks_fill(struct iw_capture_blocks *blocks, size_t octets) {
    assert(octets <= blocks->octets);
    if (octets > blocks->octets - blocks->used)
        blocks_compact(blocks);
    while (blocks->filled - blocks->used < octets) {
        size_t left = blocks->octets - blocks->filled;
        ssize_t got = iw_capture_source_read(
            blocks->source, blocks->block + blocks->filled, left < READ_OCTETS ? left : READ_OCTETS);

        if (got < 0)
            return IW_CAPTURE_FAILED;
        if (got == 0)
            return blocks->filled == blocks->used ? IW_CAPTURE_ENDED : IW_CAPTURE_TRUNCATED;
        blocks->filled += (size_t)got;
    }
    return IW_CAPTURE_GOT;
}

enum iw_capture_outcome iw_capture_blocks_skip(struct iw_capture_blocks *blocks, uint64_t octets) {
    while (octets > blocks->filled - blocks->used) {
        enum iw_capture_outcome step;

        octets -= blocks->filled - blocks->used;
        blocks->used = blocks->filled;
        step = iw_capture_blocks_fill(blocks, 1);
        if (step != IW_CAPTURE_GOT)
            return step == IW_CAPTURE_ENDED ? IW_CAPTURE_TRUNCATED : step;
    }
    blocks->used += (size_t)octets;
    return IW_CAPTURE_GOT;
}
