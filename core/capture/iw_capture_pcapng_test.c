#include "iw_capture_hex_test.h"

/* Blocks of pcapng files in either byte order. */
#define SECTION_LITTLE "0a0d0d0a 1c000000 4d3c2b1a 0100 0000 ffffffffffffffff 1c000000"
#define SECTION_BIG "0a0d0d0a 0000001c 1a2b3c4d 0001 0000 ffffffffffffffff 0000001c"
/* Interfaces without options, so their timestamps are in microseconds: Ethernet, raw IP. */
#define ETHERNET_LITTLE "01000000 14000000 0100 0000 00000000 14000000"
#define ETHERNET_BIG "00000001 00000014 0001 0000 00000000 00000014"
#define IP_LITTLE "01000000 14000000 6500 0000 00000000 14000000"
/* Enhanced Packet Blocks with "abcde", 9 octets on the wire, at 2^32 + 5 units, of interfaces 0 and 1. */
#define PACKET_LITTLE                                                                                        \
    "06000000 28000000 00000000 01000000 05000000 05000000 09000000 6162636465000000 28000000"
#define PACKET_LITTLE_1                                                                                      \
    "06000000 28000000 01000000 01000000 05000000 05000000 09000000 6162636465000000 28000000"
#define PACKET_BIG "00000006 00000028 00000000 00000001 00000005 00000005 00000009 6162636465000000 00000028"
#define UNITS UINT64_C(0x100000005)
#define MICROSECONDS (UNITS * 1000)

static void each_byte_order(void **state) {
    struct hex_file *f = *state;

    hex_open(f, SECTION_LITTLE ETHERNET_LITTLE PACKET_LITTLE);
    hex_expect(f, 1, MICROSECONDS, IW_LINK_ETHERNET, "abcde", 9);
    hex_expect_end(f, 1);
    hex_open(f, SECTION_BIG ETHERNET_BIG PACKET_BIG);
    hex_expect(f, 1, MICROSECONDS, IW_LINK_ETHERNET, "abcde", 9);
    hex_expect_end(f, 1);
}

/* Interfaces are numbered from 0 in each section. */
static void sections_have_their_own_interfaces(void **state) {
    struct hex_file *f = *state;

    hex_open(f, SECTION_LITTLE ETHERNET_LITTLE IP_LITTLE PACKET_LITTLE_1 PACKET_LITTLE /* */
                    SECTION_BIG ETHERNET_BIG PACKET_BIG                                /* */
                        SECTION_LITTLE SECTION_LITTLE IP_LITTLE PACKET_LITTLE);
    hex_expect(f, 1, MICROSECONDS, IW_LINK_IP, "abcde", 9);
    hex_expect(f, 2, MICROSECONDS, IW_LINK_ETHERNET, "abcde", 9);
    hex_expect(f, 3, MICROSECONDS, IW_LINK_ETHERNET, "abcde", 9);
    hex_expect(f, 4, MICROSECONDS, IW_LINK_IP, "abcde", 9);
    hex_expect_end(f, 4);
}

/* The interface is described in the previous section, but not in this one. */
static void interface_of_another_section(void **state) {
    struct hex_file *f = *state;

    hex_open(f, SECTION_LITTLE ETHERNET_LITTLE IP_LITTLE PACKET_LITTLE SECTION_LITTLE ETHERNET_LITTLE
                    PACKET_LITTLE_1);
    hex_expect(f, 1, MICROSECONDS, IW_LINK_ETHERNET, "abcde", 9);
    hex_expect_fault(f, IW_ERR_FORMAT,
        ": not readable after frame 1 (octet 156): a packet is of an interface that its section does not "
        "describe");
}

