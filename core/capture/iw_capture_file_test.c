#include "iw_capture_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_temporary_test.h"

/* A file in the directory for temporary files, removed at the end of the test. */
struct fixture {
    char path[TEMPORARY_PATH];
    FILE *stream;
    bool little;
    struct iw_capture_file *file;
    struct iw_packet packet;
    char error[256];
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    int descriptor = mkstemp(temporary_path(f->path, "iw_capture_file_test"));
    f->stream = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    f->little = true;
    *state = f;
    return f->stream == NULL;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    iw_capture_file_close(f->file);
    if (f->stream)
        fclose(f->stream);
    unlink(f->path);
    free(f);
    return 0;
}

static void put(struct fixture *f, uint32_t value, int octets) {
    for (int i = 0; i < octets; i++)
        putc((int)(value >> 8 * (f->little ? i : octets - 1 - i) & 0xff), f->stream);
}

static void put16(struct fixture *f, uint32_t value) {
    put(f, value, 2);
}

static void put32(struct fixture *f, uint32_t value) {
    put(f, value, 4);
}

static void put_text(struct fixture *f, const char *text) {
    fwrite(text, 1, strlen(text), f->stream);
}

static void put_pcap_header(struct fixture *f, uint32_t magic, uint32_t link) {
    put32(f, magic);
    put16(f, 2);
    put16(f, 4);
    put32(f, 0);
    put32(f, 0);
    put32(f, 65535);
    put32(f, link);
}

static void put_pcap_packet(struct fixture *f, uint32_t fraction, const char *text, uint32_t length) {
    put32(f, 1700000000);
    put32(f, fraction);
    put32(f, (uint32_t)strlen(text));
    put32(f, length);
    put_text(f, text);
}

static void put_section(struct fixture *f) {
    put32(f, 0x0a0d0d0a);
    put32(f, 28);
    put32(f, 0x1a2b3c4d);
    put16(f, 1);
    put16(f, 0);
    put32(f, 0xffffffff);
    put32(f, 0xffffffff);
    put32(f, 28);
}

/* The time unit is 10^-`resolution` seconds. */
static void put_interface(struct fixture *f, uint32_t link, uint32_t resolution) {
    put32(f, 1);
    put32(f, 32);
    put16(f, link);
    put16(f, 0);
    put32(f, 65535);
    put16(f, 9); /* if_tsresol */
    put16(f, 1);
    put(f, resolution, f->little ? 4 : 1);
    if (!f->little)
        put(f, 0, 3);
    put32(f, 0);
    put32(f, 32);
}

/* An enhanced packet block with four octets of text. */
static void put_enhanced(struct fixture *f, uint64_t time, uint32_t interface, const char *text) {
    put32(f, 6);
    put32(f, 36);
    put32(f, interface);
    put32(f, (uint32_t)(time >> 32));
    put32(f, (uint32_t)time);
    put32(f, 4);
    put32(f, 9);
    put_text(f, text);
    put32(f, 36);
}

static enum iw_status open_written(struct fixture *f) {
    fclose(f->stream);
    f->stream = NULL;
    return iw_capture_file_open(f->path, &f->file, f->error, sizeof f->error);
}

static int next(struct fixture *f) {
    return iw_capture_file_next(f->file, &f->packet, f->error, sizeof f->error);
}

static void expect_packet(
    struct fixture *f, uint64_t frame, uint64_t time_ns, const char *text, uint32_t length) {
    assert_int_equal(next(f), IW_CAPTURE_PACKET);
    assert_int_equal(f->packet.frame, frame);
    assert_int_equal(f->packet.time_ns, time_ns);
    assert_int_equal(f->packet.captured, strlen(text));
    assert_int_equal(f->packet.length, length);
    assert_memory_equal(f->packet.octets, text, strlen(text));
}

/* Expects the path followed by `text`. */
static void expect_error(const struct fixture *f, const char *text) {
    char line[TEMPORARY_PATH + 128];
    snprintf(line, sizeof line, "%s%s", f->path, text);
    assert_string_equal(f->error, line);
}

