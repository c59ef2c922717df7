#include "iw_capture_pcapng.h"

#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_link_type.h"
#include "iw_placement.h"

enum {
    BLOCK_INTERFACE = 1,
    BLOCK_PACKET = 2, /* obsolete */
    BLOCK_SIMPLE = 3,
    BLOCK_ENHANCED = 6,
    BLOCK_JOURNAL = 9,
    BLOCK_SYSDIG_EVENT = 0x204,
    BLOCK_SYSDIG_EVENT_FLAGS = 0x208,
    BLOCK_SYSDIG_EVENT_2 = 0x216,
    BLOCK_SYSDIG_EVENT_FLAGS_2 = 0x217,
    BLOCK_SYSDIG_EVENT_LARGE = 0x221,
    BLOCK_SYSDIG_EVENT_FLAGS_LARGE = 0x222,
    BLOCK_CUSTOM = 0xbad,
    BLOCK_CUSTOM_NOT_COPIED = 0x40000bad,
    BLOCK_SECTION = 0x0a0d0d0a, /* reads the same in either byte order */
};

enum {
    BYTE_ORDER_MAGIC = 0x1a2b3c4d,
    VERSION_MAJOR = 1,
    OPTION_RESOLUTION = 9,
    OPTION_OFFSET = 14,
    MICROSECONDS = 6, /* 10^-6 s, the default without OPTION_RESOLUTION */
};

/* Sizes in octets of blocks and of their parts. */
enum {
    BLOCK_HEADER = 8, /* type and length */
    BLOCK_TRAILER = 4,
    BLOCK_MIN = BLOCK_HEADER + BLOCK_TRAILER,
    SECTION_FIXED = BLOCK_HEADER + 16,
    INTERFACE_FIXED = BLOCK_HEADER + 8,
    PACKET_FIXED = BLOCK_HEADER + 20, /* Enhanced Packet Block, and the obsolete Packet Block */
    SIMPLE_FIXED = BLOCK_HEADER + 4,
};

static uint64_t pcapng_padded(uint64_t octets) {
    return (octets + 3) & ~UINT64_C(3);
}

static enum iw_capture_outcome pcapng_damaged(struct iw_capture_pcapng *pcapng, const char *reason) {
    pcapng->reason = reason;
    return IW_CAPTURE_DAMAGED;
}

/* Like iw_capture_blocks_need, but inside a block, where the end of the file is a truncation. */
static enum iw_capture_outcome pcapng_need(struct iw_capture_pcapng *pcapng, size_t octets) {
    enum iw_capture_outcome outcome = iw_capture_blocks_need(pcapng->blocks, octets);

    return outcome == IW_CAPTURE_ENDED ? IW_CAPTURE_TRUNCATED : outcome;
}

/* Reads a block length, and rounds it up as Wireshark does: some programs do not count the padding. */
static uint64_t pcapng_read_length(const struct iw_capture_pcapng *pcapng, const uint8_t *at) {
    return pcapng_padded(iw_capture_32(pcapng->swapped, at));
}

static enum iw_capture_outcome capture_pcapng_check_trailer(
    struct iw_capture_pcapng *pcapng, const uint8_t *trailer) {
    if (pcapng_read_length(pcapng, trailer) == pcapng->total)
        return IW_CAPTURE_GOT;
    return pcapng_damaged(pcapng, "the two lengths of a block differ");
}

/* Skips the last `octets` octets of a block, and verifies the repeated length at its end. */
static enum iw_capture_outcome pcapng_end_block(struct iw_capture_pcapng *pcapng, uint64_t octets) {
    enum iw_capture_outcome outcome = iw_capture_blocks_skip(pcapng->blocks, octets - BLOCK_TRAILER);

    if (outcome == IW_CAPTURE_GOT)
        outcome = pcapng_need(pcapng, BLOCK_TRAILER);
    if (outcome == IW_CAPTURE_GOT)
        outcome = capture_pcapng_check_trailer(pcapng, iw_capture_blocks_at(pcapng->blocks));
    if (outcome == IW_CAPTURE_GOT)
        outcome = iw_capture_blocks_skip(pcapng->blocks, BLOCK_TRAILER);
    return outcome;
}