/* if_tsresol 10^-9, 2^-10, 1 s, 10^-12; if_tsoffset 1 s and -2 s. */
static void times(void **state) {
    struct hex_file *f = *state;

    hex_open(f, SECTION_LITTLE
        "01000000 20000000 0100 0000 00000000 0900 0100 09000000 0000 0000 20000000"
        "01000000 20000000 0100 0000 00000000 0900 0100 8a000000 0000 0000 20000000"
        "01000000 20000000 0100 0000 00000000 0900 0100 00000000 0000 0000 20000000"
        "01000000 20000000 0100 0000 00000000 0900 0100 0c000000 0000 0000 20000000"
        "01000000 2c000000 0100 0000 00000000 0900 0100 09000000 0e00 0800 0100000000000000 0000 0000 "
        "2c000000"
        "01000000 24000000 0100 0000 00000000 0e00 0800 feffffffffffffff 0000 0000 24000000"
        "06000000 24000000 00000000 00000000 07000000 01000000 01000000 61000000 24000000"
        "06000000 24000000 01000000 00000000 01060000 01000000 01000000 61000000 24000000" /* 1.5 + 1/1024 s
                                                                                            */
        "06000000 24000000 02000000 00000000 07000000 01000000 01000000 61000000 24000000"
        "06000000 24000000 03000000 01000000 00000000 01000000 01000000 61000000 24000000" /* 2^32 ps */
        "06000000 24000000 04000000 00000000 07000000 01000000 01000000 61000000 24000000"
        "06000000 24000000 05000000 00000000 c0c62d00 01000000 01000000 61000000 24000000" /* 3 s */
        "06000000 24000000 05000000 00000000 40420f00 01000000 01000000 61000000 24000000");
    hex_expect(f, 1, 7, IW_LINK_ETHERNET, "a", 1);
    hex_expect(f, 2, 1500976562, IW_LINK_ETHERNET, "a", 1);
    hex_expect(f, 3, 7000000000, IW_LINK_ETHERNET, "a", 1);
    hex_expect(f, 4, 4294967, IW_LINK_ETHERNET, "a", 1);
    hex_expect(f, 5, 1000000007, IW_LINK_ETHERNET, "a", 1);
    hex_expect(f, 6, 1000000000, IW_LINK_ETHERNET, "a", 1);
    hex_expect(f, 7, 0, IW_LINK_ETHERNET, "a", 1); /* 1 s before the epoch */
    hex_expect_end(f, 7);
}

/* An option whose length exceeds the block ends the options. Earlier options apply, and packets are read. */
static void options_cut_off(void **state) {
    struct hex_file *f = *state;

    hex_open(f, SECTION_LITTLE
        "01000000 20000000 0100 0000 00000000 0900 0100 09000000 0e00 ff00 20000000"
        "01000000 18000000 0100 0000 00000000 0900 0800 18000000"
        "06000000 28000000 00000000 00000000 07000000 01000000 01000000 61000000 0100 ff00 28000000"
        "06000000 24000000 01000000 00000000 07000000 01000000 01000000 61000000 24000000");
    hex_expect(f, 1, 7, IW_LINK_ETHERNET, "a", 1);
    hex_expect(f, 2, 7000, IW_LINK_ETHERNET, "a", 1);
    hex_expect_end(f, 2);
}

/* Simple Packet Blocks belong to interface 0, have no timestamp, and are truncated to its snapshot length,
 * here 6. */
static void simple_packets(void **state) {
    struct hex_file *f = *state;

    hex_open(f, SECTION_LITTLE "01000000 14000000 0100 0000 06000000 14000000"
                               "03000000 18000000 0a000000 6162636465660000 18000000"
                               "03000000 14000000 03000000 61626300 14000000" PACKET_LITTLE
                               "03000000 14000000 04000000 61626364 14000000");
    hex_expect(f, 1, 0, IW_LINK_ETHERNET, "abcdef", 10);
    hex_expect(f, 2, 0, IW_LINK_ETHERNET, "abc", 3);
    hex_expect(f, 3, MICROSECONDS, IW_LINK_ETHERNET, "abcde", 9);
    hex_expect(f, 4, MICROSECONDS, IW_LINK_ETHERNET, "abcd", 4); /* the time of the previous packet */
    hex_expect_end(f, 4);
}

static void simple_packet_longer_than_its_block(void **state) {
    struct hex_file *f = *state;

    hex_open(f, SECTION_BIG ETHERNET_BIG "00000003 00000014 00000005 61626364 00000014");
    hex_expect_fault(
        f, IW_ERR_FORMAT, ": not readable after frame 0 (octet 48): a packet is longer than its block");
}

