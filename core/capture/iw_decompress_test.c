#include <sys/resource.h>
#include <zlib.h>

#include "iw_capture_hex_test.h"

/* A pcapng file with one packet, "abcde", compressed by the program of each format. */
#define GZIP                                                                                                 \
    "1f8b0800000000000203e3e2e5e592616060f0b5d1966204d2ffa1002406e28b406906289b0d8835a07c90382b147302716252" \
    "724a"                                                                                                   \
    "2a541e0032f2d00358000000"
#define BZIP2                                                                                                \
    "425a68393141592653590096452700001d7d00ef3204140048000400023e000000a00040c8994c9a7a118428d190346991a42d" \
    "6184"                                                                                                   \
    "a6c8f2a6e756a124f69641c422e2eaf8c330f7e519d6f905ff17724538509000964527"
#define XZ                                                                                                   \
    "fd377a585a000004e6d6b4460200210116000000742fe5a3e00057002e5d000503df82bd71409dbfca1c3da51ac7ac0825d8b6" \
    "21eb"                                                                                                   \
    "6e35d70a0acba96c0030a23efa5b77bf24498943dcb6d400000000182db32be95f29d000014a5862cba04f1fb6f37d01000000" \
    "0004"                                                                                                   \
    "595a"
#define ZSTD                                                                                                 \
    "28b52ffd2458150200c4020a0d0d0a1c0000004d3c2b1a01000000ff1c00000014060000002805090000006162636465000000" \
    "280000"                                                                                                 \
    "000800bb2c3b13c0347db1c05958c93bd3921958028a815d0d"
#define LZ4                                                                                                  \
    "04224d186440a746000000f3020a0d0d0a1c0000004d3c2b1a01000000ff010000140000100013140800000200000c00500600" \
    "0000"                                                                                                   \
    "280d0003180013050400f0010900000061626364650000002800000000000000749f04ce"

static void expect_packet(struct hex_file *f) {
    hex_expect(f, 1, UINT64_C(0x100000005) * 1000, IW_LINK_ETHERNET, "abcde", 9);
}

static void each_format(void **state) {
    static const char *const files[] = {GZIP, BZIP2, XZ, ZSTD, LZ4};
    struct hex_file *f = *state;

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        hex_open(f, files[i]);
        expect_packet(f);
        hex_expect_end(f, 1);
    }
}

/* The same file, compressed as two streams, one after the other; for xz with 4 octets of padding between
 * them. */
static void streams_in_a_row(void **state) {
    static const char *const files[] = {
        "1f8b0800000000000203e3e2e5e592616060f0b5d1966204d2ffa1002406e28b406906289b0d8835a07c00712550c63c0000"
        "00"
        "1f8b0800000000000203636460606085624e204e4c4a4e4905d21a400c0006e68ae21c000000",
        "fd377a585a000004e6d6b4460200210116000000742fe5a3e0003b00215d000503df82bd71409dbfca1c3da51ac7ac0825d8"
        "b621"
        "eb6e35d70a0acba93e1c4cf300000000245e93937220354b00013d3c128101651fb6f37d010000000004595a 00000000"
        "fd377a585a000004e6d6b4460200210116000000742fe5a3e0001b00155d0000803c7ab27b2afa234759252f8156a3b7506c"
        "ae80"
        "00000000002286bb36c333790001311cd6eedaf21fb6f37d010000000004595a",
        "28b52ffd243c8d010024020a0d0d0a1c0000004d3c2b1a01000000ff1c0000001406000000280000000000000005002f01b8"
        "002b"
        "79675a32034b1daddb71"
        "28b52ffd241ce100000100000005000000050000000900000061626364650000002800000057f269e6",
    };
    struct hex_file *f = *state;

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        hex_open(f, files[i]);
        expect_packet(f);
        hex_expect_end(f, 1);
    }
}

