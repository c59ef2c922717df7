#include "iw_packet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_packet_test.h"

static void assert_hello(enum iw_link link, const char *hex, uint8_t version) {
    static const uint8_t v4[2][16] = {{10, 0, 0, 1}, {10, 0, 0, 2}};
    static const uint8_t v6[2][16] = {
        {0x20, 1, 0xd, 0xb8, [15] = 1},
        {0x20, 1, 0xd, 0xb8, [15] = 2},
    };
    struct built built = build(hex);
    struct iw_packet packet = {link, built.octets, built.length, built.length, 42, 99};
    struct iw_tcp_segment segment;
    assert_int_equal(iw_packet_find(&packet, &segment, &(struct iw_packet_facts){0}), IW_PACKET_TCP);
    assert_int_equal(segment.source.version, version);
    assert_int_equal(segment.destination.version, version);
    assert_memory_equal(segment.source.octets, version == 4 ? v4[0] : v6[0], 16);
    assert_memory_equal(segment.destination.octets, version == 4 ? v4[1] : v6[1], 16);
    assert_int_equal(segment.source.port, 1000);
    assert_int_equal(segment.destination.port, 2000);
    assert_int_equal(segment.seq, 0x01020304);
    assert_int_equal(segment.ack, 0x05060708);
    assert_int_equal(segment.flags, IW_TCP_PSH | IW_TCP_ACK);
    assert_int_equal(segment.length, 5);
    assert_int_equal(segment.captured, 5);
    assert_memory_equal(segment.payload, "hello", 5);
    assert_int_equal(segment.frame, 42);
    assert_int_equal(segment.time_ns, 99);
}

/* Whether the checksum over the TCP header and all of the payload can be verified. */
static bool is_verifiable(enum iw_link link, const char *hex, uint32_t missing) {
    struct built built = build(hex);
    struct iw_packet packet = {link, built.octets, built.length - missing, built.length, 42, 99};
    struct iw_tcp_segment segment;
    assert_int_equal(iw_packet_find(&packet, &segment, &(struct iw_packet_facts){0}), IW_PACKET_TCP);
    assert_true(segment.tcp == NULL || segment.tcp + 20 == segment.payload);
    return segment.tcp != NULL;
}

static void checksums_that_can_be_verified(void **state) {
    (void)state;
    assert_true(is_verifiable(IW_LINK_ETHERNET, ETHERNET "0800" IPV4_TO_TCP TCP HELLO, 0));
    assert_true(is_verifiable(IW_LINK_ETHERNET, ETHERNET "0800" IPV4_TO_TCP TCP HELLO "0000", 0));
    assert_false(is_verifiable(IW_LINK_ETHERNET, ETHERNET "0800" IPV4_TO_TCP TCP HELLO, 1));
    /* Length 0, as with segmentation offload. */
    assert_false(is_verifiable(IW_LINK_IP, "45000000 12344000 4006 0000 0a000001 0a000002" TCP HELLO, 0));
    /* Loose source routing, and a timestamp. */
    assert_false(is_verifiable(
        IW_LINK_IP, "47000035 12344000 4006 0000 0a000001 0a000002 01830704 0a000003" TCP HELLO, 0));
    assert_true(is_verifiable(
        IW_LINK_IP, "47000035 12344000 4006 0000 0a000001 0a000002 44080500 00000000" TCP HELLO, 0));
}

static void checksums_over_other_addresses_of_ipv6(void **state) {
    (void)state;
    assert_true(is_verifiable(IW_LINK_IP, "60000000 0019 06 40" IPV6_ADDRESSES TCP HELLO, 0));
    assert_false(is_verifiable(IW_LINK_IP, "60000000 0000 06 40" IPV6_ADDRESSES TCP HELLO, 0));
    /* Routing headers with Segments Left 0 and 1. */
    assert_true(
        is_verifiable(IW_LINK_IP, "60000000 0021 2b 40" IPV6_ADDRESSES "06 00 0400 00000000" TCP HELLO, 0));
    assert_false(
        is_verifiable(IW_LINK_IP, "60000000 0021 2b 40" IPV6_ADDRESSES "06 00 0401 00000000" TCP HELLO, 0));
    /* Destination options: padding, and a home address. */
    assert_true(
        is_verifiable(IW_LINK_IP, "60000000 0021 3c 40" IPV6_ADDRESSES "06 00 0104 00000000" TCP HELLO, 0));
    assert_false(is_verifiable(IW_LINK_IP,
        "60000000 0031 3c 40" IPV6_ADDRESSES "06 02 0102 0000 c910"
        "20010db8000000000000000000000003" TCP HELLO,
        0));
}

