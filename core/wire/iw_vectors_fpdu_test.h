#pragma once

#include "iw_segment.h"
#include "iw_terminate.h"

/* The meaning of F01 to F44, written from the RFCs and the titles of the vectors. */

/* What a Terminate includes; `read` is NULL with R=0. */
struct included {
    uint16_t segment_length;
    struct iw_segment ddp;
    const struct iw_read_request *read;
};

enum crc_rule { CRC_GOOD, CRC_OFF, CRC_FLIPPED };

struct row {
    const char *id;
    struct iw_segment segment; /* DDP header, control octet, `length`, `header_octets` */
    enum iw_layout_id layout;
    union iw_header header;
    const struct included *included;
    const uint8_t *payload;
    size_t payload_octets;
    size_t pad;
    uint32_t crc; /* as on the wire */
    enum crc_rule crc_rule;
};

#define TAGGED(op, octets)                                                                                   \
    .tagged = true, .last = true, .dv = 1, .rv = 1, .control = 0x40 | (op), .opcode = op, .length = octets
#define UNTAGGED(op, queue, number, octets)                                                                  \
    .last = true, .dv = 1, .rv = 1, .control = 0x40 | (op), .opcode = op, .qn = queue, .msn = number,        \
    .length = octets
#define TERMINATE(octets) UNTAGGED(0x7, 2, 1, octets), .header_octets = 4
#define ATOMIC_WRITE(op, queue, number, octets) UNTAGGED(op, queue, number, octets), .five_bit = true

#define NO_HEADER .layout = IW_LAYOUT_NONE
#define HEADER(name) .layout = iw_layout_##name, .header.name
#define PAYLOAD(array) .payload = array, .payload_octets = sizeof(array)

static const uint8_t hello[5] = {'h', 'e', 'l', 'l', 'o'};
static const uint8_t eight[8] = {0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7};
static const uint8_t hash[16] = {
    0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF};
static uint8_t counting[1600]; /* 0, 1, ... 255, 0, ...: the ULP Message of F38 and F39 */

static const struct iw_read_request read_of_f03 = {
    .sink_stag = 0x1234, .sink_to = 0x1000, .size = 4096, .source_stag = 0x5678, .source_to = 0x2000};

/* What F17 to F22 include: the DDP Segment Length is the ULPDU_Length of the segment at fault. */
static const struct included in_f17 = {46, {UNTAGGED(0x1, 1, 1, 0)}, &read_of_f03};
static const struct included in_f18 = {23, {UNTAGGED(0x4, 0, 2, 0), .invalidate_stag = 0x11223344}, NULL};
static const struct included in_f19 = {18, {UNTAGGED(0xC, 1, 1, 0)}, NULL};
static const struct included in_f20 = {22, {TAGGED(0x0, 0), .stag = 0x11223344, .to = 0x100002000}, NULL};
static const struct included in_f21 = {23, {UNTAGGED(0x3, 0, 1, 0)}, NULL};
static const struct included in_f22 = {70, {UNTAGGED(0xA, 1, 1, 0)}, NULL};