/* Truncated after any octet, a file is never taken as complete. */
static void truncated_anywhere(void **state) {
    static const struct {
        const char *hex;
        size_t magic;
    } files[] = {{GZIP, 2}, {BZIP2, 3}, {XZ, 6}, {ZSTD, 4}, {LZ4, 4}};
    struct hex_file *f = *state;
    uint8_t octets[256];

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t count = hex_decode(files[i].hex, octets, sizeof octets);

        for (size_t length = files[i].magic; length < count; length++) {
            int step;

            hex_write_octets(f, octets, length);
            iw_capture_file_close(f->file);
            step = (int)iw_capture_file_open(f->path, &f->file, f->error, sizeof f->error);
            while (step == IW_OK)
                step = hex_next(f);
            assert_int_equal(step, IW_ERR_TRUNCATED);
            assert_non_null(strstr(f->error, "truncated"));
        }
    }
}

/* Damages the checksum of gzip, and of zstd. */
static void check_sums(void **state) {
    struct hex_file *f = *state;
    uint8_t octets[256];
    size_t count = hex_decode(GZIP, octets, sizeof octets);

    octets[count - 8] ^= 1;
    hex_write_octets(f, octets, count);
    hex_reopen(f);
    expect_packet(f);
    hex_expect_fault(
        f, IW_ERR_FORMAT, ": not readable after frame 1 (octet 88 decompressed): the gzip data is damaged");
    count = hex_decode(ZSTD, octets, sizeof octets);
    octets[count - 1] ^= 1;
    hex_write_octets(f, octets, count);
    hex_reopen(f);
    while (hex_next(f) == IW_CAPTURE_PACKET)
        ;
    assert_int_equal(hex_next(f), IW_ERR_FORMAT);
    assert_non_null(strstr(f->error, ": the zstd data is damaged"));
}

static void octets_after_the_data(void **state) {
    struct hex_file *f = *state;

    hex_open(f, GZIP "00000000");
    expect_packet(f);
    hex_expect_end(f, 1);
    hex_open(f, GZIP "6162");
    expect_packet(f);
    hex_expect_fault(
        f, IW_ERR_FORMAT, ": not readable after frame 1 (octet 88 decompressed): the gzip data is damaged");
}

/* xz with a dictionary of 1.5 GiB, and zstd with a window of 2 GiB. */
static void memory_is_limited(void **state) {
    hex_expect_refused(*state,
        "fd377a585a000004e6d6b44602002101250000003b787b41e00057002e5d000503df82bd71409dbfca1c3da51ac7ac0825d8"
        "b621"
        "eb6e35d70a0acba96c0030a23efa5b77bf24498943dcb6d400000000182db32be95f29d000014a5862cba04f1fb6f37d0100"
        "0000"
        "0004595a",
        IW_ERR_FORMAT, ": the xz data needs more than 128 MiB of memory to decompress");
    hex_expect_refused(*state, "28b52ffd 00 a8 210000 6162636465", IW_ERR_FORMAT,
        ": the zstd data needs more than 128 MiB of memory to decompress");
}

/* Skippable frames before the data: of 4 octets as pzstd writes it, of 0 octets, and longer than the octets
 * examined; and two in a row. */
static void skippable_frames(void **state) {
    static const char *const files[] = {
        "502a4d18 04000000 2c000000" ZSTD,
        "532a4d18 00000000" ZSTD,
        "5f2a4d18 0c000000 000000000000000000000000" ZSTD,
        "502a4d18 00000000 512a4d18 00000000" ZSTD,
        ZSTD "502a4d18 01000000 00",
        "502a4d18 04000000 2c000000" LZ4,
        LZ4 "502a4d18 01000000 00",
    };
    struct hex_file *f = *state;

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        hex_open(f, files[i]);
        expect_packet(f);
        hex_expect_end(f, 1);
    }
}

static void skippable_frame_cut_off(void **state) {
    hex_expect_refused(
        *state, "502a4d18 ffffffff 00", IW_ERR_TRUNCATED, ": the compressed data is truncated");
}

