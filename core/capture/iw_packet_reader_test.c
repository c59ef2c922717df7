#include "iw_packet_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_packet_test.h"

static uint64_t frame;

/* Reads from memory that ends with the packet and is freed before the next one. */
static enum iw_packet_kind read_hex(
    struct iw_reassembly *reader, const char *hex, struct iw_tcp_segment *segment) {
    static uint8_t *octets;
    struct built built = build(hex);
    struct iw_packet_facts facts;

    free(octets);
    octets = malloc(built.length + 1u);
    memcpy(octets + 1, built.octets, built.length);
    frame++;
    struct iw_packet packet = {IW_LINK_IP, octets + 1, built.length, built.length, frame, 1000 * frame};
    enum iw_packet_kind kind = iw_packet_read(reader, &packet, segment, &facts);
    if (hex[0] == '\0') {
        free(octets);
        octets = NULL;
    }
    return kind;
}

static void assert_hello(const struct iw_tcp_segment *segment, uint8_t version) {
    assert_int_equal(segment->source.version, version);
    assert_int_equal(segment->source.port, 1000);
    assert_int_equal(segment->seq, 0x01020304);
    assert_int_equal(segment->length, 5);
    assert_int_equal(segment->captured, 5);
    assert_memory_equal(segment->payload, "hello", 5);
    assert_int_equal(segment->frame, frame);
    assert_int_equal(segment->time_ns, 1000 * frame);
}

/* "TCP HELLO", 25 octets, in fragments of 16 and 9. */
#define TCP_16 "03e8 07d0 01020304 05060708 5018 ffff "
#define TCP_9 "0000 0000 " HELLO
#define V4_16 "45000024 00072000 4006 0000 0a000001 0a000002 " TCP_16
#define V4_9 "4500001d 00070002 4006 0000 0a000001 0a000002 " TCP_9
#define V6_16 "60000000 0018 2c 40" IPV6_ADDRESSES "06 00 0001 00000007" TCP_16
#define V6_9 "60000000 0011 2c 40" IPV6_ADDRESSES "06 00 0010 00000007" TCP_9

static void of_ipv4(void **state) {
    (void)state;
    struct iw_reassembly *reader = iw_reassembly_new();
    struct iw_tcp_segment segment;
    assert_int_equal(read_hex(reader, V4_16, &segment), IW_PACKET_FRAGMENT);
    assert_int_equal(iw_reassembly_counts(reader).fragments, 1);
    assert_int_equal(read_hex(reader, "4500002d 12344000 4006 0000 0a000001 0a000002 " TCP HELLO, &segment),
        IW_PACKET_TCP); /* not a fragment */
    assert_int_equal(read_hex(reader, V4_9, &segment), IW_PACKET_TCP);
    assert_hello(&segment, 4);
    assert_int_equal(iw_reassembly_counts(reader).fragments, 0);
    assert_int_equal(read_hex(reader, V4_9, &segment), IW_PACKET_FRAGMENT); /* repeated */
    assert_int_equal(iw_reassembly_counts(reader).fragments, 0);
    iw_reassembly_free(reader);
}

static void of_ipv6(void **state) {
    (void)state;
    struct iw_reassembly *reader = iw_reassembly_new();
    struct iw_tcp_segment segment;
    assert_int_equal(read_hex(reader, V6_9, &segment), IW_PACKET_FRAGMENT);
    assert_int_equal(read_hex(reader, V6_16, &segment), IW_PACKET_TCP);
    assert_hello(&segment, 6);
    /* Destination Options in the fragments: 8 + 25 octets, in fragments of 16 and 17. */
    assert_int_equal(read_hex(reader,
                         "60000000 0018 2c 40" IPV6_ADDRESSES "3c 00 0001 00000008"
                         "06 00 010400000000 03e8 07d0 01020304",
                         &segment),
        IW_PACKET_FRAGMENT);
    assert_int_equal(read_hex(reader,
                         "60000000 0019 2c 40" IPV6_ADDRESSES "3c 00 0010 00000008"
                         "05060708 5018 ffff 0000 0000" HELLO,
                         &segment),
        IW_PACKET_TCP);
    assert_hello(&segment, 6);
    iw_reassembly_free(reader);
}

/* A reassembled packet must not begin with a fragment header again: it could name the packet that it is
 * in. */
static void fragment_in_its_own_packet(void **state) {
    (void)state;
    struct iw_reassembly *reader = iw_reassembly_new();
    struct iw_tcp_segment segment;
    assert_int_equal(read_hex(reader,
                         "60000000 0018 2c 40" IPV6_ADDRESSES "2c 00 0001 00000007"
                         "06 00 0001 00000007 1122334455667788",
                         &segment),
        IW_PACKET_FRAGMENT);
    assert_int_equal(
        read_hex(
            reader, "60000000 0010 2c 40" IPV6_ADDRESSES "2c 00 0010 00000007 1122334455667788", &segment),
        IW_PACKET_MALFORMED);
    iw_reassembly_free(reader);
}

/* Both the packet of the tunnel and the inner packet are fragmented. */
static void in_a_tunnel_and_around_it(void **state) {
    (void)state;
    struct iw_reassembly *reader = iw_reassembly_new();
    struct iw_tcp_segment segment;
#define OUTER_FRAGMENT(total, id, place, protocol)                                                           \
    "4500" total id place "40" protocol "0000 c0a80001 c0a80002 "
    /* GRE (4 octets) and V4_16 (36): 40 octets, in fragments of 24 and 16 */
    assert_int_equal(
        read_hex(reader,
            OUTER_FRAGMENT("002c", "0001", "2000", "2f") "0000 0800"
                                                         "45000024 00072000 4006 0000 0a000001 0a000002",
            &segment),
        IW_PACKET_FRAGMENT);
    assert_int_equal(
        read_hex(reader, OUTER_FRAGMENT("0024", "0001", "0003", "2f") TCP_16, &segment), IW_PACKET_FRAGMENT);
    assert_int_equal(iw_reassembly_counts(reader).fragments, 1); /* the fragment of the inner packet */
    /* GRE and V4_9 (29): 33 octets, in fragments of 32 and 1 */
    assert_int_equal(
        read_hex(reader, OUTER_FRAGMENT("0015", "0002", "0004", "2f") "6f", &segment), IW_PACKET_FRAGMENT);
    assert_int_equal(read_hex(reader,
                         OUTER_FRAGMENT("0034", "0002", "2000",
                             "2f") "0000 0800"
                                   "4500001d 00070002 4006 0000 0a000001 0a000002 0000 0000 68656c6c",
                         &segment),
        IW_PACKET_TCP);
    assert_hello(&segment, 4);
    assert_int_equal(iw_reassembly_counts(reader).fragments, 0);
    iw_reassembly_free(reader);
}

static void of_other_udp(void **state) {
    (void)state;
    struct iw_reassembly *reader = iw_reassembly_new();
    struct iw_tcp_segment segment;
    assert_int_equal(
        read_hex(reader, OUTER_FRAGMENT("001c", "0003", "2000", "11") "c000 0035 0010 0000", &segment),
        IW_PACKET_OTHER);
    assert_int_equal(iw_reassembly_counts(reader).fragments, 0);
    assert_int_equal(read_hex(reader, "", &segment), IW_PACKET_MALFORMED);
    iw_reassembly_free(reader);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_ipv4),
        cmocka_unit_test(of_ipv6),
        cmocka_unit_test(fragment_in_its_own_packet),
        cmocka_unit_test(in_a_tunnel_and_around_it),
        cmocka_unit_test(of_other_udp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