/* clang-format off */
static const struct row rows[] = {
    {"F01", {TAGGED(0x0, 22), .stag = 0x11223344, .to = 0x100002000}, NO_HEADER, PAYLOAD(eight), .crc = 0x81BDD342},
    {"F02", {TAGGED(0x0, 14), .stag = 1, .to = 0}, NO_HEADER, .crc = 0xEBD34C5F},
    {"F03", {UNTAGGED(0x1, 1, 1, 46), .header_octets = 28},
        HEADER(read_request) = {.sink_stag = 0x1234, .sink_to = 0x1000, .size = 4096, .source_stag = 0x5678,
            .source_to = 0x2000},
        .crc = 0x03173A1E},
    {"F04", {UNTAGGED(0x1, 1, 1, 46), .header_octets = 28},
        HEADER(read_request) = {.sink_stag = 1, .sink_to = 0, .size = 0, .source_stag = 1, .source_to = 0},
        .crc = 0x27DBD7E7},
    {"F05", {TAGGED(0x2, 22), .stag = 0x1234, .to = 0x1000}, NO_HEADER, PAYLOAD(eight), .crc = 0x8EFFD2C9},
    {"F06", {TAGGED(0x2, 14), .stag = 1, .to = 0}, NO_HEADER, .crc = 0x21A3E83E},
    {"F07", {UNTAGGED(0x3, 0, 1, 23)}, NO_HEADER, PAYLOAD(hello), .pad = 3, .crc = 0xB990B10C},
    {"F08", {UNTAGGED(0x3, 0, 1, 18)}, NO_HEADER, .crc = 0x587BE8C4},
    {"F09", {UNTAGGED(0x4, 0, 2, 23), .invalidate_stag = 0x11223344}, NO_HEADER, PAYLOAD(hello), .pad = 3,
        .crc = 0xBB922B26},
    {"F10", {UNTAGGED(0x5, 0, 3, 23)}, NO_HEADER, PAYLOAD(hello), .pad = 3, .crc = 0x3D59AF89},
    {"F11", {UNTAGGED(0x6, 0, 4, 23), .invalidate_stag = 0x55667788}, NO_HEADER, PAYLOAD(hello), .pad = 3,
        .crc = 0x78349F5C},

    {"F12", {TERMINATE(22)}, HEADER(terminate) = {.layer = 2, .etype = 0, .code = 0x02}, .crc = 0x7FE42585},
    {"F13", {TERMINATE(22)}, HEADER(terminate) = {.layer = 2, .etype = 0, .code = 0x04}, .crc = 0x68129454},
    {"F14", {TERMINATE(22)}, HEADER(terminate) = {.layer = 2, .etype = 0, .code = 0x06}, .crc = 0x6540FB1B},
    {"F15", {TERMINATE(22)}, HEADER(terminate) = {.layer = 2, .etype = 0, .code = 0x07}, .crc = 0x1BD2BABE},
    {"F16", {TERMINATE(22)}, HEADER(terminate) = {.layer = 0, .etype = 0, .code = 0x00}, .crc = 0xF9A26F1D},
    {"F17", {TERMINATE(70)}, HEADER(terminate) = {.layer = 0, .etype = 1, .code = 0x02, .m = 1, .d = 1, .r = 1},
        .included = &in_f17, .crc = 0xF673E775},
    {"F18", {TERMINATE(42)}, HEADER(terminate) = {.layer = 0, .etype = 1, .code = 0x09, .m = 1, .d = 1},
        .included = &in_f18, .crc = 0x02B852E9},
    {"F19", {TERMINATE(42)}, HEADER(terminate) = {.layer = 0, .etype = 2, .code = 0x06, .m = 1, .d = 1},
        .included = &in_f19, .crc = 0x56BDB1F7},
    {"F20", {TERMINATE(38)}, HEADER(terminate) = {.layer = 1, .etype = 1, .code = 0x01, .m = 1, .d = 1},
        .included = &in_f20, .crc = 0x8844F55B},
    {"F21", {TERMINATE(42)}, HEADER(terminate) = {.layer = 1, .etype = 2, .code = 0x02, .m = 1, .d = 1},
        .included = &in_f21, .crc = 0x9B27256C},
    {"F22", {TERMINATE(42)}, HEADER(terminate) = {.layer = 0, .etype = 2, .code = 0x07, .m = 1, .d = 1},
        .included = &in_f22, .crc = 0x86A855DA},

    {"F23", {UNTAGGED(0x8, 0, 5, 26), .header_octets = 8}, HEADER(immediate) = {.data = {1, 2, 3, 4, 5, 6, 7, 8}},
        .crc = 0x922360C6},
    {"F24", {UNTAGGED(0x9, 0, 6, 26), .header_octets = 8},
        HEADER(immediate) = {.data = {0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18}}, .crc = 0x06F87C58},
    {"F25", {UNTAGGED(0xA, 1, 2, 70), .header_octets = 52},
        HEADER(atomic_request) = {.aopcode = 0, .identifier = 0xCAFE0001, .stag = 0x11223344, .to = 0x3000,
            .data = 5, .mask = 0, .compare_data = 0, .compare_mask = UINT64_MAX},
        .crc = 0x78C23343},
    {"F26", {UNTAGGED(0xA, 1, 3, 70), .header_octets = 52},
        HEADER(atomic_request) = {.aopcode = 1, .identifier = 0xCAFE0002, .stag = 0x11223344, .to = 0x3008,
            .data = 0x0102030405060708, .mask = UINT64_MAX, .compare_data = 0, .compare_mask = UINT64_MAX},
        .crc = 0x2307694D},
    {"F27", {UNTAGGED(0xA, 1, 4, 70), .header_octets = 52},
        HEADER(atomic_request) = {.aopcode = 2, .identifier = 0xCAFE0003, .stag = 0x11223344, .to = 0x3010,
            .data = 0x1111111122222222, .mask = 0xFFFFFFFF, .compare_data = 0xDEADBEEF,
            .compare_mask = 0xFFFFFFFF},
        .crc = 0x1576BED0},
    {"F28", {UNTAGGED(0xB, 3, 1, 30), .header_octets = 12},
        HEADER(atomic_response) = {.identifier = 0xCAFE0001, .value = 7}, .crc = 0xCA9130B5},
    {"F29", {UNTAGGED(0xC, 1, 5, 38), .header_octets = 20},
        HEADER(flush_request) = {.stag = 0x11223344, .length = 8192, .to = 0x4000, .g = 1, .p = 1},
        .crc = 0x972A5B39},
    {"F30", {UNTAGGED(0xD, 3, 2, 18)}, NO_HEADER, .crc = 0xAC773CA4},
    {"F31", {UNTAGGED(0xE, 1, 6, 34), .header_octets = 16},
        HEADER(verify_request) = {.stag = 0x11223344, .length = 8192, .to = 0x4000}, .crc = 0x2DF07734},
    {"F32", {UNTAGGED(0xE, 1, 7, 50), .header_octets = 16},
        HEADER(verify_request) = {.stag = 0x11223344, .length = 8192, .to = 0x4000}, PAYLOAD(hash),
        .crc = 0xE7986C7E},
    {"F33", {UNTAGGED(0xF, 3, 3, 34)}, NO_HEADER, PAYLOAD(hash), .crc = 0x46DA65C7},
    {"F34", {ATOMIC_WRITE(0x10, 1, 8, 42), .header_octets = 24},
        HEADER(atomic_write_request) = {.stag = 0x11223344, .length = 8, .to = 0x5000,
            .data = 0x0123456789ABCDEF},
        .crc = 0x781FE4EF},
    {"F35", {ATOMIC_WRITE(0x11, 3, 4, 18)}, NO_HEADER, .crc = 0x1676CA56},

    {"F36", {UNTAGGED(0x3, 0, 1, 23)}, NO_HEADER, PAYLOAD(hello), .pad = 3, .crc = 0, .crc_rule = CRC_OFF},
    {"F37", {UNTAGGED(0x3, 0, 1, 23)}, NO_HEADER, PAYLOAD(hello), .pad = 3, .crc = 0xB990B10D,
        .crc_rule = CRC_FLIPPED},
    {"F38", {.dv = 1, .rv = 1, .control = 0x43, .opcode = 0x3, .msn = 9, .mo = 0, .length = 1442}, NO_HEADER,
        .payload = counting, .payload_octets = 1424, .crc = 0xD6C3AAE4},
    {"F39", {UNTAGGED(0x3, 0, 9, 194), .mo = 1424}, NO_HEADER, .payload = counting + 1424, .payload_octets = 176,
        .crc = 0x8A5F21C7},
    {"F40", {UNTAGGED(0x3, 0, 0xFFFFFFFF, 18)}, NO_HEADER, .crc = 0x81592E8F},
    {"F41", {.last = true, .dv = 0, .rv = 1, .control = 0x43, .opcode = 0x3, .msn = 1, .length = 23}, NO_HEADER,
        PAYLOAD(hello), .pad = 3, .crc = 0xB6141F21},
    {"F42", {.last = true, .dv = 1, .rv = 2, .control = 0x83, .opcode = 0x3, .msn = 1, .length = 23}, NO_HEADER,
        PAYLOAD(hello), .pad = 3, .crc = 0x25BAF3FD},
    {"F43", {UNTAGGED(0x3, 7, 1, 23)}, NO_HEADER, PAYLOAD(hello), .pad = 3, .crc = 0xD5F3E396},
    {"F44", {TAGGED(0x0, 22), .stag = 0x11223344, .to = 0xFFFFFFFFFFFFFFFC}, NO_HEADER, PAYLOAD(eight),
        .crc = 0xB37C391C},
};
/* clang-format on */
