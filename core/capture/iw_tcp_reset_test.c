#include "iw_tcp_reset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* Octets 100 to 199 were captured, and possibly acknowledged. */

static enum iw_tcp_reset_rank rank_of(uint32_t seq, bool has_ack, uint32_t acked) {
    const struct iw_tcp_reset_place place = {.next = 200, .seen = 200, .has_ack = has_ack, .acked = acked};

    return iw_tcp_reset_rank(&place, seq);
}

static void at_the_next_octet(void **state) {
    (void)state;
    assert_int_equal(rank_of(200, false, 0), IW_TCP_RESET_EXACT);
    /* the other octets may have arrived before the RST */
    assert_int_equal(rank_of(200, true, 150), IW_TCP_RESET_EXACT);
    assert_int_equal(rank_of(200, true, 200), IW_TCP_RESET_EXACT);
}

/* A host that no longer knows the connection answers with a RST; its sequence number is the acknowledgement
 * number of the segment (RFC 9293 3.5.2). Octets after that may have been lost. */
static void at_the_acknowledged_number(void **state) {
    (void)state;
    assert_int_equal(rank_of(150, true, 150), IW_TCP_RESET_EXACT);
    /* the capture lacks octets before the RST */
    assert_int_equal(rank_of(300, true, 300), IW_TCP_RESET_EXACT);
}

static void before_the_acknowledged_number(void **state) {
    (void)state;
    assert_int_equal(rank_of(199, true, 200), IW_TCP_RESET_NONE);
    assert_int_equal(rank_of(200, true, 201), IW_TCP_RESET_NONE);
    assert_int_equal(rank_of(0, true, 200), IW_TCP_RESET_NONE);
}

/* Octets before the RST may be missing in the capture, or captured octets may have been lost. */
static void other_numbers_are_possible(void **state) {
    (void)state;
    assert_int_equal(rank_of(201, true, 200), IW_TCP_RESET_POSSIBLE);
    assert_int_equal(rank_of(200 + (1 << 24), true, 200), IW_TCP_RESET_POSSIBLE);
    assert_int_equal(rank_of(180, true, 150), IW_TCP_RESET_POSSIBLE);
    assert_int_equal(rank_of(180, false, 0), IW_TCP_RESET_POSSIBLE);
}

static void far_from_everything(void **state) {
    (void)state;
    assert_int_equal(rank_of(201 + (1 << 24), true, 200), IW_TCP_RESET_NONE);
    assert_int_equal(rank_of(0x80000000, false, 0), IW_TCP_RESET_NONE);
    assert_int_equal(rank_of(0x90000000, false, 0), IW_TCP_RESET_NONE);
}

/* Octets 150 to 159 are missing. */
static void after_a_hole(void **state) {
    const struct iw_tcp_reset_place place = {.next = 150, .seen = 200};

    (void)state;
    assert_int_equal(iw_tcp_reset_rank(&place, 200), IW_TCP_RESET_POSSIBLE);
    assert_int_equal(iw_tcp_reset_rank(&place, 150), IW_TCP_RESET_POSSIBLE);
}

/* The FIN has sequence number 199. */
static void after_the_fin(void **state) {
    const struct iw_tcp_reset_place place = {
        .next = 200, .seen = 200, .closed = true, .has_ack = true, .acked = 200};

    (void)state;
    assert_int_equal(iw_tcp_reset_rank(&place, 200), IW_TCP_RESET_EXACT);
    assert_int_equal(iw_tcp_reset_rank(&place, 201), IW_TCP_RESET_NONE);
    assert_int_equal(iw_tcp_reset_rank(&place, 199), IW_TCP_RESET_NONE);
}

static void the_better_one_is_kept(void **state) {
    struct iw_tcp_reset kept = {0};
    const struct iw_tcp_reset none = {.frame = 1, .seq = 7, .rank = IW_TCP_RESET_NONE},
                              possible = {.frame = 2, .seq = 210, .rank = IW_TCP_RESET_POSSIBLE},
                              exact = {.frame = 3, .seq = 200, .rank = IW_TCP_RESET_EXACT},
                              again = {.frame = 4, .seq = 200, .rank = IW_TCP_RESET_EXACT};

    (void)state;
    assert_true(iw_tcp_reset_keep(&kept, &none));
    assert_int_equal(kept.rank, IW_TCP_RESET_NONE);
    assert_false(iw_tcp_reset_keep(&kept, &possible));
    assert_int_equal(kept.frame, 2);
    assert_true(iw_tcp_reset_keep(&kept, &exact));
    assert_int_equal(kept.frame, 3);
    assert_true(iw_tcp_reset_keep(&kept, &possible));
    assert_false(iw_tcp_reset_keep(&kept, &again));
    assert_int_equal(kept.frame, 3);
}

static void refuted_by_later_segments(void **state) {
    const struct iw_tcp_reset reset = {.seq = 200, .end = 220, .rank = IW_TCP_RESET_POSSIBLE};
    struct iw_tcp_reset kept = reset;

    (void)state;
    assert_false(iw_tcp_reset_followed(&kept, 220)); /* it was already on its way */
    assert_true(iw_tcp_reset_followed(&kept, 221));
    assert_int_equal(kept.rank, IW_TCP_RESET_NONE);
    assert_false(iw_tcp_reset_followed(&kept, 221));
    kept = reset;
    assert_false(iw_tcp_reset_acked(&kept, 200));
    assert_true(iw_tcp_reset_acked(&kept, 201));
    assert_int_equal(kept.rank, IW_TCP_RESET_NONE);
    assert_false(iw_tcp_reset_acked(&kept, 201));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_the_next_octet),
        cmocka_unit_test(at_the_acknowledged_number),
        cmocka_unit_test(before_the_acknowledged_number),
        cmocka_unit_test(other_numbers_are_possible),
        cmocka_unit_test(far_from_everything),
        cmocka_unit_test(after_a_hole),
        cmocka_unit_test(after_the_fin),
        cmocka_unit_test(the_better_one_is_kept),
        cmocka_unit_test(refuted_by_later_segments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