/* A pcap header of 24 octets, stored by LZ4, and a block with a wrong length after 20 of them. */
static void damaged_within_the_header(void **state) {
    hex_expect_refused(*state,
        "04224d18 604082 14000080 d4c3b2a1 02000400 00000000 00000000 00000400 ffffff7f 01000000",
        IW_ERR_FORMAT, ": the LZ4 data is damaged");
}

static void compressed_data_that_is_not_a_capture(void **state) {
    /* "hello\n" by gzip; zero octets by gzip */
    hex_expect_refused(*state, "1f8b0800000000000003cb48cdc9c9e7020020303a3606000000", IW_ERR_FORMAT,
        ": not a capture file: neither pcap nor pcapng");
    hex_expect_refused(*state, "1f8b080000000000000303000000000000000000", IW_ERR_FORMAT, ": empty file");
}

/* gzip data: a pcap header, then `octets` octets of records of 16 octets: packets of 1 octet, of which 0
 * were captured. */
static void write_records(const struct hex_file *f, int level, size_t octets) {
    static const uint8_t header[24] = {0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, [20] = 1};
    static uint8_t records[1 << 16];
    char mode[] = {'w', 'b', (char)('0' + level), '\0'};
    gzFile stream = gzopen(f->path, mode);

    for (size_t at = 0; at < sizeof records; at += 16)
        records[at + 12] = 1;
    assert_non_null(stream);
    assert_int_equal(gzwrite(stream, header, sizeof header), sizeof header);
    for (size_t left = octets; left > 0;) {
        unsigned piece = left < sizeof records ? (unsigned)left : sizeof records;

        assert_int_equal(gzwrite(stream, records, piece), piece);
        left -= piece;
    }
    assert_int_equal(gzclose(stream), Z_OK);
}

static long peak_kib(void) {
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* 64 KiB that decompress to 64 MiB, without keeping those in memory. */
static void decompression_bomb_needs_little_memory(void **state) {
    enum { OCTETS = 64 << 20 };
    struct hex_file *f = *state;
    long before;

    write_records(f, 9, OCTETS);
    before = peak_kib();
    hex_reopen(f);
    for (size_t i = 0; i < OCTETS / 16; i++)
        if (hex_next(f) != IW_CAPTURE_PACKET)
            fail_msg("%s", f->error);
    hex_expect_end(f, OCTETS / 16);
    assert_true(peak_kib() - before < 16 * 1024);
}

/* Stored data contains all octets before the truncation, and all of them are read. */
static void octets_before_the_truncation_are_read(void **state) {
    enum { OCTETS = 160000, CUT = 100000, GZIP_HEADER = 10, BLOCK_HEADER = 5 };
    struct hex_file *f = *state;
    uint64_t frames = 0;

    write_records(f, 0, OCTETS);
    assert_int_equal(truncate(f->path, CUT), 0);
    hex_reopen(f);
    while (hex_next(f) == IW_CAPTURE_PACKET)
        frames++;
    assert_int_equal(hex_next(f), IW_ERR_TRUNCATED);
    assert_non_null(strstr(f->error, " decompressed): the compressed data is truncated"));
    assert_in_range(frames, (CUT - 24 - GZIP_HEADER - 8 * BLOCK_HEADER) / 16, CUT / 16);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        HEX_TEST(each_format),
        HEX_TEST(streams_in_a_row),
        HEX_TEST(truncated_anywhere),
        HEX_TEST(check_sums),
        HEX_TEST(octets_after_the_data),
        HEX_TEST(memory_is_limited),
        HEX_TEST(skippable_frames),
        HEX_TEST(skippable_frame_cut_off),
        HEX_TEST(damaged_within_the_header),
        HEX_TEST(compressed_data_that_is_not_a_capture),
        HEX_TEST(decompression_bomb_needs_little_memory),
        HEX_TEST(octets_before_the_truncation_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