static void link_types(void **state) {
    (void)state;
    assert_hello(IW_LINK_ETHERNET, ETHERNET "0800" IPV4_TO_TCP TCP HELLO, 4);
    assert_hello(IW_LINK_SLL, "0000 0001 0006 020000000001 0000 0800" IPV4_TO_TCP TCP HELLO, 4);
    assert_hello(IW_LINK_SLL2, "0800 0000 00000003 0001 00 06 0200000000010000" IPV4_TO_TCP TCP HELLO, 4);
    assert_hello(IW_LINK_LOOPBACK, "02000000" IPV4_TO_TCP TCP HELLO, 4);
    assert_hello(IW_LINK_LOOPBACK, "00000002" IPV4_TO_TCP TCP HELLO, 4);
    assert_hello(IW_LINK_IP, IPV4_TO_TCP TCP HELLO, 4);
}

static void link_types_with_ipv6(void **state) {
    (void)state;
#define IPV6_TO_TCP "60000000 0019 06 40" IPV6_ADDRESSES
    assert_hello(IW_LINK_ETHERNET, ETHERNET "86dd" IPV6_TO_TCP TCP HELLO, 6);
    assert_hello(IW_LINK_SLL, "0004 0304 0006 000000000000 0000 86dd" IPV6_TO_TCP TCP HELLO, 6);
    assert_hello(IW_LINK_SLL2, "86dd 0000 00000003 0304 00 06 0000000000000000" IPV6_TO_TCP TCP HELLO, 6);
    assert_hello(IW_LINK_LOOPBACK, "1e000000" IPV6_TO_TCP TCP HELLO, 6);
    assert_hello(IW_LINK_LOOPBACK, "0000001c" IPV6_TO_TCP TCP HELLO, 6);
    assert_hello(IW_LINK_LOOPBACK, "0a000000" IPV6_TO_TCP TCP HELLO, 6);
    assert_hello(IW_LINK_IP, IPV6_TO_TCP TCP HELLO, 6);
}

static void vlan_tags(void **state) {
    (void)state;
    assert_hello(IW_LINK_ETHERNET, ETHERNET "8100 0064 0800" IPV4_TO_TCP TCP HELLO, 4);
    assert_hello(IW_LINK_ETHERNET, ETHERNET "88a8 0064 8100 2065 86dd" IPV6_TO_TCP TCP HELLO, 6);
    assert_hello(IW_LINK_ETHERNET, ETHERNET "9100 0001 88a8 0064 8100 0065 0800" IPV4_TO_TCP TCP HELLO, 4);
    assert_hello(IW_LINK_SLL, "0000 0001 0006 020000000001 0000 8100 0064 0800" IPV4_TO_TCP TCP HELLO, 4);
    assert_int_equal(decode_kind(IW_LINK_ETHERNET, ETHERNET "8100 0064"), IW_PACKET_MALFORMED);
}

static void options(void **state) {
    (void)state;
    assert_hello(IW_LINK_IP, "46000031 12344000 4006 0000 0a000001 0a000002 94040000" TCP HELLO, 4);
    assert_hello(IW_LINK_IP,
        "45000039 12344000 4006 0000 0a000001 0a000002"
        "03e8 07d0 01020304 05060708 8018 ffff 0000 0000 0101080a 00000001 00000002" HELLO,
        4);
}