static void expect_open_error(struct fixture *f, enum iw_status status, const char *text) {
    assert_int_equal(open_written(f), status);
    assert_null(f->file);
    expect_error(f, text);
}

static void pcap_of(struct fixture *f, bool little, uint32_t magic, uint64_t unit_ns) {
    f->little = little;
    put_pcap_header(f, magic, 1);
    put_pcap_packet(f, 123456, "first", 1500);
    put_pcap_packet(f, 999999, "", 60);
    assert_int_equal(open_written(f), IW_OK);
    expect_packet(f, 1, 1700000000000000000u + 123456 * unit_ns, "first", 1500);
    assert_int_equal(f->packet.link, IW_LINK_ETHERNET);
    expect_packet(f, 2, 1700000000000000000u + 999999 * unit_ns, "", 60);
    assert_int_equal(next(f), IW_CAPTURE_END);
    assert_int_equal(next(f), IW_CAPTURE_END);
}

static void pcap_little_endian_microseconds(void **state) {
    pcap_of(*state, true, 0xa1b2c3d4, 1000);
}

static void pcap_big_endian_microseconds(void **state) {
    pcap_of(*state, false, 0xa1b2c3d4, 1000);
}

static void pcap_little_endian_nanoseconds(void **state) {
    pcap_of(*state, true, 0xa1b23c4d, 1);
}

static void pcap_big_endian_nanoseconds(void **state) {
    pcap_of(*state, false, 0xa1b23c4d, 1);
}

static void pcap_without_packets(void **state) {
    struct fixture *f = *state;
    put_pcap_header(f, 0xa1b2c3d4, 1);
    assert_int_equal(open_written(f), IW_OK);
    assert_int_equal(next(f), IW_CAPTURE_END);
}

static void link_type_of(uint32_t number, enum iw_link link) {
    void *state;
    assert_int_equal(set_up(&state), 0);
    struct fixture *f = state;
    put_pcap_header(f, 0xa1b2c3d4, number);
    put_pcap_packet(f, 0, "x", 1);
    assert_int_equal(open_written(f), IW_OK);
    expect_packet(f, 1, 1700000000000000000u, "x", 1);
    assert_int_equal(f->packet.link, link);
    tear_down(&state);
}

/* Numbers as in files: https://www.tcpdump.org/linktypes.html */
static void link_types(void **state) {
    (void)state;
    link_type_of(0, IW_LINK_LOOPBACK);
    link_type_of(1, IW_LINK_ETHERNET);
    link_type_of(12, IW_LINK_IP);
    link_type_of(14, IW_LINK_IP);
    link_type_of(101, IW_LINK_IP);
    link_type_of(108, IW_LINK_LOOPBACK);
    link_type_of(113, IW_LINK_SLL);
    link_type_of(228, IW_LINK_IP);
    link_type_of(229, IW_LINK_IP);
    link_type_of(276, IW_LINK_SLL2);
    link_type_of(9, IW_LINK_PPP);
    link_type_of(50, IW_LINK_PPP);
    link_type_of(51, IW_LINK_PPPOE);
    link_type_of(104, IW_LINK_HDLC);
    link_type_of(105, IW_LINK_80211);
    link_type_of(107, IW_LINK_FRAME_RELAY);
    link_type_of(127, IW_LINK_RADIOTAP);
    link_type_of(166, IW_LINK_PPP_PPPD);
    link_type_of(204, IW_LINK_PPP_DIRECTION);
    link_type_of(239, IW_LINK_NFLOG);
    link_type_of(242, IW_LINK_IPOIB);
}

static void pcapng_of(struct fixture *f, bool little) {
    f->little = little;
    put_section(f);
    put_interface(f, 1, 9);
    put_enhanced(f, 1700000000000000042u, 0, "abcd");
    put_interface(f, 1, 6);
    put_enhanced(f, 1700000000000043u, 1, "efgh");
    assert_int_equal(open_written(f), IW_OK);
    expect_packet(f, 1, 1700000000000000042u, "abcd", 9);
    assert_int_equal(f->packet.link, IW_LINK_ETHERNET);
    expect_packet(f, 2, 1700000000000043000u, "efgh", 9);
    assert_int_equal(next(f), IW_CAPTURE_END);
}

