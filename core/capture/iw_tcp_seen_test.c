#include "iw_tcp_seen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { K = IW_TCP_ACK, MS = 1000 };

static struct iw_tcp_seen seen;

static int reset(void **state) {
    (void)state;
    iw_tcp_seen_dispose(&seen);
    seen = (struct iw_tcp_seen){0};
    return 0;
}

/* A segment of 40 octets. */
static struct iw_tcp_segment segment(uint64_t time_us, uint32_t seq, uint16_t ip_id, uint16_t checksum) {
    return (struct iw_tcp_segment){.time_ns = (5000000 + time_us) * 1000,
        .seq = seq,
        .ip_id = ip_id,
        .checksum = checksum,
        .flags = K,
        .length = 40};
}

static void sends(uint64_t time_us, uint32_t seq, uint16_t ip_id, uint16_t checksum) {
    struct iw_tcp_segment sent = segment(time_us, seq, ip_id, checksum);

    iw_tcp_seen_add(&seen, &sent);
}

static enum iw_tcp_seen_copy finds(uint64_t time_us, uint32_t seq, uint16_t ip_id, uint16_t checksum) {
    struct iw_tcp_segment sent = segment(time_us, seq, ip_id, checksum);
    enum iw_tcp_seen_copy copy = iw_tcp_seen_find(&seen, &sent);

    if (copy != IW_TCP_SEEN_NEW)
        iw_tcp_seen_take_copy(&seen, &sent);
    return copy;
}

/* RFC 6864 4.1: a datagram with octets that are sent again has an Identification of its own. */
static void the_identification_tells_a_copy_from_a_retransmission(void **state) {
    (void)state;
    sends(0, 100, 7, 0x1234);
    sends(10, 140, 8, 0x2345);
    assert_int_equal(finds(2 * MS, 100, 9, 0x1234), IW_TCP_SEEN_NEW);
    assert_int_equal(finds(20, 140, 9, 0x2345), IW_TCP_SEEN_NEW);     /* however soon */
    assert_int_equal(finds(2 * MS, 100, 7, 0x1235), IW_TCP_SEEN_NEW); /* other octets */
    assert_int_equal(finds(2 * MS, 100, 7, 0x1234), IW_TCP_SEEN_PROVEN);
}

/* A host may give all its datagrams one number, which is mostly 0. */
static void one_identification_for_all_proves_nothing(void **state) {
    (void)state;
    for (uint16_t id = 0; id <= 7; id = (uint16_t)(id + 7)) {
        reset(NULL);
        sends(0, 100, id, 0x1234);
        sends(10, 140, id, 0x2345);
        assert_int_equal(finds(2 * MS, 100, id, 0x1234), IW_TCP_SEEN_NEW);
        assert_int_equal(finds(90, 100, id, 0x1234), IW_TCP_SEEN_SOON);
    }
}

static void no_mirror_delays_for_long(void **state) {
    (void)state;
    sends(0, 100, 7, 0x1234);
    sends(10, 140, 8, 0x2345);
    assert_int_equal(finds(100 * MS, 100, 7, 0x1234), IW_TCP_SEEN_PROVEN);
    assert_int_equal(finds(100 * MS + 1, 100, 7, 0x1234), IW_TCP_SEEN_NEW);
}

/* More segments are remembered after a slow copy: more than IW_TCP_SEEN lie between the two. */
static void remembers_more_after_a_proven_copy(void **state) {
    (void)state;
    sends(0, 100, 7, 0x1234);
    sends(10, 140, 8, 0x2345);
    assert_int_equal(finds(300, 100, 7, 0x1234), IW_TCP_SEEN_PROVEN);
    for (uint16_t i = 0; i < 40; i++)
        sends(400 + i, 1000 + 40u * i, (uint16_t)(9 + i), i);
    for (uint16_t i = 0; i < 40; i++)
        assert_int_equal(finds(700u + i, 1000 + 40u * i, (uint16_t)(9 + i), i), IW_TCP_SEEN_PROVEN);
}

/* IPv6 has no Identification: the copy of a SYN shows the delay, RFC 6298 2.1. */
static void a_copy_of_a_syn_shows_the_delay(void **state) {
    struct iw_tcp_segment syn = segment(0, 99, 0, 0x1111);

    (void)state;
    syn.flags = IW_TCP_SYN;
    iw_tcp_seen_add(&seen, &syn);
    sends(10, 100, 0, 0x1234);
    assert_int_equal(finds(2 * MS + 10, 100, 0, 0x1234), IW_TCP_SEEN_NEW);
    syn.time_ns += 2 * MS * 1000;
    assert_int_equal(iw_tcp_seen_find(&seen, &syn), IW_TCP_SEEN_SOON);
    iw_tcp_seen_take_copy(&seen, &syn);
    assert_int_equal(finds(2 * MS + 10, 100, 0, 0x1234), IW_TCP_SEEN_SOON);
    assert_int_equal(finds(2 * MS + 10, 100, 0, 0x1235), IW_TCP_SEEN_NEW); /* another TSval */
    assert_int_equal(finds(4 * MS + 11, 100, 0, 0x1234), IW_TCP_SEEN_NEW);
    syn.time_ns += UINT64_C(1000000000);
    assert_int_equal(iw_tcp_seen_find(&seen, &syn), IW_TCP_SEEN_NEW);
}

#define TEST(name) cmocka_unit_test_setup(name, reset)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_identification_tells_a_copy_from_a_retransmission),
        TEST(one_identification_for_all_proves_nothing),
        TEST(no_mirror_delays_for_long),
        TEST(remembers_more_after_a_proven_copy),
        TEST(a_copy_of_a_syn_shows_the_delay),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    iw_tcp_seen_dispose(&seen);
    return failed;
}
