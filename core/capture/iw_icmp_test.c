#include "iw_icmp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "iw_packet_test.h"

/* A router with address 10.0.0.254 about a segment from 10.0.0.1:1000 to 10.0.0.2:2000, sequence number
 * 0x01020304. */
#define ICMP_IPV4 "0800 45000038 00004000 ff01 0000 0a0000fe 0a000001 "
#define QUOTED_IPV4 "450005dc 12344000 4006 0000 0a000001 0a000002 "
#define QUOTED_TCP "03e8 07d0 01020304 "

#define ICMP_IPV6                                                                                            \
    "86dd 60000000 0038 3a ff 20010db80000000000000000000000fe 20010db8000000000000000000000001 "
#define QUOTED_IPV6 "60000000 05b4 06 40 " IPV6_ADDRESSES

static struct iw_tcp_segment segment;
static struct iw_packet_facts facts;

/* Reads the first `captured` octets of an Ethernet frame, from memory that ends there. */
static enum iw_packet_kind reads_cut(const char *hex, uint32_t captured) {
    struct built built = build(hex);
    uint32_t octets = captured < built.length ? captured : built.length;
    uint8_t *copy = malloc(octets);
    struct iw_packet packet = {.octets = copy, .captured = octets, .length = built.length, .frame = 42};
    enum iw_packet_kind kind;

    memcpy(copy, built.octets, octets);
    facts = (struct iw_packet_facts){0};
    kind = iw_packet_find(&packet, &segment, &facts);
    free(copy);
    return kind;
}

static void assert_error(const char *hex, enum iw_icmp_kind kind, uint32_t mtu, uint8_t version) {
    assert_int_equal(reads_cut(hex, UINT32_MAX), IW_PACKET_OTHER);
    assert_int_equal(facts.content, IW_CONTENT_ICMP);
    assert_int_equal(facts.icmp.kind, kind);
    assert_int_equal(facts.icmp.mtu, mtu);
    assert_int_equal(facts.icmp.reporter.version, version);
    assert_int_equal(facts.icmp.reporter.octets[version == 6 ? 15 : 3], 0xfe);
    assert_int_equal(segment.source.octets[version == 6 ? 15 : 3], 1);
    assert_int_equal(segment.destination.octets[version == 6 ? 15 : 3], 2);
    assert_int_equal(segment.source.port, 1000);
    assert_int_equal(segment.destination.port, 2000);
    assert_int_equal(segment.seq, 0x01020304);
    assert_int_equal(segment.frame, 42);
}

static void assert_other(const char *hex, uint8_t protocol) {
    assert_int_equal(reads_cut(hex, UINT32_MAX), IW_PACKET_OTHER);
    assert_int_equal(facts.content, IW_CONTENT_IP_PROTOCOL);
    assert_int_equal(facts.number, protocol);
}

static void errors_of_icmp(void **state) {
    (void)state;
    assert_error(ETHERNET ICMP_IPV4 "0304 0000 0000 0500 " QUOTED_IPV4 QUOTED_TCP, IW_ICMP_TOO_BIG, 1280, 4);
    assert_error(ETHERNET ICMP_IPV4 "0304 0000 00000000 " QUOTED_IPV4 QUOTED_TCP, IW_ICMP_TOO_BIG, 0, 4);
    assert_error(ETHERNET ICMP_IPV4 "0301 0000 00000000 " QUOTED_IPV4 QUOTED_TCP, IW_ICMP_UNREACHABLE, 0, 4);
    assert_error(ETHERNET ICMP_IPV4 "0303 0000 00000000 " QUOTED_IPV4 QUOTED_TCP, IW_ICMP_REFUSED, 0, 4);
    assert_error(ETHERNET ICMP_IPV4 "030d 0000 00000000 " QUOTED_IPV4 QUOTED_TCP, IW_ICMP_PROHIBITED, 0, 4);
}

/* The quoted header may have options: here a No-Operation, three times, and an End of Option List. */
static void options_in_the_quoted_header(void **state) {
    (void)state;
    assert_error(ETHERNET ICMP_IPV4
        "0301 0000 00000000 460005dc 12344000 4006 0000 0a000001 0a000002 01010100 " QUOTED_TCP,
        IW_ICMP_UNREACHABLE, 0, 4);
}