static bool capture_pcapng_find_order(struct iw_capture_pcapng *pcapng, const uint8_t *magic) {
    pcapng->swapped = false;
    pcapng->swapped = iw_capture_32(pcapng->swapped, magic) != BYTE_ORDER_MAGIC;
    return iw_capture_32(pcapng->swapped, magic) == BYTE_ORDER_MAGIC;
}

/* Hands over the comment of a section header. Ignores a header longer than IW_CAPTURE_RUN_MAX. */
IW_COLD static enum iw_capture_outcome capture_pcapng_take_section(struct iw_capture_pcapng *pcapng) {
    struct iw_capture_options options = {.swapped = pcapng->swapped};
    enum iw_capture_outcome outcome;
    struct iw_capture_note note;

    if (pcapng->section == NULL || pcapng->total > IW_CAPTURE_RUN_MAX)
        return IW_CAPTURE_GOT;
    outcome = pcapng_need(pcapng, (size_t)pcapng->total);
    if (outcome != IW_CAPTURE_GOT)
        return outcome;
    options.at = iw_capture_blocks_at(pcapng->blocks) + SECTION_FIXED;
    options.end = iw_capture_blocks_at(pcapng->blocks) + pcapng->total - BLOCK_TRAILER;
    iw_capture_options_note(options, &note);
    if (note.comment != NULL)
        pcapng->section(pcapng->user, note.comment, note.comment_octets);
    return IW_CAPTURE_GOT;
}

/* Reads a Section Header Block. Interface numbers start again at 0. */
static enum iw_capture_outcome capture_pcapng_read_section(struct iw_capture_pcapng *pcapng) {
    enum iw_capture_outcome outcome;

    if (pcapng->total < SECTION_FIXED + BLOCK_TRAILER)
        return pcapng_damaged(pcapng, "a section header is too short");
    outcome = pcapng_need(pcapng, SECTION_FIXED);
    if (outcome != IW_CAPTURE_GOT)
        return outcome;
    if (iw_capture_16(pcapng->swapped, iw_capture_blocks_at(pcapng->blocks) + BLOCK_HEADER + 4) !=
        VERSION_MAJOR)
        return pcapng_damaged(pcapng, "a section has a version other than 1");
    pcapng->interface_count = 0;
    outcome = capture_pcapng_take_section(pcapng);
    return outcome == IW_CAPTURE_GOT ? pcapng_end_block(pcapng, pcapng->total) : outcome;
}

enum { SECOND_NS = 1000000000, BINARY = 0x80 };

__extension__ typedef __int128 wide;

static void capture_pcapng_clock_init(struct iw_capture_clock *clock, uint8_t resolution, int64_t offset_s) {
    *clock = (struct iw_capture_clock){.resolution = resolution, .offset_s = offset_s};
    if (resolution <= 9) {
        clock->unit_ns = 1;
        for (unsigned i = resolution; i < 9; i++)
            clock->unit_ns *= 10;
    }
}

/* Converts to nanoseconds. Only for clocks without `unit_ns`: units of 2^-n seconds, or of 10^-n seconds with
 * n above 9. */
static wide capture_pcapng_units_ns(const struct iw_capture_clock *clock, uint64_t units) {
    if (clock->resolution & BINARY)
        return (wide)units * SECOND_NS >> (clock->resolution & ~BINARY);
    for (unsigned i = 9; i < clock->resolution && units > 0; i++)
        units /= 10;
    return (wide)units;
}