static void simple_packet_without_interface(void **state) {
    struct hex_file *f = *state;

    hex_open(f, SECTION_LITTLE "03000000 14000000 03000000 61626300 14000000");
    hex_expect_fault(f, IW_ERR_FORMAT,
        ": not readable after frame 0 (octet 28): a packet is of an interface that its section does not "
        "describe");
}

/* The obsolete Packet Block: 16 bits for the interface and 16 bits for a drop count. */
static void obsolete_packets(void **state) {
    struct hex_file *f = *state;

    hex_open(f, SECTION_LITTLE ETHERNET_LITTLE IP_LITTLE
        "02000000 28000000 0100 ffff 01000000 05000000 05000000 09000000 6162636465000000 28000000" /* */
        SECTION_BIG ETHERNET_BIG
        "00000002 00000028 0000 0003 00000001 00000005 00000005 00000009 6162636465000000 00000028");
    hex_expect(f, 1, MICROSECONDS, IW_LINK_IP, "abcde", 9);
    hex_expect(f, 2, MICROSECONDS, IW_LINK_ETHERNET, "abcde", 9);
    hex_expect_end(f, 2);
}

/* Like Wireshark 4.0, the reader numbers an entry of systemd's journal, an event of Sysdig and a custom
 * block. */
static void blocks_that_are_frames(void **state) {
    struct hex_file *f = *state;

    hex_open(f, SECTION_LITTLE ETHERNET_LITTLE PACKET_LITTLE
        "09000000 28000000 5f5f5245414c54494d455f54494d455354414d503d310a00 00000000 28000000"
        "04020000 1c000000 0000000000000000 00000000 00000000 1c000000"
        "ad0b0000 14000000 d97e0000 68656c6c 14000000"
        "ad0b0040 10000000 d97e0000 10000000" PACKET_LITTLE);
    hex_expect(f, 1, MICROSECONDS, IW_LINK_ETHERNET, "abcde", 9);
    hex_expect(f, 6, MICROSECONDS, IW_LINK_ETHERNET, "abcde", 9);
    hex_expect_end(f, 6);
}

/* Names, statistics, secrets, IRIG times and unknown blocks do not count as frames. */
static void blocks_that_are_not_frames(void **state) {
    struct hex_file *f = *state;

    hex_open(f, SECTION_BIG ETHERNET_BIG "00000004 00000010 00000000 00000010"
                                         "00000005 00000018 00000000 00000000 00000000 00000018"
                                         "0000000a 00000018 544c534b 00000004 61626364 00000018"
                                         "00000007 00000010 00000000 00000010"
                                         "00000201 00000010 00000000 00000010"
                                         "12345678 0000000c 0000000c"
                                         "80000001 00000010 ffffffff 00000010" PACKET_BIG);
    hex_expect(f, 1, MICROSECONDS, IW_LINK_ETHERNET, "abcde", 9);
    hex_expect_end(f, 1);
}

/* Interface 0 has a private link type, interface 2 is Bluetooth. */
#define PRIVATE_LITTLE "01000000 14000000 9300 0000 00000000 14000000"
#define BLUETOOTH_LITTLE "01000000 14000000 c900 0000 00000000 14000000"
#define PACKET_LITTLE_2                                                                                      \
    "06000000 28000000 02000000 01000000 05000000 05000000 09000000 6162636465000000 28000000"

static void link_types_that_are_not_read(void **state) {
    struct hex_file *f = *state;
    const struct iw_capture_unread *unread;
    char text[64];

    hex_open(f, SECTION_LITTLE PRIVATE_LITTLE ETHERNET_LITTLE BLUETOOTH_LITTLE PACKET_LITTLE PACKET_LITTLE_1
                    PACKET_LITTLE_2 PACKET_LITTLE PACKET_LITTLE_1);
    hex_expect(f, 2, MICROSECONDS, IW_LINK_ETHERNET, "abcde", 9);
    hex_expect(f, 5, MICROSECONDS, IW_LINK_ETHERNET, "abcde", 9);
    hex_expect_end(f, 5);
    unread = iw_capture_file_unread(f->file);
    assert_int_equal(unread->packets, 3);
    assert_int_equal(unread->may_carry_ip, 2);
    assert_int_equal(unread->count, 2);
    assert_int_equal(unread->types[0].link_type, 147);
    assert_int_equal(unread->types[0].packets, 2);
    assert_int_equal(unread->types[1].link_type, 201);
    assert_int_equal(unread->types[1].packets, 1);
    iw_capture_unread_text(unread, text, sizeof text);
    assert_string_equal(text, "link types 147, 201 (BLUETOOTH_HCI_H4_WITH_PHDR)");
}

