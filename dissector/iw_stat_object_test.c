/* The files that tshark writes for --export-objects iwarp. The expected contents were copied from the
 * captures, or are written in this file. */

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "iw_tshark.h"

/* ---- the folder ---- */

static char folder[32];

/* Writable for all users, as tshark does not run as root. */
static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/iw_stat_object_XXXXXX");
    return mkdtemp(folder) == NULL || chmod(folder, 0777) != 0 ? -1 : 0;
}

/* Removes the files and returns their number. */
static unsigned empty_folder(void) {
    DIR *directory = opendir(folder);
    unsigned count = 0;

    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char path[512];

        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.' && unlink(path) == 0)
            count++;
    }
    closedir(directory);
    return count;
}

static int remove_folder(void **state) {
    (void)state;
    empty_folder();
    return rmdir(folder);
}

static void export(const char *capture, int passes) {
    free(iw_tshark_run("%s -q -r %s --export-objects iwarp,%s", passes == 2 ? "-2" : "", capture, folder));
}

static void export_known(const char *capture, int passes) {
    char path[512];

    snprintf(path, sizeof path, "%s/captures/%s", SOURCE_DIR, capture);
    export(path, passes);
}

/* Returns the number of octets of the file; copies at most `size` of them to `octets`. */
static size_t read_file(const char *name, uint8_t *octets, size_t size) {
    char path[512];
    FILE *file;
    size_t count;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("there is no %s", name);
    count = fread(octets, 1, size, file);
    fclose(file);
    return count;
}

static void assert_file(const char *name, const void *expected, size_t count) {
    static uint8_t octets[1 << 16];

    assert_int_equal(read_file(name, octets, sizeof octets), count);
    assert_memory_equal(octets, expected, count);
}

/* ---- captures of the corpus ---- */

/* Frames 8 to 22 of rping: 4 Sends each way, the first in frame 8; Writes of 100 octets to the same buffer in
 * frames 13 and 21, where the second overwrites the first. */
static void test_sends_and_writes_of_siw(void **state) {
    static const uint8_t first_send[16] = {
        0, 0, 0x55, 0xc7, 0xff, 0x77, 0x17, 0, 0x16, 0x99, 0x4c, 0, 0, 0, 0, 0x64};
    static const uint8_t zeros[16];
    static const char ping[] = "rdma-ping-1: BCDEFGHIJKLMNOPQRSTUVWXYZ";
    uint8_t octets[128];

    (void)state;
    for (int passes = 1; passes <= 2; passes++) {
        export_known("siw/siw2siw_rping_crc.pcap", passes);
        assert_file("iwarp-0-initiator-send-1.bin", first_send, sizeof first_send);
        assert_file("iwarp-0-responder-send-4.bin", zeros, sizeof zeros);
        assert_int_equal(
            read_file("iwarp-0-responder-write-0xfd0c9d00+0x55c7ff76efb0.bin", octets, sizeof octets), 100);
        assert_memory_equal(octets, ping, sizeof ping - 1);
        assert_int_equal(empty_folder(), 9);
    }
}

/* Frame 8 fills the gap before frame 7. */
static void test_a_send_captured_out_of_order(void **state) {
    static char expected[2500];

    (void)state;
    memset(expected, '1', 1000);
    memset(expected + 1000, '2', 1000);
    memset(expected + 2000, '3', 500);
    for (int passes = 1; passes <= 2; passes++) {
        export_known("oddities/ooo_send.pcap", passes);
        assert_file("iwarp-0-initiator-send-1.bin", expected, sizeof expected);
        assert_int_equal(empty_folder(), 2);
    }
}

/* Frames 7 and 8 come after a gap. The capture ends while the missing TCP segment may still come, so only
 * the end of the file proves that they are FPDUs; in one pass, every frame is printed by then. */
static void test_a_send_with_a_gap_is_named_incomplete(void **state) {
    static char expected[2500];

    (void)state;
    memset(expected, '1', 1000);
    memset(expected + 2000, '3', 500);
    export_known("oddities/lost_send.pcap", 1);
    assert_file("iwarp-0-initiator-send-1-incomplete.bin", expected, 1000);
    assert_int_equal(empty_folder(), 1);
    export_known("oddities/lost_send.pcap", 2);
    assert_file("iwarp-0-initiator-send-1-incomplete.bin", expected, sizeof expected);
    assert_int_equal(empty_folder(), 2);
}