static void ipv6_extension_headers(void **state) {
    (void)state;
#define NOP_OPTIONS "00 010400000000"
    assert_hello(IW_LINK_IP, "60000000 0021 00 40" IPV6_ADDRESSES "06" NOP_OPTIONS TCP HELLO, 6);
    assert_hello(IW_LINK_IP,
        "60000000 0049 00 40" IPV6_ADDRESSES "3c" NOP_OPTIONS /* hop-by-hop */
        "2b" NOP_OPTIONS                                      /* destination */
        "33 00 0000 00000000"                                 /* routing */
        "2c 02 0000 00000001 00000002 00000000"               /* authentication */
        "06 00 0000 00000007" TCP HELLO,                      /* fragment header of a whole packet */
        6);
}

static void padding_is_not_payload(void **state) {
    (void)state;
    assert_hello(IW_LINK_ETHERNET, ETHERNET "0800" IPV4_TO_TCP TCP HELLO "00000000 deadbeef", 4);
    assert_hello(IW_LINK_ETHERNET, ETHERNET "86dd" IPV6_TO_TCP TCP HELLO "00000000 deadbeef", 6);
}

static void length_0_by_segmentation_offload(void **state) {
    (void)state;
    assert_hello(
        IW_LINK_ETHERNET, ETHERNET "0800 45000000 12344000 4006 0000 0a000001 0a000002" TCP HELLO, 4);
    assert_hello(IW_LINK_ETHERNET, ETHERNET "86dd 60000000 0000 06 40" IPV6_ADDRESSES TCP HELLO, 6);
}

static void snapshot_length(void **state) {
    (void)state;
    struct built built = build(ETHERNET "0800" IPV4_TO_TCP TCP HELLO);
    struct iw_tcp_segment segment;
    for (uint32_t captured = 0; captured < 54; captured++)
        assert_int_equal(decode_cut(IW_LINK_ETHERNET, &built, captured, &segment), IW_PACKET_CUT);
    for (uint32_t captured = 54; captured <= 59; captured++) {
        assert_int_equal(decode_cut(IW_LINK_ETHERNET, &built, captured, &segment), IW_PACKET_TCP);
        assert_int_equal(segment.length, 5);
        assert_int_equal(segment.captured, captured - 54);
    }
}

static void snapshot_length_within_tcp_options(void **state) {
    (void)state;
    struct built built = build("45000039 12344000 4006 0000 0a000001 0a000002"
                               "03e8 07d0 01020304 05060708 8018 ffff 0000 0000 0101080a");
    struct iw_tcp_segment segment;
    assert_int_equal(decode_cut(IW_LINK_IP, &built, built.length, &segment), IW_PACKET_TCP);
    assert_int_equal(segment.length, 5);
    assert_int_equal(segment.captured, 0);
}

/* A tool may truncate packets and set both lengths of the record; the IP header has the true length. */
static void truncated_although_the_record_is_whole(void **state) {
    (void)state;
    struct built built = build("450005dc 12344000 4006 0000 0a000001 0a000002" TCP HELLO);
    struct iw_tcp_segment segment;
    assert_int_equal(decode_cut(IW_LINK_IP, &built, built.length, &segment), IW_PACKET_TCP);
    assert_int_equal(segment.length, 1460);
    assert_int_equal(segment.captured, 5);
}

static void fragments(void **state) {
    (void)state;
#define ADDRESSES "0a000001 0a000002"
    assert_int_equal(
        decode_kind(IW_LINK_IP, "4500002d 12342000 4006 0000" ADDRESSES TCP HELLO), IW_PACKET_FRAGMENT);
    assert_int_equal(
        decode_kind(IW_LINK_IP, "4500002d 12340001 4006 0000" ADDRESSES TCP HELLO), IW_PACKET_FRAGMENT);
    assert_int_equal(
        decode_kind(IW_LINK_IP, "4500002d 12342000 4001 0000" ADDRESSES TCP HELLO), IW_PACKET_OTHER);
    assert_int_equal(/* UDP fragments may be part of a tunnel */
        decode_kind(IW_LINK_IP, "4500002d 12342000 4011 0000" ADDRESSES TCP HELLO), IW_PACKET_FRAGMENT);
    assert_int_equal(
        decode_kind(IW_LINK_IP, "60000000 0021 2c 40" IPV6_ADDRESSES "06 00 0001 00000007" TCP HELLO),
        IW_PACKET_FRAGMENT);
    assert_int_equal(
        decode_kind(IW_LINK_IP, "60000000 0021 2c 40" IPV6_ADDRESSES "06 00 0008 00000007" TCP HELLO),
        IW_PACKET_FRAGMENT);
}