static void errors_of_icmpv6(void **state) {
    (void)state;
    assert_error(ETHERNET ICMP_IPV6 "0200 0000 00000500 " QUOTED_IPV6 QUOTED_TCP, IW_ICMP_TOO_BIG, 1280, 6);
    assert_error(ETHERNET ICMP_IPV6 "0100 0000 00000000 " QUOTED_IPV6 QUOTED_TCP, IW_ICMP_UNREACHABLE, 0, 6);
    assert_error(ETHERNET ICMP_IPV6 "0101 0000 00000000 " QUOTED_IPV6 QUOTED_TCP, IW_ICMP_PROHIBITED, 0, 6);
    assert_error(ETHERNET ICMP_IPV6 "0104 0000 00000000 " QUOTED_IPV6 QUOTED_TCP, IW_ICMP_REFUSED, 0, 6);
}

static void other_messages(void **state) {
    (void)state;
    assert_other(ETHERNET ICMP_IPV4 "0800 0000 00010001 " QUOTED_IPV4 QUOTED_TCP, 1);  /* an echo request */
    assert_other(ETHERNET ICMP_IPV4 "0b00 0000 00000000 " QUOTED_IPV4 QUOTED_TCP, 1);  /* Time Exceeded */
    assert_other(ETHERNET ICMP_IPV6 "8000 0000 00010001 " QUOTED_IPV6 QUOTED_TCP, 58); /* an echo request */
    assert_other(                                                                      /* about UDP */
        ETHERNET ICMP_IPV4 "0303 0000 00000000 450005dc 12344000 4011 0000 0a000001 0a000002 " QUOTED_TCP, 1);
    assert_other(/* about a fragment that is not the first: it has no ports */
        ETHERNET ICMP_IPV4 "0301 0000 00000000 450005dc 123400b9 4006 0000 0a000001 0a000002 " QUOTED_TCP, 1);
    assert_other(/* a fragment, whose beginning is elsewhere */
        ETHERNET
        "0800 45000038 000000b9 ff01 0000 0a0000fe 0a000001 0301 0000 00000000 " QUOTED_IPV4 QUOTED_TCP,
        1);
    assert_other(/* ICMPv6 in IPv4 */
        ETHERNET
        "0800 45000038 00004000 ff3a 0000 0a0000fe 0a000001 0100 0000 00000000 " QUOTED_IPV4 QUOTED_TCP,
        58);
}

static void truncated_errors(void **state) {
    static const char *const packets[] = {
        ETHERNET ICMP_IPV4 "0304 0000 0000 0500 " QUOTED_IPV4 QUOTED_TCP,
        ETHERNET ICMP_IPV6 "0200 0000 00000500 " QUOTED_IPV6 QUOTED_TCP,
    };

    (void)state;
    for (size_t i = 0; i < sizeof packets / sizeof *packets; i++) {
        uint32_t whole = build(packets[i]).length;

        for (uint32_t captured = 0; captured < whole; captured++)
            assert_true(reads_cut(packets[i], captured) != IW_PACKET_OTHER ||
                        facts.content == IW_CONTENT_IP_PROTOCOL);
        assert_int_equal(reads_cut(packets[i], whole), IW_PACKET_OTHER);
        assert_int_equal(facts.content, IW_CONTENT_ICMP);
    }
}

static void texts_of_errors(void **state) {
    const struct iw_icmp four = {
        .kind = IW_ICMP_PROHIBITED, .type = 3, .code = 13, .reporter = {.version = 4}};
    const struct iw_icmp six = {.kind = IW_ICMP_TOO_BIG, .type = 2, .reporter = {.version = 6}};
    char text[IW_ICMP_TEXT_OCTETS];

    (void)state;
    assert_string_equal(iw_icmp_text(&four, text), "the communication is prohibited (ICMP type 3, code 13)");
    assert_string_equal(iw_icmp_text(&six, text), "the packet is too big (ICMPv6 type 2, code 0)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_of_icmp),
        cmocka_unit_test(options_in_the_quoted_header),
        cmocka_unit_test(errors_of_icmpv6),
        cmocka_unit_test(other_messages),
        cmocka_unit_test(truncated_errors),
        cmocka_unit_test(texts_of_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
