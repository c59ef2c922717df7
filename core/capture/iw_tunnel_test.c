#include "iw_packet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_packet_test.h"

/* 45 octets of IPv4, or 65 of IPv6: the inner packet of every test. */
#define INNER IPV4_TO_TCP TCP HELLO
#define INNER_6 "60000000 0019 06 40" IPV6_ADDRESSES TCP HELLO
#define INNER_ETHERNET "020000000003 020000000004 0800" INNER

/* An outer IPv4 header; `total`, four hexadecimal digits, is the packet length in octets. */
#define OUTER(total, protocol) "4500" total "00010000 40" protocol "0000 c0a80001 c0a80002 "
#define UDP(port, length) "c000" port length "0000 "

static void assert_cut_everywhere(enum iw_link link, const struct built *built) {
    uint32_t headers = built->length - 5; /* all but "hello" */
    struct iw_tcp_segment segment;

    for (uint32_t captured = 0; captured < headers; captured++) {
        enum iw_packet_kind kind = decode_cut(link, built, captured, &segment);

        assert_true(kind == IW_PACKET_CUT || kind == IW_PACKET_OTHER);
    }
    for (uint32_t captured = headers; captured <= built->length; captured++) {
        assert_int_equal(decode_cut(link, built, captured, &segment), IW_PACKET_TCP);
        assert_int_equal(segment.length, 5);
        assert_int_equal(segment.captured, captured - headers);
    }
}

/* Expects the inner segment in the packet. Then truncates the packet after each octet, and expects the part
 * of the segment that is left. Returns the scope. */
static uint32_t assert_carries(enum iw_link link, const char *hex, uint8_t version) {
    struct built built = build(hex);
    struct iw_packet packet = {link, built.octets, built.length, built.length, 42, 99};
    struct iw_tcp_segment segment;
    struct iw_packet_facts facts;

    assert_int_equal(iw_packet_find(&packet, &segment, &facts), IW_PACKET_TCP);
    assert_int_equal(segment.source.version, version);
    assert_int_equal(segment.source.octets[0], version == 4 ? 10 : 0x20);
    assert_int_equal(segment.destination.octets[version == 4 ? 3 : 15], 2);
    assert_int_equal(segment.source.port, 1000);
    assert_int_equal(segment.destination.port, 2000);
    assert_int_equal(segment.length, 5);
    assert_memory_equal(segment.payload, "hello", 5);
    assert_cut_everywhere(link, &built);
    return segment.scope;
}

static uint32_t carries(const char *hex) {
    return assert_carries(IW_LINK_ETHERNET, hex, 4);
}

static uint32_t ip_carries(const char *hex) {
    return assert_carries(IW_LINK_IP, hex, 4);
}

static void assert_content(enum iw_link link, const char *hex, enum iw_content content, uint16_t number) {
    struct built built = build(hex);
    uint8_t *octets = malloc(built.length);
    struct iw_packet packet = {link, octets, built.length, built.length, 42, 99};
    struct iw_tcp_segment segment;
    struct iw_packet_facts facts;

    memcpy(octets, built.octets, built.length);
    assert_int_equal(iw_packet_find(&packet, &segment, &facts), IW_PACKET_OTHER);
    assert_int_equal(facts.content, content);
    assert_int_equal(facts.number, number);
    free(octets);
}

/* ---- tunnels below IP ---- */

static void mpls(void **state) {
    (void)state;
    uint32_t service = carries(ETHERNET "8847 00064040 000c8140" INNER);
    assert_int_equal(service, carries(ETHERNET "8848 00065040 000c8140" INNER)); /* another route */
    assert_int_not_equal(service, carries(ETHERNET "8847 00064040 000c9140" INNER));
    /* the label Explicit Null identifies no customer */
    assert_int_equal(carries(ETHERNET "8847 00000140" INNER), 0);
    assert_carries(IW_LINK_ETHERNET, ETHERNET "8847 00002140" INNER_6, 6);
    assert_carries(IW_LINK_ETHERNET, ETHERNET "8847 000c8140" INNER_6, 6);
    /* The entropy label differs from flow to flow (RFC 6790), so it is not part of the scope. */
    assert_int_equal(service, carries(ETHERNET "8847 000c8040 00007040 12345140" INNER));
}

