#include "iw_packet_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_packet_test.h"

#define PACKET IPV4_TO_TCP TCP HELLO
#define PACKET_6 "60000000 0019 06 40" IPV6_ADDRESSES TCP HELLO

static void assert_decoded(enum iw_link link, const struct built *built, uint32_t captured) {
    struct iw_tcp_segment segment;

    assert_int_equal(decode_cut(link, built, captured, &segment), IW_PACKET_TCP);
    assert_int_equal(segment.source.port, 1000);
    assert_int_equal(segment.destination.port, 2000);
    assert_int_equal(segment.length, 5);
    assert_int_equal(segment.captured, 5);
}

/* Expects the packet to be found; truncated anywhere, it is never read as something else. */
static void carries(enum iw_link link, const char *hex) {
    struct built built = build(hex);
    struct iw_tcp_segment segment;

    assert_decoded(link, &built, built.length);
    for (uint32_t captured = 0; captured < built.length; captured++) {
        enum iw_packet_kind kind = decode_cut(link, &built, captured, &segment);

        assert_true(kind == IW_PACKET_CUT || kind == IW_PACKET_OTHER ||
                    (kind == IW_PACKET_TCP && segment.length == 5 && segment.captured <= 5));
    }
}

static void holds_no_packet(enum iw_link link, const char *hex, enum iw_content content) {
    struct built built = build(hex);
    struct iw_packet packet = {link, built.octets, built.length, built.length, 42, 99};
    struct iw_tcp_segment segment;
    struct iw_packet_facts facts;

    assert_int_equal(iw_packet_find(&packet, &segment, &facts), IW_PACKET_OTHER);
    assert_int_equal(facts.content, content);
}

/* RFC 1661 2, RFC 1662 3.1: with and without address and control; one or two octets of protocol. */
static void ppp(void **state) {
    (void)state;
    carries(IW_LINK_PPP, "ff03 0021" PACKET);
    carries(IW_LINK_PPP, "ff03 21" PACKET);
    carries(IW_LINK_PPP, "0021" PACKET);
    carries(IW_LINK_PPP, "21" PACKET);
    carries(IW_LINK_PPP, "ff03 0057" PACKET_6);
    carries(IW_LINK_PPP, "0f00 0800" PACKET); /* Cisco's HDLC */
    carries(IW_LINK_PPP, "8f00 86dd" PACKET_6);
    carries(IW_LINK_PPP_DIRECTION, "00 ff03 0021" PACKET);
    carries(IW_LINK_PPP_DIRECTION, "01 0021" PACKET);
    carries(IW_LINK_PPP_PPPD, "01 03 0021" PACKET);
    carries(IW_LINK_PPPOE, "1100 0007 002f 0021" PACKET);
    holds_no_packet(IW_LINK_PPP, "ff03 c021 01010004", IW_CONTENT_PPP);
}

static void hdlc(void **state) {
    (void)state;
    carries(IW_LINK_HDLC, "0f00 0800" PACKET);
    carries(IW_LINK_HDLC, "0f00 86dd" PACKET_6);
    holds_no_packet(IW_LINK_HDLC, "8f00 8035 00000002", IW_CONTENT_ETHERTYPE); /* keep-alive */
}

/* RFC 2427 4 and 5, with addresses of 2, 3 and 4 octets; and Cisco's form. */
static void frame_relay(void **state) {
    (void)state;
    carries(IW_LINK_FRAME_RELAY, "1841 03 cc" PACKET);
    carries(IW_LINK_FRAME_RELAY, "1841 03 8e" PACKET_6);
    carries(IW_LINK_FRAME_RELAY, "184041 03 cc" PACKET);
    carries(IW_LINK_FRAME_RELAY, "18404041 03 cc" PACKET);
    carries(IW_LINK_FRAME_RELAY, "1841 03 00 80 000000 0800" PACKET);
    carries(IW_LINK_FRAME_RELAY, "1841 03 80 000000 86dd" PACKET_6);
    carries(IW_LINK_FRAME_RELAY, "1841 03 00 80 0080c2 0007" ETHERNET "0800" PACKET);
    carries(IW_LINK_FRAME_RELAY, "1841 0800" PACKET);
    holds_no_packet(IW_LINK_FRAME_RELAY, "1841 03 b1 00000000", IW_CONTENT_LINK);
    holds_no_packet(IW_LINK_FRAME_RELAY, "1841 03 80 00000c 2000 00", IW_CONTENT_LINK);
}

/* A packet after two other attributes, a mark and a timestamp with padding, from hosts of both byte
 * orders. */
