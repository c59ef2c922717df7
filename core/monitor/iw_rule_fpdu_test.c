#include "iw_conversation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct iw_conversation c;

/* ---- ULPDU_Length ---- */

static void reports_a_ulpdu_that_is_too_long(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    at = iw_conversation_fill(&c, IW_SIDE_A, "4143 00000000 00000000 00000001 00000000", 64751);
    iw_conversation_expect(&c, "RFC5044-3-05", BY_INITIATOR, .frame = 3, .offset = at, .octets = 2,
        .field = "mpa.ulpdu_length", .expected = "at most 64768", .actual = "64769");
    iw_conversation_end(&c);
}

static void accepts_the_longest_ulpdu(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_fill(&c, IW_SIDE_A, "4143 00000000 00000000 00000001 00000000", 64750);
    iw_conversation_end(&c);
}

static void expect_too_short(const char *ulpdu, const char *expected, const char *actual) {
    uint64_t at;

    iw_conversation_open(&c, "M01", "M03");
    at = iw_conversation_fpdu(&c, IW_SIDE_A, ulpdu);
    iw_conversation_expect(&c, "RFC5044-4.1-04", BY_INITIATOR, .frame = 3, .offset = at, .octets = 2,
        .field = "mpa.ulpdu_length", .expected = expected, .actual = actual);
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_end(&c);
}

static void reports_a_ulpdu_without_a_complete_header(void **state) {
    (void)state;
    expect_too_short("4143 00000000 00000000 00000001 000000", "at least 18", "17");
    expect_too_short("c140 00000001 00000000 000000", "at least 14", "13");
    expect_too_short("c1", "at least 14", "1");
}

static void reports_an_fpdu_without_a_ulpdu(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    at = iw_conversation_fpdu(&c, IW_SIDE_A, "");
    iw_conversation_expect(&c, "RFC5044-3-01", BY_INITIATOR, .frame = 4, .offset = at, .octets = 2,
        .field = "mpa.ulpdu_length", .expected = "at least 1", .actual = "0");
    iw_conversation_say(&c, IW_SIDE_A, "F09");
    iw_conversation_end(&c);
}

/* Two octets of 0 may begin an unrequested Marker; after the first FPDU there is no doubt. */
static void judges_no_first_fpdu_without_a_ulpdu_of_which_the_crc_is_truncated(void **state) {
    uint64_t at;

    (void)state;
    for (size_t count = 2; count < 8; count++) {
        iw_conversation_open(&c, "M01", "M03");
        iw_conversation_say_cut(&c, IW_SIDE_A, "0000000000000000", count, 32);
        assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_CRC), 1);
        iw_conversation_end(&c);
    }
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    at = iw_conversation_say_cut(&c, IW_SIDE_A, "0000", 2, 8);
    iw_conversation_expect(&c, "RFC5044-3-01", BY_INITIATOR, .frame = 5, .offset = at, .octets = 2,
        .field = "mpa.ulpdu_length", .expected = "at least 1", .actual = "0");
    iw_conversation_end(&c);
}

static void accepts_the_shortest_ulpdus(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F08");
    iw_conversation_say(&c, IW_SIDE_A, "F02");
    iw_conversation_end(&c);
}

/* ---- PAD ---- */

/* F07 has its three PAD octets at 25. */
static void reports_a_pad_octet_that_is_not_zero(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    at = iw_conversation_change(&c, IW_SIDE_A, "F07", 26, "0102");
    iw_conversation_expect(&c, "RFC5044-4.1-02", BY_INITIATOR, .frame = 3, .offset = at + 26, .octets = 1,
        .expected = "0", .actual = "1");
    iw_conversation_end(&c);
}

/* The last payload octets are FFh, the PAD octets 0. */
static void accepts_pad_of_every_length(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4143 00000000 00000000 00000001 00000000 ff");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4143 00000000 00000000 00000002 00000000 ffff");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4143 00000000 00000000 00000003 00000000 ffffff");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4143 00000000 00000000 00000004 00000000 ffffffff");
    iw_conversation_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_a_ulpdu_that_is_too_long),
        cmocka_unit_test(accepts_the_longest_ulpdu),
        cmocka_unit_test(reports_a_ulpdu_without_a_complete_header),
        cmocka_unit_test(reports_an_fpdu_without_a_ulpdu),
        cmocka_unit_test(judges_no_first_fpdu_without_a_ulpdu_of_which_the_crc_is_truncated),
        cmocka_unit_test(accepts_the_shortest_ulpdus),
        cmocka_unit_test(reports_a_pad_octet_that_is_not_zero),
        cmocka_unit_test(accepts_pad_of_every_length),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