static void mpls_pseudo_wire(void **state) {
    (void)state;
    carries(ETHERNET "8847 000c8140 00000001" INNER_ETHERNET);
    carries(ETHERNET "8847 000c8140" INNER_ETHERNET);
    carries(ETHERNET "8847 000c8140 00000001 020000000003 020000000004 8100 0007 0800" INNER);
    /* Ethernet addresses that begin like an IP header. */
    carries(ETHERNET "8847 000c8140 450000000003 020000000004 0800" INNER);
    carries(ETHERNET "8847 000c8140 600000000003 020000000004 0800" INNER);
    /* An IP packet whose source address looks like an Ethernet type: its correct checksum decides. */
    struct iw_tcp_segment segment;
    struct built built =
        build(ETHERNET "8847 000c8140 4500002d 12344000 4006 1695 08000001 0a000002" TCP HELLO);
    assert_int_equal(decode_cut(IW_LINK_ETHERNET, &built, built.length, &segment), IW_PACKET_TCP);
    assert_int_equal(segment.source.octets[0], 8);
    assert_content(IW_LINK_ETHERNET, ETHERNET "8847 000c8140 10000021" INNER, IW_CONTENT_TUNNEL, 0);
    assert_int_equal(decode_kind(IW_LINK_ETHERNET, ETHERNET "8847 000c8040"), IW_PACKET_MALFORMED);
}

static void pppoe(void **state) {
    (void)state;
    uint32_t session = carries(ETHERNET "8864 1100 0007 002f 0021" INNER);
    assert_int_not_equal(session, carries(ETHERNET "8864 1100 0008 002f 0021" INNER));
    assert_carries(IW_LINK_ETHERNET, ETHERNET "8864 1100 0007 0043 0057" INNER_6, 6);
    carries(ETHERNET "8100 0005 8864 1100 0007 002e 21" INNER); /* a protocol number of one octet */
    assert_content(IW_LINK_ETHERNET, ETHERNET "8864 1100 0007 0004 c021 0101", IW_CONTENT_PPP, 0xc021);
    assert_int_equal(
        decode_kind(IW_LINK_ETHERNET, ETHERNET "8864 1100 0007 0030 0021" INNER), IW_PACKET_MALFORMED);
    assert_int_equal(/* the inner packet is longer than the PPPoE payload */
        decode_kind(IW_LINK_ETHERNET, ETHERNET "8864 1100 0007 002e 0021" INNER), IW_PACKET_MALFORMED);
}

static void logical_link_control(void **state) {
    (void)state;
    carries(ETHERNET "0035 aaaa03 000000 0800" INNER);
    assert_content(IW_LINK_ETHERNET, ETHERNET "0026 424203 000000", IW_CONTENT_ETHERTYPE, 0);
}

/* ---- tunnels over IP ---- */

static void ip_in_ip(void **state) {
    (void)state;
    assert_int_equal(ip_carries(OUTER("0041", "04") INNER), 0);
    assert_carries(IW_LINK_IP, OUTER("0055", "29") INNER_6, 6);
    ip_carries("60000000 002d 04 40" IPV6_ADDRESSES INNER);
    assert_carries(IW_LINK_IP, "60000000 0041 29 40" IPV6_ADDRESSES INNER_6, 6);
    ip_carries("60000000 0035 3c 40" IPV6_ADDRESSES "04 00 010400000000" INNER);
    ip_carries(OUTER("0051", "61") "3000" INNER_ETHERNET); /* EtherIP */
    ip_carries(OUTER("0045", "89") "000c8140" INNER);      /* MPLS in IP */
}

static void authentication_header(void **state) {
    (void)state;
#define AH_TO_TCP "0604 0000 00000001 00000001 000102030405060708090a0b "
    struct built built = build("45000045 12344000 4033 0000 0a000001 0a000002" AH_TO_TCP TCP HELLO);
    struct iw_tcp_segment segment;
    assert_int_equal(decode_cut(IW_LINK_IP, &built, built.length, &segment), IW_PACKET_TCP);
    assert_int_equal(segment.length, 5);
    ip_carries(OUTER("0059", "33") "0404 0000 00000001 00000001 000102030405060708090a0b" INNER);
    assert_int_equal(decode_kind(IW_LINK_IP, "45000020 12344000 4033 0000 0a000001 0a000002"
                                             "0604 0000 00000001 00000001"),
        IW_PACKET_MALFORMED);
}