static void only_link_types_that_are_not_read(void **state) {
    struct hex_file *f = *state;

    hex_open(f, SECTION_LITTLE PRIVATE_LITTLE PACKET_LITTLE);
    hex_expect_fault(f, IW_ERR_FORMAT, ": unsupported link type 147");
    hex_open(f, SECTION_LITTLE PRIVATE_LITTLE);
    hex_expect_end(f, 0);
}

/* Some programs do not count the padding in the length, as here. Wireshark reads it. */
static void length_without_padding(void **state) {
    struct hex_file *f = *state;

    hex_open(f, SECTION_LITTLE ETHERNET_LITTLE "06000000 25000000 00000000 01000000 05000000 05000000 "
                                               "09000000 6162636465000000 25000000" PACKET_LITTLE);
    hex_expect(f, 1, MICROSECONDS, IW_LINK_ETHERNET, "abcde", 9);
    hex_expect(f, 2, MICROSECONDS, IW_LINK_ETHERNET, "abcde", 9);
    hex_expect_end(f, 2);
}

/* Faults in the last block of the file, which begins at octet 88, after frame 1. */
static void expect_refused(struct hex_file *f, const char *block, const char *reason) {
    char hex[2048], line[256];

    snprintf(hex, sizeof hex, "%s%s", SECTION_LITTLE ETHERNET_LITTLE PACKET_LITTLE, block);
    hex_open(f, hex);
    hex_expect(f, 1, MICROSECONDS, IW_LINK_ETHERNET, "abcde", 9);
    snprintf(line, sizeof line, ": not readable after frame 1 (octet 88): %s", reason);
    hex_expect_fault(f, IW_ERR_FORMAT, line);
}

