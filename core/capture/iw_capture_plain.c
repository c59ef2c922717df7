#include "iw_capture_plain.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_HEADER = 24, PACKET_HEADER = 16 };

/* Large enough for what it costs to wake a thread for each. The longest packet fits into a small one, which
 * does for a file that is no longer. */
enum { BLOCK_OCTETS = 1 << 20, SMALL_BLOCK_OCTETS = PACKET_HEADER + IW_CAPTURE_PLAIN_PACKET_MAX };
static_assert(BLOCK_OCTETS >= SMALL_BLOCK_OCTETS, "a packet is in one block");

static uint32_t number(const struct iw_capture_plain *plain, const uint8_t *at) {
    uint32_t value;

    memcpy(&value, at, sizeof value);
    return plain->swapped ? __builtin_bswap32(value) : value;
}

/* Of a file of another version the numbers may mean something else, and the upper half of the link type tells
 * of check sequences: libpcap knows. */
static bool read_header(struct iw_capture_plain *plain, const uint8_t *header) {
    static const struct {
        uint32_t magic;
        bool swapped;
        uint32_t tick_ns;
    } magics[] = {
        {0xa1b2c3d4, false, 1000}, {0xd4c3b2a1, true, 1000}, {0xa1b23c4d, false, 1}, {0x4d3cb2a1, true, 1}};
    static const uint16_t version[2] = {2, 4};
    uint16_t found[2];
    uint32_t magic;

    memcpy(&magic, header, sizeof magic);
    memcpy(found, header + 4, sizeof found);
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
        if (magics[i].magic != magic)
            continue;
        plain->swapped = magics[i].swapped;
        plain->tick_ns = magics[i].tick_ns;
        for (int k = 0; plain->swapped && k < 2; k++)
            found[k] = __builtin_bswap16(found[k]);
        return memcmp(found, version, sizeof version) == 0 && number(plain, header + 20) <= 0xffff;
    }
    return false;
}

bool iw_capture_plain_init(struct iw_capture_plain *plain, int file, uint32_t packet_max) {
    uint8_t header[FILE_HEADER];
    struct stat status;

    *plain = (struct iw_capture_plain){.file = file,
        .offset = FILE_HEADER,
        .packet_max = packet_max < IW_CAPTURE_PLAIN_PACKET_MAX ? packet_max : IW_CAPTURE_PLAIN_PACKET_MAX};
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) ||
        pread(file, header, sizeof header, 0) != sizeof header || !read_header(plain, header))
        return false;
    plain->block_octets = status.st_size <= SMALL_BLOCK_OCTETS ? SMALL_BLOCK_OCTETS : BLOCK_OCTETS;
    plain->memory = malloc(IW_CAPTURE_PLAIN_BLOCKS * plain->block_octets);
    return plain->memory != NULL;
}

void iw_capture_plain_dispose(struct iw_capture_plain *plain) {
    free(plain->memory);
    plain->memory = NULL;
}

static uint8_t *block_of(const struct iw_capture_plain *plain, uint64_t ordinal) {
    return plain->memory + ordinal % IW_CAPTURE_PLAIN_BLOCKS * plain->block_octets;
}

/* Into the next block: what is left of this one. */
static void turn_block(struct iw_capture_plain *plain) {
    size_t left = plain->filled - plain->used;

    memcpy(block_of(plain, plain->block + 1), block_of(plain, plain->block) + plain->used, left);
    plain->block++;
    plain->used = 0;
    plain->filled = left;
}

/* As much of the file as there is room for. A block of which no packet has been given out goes on to be
 * filled: a file that grows while it is read would otherwise take a block for each bit of it, and those that
 * are still in use with them. */
static bool refill(struct iw_capture_plain *plain) {
    ssize_t octets = 1;
    uint8_t *block;

    if (plain->block == 0 || plain->used > 0)
        turn_block(plain);
    block = block_of(plain, plain->block);
    while (octets > 0 && plain->filled < plain->block_octets) {
        octets =
            pread(plain->file, block + plain->filled, plain->block_octets - plain->filled, plain->offset);
        if (octets < 0 && errno == EINTR)
            octets = 1;
        else if (octets > 0) {
            plain->filled += (size_t)octets;
            plain->offset += octets;
        }
    }
    return octets >= 0;
}

/* Sees to it that the next `octets` octets of the file are in the block. */
static enum iw_capture_plain_step need(struct iw_capture_plain *plain, size_t octets) {
    if (plain->filled - plain->used >= octets)
        return IW_CAPTURE_PLAIN_PACKET;
    if (!refill(plain))
        return IW_CAPTURE_PLAIN_ERROR;
    if (plain->filled >= octets)
        return IW_CAPTURE_PLAIN_PACKET;
    return plain->filled == 0 ? IW_CAPTURE_PLAIN_END : IW_CAPTURE_PLAIN_TRUNCATED;
}

enum iw_capture_plain_step iw_capture_plain_next(
    struct iw_capture_plain *plain, struct iw_capture_plain_packet *packet) {
    enum iw_capture_plain_step step = need(plain, PACKET_HEADER);
    const uint8_t *header;
    uint32_t octets;

    if (step != IW_CAPTURE_PLAIN_PACKET)
        return step;
    octets = number(plain, block_of(plain, plain->block) + plain->used + 8);
    if (octets > IW_CAPTURE_PLAIN_PACKET_MAX)
        return IW_CAPTURE_PLAIN_DAMAGED;
    step = need(plain, PACKET_HEADER + octets);
    if (step != IW_CAPTURE_PLAIN_PACKET)
        return step;
    header = block_of(plain, plain->block) + plain->used;
    *packet = (struct iw_capture_plain_packet){.octets = header + PACKET_HEADER,
        .captured = octets < plain->packet_max ? octets : plain->packet_max,
        .length = number(plain, header + 12),
        .time_ns = (uint64_t)number(plain, header) * 1000000000u +
                   (uint64_t)number(plain, header + 4) * plain->tick_ns};
    plain->used += PACKET_HEADER + octets;
    return IW_CAPTURE_PLAIN_PACKET;
}