static void test_an_fpdu_with_a_wrong_crc_is_left_out(void **state) {
    (void)state;
    export_known("oddities/badcrc.pcap", 1);
    assert_int_equal(empty_folder(), 0);
}

/* ---- captures written by this test ---- */

static size_t put_number(uint8_t *to, size_t at, uint64_t value, int octets) {
    for (int i = octets - 1; i >= 0; i--, value >>= 8)
        to[at + (size_t)i] = (uint8_t)value;
    return at + (size_t)octets;
}

/* An RDMA Write by the client, its only segment (RFC 5044 4.1, RFC 5041 4.2); CRC is not in use. */
static void say_write(struct iw_tshark_capture *capture, uint32_t stag, uint64_t to, const char *text) {
    uint8_t fpdu[64] = {0};
    size_t count = strlen(text);
    size_t at = put_number(fpdu, 0, 14 + count, 2);

    at = put_number(fpdu, at, 0xC140, 2);
    at = put_number(fpdu, at, stag, 4);
    at = put_number(fpdu, at, to, 8);
    memcpy(fpdu + at, text, count);
    at += count;
    iw_tshark_say(capture, false, fpdu, (at + 3) / 4 * 4 + 4);
}

static void begin(struct iw_tshark_capture *capture) {
    static const char request[20] = "MPA ID Req Frame\x00\x01\x00";
    static const char reply[20] = "MPA ID Rep Frame\x00\x01\x00";

    iw_tshark_open(capture);
    iw_tshark_connect(capture, 445);
    iw_tshark_say(capture, false, request, sizeof request);
    iw_tshark_say(capture, true, reply, sizeof reply);
}

static void test_writes_are_placed_by_to(void **state) {
    struct iw_tshark_capture capture;

    (void)state;
    begin(&capture);
    say_write(&capture, 7, 0x2000, "cd");
    say_write(&capture, 7, 0x2003, "f");
    say_write(&capture, 8, 0x2000, "other");
    say_write(&capture, 7, 0x1FFE, "ab");
    iw_tshark_close(&capture);
    export(capture.path, 1);
    assert_file("iwarp-0-initiator-write-0x00000007+0x1ffe-incomplete.bin", "abcd\0f", 6);
    assert_file("iwarp-0-initiator-write-0x00000008+0x2000.bin", "other", 5);
    assert_int_equal(empty_folder(), 2);
    iw_tshark_remove(&capture);
}

/* Many STags, each with octets 12 MiB and 2^63 apart: without a limit, the objects would take 4.5 GiB. */
static void test_hostile_positions_take_bounded_memory(void **state) {
    enum { STAGS = 400 };
    const struct rlimit bounded = {UINT64_C(2) << 30, RLIM_INFINITY};
    struct iw_tshark_capture capture;
    struct rlimit before;

    (void)state;
    begin(&capture);
    for (uint32_t stag = 1; stag <= STAGS; stag++) {
        say_write(&capture, stag, 0, "a");
        say_write(&capture, stag, 12u << 20, "b");
        say_write(&capture, stag, UINT64_C(1) << 63, "c");
        say_write(&capture, stag, UINT64_MAX, "d");
    }
    iw_tshark_close(&capture);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_AS, &bounded), 0);
    export(capture.path, 1);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    /* 64 MiB of gaps: five STags have one file, the others two, and the octet at 2^63 has another; the
     * octet at 2^64 - 1 is not exported, as its end overflows */
    assert_int_equal(empty_folder(), 3 * STAGS - 5);
    iw_tshark_remove(&capture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sends_and_writes_of_siw),
        cmocka_unit_test(test_a_send_captured_out_of_order),
        cmocka_unit_test(test_a_send_with_a_gap_is_named_incomplete),
        cmocka_unit_test(test_an_fpdu_with_a_wrong_crc_is_left_out),
        cmocka_unit_test(test_writes_are_placed_by_to),
        cmocka_unit_test(test_hostile_positions_take_bounded_memory),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
