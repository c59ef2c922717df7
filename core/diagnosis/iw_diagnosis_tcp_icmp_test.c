#include "iw_diagnosis_test.h"

/* ICMP errors about segments of side A. */

/* The router with address 192.0.2.254 reports about the octet `seq`, first in frame 9. */
static struct iw_tcp_rejection reports(enum iw_icmp_kind kind, uint8_t code, uint32_t seq) {
    return (struct iw_tcp_rejection){.icmp = {.kind = kind,
                                         .type = 3,
                                         .code = code,
                                         .reporter = {.octets = {192, 0, 2, 254}, .version = 4}},
        .seq = seq,
        .count = 2,
        .first = {9, SECOND},
        .last = {12, 4 * SECOND}};
}

/* Side A has 1,400 octets in flight, and sends them four times more up to frame 14; side B was captured up to
 * frame 7. */
static void sends_again(void) {
    struct iw_tcp_life_side *own = &life.side[IW_SIDE_A];

    ends(IW_LLP_CLOSE_ABORTIVE);
    own->has_next = own->has_acked = true;
    own->acked_seq = 1000;
    own->next = own->shown = 2400;
    own->largest_acked_octets = 200;
    life.side[IW_SIDE_B].segments = 3;
    life.side[IW_SIDE_B].last.frame = 7;
    tcp_trouble.resend = (struct iw_tcp_resend){
        .seq = 1000, .octets = 1400, .count = 4, .first = {10, 2 * SECOND}, .last = {14, 15 * SECOND}};
}

static void a_reported_mtu_makes_a_black_hole_certain(void **state) {
    (void)state;
    sends_again();
    assert_string_equal(first(), "mtu-black-hole");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    tcp_trouble.too_big = reports(IW_ICMP_TOO_BIG, 4, 1000);
    tcp_trouble.too_big.icmp.mtu = 1280;
    assert_string_equal(first(), "mtu-black-hole");
    assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
    assert_string_equal(diagnosis.causes[0].detail,
        "192.0.2.254 reports in frame 12 that the packet is too big (ICMP type 3, code 4), and an MTU of "
        "1280 "
        "octets; the initiator sent the segment of 1400 octets 4 times more, and it was never acknowledged.");
    assert_int_equal(diagnosis.causes[0].frames[0], 9);
    tcp_trouble.too_big.icmp.mtu = 1440; /* 1,400 octets fit into this with both headers */
    first();
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    tcp_trouble.too_big.icmp.mtu = 1439;
    first();
    assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
    tcp_trouble.too_big.seq = 999; /* about octets that arrived after all */
    first();
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
}

/* RFC 1191 6.3: a host that uses the error sends smaller segments at once. */
static void a_host_that_has_not_sent_again_may_use_the_error(void **state) {
    (void)state;
    sends_again();
    tcp_trouble.too_big = reports(IW_ICMP_TOO_BIG, 4, 1000);
    tcp_trouble.resend.last.frame = 8; /* before the error */
    assert_string_equal(first(), "mtu-black-hole");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    tcp_trouble.resend.last.frame = 14;
    tcp_trouble.resend.count = 2;
    assert_string_equal(first(), "");
}

static void a_router_reports_that_the_host_is_unreachable(void **state) {
    (void)state;
    sends_again();
    tcp_trouble.refused = reports(IW_ICMP_UNREACHABLE, 1, 1000);
    assert_string_equal(first(), "host-unreachable");
    assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
    assert_int_equal(diagnosis.causes[0].side, IW_SIDE_B);
    assert_string_equal(iw_diagnosed_next(&diagnosis.causes[0]),
        "Look at the path from where the error comes to the responder: link down, route lost, host stopped.");
    tcp_trouble.refused.icmp.kind = IW_ICMP_PROHIBITED;
    first();
    assert_non_null(strstr(iw_diagnosed_next(&diagnosis.causes[0]), "Look at the firewall of 192.0.2.254"));
    life.side[IW_SIDE_B].last.frame = 13; /* the host is there again */
    assert_string_not_equal(first(), "host-unreachable");
    life.side[IW_SIDE_B].last.frame = 7;
    life.side[IW_SIDE_A].acked_seq = 2400; /* everything arrived */
    assert_string_not_equal(first(), "host-unreachable");
}

static void an_error_shortly_before_the_end_of_the_capture_may_pass(void **state) {
    (void)state;
    sends_again();
    history.side[IW_SIDE_A].close_kind = IW_LLP_CLOSE_INPUT;
    history.side[IW_SIDE_A].close.frame = 0;
    tcp_trouble.refused = reports(IW_ICMP_UNREACHABLE, 1, 1000);
    first();
    for (unsigned i = 0; i < diagnosis.count; i++)
        assert_int_equal(diagnosis.causes[i].confidence, IW_CONFIDENCE_POSSIBLE);
    assert_string_equal(diagnosis.causes[0].cause->id, "host-unreachable");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_reported_mtu_makes_a_black_hole_certain),
        TEST(a_host_that_has_not_sent_again_may_use_the_error),
        TEST(a_router_reports_that_the_host_is_unreachable),
        TEST(an_error_shortly_before_the_end_of_the_capture_may_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