/* Converts to nanoseconds since the epoch: 0 for times before the epoch, UINT64_MAX beyond 64 bits. */
static uint64_t capture_pcapng_clock_ns(const struct iw_capture_clock *clock, uint64_t units) {
    wide ns = clock->unit_ns ? (wide)units * clock->unit_ns : capture_pcapng_units_ns(clock, units);

    ns += (wide)clock->offset_s * SECOND_NS;
    if (ns < 0)
        return 0;
    return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

/* Reads the options from `at` to `end` that define the timestamps. Ignores truncated and invalid options. */
static void capture_pcapng_read_interface_options(struct iw_capture_pcapng *pcapng, const uint8_t *at,
    const uint8_t *end, struct iw_capture_interface *interface) {
    struct iw_capture_options options = {at, end, pcapng->swapped};
    struct iw_capture_option option;
    uint8_t resolution = MICROSECONDS;
    uint64_t offset = 0;

    while (iw_capture_option_next(&options, &option)) {
        if (option.code == OPTION_RESOLUTION && option.length == 1)
            resolution = option.value[0];
        if (option.code == OPTION_OFFSET && option.length == 8)
            offset = iw_capture_64(pcapng->swapped, option.value);
    }
    capture_pcapng_clock_init(&interface->clock, resolution, (int64_t)offset);
}

IW_COLD static enum iw_capture_outcome capture_pcapng_read_interface(struct iw_capture_pcapng *pcapng) {
    /* If the block is longer than IW_CAPTURE_RUN_MAX, its last options are ignored. */
    size_t octets = pcapng->total <= IW_CAPTURE_RUN_MAX ? (size_t)pcapng->total : IW_CAPTURE_RUN_MAX;
    struct iw_capture_interface *interface;
    enum iw_capture_outcome outcome;
    const uint8_t *block;

    if (pcapng->total < INTERFACE_FIXED + BLOCK_TRAILER)
        return pcapng_damaged(pcapng, "an interface description is too short");
    if (pcapng->interface_count == IW_CAPTURE_INTERFACES_MAX)
        return pcapng_damaged(pcapng, "a section has more than 65,536 interfaces");
    outcome = pcapng_need(pcapng, octets);
    if (outcome != IW_CAPTURE_GOT)
        return outcome;
    if (!iw_array_grow(&pcapng->interfaces, pcapng->interface_count, sizeof *pcapng->interfaces))
        return IW_CAPTURE_NO_MEMORY;
    interface = &pcapng->interfaces[pcapng->interface_count++];
    block = iw_capture_blocks_at(pcapng->blocks);
    interface->link_type = iw_capture_16(pcapng->swapped, block + BLOCK_HEADER);
    interface->read = iw_link_type_find(interface->link_type, &interface->link);
    interface->snaplen = iw_capture_32(pcapng->swapped, block + BLOCK_HEADER + 4);
    capture_pcapng_read_interface_options(
        pcapng, block + INTERFACE_FIXED, block + octets - BLOCK_TRAILER, interface);
    return pcapng_end_block(pcapng, pcapng->total);
}

/* Sets packet->octets, which begin `fixed` octets after the start of the block, and skips the block. If it is
 * longer than IW_CAPTURE_RUN_MAX, the next call of iw_capture_pcapng_next skips its end. */
static enum iw_capture_outcome capture_pcapng_lend_packet(
    struct iw_capture_pcapng *pcapng, uint32_t fixed, struct iw_packet *packet) {
    bool whole = pcapng->total <= IW_CAPTURE_RUN_MAX;
    size_t octets = whole ? (size_t)pcapng->total : (size_t)(fixed + pcapng_padded(packet->captured));
    enum iw_capture_outcome outcome = pcapng_need(pcapng, octets);
    const uint8_t *block;

    if (outcome != IW_CAPTURE_GOT)
        return outcome;
    block = iw_capture_blocks_at(pcapng->blocks);
    if (whole && capture_pcapng_check_trailer(pcapng, block + octets - BLOCK_TRAILER) != IW_CAPTURE_GOT)
        return IW_CAPTURE_DAMAGED;
    pcapng->pending = pcapng->total - octets;
    packet->octets = block + fixed;
    pcapng->options = (struct iw_capture_options){.swapped = pcapng->swapped};
    if (whole && fixed == PACKET_FIXED) {
        pcapng->options.at = block + fixed + pcapng_padded(packet->captured);
        pcapng->options.end = block + octets - BLOCK_TRAILER;
    }
    iw_capture_blocks_lend(pcapng->blocks, octets);
    return IW_CAPTURE_GOT;
}

/* `fixed`: octets of the block before the packet. `number`: number of the interface. `packet` has its lengths
 * and, except in a Simple Packet Block, a timestamp in units of the interface. */
static enum iw_capture_outcome capture_pcapng_read_packet(
    struct iw_capture_pcapng *pcapng, uint32_t fixed, uint32_t number, struct iw_packet *packet) {
    const struct iw_capture_interface *interface;

    if (fixed + pcapng_padded(packet->captured) + BLOCK_TRAILER > pcapng->total)
        return pcapng_damaged(pcapng, "a packet is longer than its block");
    if (number >= pcapng->interface_count)
        return pcapng_damaged(pcapng, "a packet is of an interface that its section does not describe");
    interface = &pcapng->interfaces[number];
    pcapng->frame = interface->read ? IW_CAPTURE_FRAME_PACKET : IW_CAPTURE_FRAME_UNREAD;
    pcapng->unread = interface->link_type;
    if (!interface->read)
        return pcapng_end_block(pcapng, pcapng->total);
    if (packet->captured > IW_CAPTURE_PACKET_MAX)
        return pcapng_damaged(pcapng, "a packet is longer than 262,144 octets");
    packet->link = interface->link;
    if (fixed == PACKET_FIXED)
        pcapng->time_ns = capture_pcapng_clock_ns(&interface->clock, packet->time_ns);
    packet->time_ns = pcapng->time_ns;
    return capture_pcapng_lend_packet(pcapng, fixed, packet);
}

static enum iw_capture_outcome capture_pcapng_read_timed_packet(
    struct iw_capture_pcapng *pcapng, bool enhanced, struct iw_packet *packet) {
    enum iw_capture_outcome outcome = pcapng_need(pcapng, PACKET_FIXED);
    bool swapped = pcapng->swapped;
    const uint8_t *body;

    if (outcome != IW_CAPTURE_GOT)
        return outcome;
    body = iw_capture_blocks_at(pcapng->blocks) + BLOCK_HEADER;
    packet->time_ns = (uint64_t)iw_capture_32(swapped, body + 4) << 32 | iw_capture_32(swapped, body + 8);
    packet->captured = iw_capture_32(swapped, body + 12);
    packet->length = iw_capture_32(swapped, body + 16);
    return capture_pcapng_read_packet(
        pcapng, PACKET_FIXED, enhanced ? iw_capture_32(swapped, body) : iw_capture_16(swapped, body), packet);
}

/* A Simple Packet Block has no timestamp and no captured length. The captured length is the packet length. If
 * interface 0 has a smaller snapshot length other than 0, it is that snapshot length. */
static enum iw_capture_outcome capture_pcapng_read_simple_packet(
    struct iw_capture_pcapng *pcapng, struct iw_packet *packet) {
    enum iw_capture_outcome outcome = pcapng_need(pcapng, SIMPLE_FIXED);
    uint32_t snaplen;

    if (outcome != IW_CAPTURE_GOT)
        return outcome;
    snaplen = pcapng->interface_count > 0 ? pcapng->interfaces[0].snaplen : 0;
    packet->length = iw_capture_32(pcapng->swapped, iw_capture_blocks_at(pcapng->blocks) + BLOCK_HEADER);
    packet->captured = snaplen > 0 && snaplen < packet->length ? snaplen : packet->length;
    return capture_pcapng_read_packet(pcapng, SIMPLE_FIXED, 0, packet);
}

/* Reads the header of the next block; for a section header, also the byte order of the section. */
static enum iw_capture_outcome capture_pcapng_read_header(struct iw_capture_pcapng *pcapng, uint32_t *type) {
    enum iw_capture_outcome outcome = iw_capture_blocks_need(pcapng->blocks, BLOCK_HEADER);

    pcapng->begin = iw_capture_blocks_offset(pcapng->blocks);
    if (outcome != IW_CAPTURE_GOT)
        return outcome;
    *type = iw_capture_32(pcapng->swapped, iw_capture_blocks_at(pcapng->blocks));
    if (*type == BLOCK_SECTION) {
        outcome = pcapng_need(pcapng, BLOCK_HEADER + 4);
        if (outcome != IW_CAPTURE_GOT)
            return outcome;
        if (!capture_pcapng_find_order(pcapng, iw_capture_blocks_at(pcapng->blocks) + BLOCK_HEADER))
            return pcapng_damaged(pcapng, "a section header has no byte-order magic");
    }
    pcapng->total = pcapng_read_length(pcapng, iw_capture_blocks_at(pcapng->blocks) + 4);
    return pcapng->total >= BLOCK_MIN ? IW_CAPTURE_GOT
                                      : pcapng_damaged(pcapng, "a block is shorter than 12 octets");
}

static enum iw_capture_outcome capture_pcapng_read_block(
    struct iw_capture_pcapng *pcapng, uint32_t type, struct iw_packet *packet) {
    switch (type) {
    case BLOCK_ENHANCED:
        return capture_pcapng_read_timed_packet(pcapng, true, packet);
    case BLOCK_PACKET:
        return capture_pcapng_read_timed_packet(pcapng, false, packet);
    case BLOCK_SIMPLE:
        return capture_pcapng_read_simple_packet(pcapng, packet);
    case BLOCK_SECTION:
        return capture_pcapng_read_section(pcapng);
    case BLOCK_INTERFACE:
        return capture_pcapng_read_interface(pcapng);
    case BLOCK_JOURNAL:
    case BLOCK_SYSDIG_EVENT:
    case BLOCK_SYSDIG_EVENT_FLAGS:
    case BLOCK_SYSDIG_EVENT_2:
    case BLOCK_SYSDIG_EVENT_FLAGS_2:
    case BLOCK_SYSDIG_EVENT_LARGE:
    case BLOCK_SYSDIG_EVENT_FLAGS_LARGE:
    case BLOCK_CUSTOM:
    case BLOCK_CUSTOM_NOT_COPIED:
        pcapng->frame = IW_CAPTURE_FRAME_OTHER;
        return pcapng_end_block(pcapng, pcapng->total);
    default: /* a block of names, statistics or secrets, or of unknown type */
        return pcapng_end_block(pcapng, pcapng->total);
    }
}

enum iw_capture_outcome iw_capture_pcapng_next(struct iw_capture_pcapng *pcapng, struct iw_packet *packet) {
    enum iw_capture_outcome outcome = IW_CAPTURE_GOT;
    uint64_t pending = pcapng->pending; /* octets of the previous block that are still to be skipped */
    uint32_t type;

    pcapng->pending = 0;
    if (pending > 0)
        outcome = pcapng_end_block(pcapng, pending);
    pcapng->frame = IW_CAPTURE_FRAME_NONE;
    /* Each iteration consumes 12 octets or more, so the loop ends. */
    while (outcome == IW_CAPTURE_GOT && pcapng->frame == IW_CAPTURE_FRAME_NONE) {
        outcome = capture_pcapng_read_header(pcapng, &type);
        if (outcome == IW_CAPTURE_GOT)
            outcome = capture_pcapng_read_block(pcapng, type, packet);
    }
    return outcome;
}

bool iw_capture_pcapng_is(const uint8_t *head, size_t octets) {
    static const uint8_t section[4] = {0x0a, 0x0d, 0x0d, 0x0a};

    return octets >= sizeof section && memcmp(head, section, sizeof section) == 0;
}

void iw_capture_pcapng_init(struct iw_capture_pcapng *pcapng, struct iw_capture_blocks *blocks) {
    *pcapng = (struct iw_capture_pcapng){.blocks = blocks};
}

void iw_capture_pcapng_dispose(struct iw_capture_pcapng *pcapng) {
    free(pcapng->interfaces);
    pcapng->interfaces = NULL;
}
