#include "iw_dialogue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* PD_Length differs from the octets that follow (RFC 5044 7.1.1): reported once, at the startup frame, and
 * never instead of a fault of the first FPDU. */

#define SEND(msn) "4143 00000000 00000000 0000000" msn " 00000000 "
/* The Send K01 of the vectors: the first Marker, and a ULPDU of 42 octets. */
#define MARKED                                                                                               \
    "00000000 002a4143 00000000 00000000 00000001 00000000 00000000 00000000 00000000 00000000 00000000 "    \
    "00000000 52239983"

/* M, C: of the Request whose PD_Length is 8, and of its Reply. */
struct flags {
    const char *request, *reply;
};

static void open_with(const struct flags *flags, const char *private_data) {
    char request[256];
    char reply[128];

    snprintf(request, sizeof request, REQUEST "%s010008 %s", flags->request, private_data);
    snprintf(reply, sizeof reply, REPLY "%s010000", flags->reply);
    iw_conversation_open(&c, request, reply);
}

static void expect_length(const char *private_octets, uint32_t surplus) {
    iw_conversation_expect(&c, "RFC5044-7.1.1-15", BY_INITIATOR, .frame = 1, .offset = 28, .octets = surplus,
        .expected = private_octets, .actual = "8");
}

static const struct flags unmarked[] = {{"40", "40"}, {"00", "00"}};

static void reports_private_data_that_pd_length_omits(void **state) {
    static const struct {
        const char *data, *octets;
        uint32_t surplus;
    } private[] = {
        {"0102030405060708 09", "9", 1},
        {"0102030405060708 00", "9", 1},
        {"0102030405060708 00100008", "12", 4},
        {"7365727669636520 706f72743d34343230", "17", 9},
        {"0102030405060708 68656c6c6f20776f726c642c2068656c6c6f", "26", 18},
        {"0102030405060708 68656c6c6f20776f726c642c2068656c6c6f20776f726c64", "32", 24},
    };

    (void)state;
    for (size_t f = 0; f < 2; f++)
        for (size_t i = 0; i < sizeof private / sizeof *private; i++) {
            open_with(&unmarked[f], private[i].data);
            ask(SEND("1") "6f6b");
            ask(SEND("2") "6f6b");
            ask(SEND("3") "6f6b");
            expect_length(private[i].octets, private[i].surplus);
            assert_int_equal(c.events[IW_LLP_SEGMENT], 3);
            iw_conversation_end(&c);
        }
}

static void reports_it_where_markers_are_in_use(void **state) {
    static const struct flags marked[] = {{"40", "c0"}, {"00", "80"}};

    (void)state;
    for (size_t f = 0; f < 2; f++) {
        open_with(&marked[f], "0102030405060708 09");
        iw_conversation_say(&c, IW_SIDE_A, MARKED);
        ask(SEND("2") "6f6b");
        iw_conversation_fill(&c, IW_SIDE_A, SEND("3"), 100);
        expect_length("9", 1);
        assert_int_equal(c.events[IW_LLP_SEGMENT], 3);
        iw_conversation_end(&c);
    }
}

/* A single FPDU after octets that PD_Length does not count is enough, if the responder then sends or the
 * connection ends. */
static void reports_it_before_the_answer(void **state) {
    (void)state;
    for (size_t f = 0; f < 2; f++) {
        open_with(&unmarked[f], "0102030405060708 09");
        ask(SEND("1") "6f6b");
        answer(SEND("1") "6f6b");
        expect_length("9", 1);
        iw_conversation_end(&c);

        open_with(&unmarked[f], "0102030405060708 09");
        ask(SEND("1") "6f6b");
        iw_conversation_fin(&c, IW_SIDE_A);
        expect_length("9", 1);
        iw_conversation_end(&c);
    }
}