static void gre(void **state) {
    (void)state;
    assert_int_equal(ip_carries(OUTER("0045", "2f") "0000 0800" INNER), 0);
    assert_carries(IW_LINK_IP, OUTER("0059", "2f") "0000 86dd" INNER_6, 6);
    uint32_t key = ip_carries(OUTER("0051", "2f") "b000 0800 00000000 00000064 00000001" INNER);
    assert_int_equal(key, ip_carries(OUTER("0049", "2f") "2000 0800 00000064" INNER));
    assert_int_not_equal(key, ip_carries(OUTER("0049", "2f") "2000 0800 00000065" INNER));
    ip_carries(OUTER("0057", "2f") "2000 6558 00006401" INNER_ETHERNET);
    ip_carries(OUTER("0049", "2f") "0000 8847 000c8140" INNER);
    ip_carries(OUTER("0055", "2f") "4000 0800 00000000 0800 00 04 0a000009 0000 00 00" INNER);
    ip_carries(OUTER("0055", "2f") "3081 880b 0031 0001 00000001 00000002 ff03 0021" INNER);
    assert_content(
        IW_LINK_IP, OUTER("0020", "2f") "2081 880b 0000 0001 00000002", IW_CONTENT_IP_PROTOCOL, 47);
    assert_content(IW_LINK_IP, OUTER("0018", "2f") "0002 0800", IW_CONTENT_TUNNEL, 0x0800);
    ip_carries(OUTER("004d", "11") UDP("1292", "0039") "0000 0800" INNER);
}

static void erspan(void **state) {
    (void)state;
    assert_int_equal(ip_carries(OUTER("0053", "2f") "0000 88be" INNER_ETHERNET), 0);
    ip_carries(OUTER("005f", "2f") "1000 88be 00000001 10650001 00000002" INNER_ETHERNET);
    ip_carries(OUTER("0063", "2f") "1000 22eb 00000001 20650001 00000000 0000 0000" INNER_ETHERNET);
    ip_carries(
        OUTER("006b", "2f") "1000 22eb 00000001 20650001 00000000 0000 0001 1122334455667788" INNER_ETHERNET);
    ip_carries(OUTER("0055", "2f") "1000 22eb 00000001 20650001 00000000 0000 0800" INNER);
    /* ERSPAN: VLANs of the mirrored frame count, VLANs on the way to the monitor do not. */
    uint32_t mirrored = carries(ETHERNET "8100 0063 0800" OUTER(
        "0063", "2f") "1000 88be 00000001 10650001 00000002 020000000003 020000000004 8100 0007 0800" INNER);
    assert_int_equal(mirrored, carries(ETHERNET "8100 2007 0800" INNER));
    assert_int_not_equal(mirrored, carries(ETHERNET "8100 0008 0800" INNER));
}

static void vxlan(void **state) {
    (void)state;
#define VXLAN(vni) OUTER("005f", "11") UDP("12b5", "004b") "08000000" vni "00" INNER_ETHERNET
    uint32_t one = ip_carries(VXLAN("000064"));
    assert_int_not_equal(one, ip_carries(VXLAN("000065")));
    assert_int_not_equal(one, 0);
    /* a VLAN of the outer network */
    assert_int_equal(one, carries(ETHERNET "8100 0009 0800" VXLAN("000064")));
    ip_carries(OUTER("005f", "11") UDP("2118", "004b") "08000000 00006400" INNER_ETHERNET);
    ip_carries(OUTER("0051", "11") UDP("12b6", "003d") "0c000001 00006400" INNER);
    ip_carries(OUTER("005f", "11") UDP("12b6", "004b") "0c000003 00006400" INNER_ETHERNET);
    assert_content(
        IW_LINK_IP, OUTER("0024", "11") UDP("12b6", "0010") "0c000009 00006400", IW_CONTENT_TUNNEL, 9);
}

