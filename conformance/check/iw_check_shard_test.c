#include "iw_check_shard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct iw_tcp_segment segment(uint8_t host, uint16_t from, uint8_t peer, uint16_t to) {
    struct iw_tcp_segment made = {
        .source = {{10, 0, 0, host}, from, 4}, .destination = {{10, 0, 0, peer}, to, 4}};

    return made;
}

/* The numbers come from scripts that follow the published definitions of FNV-1a and MurmurHash3: shards of
 * different machines and versions must be the same. */
static void numbers_are_the_same_everywhere(void **state) {
    struct iw_tcp_segment one = segment(1, 40000, 2, 20100), other = segment(2, 20100, 1, 40000);
    struct iw_packet_facts facts = {.content = IW_CONTENT_NONE};

    (void)state;
    assert_int_equal(iw_check_shard_of(IW_PACKET_TCP, &one, &facts, 1000), 998);
    assert_int_equal(iw_check_shard_of(IW_PACKET_TCP, &other, &facts, 1000), 998);
    assert_int_equal(iw_check_shard_of(IW_PACKET_TCP, &one, &facts, 7), 2);
    assert_int_equal(iw_check_shard_of(IW_PACKET_SCTP, &one, &facts, 1000), 785);
    assert_int_equal(iw_check_shard_of(IW_PACKET_TCP, &one, &facts, 1), 1);
}

/* An association may have several addresses on each side (RFC 9260 6.4). */
static void addresses_do_not_divide_an_association(void **state) {
    struct iw_tcp_segment one = segment(1, 40000, 2, 20100), other = segment(4, 20100, 3, 40000);
    struct iw_packet_facts facts = {.content = IW_CONTENT_NONE};

    (void)state;
    for (unsigned count = 1; count < 100; count++)
        assert_int_equal(iw_check_shard_of(IW_PACKET_SCTP, &one, &facts, count),
            iw_check_shard_of(IW_PACKET_SCTP, &other, &facts, count));
}

static void other_packets(void **state) {
    struct iw_tcp_segment one = segment(1, 40000, 2, 20100);
    struct iw_packet_facts facts = {.content = IW_CONTENT_PORT_MAPPER};

    (void)state;
    assert_int_equal(iw_check_shard_of(IW_PACKET_OTHER, &one, &facts, 8), IW_CHECK_EVERY_SHARD);
    assert_int_equal(iw_check_shard_of(IW_PACKET_FRAGMENT, &one, &facts, 8), IW_CHECK_EVERY_SHARD);
    facts.content = IW_CONTENT_UDP;
    assert_int_equal(iw_check_shard_of(IW_PACKET_OTHER, &one, &facts, 8), 1);
    assert_int_equal(iw_check_shard_of(IW_PACKET_CUT, &one, &facts, 8), 1);
    assert_int_equal(iw_check_shard_of(IW_PACKET_MALFORMED, &one, &facts, 8), 1);
}

/* What ended a connection is judged with it. */
static void an_icmp_error_is_in_the_shard_of_the_rejected_segment(void **state) {
    struct iw_tcp_segment rejected = segment(1, 40000, 2, 20100);
    struct iw_packet_facts facts = {.content = IW_CONTENT_ICMP};

    (void)state;
    assert_int_equal(iw_check_shard_of(IW_PACKET_OTHER, &rejected, &facts, 1000), 998);
}

/* Connections of one client, whose ports follow each other, are spread evenly. */
static void neighbours_are_spread(void **state) {
    struct iw_packet_facts facts = {.content = IW_CONTENT_NONE};
    unsigned counts[9] = {0};

    (void)state;
    for (uint16_t port = 20000; port < 28000; port++) {
        struct iw_tcp_segment one = segment(1, port, 2, 20100);

        counts[iw_check_shard_of(IW_PACKET_TCP, &one, &facts, 8)]++;
    }
    for (unsigned i = 1; i <= 8; i++)
        assert_in_range(counts[i], 850, 1150);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_the_same_everywhere),
        cmocka_unit_test(addresses_do_not_divide_an_association),
        cmocka_unit_test(other_packets),
        cmocka_unit_test(an_icmp_error_is_in_the_shard_of_the_rejected_segment),
        cmocka_unit_test(neighbours_are_spread),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
