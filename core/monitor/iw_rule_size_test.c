#include "iw_conversation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
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

static void takes_a_few_small_segments(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    send(IW_SIDE_A, "8140", 15);
    iw_conversation_fpdu(&c, IW_SIDE_A, "c140 00000001 00000000 0000003c 61626364");
    send(IW_SIDE_A, "c140", 16);
    send(IW_SIDE_B, "8140", 15);
    iw_conversation_end(&c);
}

static void takes_any_number_of_segments_that_are_not_small(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    for (unsigned i = 0; i < 20; i++) {
        char ulpdu[64];

        snprintf(ulpdu, sizeof ulpdu, "8140 00000001 00000000 %08x", 114 * i);
        iw_conversation_fill(&c, IW_SIDE_A, ulpdu, 114);
    }
    iw_conversation_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_the_16th_small_segment_that_is_not_the_last),
        cmocka_unit_test(takes_a_few_small_segments),
        cmocka_unit_test(takes_any_number_of_segments_that_are_not_small),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
