#include "iw_conversation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct iw_conversation c;

static void send(enum iw_side side, const char *control, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char ulpdu[64];

        snprintf(ulpdu, sizeof ulpdu, "%s00000001 00000000 000000%02zx 61626364", control, 4 * i);
        iw_conversation_fpdu(&c, side, ulpdu);
    }
}

/* Segments of an RDMA Write, four octets of payload in each. */
static void reports_the_16th_small_segment_that_is_not_the_last(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    send(IW_SIDE_A, "8140", 16);
    iw_conversation_expect(&c, "RFC5044-4.5-05", BY_INITIATOR, .frame = 18, .offset = 20 + 15 * 24,
        .octets = 2, .field = "mpa.ulpdu_length", .expected = "at least 128", .actual = "18");
    iw_conversation_fpdu(&c, IW_SIDE_A, "8140 00000001 00000000 00000040 61626364");
    iw_conversation_fpdu(&c, IW_SIDE_A, "c140 00000001 00000000 00000044 61626364");
    iw_conversation_end(&c);
}

static void accepts_a_few_small_segments(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    send(IW_SIDE_A, "8140", 15);
    iw_conversation_fpdu(&c, IW_SIDE_A, "c140 00000001 00000000 0000003c 61626364");
    send(IW_SIDE_A, "c140", 16);
    send(IW_SIDE_B, "8140", 15);
    iw_conversation_end(&c);
}

static void accepts_any_number_of_segments_that_are_not_small(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    for (unsigned i = 0; i < 20; i++) {
        char ulpdu[64];

        snprintf(ulpdu, sizeof ulpdu, "8140 00000001 00000000 %08x", 114 * i);
        iw_conversation_fill(&c, IW_SIDE_A, ulpdu, 114);
    }
    iw_conversation_end(&c);
}

/* The MSS of one side limits the segments of the other. */
static void announce(uint16_t a, uint16_t b, const char *reply) {
    iw_conversation_init(&c, IW_EXT_ALL);
    c.mss = a;
    iw_conversation_start(&c, IW_SIDE_A);
    c.mss = b;
    iw_conversation_start(&c, IW_SIDE_B);
    iw_conversation_say(&c, IW_SIDE_A, "M01");
    iw_conversation_say(&c, IW_SIDE_B, reply);
}

#define SEND(msn) "4143 00000000 00000000 0000000" msn " 00000000"

/* 1461 - (6 + 1) is 1454 (RFC 5044 4.5). */
static void reports_the_first_ulpdu_above_the_mulpdu(void **state) {
    uint64_t at;

    (void)state;
    announce(9000, 1461, "M03");
    iw_conversation_fill(&c, IW_SIDE_A, SEND("1"), 1436);
    at = iw_conversation_fill(&c, IW_SIDE_A, SEND("2"), 1437);
    iw_conversation_expect(&c, "RFC5044-3-03", BY_INITIATOR, .frame = 4, .offset = at, .octets = 2,
        .field = "mpa.ulpdu_length", .expected = "at most 1454", .actual = "1455");
    iw_conversation_fill(&c, IW_SIDE_A, SEND("3"), 2000);
    iw_conversation_fill(&c, IW_SIDE_B, SEND("1"), 2000);
    iw_conversation_end(&c);
}

/* 1460 - (6 + 4 * 3) is 1442; the FPDU begins with a Marker and has two inside. */
static void reports_a_ulpdu_above_the_mulpdu_with_markers(void **state) {
    char text[96];

    (void)state;
    for (size_t octets = 1442; octets <= 1444; octets += 2) {
        size_t marked = 490 - 2; /* payload octets up to the Marker at 512: after 4 + 2 + 18 octets */

        announce(1460, 1460, "M10");
        snprintf(text, sizeof text,
            "00000000 %04zx 4143 00000000 00000000 00000001 00000000 *%zu 000001fc *508 000003fc *%zu",
            octets, marked, octets - 18 - marked - 508 + (octets == 1444 ? 2 : 0));
        iw_conversation_sum(&c, IW_SIDE_A, text);
        if (octets > 1442)
            iw_conversation_expect(&c, "RFC5044-3-03", BY_INITIATOR, .frame = 3, .offset = 24, .octets = 2,
                .field = "mpa.ulpdu_length", .expected = "at most 1442", .actual = "1444");
        iw_conversation_end(&c);
    }
}

/* The MULPDU is at least 128; without an announced MSS, any size is allowed. */
static void accepts_what_no_mss_forbids(void **state) {
    (void)state;
    announce(60, 0, "M03");
    iw_conversation_fill(&c, IW_SIDE_A, SEND("1"), 30000);
    iw_conversation_fill(&c, IW_SIDE_B, SEND("1"), 110);
    iw_conversation_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_the_16th_small_segment_that_is_not_the_last),
        cmocka_unit_test(accepts_a_few_small_segments),
        cmocka_unit_test(accepts_any_number_of_segments_that_are_not_small),
        cmocka_unit_test(reports_the_first_ulpdu_above_the_mulpdu),
        cmocka_unit_test(reports_a_ulpdu_above_the_mulpdu_with_markers),
        cmocka_unit_test(accepts_what_no_mss_forbids),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
