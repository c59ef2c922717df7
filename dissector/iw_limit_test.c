/* The plugin marks the frame of a packet beyond a limit of the connection tables; `warpcheck check` counts
 * such packets. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_tshark.h"

enum { RECORD = 16, IP = 20, SCTP = 12, TCP = 20, INIT = 20, WAITING_MAX = 65536 };

static void put_be(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void put_le(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* A pcap record with a packet of `octets` octets. */
static void put_record(struct iw_tshark_capture *capture, uint8_t *record, uint32_t octets) {
    put_le(record, 1700000000);
    put_le(record + 8, octets);
    put_le(record + 12, octets);
    assert_int_equal(fwrite(record, 1, RECORD + octets, capture->file), RECORD + octets);
}

static void assert_limit_in(const struct iw_tshark_capture *capture, const char *frames) {
    char *once = iw_tshark_run("-r %s -Y iwarp.limit -T fields -e frame.number", capture->path);
    char *twice = iw_tshark_run("-2 -r %s -Y iwarp.limit -T fields -e frame.number", capture->path);

    assert_string_equal(once, frames);
    assert_string_equal(twice, frames);
    free(once);
    free(twice);
}

/* Unanswered INITs (RFC 9260 3.3.2): one more association than the limit. */
static void test_an_association_too_many(void **state) {
    static const uint8_t init[INIT] = {1, 0, 0, INIT, 0, 0, 0, 11, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 100};
    uint8_t record[RECORD + IP + SCTP + INIT] = {
        [RECORD] = 0x45, [RECORD + 3] = IP + SCTP + INIT, [RECORD + 9] = 132};
    struct iw_tshark_capture capture;

    (void)state;
    memcpy(record + RECORD + IP + SCTP, init, INIT);
    put_be(record + RECORD + 16, 0x0A000002);
    put_be(record + RECORD + IP, 1000u << 16 | 2000);
    iw_tshark_open(&capture);
    for (uint32_t i = 0; i <= WAITING_MAX; i++) {
        put_be(record + RECORD + 12, 0x0A010000 + i);
        put_record(&capture, record, IP + SCTP + INIT);
    }
    iw_tshark_close(&capture);
    assert_limit_in(&capture, "65537\n");
    iw_tshark_remove(&capture);
}

/* More chunks after a missing one than the limit; then an ABORT (RFC 9260 3.3.7), which ends the
 * session. */
static void test_a_chunk_that_is_not_waited_for(void **state) {
    enum { DATA = 36, HELD_MAX = 256 };
    uint8_t record[RECORD + IP + SCTP + DATA] = {
        [RECORD] = 0x45, [RECORD + 3] = IP + SCTP + DATA, [RECORD + 9] = 132};
    uint8_t *chunk = record + RECORD + IP + SCTP;
    struct iw_tshark_capture capture;

    (void)state;
    put_be(record + RECORD + 12, 0x0A000001);
    put_be(record + RECORD + 16, 0x0A000002);
    put_be(record + RECORD + IP, 1000u << 16 | 2000);
    put_be(record + RECORD + IP + 4, 22);
    put_be(chunk, 7u << 16 | DATA);
    put_be(chunk + 12, 16);
    put_be(chunk + 18, 0xC1400000);
    iw_tshark_open(&capture);
    for (uint32_t i = 0; i <= HELD_MAX + 1; i++) {
        put_be(chunk + 4, i == 0 ? 100 : 101 + i);
        put_record(&capture, record, IP + SCTP + DATA);
    }
    put_be(chunk, 6u << 24 | 4);
    record[RECORD + 3] = IP + SCTP + 4;
    put_record(&capture, record, IP + SCTP + 4);
    iw_tshark_close(&capture);
    assert_limit_in(&capture, "259\n");
    iw_tshark_remove(&capture);
}

/* An IPv4 packet with a TCP segment without options, from side 0 or 1, with `octets` octets of payload. */
static void put_tcp(struct iw_tshark_capture *capture, unsigned side, uint32_t seq, uint8_t flags,
    const void *payload, uint8_t octets) {
    uint8_t record[RECORD + IP + TCP + 64] = {
        [RECORD] = 0x45, [RECORD + 3] = (uint8_t)(IP + TCP + octets), [RECORD + 9] = 6};
    uint8_t *tcp = record + RECORD + IP;

    put_be(record + RECORD + 12, 0x0A000001 + side);
    put_be(record + RECORD + 16, 0x0A000002 - side);
    put_be(tcp, side == 0 ? 1000u << 16 | 2000 : 2000u << 16 | 1000);
    put_be(tcp + 4, seq);
    put_be(tcp + 8, 1);
    tcp[12] = 5 << 4;
    tcp[13] = flags;
    tcp[14] = 0x20;
    memcpy(tcp + TCP, payload, octets);
    put_record(capture, record, (uint32_t)(IP + TCP + octets));
}

/* After a missing segment come more segments than the limit, so the missing one is given up; only then it
 * comes. */
static void test_a_segment_that_is_not_waited_for(void **state) {
    enum { FIN = 1, SYN = 2, ACK = 16, HELD_MAX = 4096, STARTUP = 20, MISSING = 10, BEFORE = 4 };
    static const uint8_t keys[2][STARTUP + 1] = {
        "MPA ID Req Frame\x40\x01\0\0", "MPA ID Rep Frame\x40\x01\0\0"};
    struct iw_tshark_capture capture;
    char *lost;

    (void)state;
    iw_tshark_open(&capture);
    put_tcp(&capture, 0, 0, SYN, "", 0);
    put_tcp(&capture, 1, 0, SYN | ACK, "", 0);
    put_tcp(&capture, 0, 1, ACK, keys[0], STARTUP);
    put_tcp(&capture, 1, 1, ACK, keys[1], STARTUP);
    for (uint32_t i = 0; i <= HELD_MAX; i++)
        put_tcp(&capture, 0, 1 + STARTUP + MISSING + i, ACK, "x", 1);
    put_tcp(&capture, 0, 1 + STARTUP, ACK, "0123456789", MISSING);
    put_tcp(&capture, 0, 1 + STARTUP + MISSING + HELD_MAX + 1, FIN | ACK, "", 0);
    iw_tshark_close(&capture);
    assert_int_equal(BEFORE + HELD_MAX + 1, 4101);
    assert_limit_in(&capture, "4101\n");
    lost = iw_tshark_run("-2 -r %s -Y iwarp.missing -V", capture.path);
    assert_non_null(strstr(lost, "(given up at a limit)"));
    free(lost);
    iw_tshark_remove(&capture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_association_too_many),
        cmocka_unit_test(test_a_chunk_that_is_not_waited_for),
        cmocka_unit_test(test_a_segment_that_is_not_waited_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