static void geneve(void **state) {
    (void)state;
    uint32_t one = ip_carries(
        OUTER("0067", "11") UDP("17c1", "0053") "0200 6558 000064 00 01020301 deadbeef" INNER_ETHERNET);
    uint32_t other = ip_carries(OUTER("005f", "11") UDP("17c1", "004b") "0000 6558 000065 00" INNER_ETHERNET);
    assert_int_not_equal(one, other);
    ip_carries(OUTER("0051", "11") UDP("17c1", "003d") "0000 0800 000064 00" INNER);
    assert_content(
        IW_LINK_IP, OUTER("0024", "11") UDP("17c1", "0010") "4000 0800 000064 00", IW_CONTENT_TUNNEL, 6081);
    assert_int_equal(decode_kind(IW_LINK_IP, OUTER("0024", "11") UDP("17c1", "0010") "0100 0800 000064 00"),
        IW_PACKET_MALFORMED);
}

/* RFC 6951 5.1: the SCTP common header follows the UDP header; the addresses are those of the IP packet. */
static void sctp_in_udp(void **state) {
    (void)state;
    static const char *const ports[] = {"26ab 26ab", "c000 26ab", "26ab c000"};
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        char hex[400];
        struct iw_tcp_segment segment;
        snprintf(hex, sizeof hex,
            OUTER("0030", "11") "%s 001c 0000 "
                                "03e8 07d0 00000007 00000000 0b000004 0e000004",
            ports[i]);
        struct built built = build(hex);
        assert_int_equal(decode_cut(IW_LINK_IP, &built, built.length, &segment), IW_PACKET_SCTP);
        assert_int_equal(segment.source.octets[3], 1);
        assert_int_equal(segment.source.port, 1000);
        assert_int_equal(segment.destination.port, 2000);
        assert_int_equal(segment.seq, 7);
        assert_int_equal(segment.length, 8);
        assert_int_equal(segment.scope, 0);
        for (uint32_t captured = 0; captured < 20 + 8 + 12; captured++) {
            enum iw_packet_kind kind = decode_cut(IW_LINK_IP, &built, captured, &segment);
            assert_true(kind == IW_PACKET_CUT || kind == IW_PACKET_OTHER);
        }
    }
    assert_int_equal(/* the inner packet is longer than the UDP datagram */
        decode_kind(IW_LINK_IP,
            OUTER("0030", "11") UDP("26ab", "001d") "03e8 07d0 00000007 00000000 0b000004 0e000004"),
        IW_PACKET_MALFORMED);
    assert_content(IW_LINK_IP,
        OUTER("0030", "11") UDP("26ac", "001c") "03e8 07d0 00000007 00000000 0b000004 0e000004",
        IW_CONTENT_UDP, 9900);
}

static void gtp(void **state) {
    (void)state;
    uint32_t one = ip_carries(OUTER("0051", "11") UDP("0868", "003d") "30ff 002d 00000011" INNER);
    uint32_t other = ip_carries(OUTER("0051", "11") UDP("0868", "003d") "30ff 002d 00000012" INNER);
    assert_int_not_equal(one, other);
    ip_carries(OUTER("0055", "11") UDP("0868", "0041") "32ff 0031 00000011 0001 00 00" INNER);
    ip_carries(OUTER("0059", "11") UDP("0868", "0045") "34ff 0035 00000011 0000 00 85 01 0011 00" INNER);
    ip_carries(OUTER("0061", "11")
            UDP("0868", "004d") "34ff 003d 00000011 0000 00 c0 01 0011 85 02 00000000 0000 00" INNER);
    assert_content(
        IW_LINK_IP, OUTER("0024", "11") UDP("0868", "0010") "3001 0000 00000000", IW_CONTENT_UDP, 2152);
    assert_int_equal(/* an extension header of length 0 */
        decode_kind(
            IW_LINK_IP, OUTER("002c", "11") UDP("0868", "0018") "34ff 0008 00000011 0000 00 85 00 0011 00"),
        IW_PACKET_MALFORMED);
    assert_int_equal(/* the inner packet is longer than the UDP datagram */
        decode_kind(IW_LINK_IP, OUTER("0051", "11") UDP("0868", "003d") "30ff 002e 00000011" INNER),
        IW_PACKET_MALFORMED);
}

/* ---- lengths ---- */

