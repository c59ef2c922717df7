#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "iw_marker.h"

static void distance_counts_to_the_next_multiple_of_512(void **state) {
    (void)state;
    assert_int_equal(iw_marker_distance(0), 0);
    assert_int_equal(iw_marker_distance(1), 511);
    assert_int_equal(iw_marker_distance(4), 508);
    assert_int_equal(iw_marker_distance(511), 1);
    assert_int_equal(iw_marker_distance(512), 0);
    assert_int_equal(iw_marker_distance(513), 511);
}

static void distance_is_right_beyond_32_bits(void **state) {
    (void)state;
    assert_int_equal(iw_marker_distance(UINT64_C(0x100000000)), 0);
    assert_int_equal(iw_marker_distance(UINT64_C(0xFFFFFFFC)), 4);
    assert_int_equal(iw_marker_distance(UINT64_MAX), 1);
}

/* Sizes counted by hand on a drawing of the stream. `plain` octets are ULPDU_Length to CRC. */
static const struct {
    const char *place;
    uint64_t position;
    uint32_t plain;
    uint32_t wire;
} sizes[] = {
    {"before ULPDU_Length at the start", 0, 48, 52},
    {"as in Figure 6: at 512, inside", 492, 48, 52},
    {"none: ends one word before the next", 4, 504, 504},
    {"directly after the CRC: belongs to the next", 4, 508, 508},
    {"directly after the CRC, small FPDU", 492, 20, 20},
    {"before the CRC", 4, 512, 516},
    {"before the CRC, small FPDU", 496, 20, 24},
    {"splits TO: 12 octets into the FPDU", 500, 28, 32},
    {"directly after ULPDU_Length and the control octets", 508, 20, 24},
    {"before ULPDU_Length at 512", 512, 28, 32},
    {"at the start, and one directly after the CRC", 0, 508, 512},
    {"at the start and before the CRC", 0, 512, 520},
    {"three: 0, 512 and before the CRC at 1024", 0, 1020, 1032},
    {"two, the third directly after the CRC", 0, 1016, 1024},
    {"the largest ULPDU_Length, 65535", 0, 65544, 66064},
};

static void wire_octets_at_marker_boundaries(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        print_message("%s\n", sizes[i].place);
        assert_int_equal(iw_marker_wire_octets(sizes[i].position, sizes[i].plain), sizes[i].wire);
    }
}

/* Counts octet by octet, with four more wherever a Marker is due. */
static void wire_octets_match_an_octet_by_octet_count(void **state) {
    (void)state;
    for (uint64_t position = 0; position < 1024; position++) {
        uint64_t at = position;

        for (uint32_t plain = 1; plain <= 1100; plain++) {
            at += at % 512 == 0 ? 5 : 1;
            if (plain >= 8 && iw_marker_wire_octets(position, plain) != at - position)
                fail_msg("position %u, plain %u", (unsigned)position, plain);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_counts_to_the_next_multiple_of_512),
        cmocka_unit_test(distance_is_right_beyond_32_bits),
        cmocka_unit_test(wire_octets_at_marker_boundaries),
        cmocka_unit_test(wire_octets_match_an_octet_by_octet_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