static void other_protocols(void **state) {
    (void)state;
    assert_int_equal(decode_kind(IW_LINK_ETHERNET, ETHERNET "0806 0001080006040001"), IW_PACKET_OTHER);
    assert_int_equal(
        decode_kind(IW_LINK_IP, "4500002d 12344000 4011 0000" ADDRESSES TCP HELLO), IW_PACKET_OTHER);
    assert_int_equal(
        decode_kind(IW_LINK_IP, "60000000 0019 11 40" IPV6_ADDRESSES TCP HELLO), IW_PACKET_OTHER);
    assert_int_equal(
        decode_kind(IW_LINK_IP, "60000000 0019 3b 40" IPV6_ADDRESSES TCP HELLO), IW_PACKET_OTHER);
    assert_int_equal(decode_kind(IW_LINK_LOOPBACK, "07000000" IPV4_TO_TCP TCP HELLO), IW_PACKET_OTHER);
}

static void contradictory_lengths(void **state) {
    (void)state;
    static const char *const packets[] = {
        "", "45", "55000028 12344000 4006 0000" ADDRESSES TCP, /* version 5 */
        "44000028 12344000 4006 0000" ADDRESSES TCP,           /* header of 16 */
        "45000013 12344000 4006 0000" ADDRESSES TCP,           /* total length 19 */
        "45000027 12344000 4006 0000" ADDRESSES TCP,           /* 19 of TCP */
        "45000028 12344000 4006 0000" ADDRESSES "03e8 07d0 01020304 05060708 4010 ffff 0000 0000",
        "45000028 12344000 4006 0000" ADDRESSES "03e8 07d0 01020304 05060708 6010 ffff 0000 0000",
        "60000000 0006 00 40" IPV6_ADDRESSES "06 00 01040000 0000", /* 6 of an extension */
        "60000000 0008 00 40" IPV6_ADDRESSES "06 01 010400000000",  /* 16 in 8 */
    };
    for (size_t i = 0; i < sizeof packets / sizeof packets[0]; i++)
        assert_int_equal(decode_kind(IW_LINK_IP, packets[i]), IW_PACKET_MALFORMED);
    assert_int_equal(decode_kind(IW_LINK_ETHERNET, "0200"), IW_PACKET_MALFORMED);
    assert_int_equal(decode_kind(IW_LINK_ETHERNET, ETHERNET "86dd" IPV4_TO_TCP TCP), IW_PACKET_MALFORMED);
}

static void length_beyond_any_packet(void **state) {
    (void)state;
    struct built built = build("60000000 0000 06 40" IPV6_ADDRESSES TCP HELLO);
    struct iw_packet packet = {IW_LINK_IP, built.octets, built.length, 0xffffffff, 1, 1};
    struct iw_tcp_segment segment;
    assert_int_equal(iw_packet_find(&packet, &segment, &(struct iw_packet_facts){0}), IW_PACKET_MALFORMED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksums_that_can_be_verified),
        cmocka_unit_test(checksums_over_other_addresses_of_ipv6),
        cmocka_unit_test(link_types),
        cmocka_unit_test(link_types_with_ipv6),
        cmocka_unit_test(vlan_tags),
        cmocka_unit_test(options),
        cmocka_unit_test(ipv6_extension_headers),
        cmocka_unit_test(padding_is_not_payload),
        cmocka_unit_test(length_0_by_segmentation_offload),
        cmocka_unit_test(snapshot_length),
        cmocka_unit_test(snapshot_length_within_tcp_options),
        cmocka_unit_test(truncated_although_the_record_is_whole),
        cmocka_unit_test(fragments),
        cmocka_unit_test(other_protocols),
        cmocka_unit_test(contradictory_lengths),
        cmocka_unit_test(length_beyond_any_packet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