static void outer_length_bounds_the_inner(void **state) {
    (void)state;
    /* The outer packet is one octet shorter than the inner one. */
    static const char *const packets[] = {
        OUTER("0040", "04") INNER,
        OUTER("0044", "2f") "0000 0800" INNER,
        OUTER("005e", "11") UDP("12b5", "004a") "08000000 00006400" INNER_ETHERNET,
        OUTER("005f", "11") UDP("12b5", "004a") "08000000 00006400" INNER_ETHERNET,
        OUTER("005f", "11") UDP("12b5", "004c") "08000000 00006400" INNER_ETHERNET,
        OUTER("005f", "11") UDP("12b5", "0007") "08000000 00006400" INNER_ETHERNET,
        "60000000 002c 04 40" IPV6_ADDRESSES INNER,
        OUTER("0054", "29") INNER_6,
    };
    for (size_t i = 0; i < sizeof packets / sizeof packets[0]; i++)
        assert_int_equal(decode_kind(IW_LINK_IP, packets[i]), IW_PACKET_MALFORMED);
}

static void padding_after_the_inner(void **state) {
    (void)state;
    struct built built = build(OUTER("0045", "04") INNER "00000000");
    struct iw_tcp_segment segment;
    assert_int_equal(decode_cut(IW_LINK_IP, &built, built.length, &segment), IW_PACKET_TCP);
    assert_int_equal(segment.length, 5);
    built = build(ETHERNET "0800" OUTER("0041", "04") INNER "0000");
    assert_int_equal(decode_cut(IW_LINK_ETHERNET, &built, built.length, &segment), IW_PACKET_TCP);
    assert_int_equal(segment.length, 5);
}

/* Segmentation offload leaves all length fields to the network adapter. */
static void lengths_of_zero(void **state) {
    (void)state;
    ip_carries("45000000 00010000 4011 0000 c0a80001 c0a80002" UDP("12b5",
        "0000") "08000000 00006400"
                "020000000003 020000000004 0800 45000000 12344000 4006 0000 0a000001 0a000002" TCP HELLO);
}

static void write_nested(char *hex, unsigned tunnels) {
    hex[0] = '\0';
    for (unsigned i = 0; i < tunnels; i++) {
        char outer[64];

        snprintf(
            outer, sizeof outer, "4500%04x 00010000 4004 0000 c0a80001 c0a80002 ", 45 + 20 * (tunnels - i));
        strcat(hex, outer);
    }
    strcat(hex, INNER);
}

static void limit_of_nested_tunnels(void **state) {
    (void)state;
    char hex[1024];
    for (unsigned tunnels = 0; tunnels <= 8; tunnels++) {
        write_nested(hex, tunnels);
        ip_carries(hex);
    }
    write_nested(hex, 9);
    assert_content(IW_LINK_IP, hex, IW_CONTENT_TOO_DEEP, 0);
}

static void nested_tunnels(void **state) {
    (void)state;
    /* GTP-U in a VLAN in VXLAN in MPLS in PPPoE */
    carries(ETHERNET "8864 1100 0007 0099 0281 000c8140" OUTER("0093", "11") UDP("12b5",
        "007f") "08000000 00006400 020000000003 020000000004 8100 0007 0800"
                "4500005d 00010000 4011 0000 c0a80003 c0a80004" UDP("0868",
                    "0049") "30ff 0039 00000011"
                            "45000039 00010000 4033 0000 0a000001 0a000002 0601 0000 00000001 00000001" TCP
                                HELLO);
}

/* ---- contents that are named, not read ---- */