static void pcapng_little_endian(void **state) {
    pcapng_of(*state, true);
}

static void pcapng_big_endian(void **state) {
    pcapng_of(*state, false);
}

static void truncated_in_a_packet(void **state) {
    struct fixture *f = *state;
    put_pcap_header(f, 0xa1b2c3d4, 1);
    put_pcap_packet(f, 0, "one", 3);
    put_pcap_packet(f, 0, "two", 3);
    put32(f, 1700000000);
    put32(f, 0);
    put32(f, 100);
    put32(f, 100);
    put_text(f, "three");
    assert_int_equal(open_written(f), IW_OK);
    expect_packet(f, 1, 1700000000000000000u, "one", 3);
    expect_packet(f, 2, 1700000000000000000u, "two", 3);
    for (int i = 0; i < 2; i++) {
        f->error[0] = '\0';
        assert_int_equal(next(f), IW_ERR_TRUNCATED);
        expect_error(f, ": truncated after frame 2 (octet 62)");
    }
}

static void truncated_in_a_packet_header(void **state) {
    struct fixture *f = *state;
    put_pcap_header(f, 0xa1b2c3d4, 1);
    put32(f, 1700000000);
    assert_int_equal(open_written(f), IW_OK);
    assert_int_equal(next(f), IW_ERR_TRUNCATED);
    expect_error(f, ": truncated after frame 0 (octet 24)");
}

static void truncated_pcapng(void **state) {
    struct fixture *f = *state;
    put_section(f);
    put_interface(f, 1, 6);
    put_enhanced(f, 1700000000000000u, 0, "abcd");
    put32(f, 6);
    put32(f, 36);
    assert_int_equal(open_written(f), IW_OK);
    expect_packet(f, 1, 1700000000000000000u, "abcd", 9);
    assert_int_equal(next(f), IW_ERR_TRUNCATED);
    expect_error(f, ": truncated after frame 1 (octet 96)");
}

static void truncated_in_the_file_header(void **state) {
    struct fixture *f = *state;
    put32(f, 0xa1b2c3d4);
    put32(f, 0);
    expect_open_error(f, IW_ERR_TRUNCATED, ": truncated before the first frame");
}

static void damaged_packet_header(void **state) {
    struct fixture *f = *state;
    put_pcap_header(f, 0xa1b2c3d4, 1);
    put_pcap_packet(f, 0, "one", 3);
    put32(f, 1700000000);
    put32(f, 0);
    put32(f, 0xffffffff);
    put32(f, 0xffffffff);
    assert_int_equal(open_written(f), IW_OK);
    expect_packet(f, 1, 1700000000000000000u, "one", 3);
    assert_int_equal(next(f), IW_ERR_FORMAT);
    expect_error(f, ": not readable after frame 1 (octet 43): a packet is longer than 262,144 octets");
}

static void empty_file(void **state) {
    expect_open_error(*state, IW_ERR_FORMAT, ": empty file");
}

static void file_that_is_not_a_capture(void **state) {
    struct fixture *f = *state;
    put_text(f, "This is a letter, not a capture.\n");
    expect_open_error(f, IW_ERR_FORMAT, ": not a capture file: neither pcap nor pcapng");
}

/* Shorter than a magic number. */
static void file_of_three_octets(void **state) {
    struct fixture *f = *state;
    put_text(f, "abc");
    expect_open_error(f, IW_ERR_FORMAT, ": not a capture file: neither pcap nor pcapng");
}

static void unsupported_link_type(void **state) {
    struct fixture *f = *state;
    put_pcap_header(f, 0xa1b2c3d4, 195);
    expect_open_error(f, IW_ERR_FORMAT, ": unsupported link type 195 (IEEE802_15_4)");
}

