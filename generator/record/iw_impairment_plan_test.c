#include "iw_impairment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static struct iw_impairment_plan parse(const char *text) {
    struct iw_impairment_plan plan = {.seed = 3};
    char error[IW_IMPAIRMENT_TEXT_OCTETS];

    if (!iw_impairment_parse(text, &plan, error))
        fail_msg("%s: %s", text, error);
    return plan;
}

static void parses_every_name(void **state) {
    struct iw_impairment_plan plan = parse(
        "loss=1%,retransmit=0.5%,reorder=5%,duplicate=2.25%,overlap=100%,acks=0%,segment=1..1448,wrap=100,"
        "vlan=7,ipv6,snaplen=96,midstream=1000,reuse,direction=responder");

    (void)state;
    assert_int_equal(plan.seed, 3);
    assert_int_equal(plan.chance[IW_IMPAIRMENT_LOSS], 10000);
    assert_int_equal(plan.chance[IW_IMPAIRMENT_RETRANSMIT], 5000);
    assert_int_equal(plan.chance[IW_IMPAIRMENT_REORDER], 50000);
    assert_int_equal(plan.chance[IW_IMPAIRMENT_DUPLICATE], 22500);
    assert_int_equal(plan.chance[IW_IMPAIRMENT_OVERLAP], 1000000);
    assert_int_equal(plan.chance[IW_IMPAIRMENT_ACKS], 0);
    assert_int_equal(plan.segment_least, 1);
    assert_int_equal(plan.segment_most, 1448);
    assert_true(plan.wrap);
    assert_int_equal(iw_impairment_wrap(&plan), 100);
    assert_int_equal(plan.vlan, 7);
    assert_true(plan.ipv6);
    assert_int_equal(plan.snaplen, 96);
    assert_true(plan.midstream);
    assert_true(plan.reuse);
    assert_int_equal(plan.midstream_octets, 1000);
    assert_true(plan.one_direction);
    assert_int_equal(plan.direction, IW_SIDE_B);
}

static void parses_names_without_values(void **state) {
    struct iw_impairment_plan plan = parse("wrap,midstream,segment=65000,direction=initiator");

    (void)state;
    assert_true(plan.wrap && plan.wrap_octets == 0);
    assert_in_range(iw_impairment_wrap(&plan), 1, 4096);
    assert_true(plan.midstream && plan.midstream_octets == 0);
    assert_true(plan.segment_least == 65000 && plan.segment_most == 65000);
    assert_true(plan.one_direction && plan.direction == IW_SIDE_A);
}

static void knows_which_names_move_packets(void **state) {
    static const struct {
        const char *text;
        bool moves;
    } rows[] = {{"vlan=7,ipv6,snaplen=96,wrap", false}, {"loss=0%", false}, {"loss=1%", true},
        {"acks=1%", true}, {"segment=9", true}, {"midstream", true}, {"reuse", true},
        {"direction=responder", true}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct iw_impairment_plan plan = parse(rows[i].text);

        assert_int_equal(iw_impairment_changes_packets(&plan), rows[i].moves);
    }
}

static void reports_mistakes(void **state) {
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"", "an empty impairment is given"},
        {"ipv6,", "an empty impairment is given"},
        {"jitter=1%", "unknown impairment jitter (there are loss, retransmit, reorder, duplicate, overlap, "
                      "acks, resets, cross, "
                      "segment, wrap, vlan, ipv6, snaplen, midstream, reuse, direction)"},
        {"ipv6,vlan=1,ipv6", "ipv6 is given twice"},
        {"loss", "loss takes a share of the packets such as 1%"},
        {"loss=1", "loss takes a share of the packets such as 1%, not 1"},
        {"loss=101%", "loss takes a share of the packets such as 1%, not 101%"},
        {"loss=100.1%", "loss takes a share of the packets such as 1%, not 100.1%"},
        {"loss=-1%", "loss takes a share of the packets such as 1%, not -1%"},
        {"loss=1.%", "loss takes a share of the packets such as 1%, not 1.%"},
        {"segment=0", "segment takes octets from 1 to 65000, or a range of them such as 1..1448, not 0"},
        {"segment=9..8",
            "segment takes octets from 1 to 65000, or a range of them such as 1..1448, not 9..8"},
        {"segment=1..65001",
            "segment takes octets from 1 to 65000, or a range of them such as 1..1448, not 1..65001"},
        {"vlan=4095", "vlan takes a VLAN identifier from 1 to 4094, not 4095"},
        {"vlan=0", "vlan takes a VLAN identifier from 1 to 4094, not 0"},
        {"ipv6=yes", "ipv6 takes no value, not yes"},
        {"snaplen=0", "snaplen takes octets from 1 to 262144, not 0"},
        {"wrap=0", "wrap takes the octets before the wrap, or nothing, not 0"},
        {"reuse=1", "reuse takes no value, not 1"},
        {"midstream=x", "midstream takes the octets that are missing, or nothing, not x"},
        {"direction=both", "direction takes initiator or responder, not both"},
        {"vlan=0000000000000000000000000000000000000000000000000000000000000007",
            "too long an impairment is given"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct iw_impairment_plan plan = {0};
        char error[IW_IMPAIRMENT_TEXT_OCTETS];

        assert_false(iw_impairment_parse(rows[i].text, &plan, error));
        assert_string_equal(error, rows[i].error);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses_every_name),
        cmocka_unit_test(parses_names_without_values),
        cmocka_unit_test(knows_which_names_move_packets),
        cmocka_unit_test(reports_mistakes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