static void contents_that_are_named(void **state) {
    (void)state;
    assert_content(IW_LINK_IP, OUTER("002c", "11") UDP("12b7", "0018") "81000000 00000001 00000002 00000000",
        IW_CONTENT_ROCE_V2, 0);
    /* too short, another header version, a reserved bit (InfiniBand Architecture 9.2) */
    assert_content(IW_LINK_IP, OUTER("0022", "11") UDP("12b7", "000e") "aabb01000001", IW_CONTENT_UDP, 4791);
    assert_content(IW_LINK_IP, OUTER("002c", "11") UDP("12b7", "0018") "04010000 00000001 00000002 00000000",
        IW_CONTENT_UDP, 4791);
    assert_content(IW_LINK_IP, OUTER("002c", "11") UDP("12b7", "0018") "04000000 20000001 00000002 00000000",
        IW_CONTENT_UDP, 4791);
    assert_content(IW_LINK_ETHERNET, ETHERNET "8915 60000000 0000 1b 40", IW_CONTENT_ROCE_V1, 0);
    assert_content(IW_LINK_ETHERNET, ETHERNET "88e5 20000000 0001", IW_CONTENT_MACSEC, 0);
    assert_content(IW_LINK_ETHERNET, ETHERNET "0806 00010800 06040001", IW_CONTENT_ETHERTYPE, 0x0806);
    assert_content(IW_LINK_IP, OUTER("001c", "32") "00000001 00000001", IW_CONTENT_ESP, 0);
    assert_content(IW_LINK_IP, "60000000 0008 32 40" IPV6_ADDRESSES "00000001 00000001", IW_CONTENT_ESP, 0);
    assert_content(IW_LINK_IP, OUTER("001c", "01") "08000000 00000001", IW_CONTENT_IP_PROTOCOL, 1);
    assert_content(
        IW_LINK_IP, OUTER("0024", "11") UDP("1194", "0010") "00000001 00000001", IW_CONTENT_ESP, 0);
    assert_content(
        IW_LINK_IP, OUTER("0024", "11") UDP("1194", "0010") "00000000 00000001", IW_CONTENT_UDP, 4500);
    assert_content(IW_LINK_IP, OUTER("001d", "11") UDP("1194", "0009") "ff", IW_CONTENT_UDP, 4500);
    assert_content(IW_LINK_IP, OUTER("0020", "11") UDP("0035", "000c") "00000001", IW_CONTENT_UDP, 53);
    assert_content(IW_LINK_LOOPBACK, "07000000 00000000", IW_CONTENT_LINK, 7);
}

static void wireguard(void **state) {
    (void)state;
#define ZEROS_16 "00000000000000000000000000000000"
#define ZEROS_64 ZEROS_16 ZEROS_16 ZEROS_16 ZEROS_16
    assert_content(IW_LINK_IP, OUTER("00b0", "11") UDP("ca6c", "009c") "01000000" ZEROS_64 ZEROS_64 ZEROS_16,
        IW_CONTENT_WIREGUARD, 0);
    assert_content(IW_LINK_IP,
        OUTER("0078", "11") UDP("ca6c", "0064") "02000000" ZEROS_64 ZEROS_16 "0000000000000000",
        IW_CONTENT_WIREGUARD, 0);
    assert_content(IW_LINK_IP,
        OUTER("005c", "11") UDP("ca6c", "0048") "04000000 00000001" ZEROS_16 ZEROS_16 ZEROS_16
                                                "0000000000000000",
        IW_CONTENT_WIREGUARD, 0);
    assert_content(IW_LINK_IP, OUTER("0021", "11") UDP("ca6c", "000d") "04000000 00", IW_CONTENT_UDP, 49152);
}

static void port_mapper(void **state) {
    (void)state;
    struct built built = build(OUTER("0020", "11") UDP("0f5f", "000c") "04000000");
    struct iw_packet packet = {IW_LINK_IP, built.octets, built.length, built.length, 42, 99};
    struct iw_tcp_segment segment;
    struct iw_packet_facts facts;

    assert_int_equal(iw_packet_find(&packet, &segment, &facts), IW_PACKET_OTHER);
    assert_int_equal(facts.content, IW_CONTENT_PORT_MAPPER);
    assert_int_equal(segment.destination.port, 3935);
    assert_int_equal(segment.captured, 4);
    assert_int_equal(segment.payload[0], 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mpls),
        cmocka_unit_test(mpls_pseudo_wire),
        cmocka_unit_test(pppoe),
        cmocka_unit_test(logical_link_control),
        cmocka_unit_test(ip_in_ip),
        cmocka_unit_test(authentication_header),
        cmocka_unit_test(gre),
        cmocka_unit_test(erspan),
        cmocka_unit_test(vxlan),
        cmocka_unit_test(geneve),
        cmocka_unit_test(sctp_in_udp),
        cmocka_unit_test(gtp),
        cmocka_unit_test(outer_length_bounds_the_inner),
        cmocka_unit_test(padding_after_the_inner),
        cmocka_unit_test(lengths_of_zero),
        cmocka_unit_test(limit_of_nested_tunnels),
        cmocka_unit_test(nested_tunnels),
        cmocka_unit_test(contents_that_are_named),
        cmocka_unit_test(wireguard),
        cmocka_unit_test(port_mapper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