static void contradictory_lengths(void **state) {
    static const struct {
        const char *block, *reason;
    } cases[] = {
        {"06000000 28000000 00000000 01000000 05000000 05000000 09000000 6162636465000000 2c000000",
            "the two lengths of a block differ"},
        {"ad0b0000 10000000 d97e0000 14000000", "the two lengths of a block differ"},
        {"06000000 28000000 00000000 01000000 05000000 09000000 09000000 6162636465000000 28000000",
            "a packet is longer than its block"},
        {"06000000 28000000 00000000 01000000 05000000 ffffffff 09000000 6162636465000000 28000000",
            "a packet is longer than its block"},
        {"06000000 1c000000 00000000 01000000 05000000 00000000 1c000000",
            "a packet is longer than its block"},
        {"06000000 30000400 00000000 01000000 05000000 01000400 09000000",
            "a packet is longer than 262,144 octets"},
        {"07000000 08000000 08000000", "a block is shorter than 12 octets"},
        {"07000000 00000000 00000000", "a block is shorter than 12 octets"},
        {"01000000 10000000 0100 0000 10000000", "an interface description is too short"},
        {"0a0d0d0a 14000000 4d3c2b1a 0100 0000 14000000", "a section header is too short"},
        {"0a0d0d0a 1c000000 4d3c2b1b 0100 0000 ffffffffffffffff 1c000000",
            "a section header has no byte-order magic"},
        {"0a0d0d0a 1c000000 4d3c2b1a 0200 0000 ffffffffffffffff 1c000000",
            "a section has a version other than 1"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_refused(*state, cases[i].block, cases[i].reason);
}

/* The file truncated after each octet: complete packets are read, and truncation is reported unless a block
 * has just ended. */
static void truncated_anywhere(void **state) {
    static const char hex[] =
        SECTION_BIG ETHERNET_BIG PACKET_BIG "00000007 00000010 00000000 00000010" PACKET_BIG;
    static const size_t block_ends[] = {28, 48, 88, 104, 144};
    struct hex_file *f = *state;
    uint8_t octets[256];
    size_t count = hex_decode(hex, octets, sizeof octets);

    for (size_t length = 4; length <= count; length++) {
        bool whole = false;
        char line[64];
        size_t begin = 0;

        for (size_t i = 0; i < sizeof block_ends / sizeof *block_ends; i++) {
            whole |= block_ends[i] == length;
            begin = block_ends[i] < length ? block_ends[i] : begin;
        }
        hex_write_octets(f, octets, length);
        hex_reopen(f);
        for (uint64_t frame = 1; frame <= (length >= 88) + (uint64_t)(length >= 144); frame++)
            hex_expect(f, frame, MICROSECONDS, IW_LINK_ETHERNET, "abcde", 9);
        snprintf(line, sizeof line, ": truncated after frame %d (octet %zu)", length >= 88, begin);
        if (whole)
            hex_expect_end(f, (length >= 88) + (uint64_t)(length >= 144));
        else
            hex_expect_fault(f, IW_ERR_TRUNCATED, line);
    }
}

/* Options longer than the memory for a block, and an unknown block of 20 MiB. */
static void blocks_longer_than_memory(void **state) {
    enum { PACKET = 3 << 20, UNKNOWN = 20 << 20 };
    struct hex_file *f = *state;
    uint8_t *octets = calloc(1, PACKET + UNKNOWN + 256);
    size_t count = hex_decode(SECTION_LITTLE ETHERNET_LITTLE, octets, 256);

    assert_non_null(octets);
    hex_decode("06000000 00003000 00000000 01000000 05000000 05000000 09000000 6162636465000000",
        octets + count, 256);
    hex_decode("00003000", octets + count + PACKET - 4, 4);
    count += PACKET;
    hex_decode("99000000 00004001", octets + count, 8);
    hex_decode("00004001", octets + count + UNKNOWN - 4, 4);
    count += UNKNOWN;
    count += hex_decode(PACKET_LITTLE, octets + count, 64);
    hex_write_octets(f, octets, count);
    free(octets);
    hex_reopen(f);
    hex_expect(f, 1, MICROSECONDS, IW_LINK_ETHERNET, "abcde", 9);
    hex_expect(f, 2, MICROSECONDS, IW_LINK_ETHERNET, "abcde", 9);
    hex_expect_end(f, 2);
}

/* 65,537 interface descriptions: one more than allowed. */
static void too_many_interfaces(void **state) {
    enum { INTERFACE = 20, COUNT = 65537 };
    struct hex_file *f = *state;
    uint8_t *octets = malloc(64 + COUNT * INTERFACE);
    size_t count = hex_decode(SECTION_LITTLE, octets, 64);

    for (int i = 0; i < COUNT; i++)
        count += hex_decode(ETHERNET_LITTLE, octets + count, INTERFACE);
    hex_write_octets(f, octets, count);
    free(octets);
    hex_reopen(f);
    hex_expect_fault(f, IW_ERR_FORMAT,
        ": not readable after frame 0 (octet 1310748): a section has more than 65,536 interfaces");
}

/* A packet stays in its place until a packet of the third block after its own is read. */
static void packets_stay_for_three_blocks(void **state) {
    enum { PACKETS = 3000, OCTETS = 1400, BLOCK = 28 + OCTETS + 4 };
    struct hex_file *f = *state;
    uint8_t *octets = calloc(PACKETS, BLOCK + 32), *at = octets;
    static struct {
        const uint8_t *octets;
        uint64_t block;
    } seen[PACKETS];
    size_t oldest = 0;

    assert_non_null(octets);
    at += hex_decode(SECTION_BIG ETHERNET_BIG, at, 64);
    for (uint32_t i = 0; i < PACKETS; i++, at += BLOCK) {
        hex_decode("00000006 00000598 00000000 00000001 00000005 00000578 00000578", at, 28);
        memset(at + 28, (int)(i % 251), OCTETS);
        hex_decode("00000598", at + 28 + OCTETS, 4);
        if (i % 7 == 0) { /* a name resolution block between packets */
            hex_decode("00000004 00000010 00000000 00000010", at + BLOCK, 16);
            at += 16;
        }
    }
    hex_write_octets(f, octets, (size_t)(at - octets));
    free(octets);
    hex_reopen(f);
    for (size_t i = 0; i < PACKETS; i++) {
        assert_int_equal(hex_next(f), IW_CAPTURE_PACKET);
        seen[i].octets = f->packet.octets;
        seen[i].block = iw_capture_file_block(f->file);
        assert_true(i == 0 ? seen[i].block > 0 : seen[i].block - seen[i - 1].block <= 1);
        while (seen[oldest].block + 3 <= seen[i].block)
            oldest++;
        for (size_t k = 0; k < OCTETS; k += OCTETS - 1) {
            assert_int_equal(seen[oldest].octets[k], oldest % 251);
            assert_int_equal(seen[i].octets[k], i % 251);
        }
    }
    assert_true(iw_capture_file_block(f->file) > 3);
    hex_expect_end(f, PACKETS);
}

static void take_section(void *user, const char *comment, size_t octets) {
    char *seen = user;

    strncat(seen, comment, octets);
    strcat(seen, ";");
}

/* Comments of section headers are handed over when they are reached, in either byte order. */
static void comments_of_sections(void **state) {
    struct hex_file *f = *state;
    char seen[32] = "";

    hex_open(f, "0a0d0d0a 24000000 4d3c2b1a 0100 0000 ffffffffffffffff 01000200 68690000 24000000" /* "hi" */
        ETHERNET_LITTLE PACKET_LITTLE SECTION_LITTLE                                               /* */
                "0a0d0d0a 00000028 1a2b3c4d 0001 0000 ffffffffffffffff 00010005 776f726c64000000 00000028");
    iw_capture_file_on_section(f->file, take_section, seen);
    hex_expect(f, 1, MICROSECONDS, IW_LINK_ETHERNET, "abcde", 9);
    assert_string_equal(seen, "hi;");
    hex_expect_end(f, 1);
    assert_string_equal(seen, "hi;world;");
}

static void expect_note(struct hex_file *f, uint64_t id, const char *comment) {
    struct iw_capture_note note;

    assert_int_equal(hex_next(f), IW_CAPTURE_PACKET);
    iw_capture_file_note(f->file, &note);
    assert_int_equal(note.id, id);
    assert_int_equal(note.comment_octets, strlen(comment));
    if (note.comment != NULL)
        assert_memory_equal(note.comment, comment, note.comment_octets);
}

/* A packet without options follows, one whose option is longer than its block, and one with a short id. */
static void options_of_packets(void **state) {
    struct hex_file *f = *state;

    hex_open(f, SECTION_BIG ETHERNET_BIG /* two comments around the packet id */
        "00000006 00000048 00000000 00000001 00000005 00000005 00000009 6162636465000000"
        "00010001 61000000 00050008 0102030405060708 00010001 62000000 00000000 00000048" PACKET_BIG
        "00000006 00000030 00000000 00000001 00000005 00000005 00000009 6162636465000000"
        "00010009 61000000 00000030"
        "00000006 00000030 00000000 00000001 00000005 00000005 00000009 6162636465000000"
        "00050004 61000000 00000030");
    expect_note(f, UINT64_C(0x0102030405060708), "a");
    expect_note(f, 0, "");
    expect_note(f, 0, "");
    expect_note(f, 0, "");
    hex_expect_end(f, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        HEX_TEST(each_byte_order),
        HEX_TEST(sections_have_their_own_interfaces),
        HEX_TEST(interface_of_another_section),
        HEX_TEST(times),
        HEX_TEST(options_cut_off),
        HEX_TEST(simple_packets),
        HEX_TEST(simple_packet_longer_than_its_block),
        HEX_TEST(simple_packet_without_interface),
        HEX_TEST(obsolete_packets),
        HEX_TEST(blocks_that_are_frames),
        HEX_TEST(blocks_that_are_not_frames),
        HEX_TEST(link_types_that_are_not_read),
        HEX_TEST(only_link_types_that_are_not_read),
        HEX_TEST(length_without_padding),
        HEX_TEST(contradictory_lengths),
        HEX_TEST(truncated_anywhere),
        HEX_TEST(blocks_longer_than_memory),
        HEX_TEST(too_many_interfaces),
        HEX_TEST(packets_stay_for_three_blocks),
        HEX_TEST(comments_of_sections),
        HEX_TEST(options_of_packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
