#include "iw_frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const struct iw_frame_path ipv6 = {
    .source = {.octets = {0x20, 0x01, 0x0D, 0xB8, [15] = 1}, .port = 1, .version = 6},
    .destination = {.octets = {0x20, 0x01, 0x0D, 0xB8, [15] = 2}, .port = 2, .version = 6},
    .vlan = 7,
    .protocol = IW_IP_SCTP,
};

/* The first packet of captures/siw/siw2siw_rping_crc.pcap, with its checksum, written by Linux. */
static void ipv4_as_linux_writes_it(void **state) {
    static const struct iw_frame_path path = {
        .source = {.octets = {10, 0, 2, 15}, .port = 0x9060, .version = 4},
        .destination = {.octets = {10, 0, 2, 15}, .port = 7174, .version = 4},
        .protocol = IW_IP_TCP,
        .id = 0x9F86,
    };
    static const uint8_t expected[20] = {
        0x45, 0, 0, 0x3C, 0x9F, 0x86, 0x40, 0, 0x40, 6, 0x83, 0x18, 10, 0, 2, 15, 10, 0, 2, 15};
    uint8_t octets[IW_FRAME_IP_MAX];

    (void)state;
    assert_int_equal(iw_frame_ip(&path, 40, octets), sizeof expected);
    assert_memory_equal(octets, expected, sizeof expected);
}

/* RFC 8200 3. */
static void ipv6_by_hand(void **state) {
    static const uint8_t expected[40] = {0x60, 0, 0, 0, 0x01, 0x02, 132, 64, 0x20, 0x01, 0x0D, 0xB8, [23] = 1,
        0x20, 0x01, 0x0D, 0xB8, [39] = 2};
    uint8_t octets[IW_FRAME_IP_MAX];

    (void)state;
    assert_int_equal(iw_frame_ip(&ipv6, 0x102, octets), sizeof expected);
    assert_memory_equal(octets, expected, sizeof expected);
}

static void ethernet_with_and_without_a_vlan(void **state) {
    static const uint8_t tagged[18] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x81, 0, 0, 7, 0x86, 0xDD};
    static const uint8_t plain[14] = {2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8, 0x08, 0};
    static const struct iw_frame_path path = {.source = {.octets = {192, 0, 2, 8}, .version = 4},
        .destination = {.octets = {192, 0, 2, 9}, .version = 4}};
    uint8_t octets[IW_FRAME_ETHERNET_MAX];

    (void)state;
    assert_int_equal(iw_frame_ethernet(&ipv6, octets), sizeof tagged);
    assert_memory_equal(octets, tagged, sizeof tagged);
    assert_int_equal(iw_frame_ethernet(&path, octets), sizeof plain);
    assert_memory_equal(octets, plain, sizeof plain);
}

/* RFC 9293 3.1. */
static void tcp_with_and_without_an_mss(void **state) {
    struct iw_tcp_segment segment = {.source = {.port = 0x9060},
        .destination = {.port = 7174},
        .seq = 0x01020304,
        .ack = 0xFFFEFDFC,
        .flags = IW_TCP_SYN | IW_TCP_ACK,
        .mss = 1460,
        .length = 1000};
    static const uint8_t expected[24] = {0x90, 0x60, 0x1C, 0x06, 1, 2, 3, 4, 0xFF, 0xFE, 0xFD, 0xFC, 0x60,
        0x12, 0xFF, 0xFF, 0, 0, 0, 0, 2, 4, 0x05, 0xB4};
    uint8_t octets[IW_FRAME_TCP_MAX];

    (void)state;
    assert_int_equal(iw_frame_tcp(&segment, octets), 24);
    assert_memory_equal(octets, expected, 24);
    segment.mss = 0;
    assert_int_equal(iw_frame_tcp(&segment, octets), 20);
    assert_int_equal(octets[12], 0x50);
}

/* Two octets of payload; the checksum added up by hand. */
static void writes_a_whole_frame(void **state) {
    static const struct iw_tcp_segment segment = {
        .source = {.octets = {192, 0, 2, 1}, .port = 1, .version = 4},
        .destination = {.octets = {192, 0, 2, 2}, .port = 2, .version = 4},
        .seq = 3,
        .ack = 4,
        .flags = IW_TCP_ACK,
        .length = 2,
        .captured = 2,
        .payload = (const uint8_t *)"ab"};
    static const uint8_t expected[56] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0, /* Ethernet */
        0x45, 0, 0, 42, 0, 0, 0x40, 0, 64, 6, 0xB6, 0xCA, 192, 0, 2, 1, 192, 0, 2, 2, /* IPv4 */
        0, 1, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0x50, 0x10, 0xFF, 0xFF, 0xCA, 0x62, 0, 0, 'a', 'b'};
    uint8_t octets[IW_FRAME_MAX + 2];

    (void)state;
    assert_int_equal(iw_frame_write(&segment, 0, octets), sizeof expected);
    assert_memory_equal(octets, expected, sizeof expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ipv4_as_linux_writes_it),
        cmocka_unit_test(ipv6_by_hand),
        cmocka_unit_test(ethernet_with_and_without_a_vlan),
        cmocka_unit_test(tcp_with_and_without_an_mss),
        cmocka_unit_test(writes_a_whole_frame),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