static void nflog(void **state) {
    (void)state;
    carries(IW_LINK_NFLOG, "02 00 0005 0800 0200 00000001 0a00 0300 000000000001 0000 3100 0900" PACKET);
    carries(IW_LINK_NFLOG, "02 00 0005 0008 0002 00000001 000a 0003 000000000001 0000 0031 0009" PACKET);
    carries(IW_LINK_NFLOG, "0a 00 0005 4500 0900" PACKET_6);
    assert_int_equal(decode_kind(IW_LINK_NFLOG, "02 00 0005 0300 0200 00"), IW_PACKET_MALFORMED);
    assert_int_equal(decode_kind(IW_LINK_NFLOG, "02 00 0005 0800 0200 00000001"), IW_PACKET_MALFORMED);
}

static void ipoib(void **state) {
    (void)state;
    carries(IW_LINK_IPOIB, IPV6_ADDRESSES "0000000000000000 0800 0000" PACKET);
    carries(IW_LINK_IPOIB, IPV6_ADDRESSES "0000000000000000 86dd 0000" PACKET_6);
}

#define ADDRESSES_3 "020000000001 020000000002 020000000003 "
#define SNAP "aaaa03 000000 0800"

/* Frames to an access point, from one, and between two of them; with QoS, with HT Control. */
static void ieee_80211(void **state) {
    (void)state;
    carries(IW_LINK_80211, "0801 0000" ADDRESSES_3 "1000" SNAP PACKET);
    carries(IW_LINK_80211, "0802 0000" ADDRESSES_3 "1000" SNAP PACKET);
    carries(IW_LINK_80211, "0803 0000" ADDRESSES_3 "1000 020000000004" SNAP PACKET);
    carries(IW_LINK_80211, "8802 0000" ADDRESSES_3 "1000 0000" SNAP PACKET);
    carries(IW_LINK_80211, "8803 0000" ADDRESSES_3 "1000 020000000004 0000" SNAP PACKET);
    carries(IW_LINK_80211, "8882 0000" ADDRESSES_3 "1000 0000 00000000" SNAP PACKET);
    /* Not read: encrypted; no data; a beacon; the first and the second fragment; A-MSDU; LLC without SNAP */
    holds_no_packet(IW_LINK_80211, "0841 0000" ADDRESSES_3 "1000" SNAP PACKET, IW_CONTENT_WIRELESS);
    holds_no_packet(IW_LINK_80211, "4801 0000" ADDRESSES_3 "1000" SNAP PACKET, IW_CONTENT_LINK);
    holds_no_packet(IW_LINK_80211, "8000 0000" ADDRESSES_3 "1000" SNAP PACKET, IW_CONTENT_LINK);
    holds_no_packet(IW_LINK_80211, "0805 0000" ADDRESSES_3 "1000" SNAP PACKET, IW_CONTENT_LINK);
    holds_no_packet(IW_LINK_80211, "0801 0000" ADDRESSES_3 "1100" SNAP PACKET, IW_CONTENT_LINK);
    holds_no_packet(IW_LINK_80211, "8802 0000" ADDRESSES_3 "1000 8000" SNAP PACKET, IW_CONTENT_LINK);
    holds_no_packet(IW_LINK_80211, "0801 0000" ADDRESSES_3 "1000 424203 0000000000", IW_CONTENT_LINK);
}

/* No fields; Flags first, and Flags after a timestamp; Flags after two presence words; padding; a wrong frame
 * check sequence. */
static void radiotap(void **state) {
    (void)state;
    carries(IW_LINK_RADIOTAP, "0000 0800 00000000 0801 0000" ADDRESSES_3 "1000" SNAP PACKET);
    carries(IW_LINK_RADIOTAP, "0000 0900 02000000 10 0801 0000" ADDRESSES_3 "1000" SNAP PACKET "00000000");
    carries(IW_LINK_RADIOTAP,
        "0000 1100 03000000 0000000000000001 20 8802 0000" ADDRESSES_3 "1000 0000 0000" SNAP PACKET);
    carries(IW_LINK_RADIOTAP,
        "0000 0d00 02000080 00000000 20 8802 0000" ADDRESSES_3 "1000 0000 0000" SNAP PACKET);
    holds_no_packet(
        IW_LINK_RADIOTAP, "0000 0900 02000000 50 0801 0000" ADDRESSES_3 "1000" SNAP PACKET, IW_CONTENT_LINK);
    holds_no_packet(
        IW_LINK_RADIOTAP, "0000 0700 02000000 50 0801 0000" ADDRESSES_3 "1000" SNAP PACKET, IW_CONTENT_LINK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ppp),
        cmocka_unit_test(hdlc),
        cmocka_unit_test(frame_relay),
        cmocka_unit_test(nflog),
        cmocka_unit_test(ipoib),
        cmocka_unit_test(ieee_80211),
        cmocka_unit_test(radiotap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