/* Modified pcap of old Linux distributions: its packet headers have 8 octets more. */
static void modified_pcap(void **state) {
    struct fixture *f = *state;
    put_pcap_header(f, 0xa1b2cd34, 1);
    for (int i = 0; i < 2; i++) {
        put32(f, 1700000000);
        put32(f, 7);
        put32(f, 3);
        put32(f, 60);
        put32(f, 1); /* interface */
        put16(f, 0x800);
        put16(f, 0);
        put_text(f, "abc");
    }
    assert_int_equal(open_written(f), IW_OK);
    expect_packet(f, 1, 1700000000000007000u, "abc", 60);
    expect_packet(f, 2, 1700000000000007000u, "abc", 60);
    assert_int_equal(iw_capture_file_block(f->file), 0);
    assert_int_equal(next(f), IW_CAPTURE_END);
}

/* A packet is returned as soon as it is complete, while the writer continues. */
static void pipe_that_stays_open(void **state) {
    struct fixture *f = *state;
    char path[TEMPORARY_PATH];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fclose(f->stream);
    f->stream = fdopen(ends[1], "wb");
    put_pcap_header(f, 0xa1b2c3d4, 1);
    put_pcap_packet(f, 7, "abc", 60);
    fflush(f->stream);
    memcpy(path, f->path, sizeof path);
    snprintf(f->path, sizeof f->path, "/proc/self/fd/%d", ends[0]);
    assert_int_equal(iw_capture_file_open(f->path, &f->file, f->error, sizeof f->error), IW_OK);
    expect_packet(f, 1, 1700000000000007000u, "abc", 60);
    put_pcap_packet(f, 8, "defg", 61);
    fflush(f->stream);
    expect_packet(f, 2, 1700000000000008000u, "defg", 61);
    fclose(f->stream);
    f->stream = NULL;
    assert_int_equal(next(f), IW_CAPTURE_END);
    close(ends[0]);
    memcpy(f->path, path, sizeof path);
}

/* If standard input is a file, it can be read twice, from its current offset. */
static void standard_input(void **state) {
    struct fixture *f = *state;
    int kept = dup(STDIN_FILENO);
    put_text(f, "xyz");
    put_pcap_header(f, 0xa1b2c3d4, 1);
    put_pcap_packet(f, 7, "abc", 60);
    fflush(f->stream);
    assert_non_null(freopen(f->path, "rb", stdin));
    assert_int_equal(lseek(STDIN_FILENO, 3, SEEK_SET), 3);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(iw_capture_file_open("-", &f->file, f->error, sizeof f->error), IW_OK);
        expect_packet(f, 1, 1700000000000007000u, "abc", 60);
        assert_int_equal(next(f), IW_CAPTURE_END);
        iw_capture_file_close(f->file);
    }
    assert_int_equal(lseek(STDIN_FILENO, 0, SEEK_END), 3 + 24 + 16 + 3);
    assert_int_equal(iw_capture_file_open("-", &f->file, f->error, sizeof f->error), IW_ERR_FORMAT);
    assert_string_equal(f->error, "standard input: empty file");
    if (kept >= 0) {
        dup2(kept, STDIN_FILENO);
        close(kept);
    }
}

static void missing_file(void **state) {
    struct fixture *f = *state;
    unlink(f->path);
    expect_open_error(f, IW_ERR_IO, ": No such file or directory");
}

static void directory(void **state) {
    (void)state;
    struct iw_capture_file *file;
    char error[64];
    assert_int_equal(iw_capture_file_open("/tmp", &file, error, sizeof error), IW_ERR_IO);
    assert_null(file);
    assert_string_equal(error, "/tmp: Is a directory");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(pcap_little_endian_microseconds),
        TEST(pcap_big_endian_microseconds),
        TEST(pcap_little_endian_nanoseconds),
        TEST(pcap_big_endian_nanoseconds),
        TEST(pcap_without_packets),
        cmocka_unit_test(link_types),
        TEST(pcapng_little_endian),
        TEST(pcapng_big_endian),
        TEST(truncated_in_a_packet),
        TEST(truncated_in_a_packet_header),
        TEST(truncated_pcapng),
        TEST(truncated_in_the_file_header),
        TEST(damaged_packet_header),
        TEST(empty_file),
        TEST(file_that_is_not_a_capture),
        TEST(file_of_three_octets),
        TEST(unsupported_link_type),
        TEST(modified_pcap),
        TEST(pipe_that_stays_open),
        TEST(standard_input),
        TEST(missing_file),
        cmocka_unit_test(directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