static void reports_it_of_a_reply(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "00010000", REPLY "00010008 0102030405060708 09");
    ask(SEND("1") "6f6b");
    answer(SEND("1") "6f6b");
    answer(SEND("2") "6f6b");
    answer(SEND("3") "6f6b");
    iw_conversation_expect(&c, "RFC5044-7.1.1-15", BY_RESPONDER, .frame = 2, .offset = 28, .octets = 1,
        .expected = "9", .actual = "8");
    iw_conversation_end(&c);
}

static bool is_told(const char *id) {
    for (size_t i = 0; i < c.finding_count; i++)
        if (strcmp(c.findings[i].requirement->id, id) == 0)
            return true;
    return false;
}

/* A Send without payload, F08 of the vectors, with each octet except those of payload and MSN set to each
 * value: with its CRC, with the right CRC, and without CRC. */
static void blames_no_startup_frame_for_a_wrong_first_fpdu(void **state) {
    static const uint8_t send[] = {0, 0x12, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0};
    static const struct flags *const flags[] = {&unmarked[0], &unmarked[0], &unmarked[1]};

    (void)state;
    for (unsigned how = 0; how < 3; how++) {
        for (unsigned i = 0; i < 256 * sizeof send; i++) {
            char text[128] = "";

            if (i / 256 >= 4 && i / 256 < 8)
                continue;
            for (unsigned at = 0; at < sizeof send; at++)
                snprintf(text + 2 * at, 3, "%02x", at == i / 256 ? i % 256 : send[at]);
            strcat(text, "00000001 00000000");
            open_with(flags[how], "0102030405060708");
            if (how == 0)
                strcat(text, "587be8c4");
            if (how == 0)
                iw_conversation_say(&c, IW_SIDE_A, text);
            else
                iw_conversation_sum(&c, IW_SIDE_A, text);
            for (unsigned msn = 2; msn < 5; msn++)
                ask(msn == 2 ? SEND("2") "6f6b" : msn == 3 ? SEND("3") "6f6b" : SEND("4") "6f6b");
            iw_conversation_finish(&c);
            if (is_told("RFC5044-7.1.1-15"))
                fprintf(stderr, "%u: %s\n", how, text);
            assert_false(is_told("RFC5044-7.1.1-15"));
            c.expected_count = c.finding_count;
            iw_conversation_end(&c);
        }
    }
}

/* Its CRC is right, so it was meant as an FPDU: DV, RV or the opcode is wrong. */
static void accepts_an_fpdu_with_a_right_crc_for_one(void **state) {
    (void)state;
    open_with(&unmarked[0], "0102030405060708");
    iw_conversation_sum(&c, IW_SIDE_A, "0012408d 00000000 00000000 00000001 00000000");
    assert_true(c.finding_count > 0);
    ask(SEND("2") "6f6b");
    assert_false(is_told("RFC5044-7.1.1-15"));
    c.expected_count = c.finding_count;
    iw_conversation_end(&c);
}

/* The fourth octet of the enhanced data follows the end of the Request by its PD_Length. */
static void what_is_left_out_follows_from_a_pd_length_below_the_enhanced_data(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "50020003 001000", REPLY "40020000");
    iw_conversation_found(&c, "RFC6581-6-06");
    iw_conversation_found(&c, "RFC6581-6-07");
    iw_conversation_say(&c, IW_SIDE_A, "00 F07 F09");
    iw_conversation_found(&c, "RFC5044-7.1.1-15");
    assert_int_equal(c.findings[2].cause, 1);
    iw_conversation_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_private_data_that_pd_length_omits),
        cmocka_unit_test(reports_it_where_markers_are_in_use),
        cmocka_unit_test(reports_it_before_the_answer),
        cmocka_unit_test(reports_it_of_a_reply),
        cmocka_unit_test(accepts_an_fpdu_with_a_right_crc_for_one),
        cmocka_unit_test(what_is_left_out_follows_from_a_pd_length_below_the_enhanced_data),
        cmocka_unit_test(blames_no_startup_frame_for_a_wrong_first_fpdu),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
