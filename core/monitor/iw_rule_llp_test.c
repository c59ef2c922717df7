#include "iw_conversation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static struct iw_conversation c;

#define TERMINATE "4147 00000000 00000002 00000001 00000000 "

static void expect_code(const char *request, const char *reply, const char *ulpdu, const char *id,
    const char *expected, const char *actual) {
    uint64_t at;

    iw_conversation_open(&c, request, reply);
    iw_conversation_say(&c, IW_SIDE_A, "F08");
    at = iw_conversation_fpdu(&c, IW_SIDE_B, ulpdu);
    if (id != NULL)
        iw_conversation_expect(&c, id, BY_RESPONDER, .frame = 4, .offset = at + 21, .octets = 1,
            .field = "rdmap.terminate.code", .expected = expected, .actual = actual, .context = {1, 2});
    iw_conversation_end(&c);
}

static void reports_a_terminate_for_a_crc_that_does_not_count(void **state) {
    static const char expected[] = "an error other than CRC, because C is 0 in both startup frames";

    (void)state;
    expect_code(REQUEST "00010000", REPLY "00010000", TERMINATE "20020000", "RFC5044-7.1.1-07", expected,
        "MPA CRC error");
}

static void accepts_a_terminate_for_a_crc_that_counts(void **state) {
    (void)state;
    expect_code("M01", "M03", TERMINATE "20020000", NULL, NULL, NULL);
    expect_code("M01", REPLY "00010000", TERMINATE "20020000", NULL, NULL, NULL);
    expect_code(REQUEST "00010000", "M03", TERMINATE "20020000", NULL, NULL, NULL);
}

static void reports_an_error_of_a_startup_that_was_not_enhanced(void **state) {
    static const char *const codes[] = {"20060000", "20070000"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char ulpdu[64];

        snprintf(ulpdu, sizeof ulpdu, TERMINATE "%s", codes[i]);
        expect_code("M01", "M03", ulpdu, "RFC6581-8-01", "at most 5, because the startup was not enhanced",
            "one of an enhanced startup");
        expect_code("M11", REPLY "40020000", ulpdu, "RFC6581-8-01",
            "at most 5, because the startup was not enhanced", "one of an enhanced startup");
    }
}

static void accepts_an_error_of_an_enhanced_startup(void **state) {
    (void)state;
    expect_code("M05", REPLY "50020004 c008c010", TERMINATE "20050000", NULL, NULL, NULL);
}

/* With A=0 in both frames, no RTR type is negotiated (RFC 6581 9.2). With A=1 in one of them, the models
 * differ. */
static void reports_a_lack_of_rtr_types_in_the_client_server_model(void **state) {
    (void)state;
    expect_code(REQUEST "50020004 00100010", REPLY "50020004 00100010", TERMINATE "20070000", "RFC6581-8-01",
        "at most 6, because A is 0 in both startup frames", "the lack of a common RTR type");
    expect_code(
        REQUEST "50020004 00100010", REPLY "50020004 00100010", TERMINATE "20060000", NULL, NULL, NULL);
    expect_code("M05", REPLY "50020004 c008c010", TERMINATE "20070000", NULL, NULL, NULL);
}

/* "Local catastrophic" is an error of MPA like the four of RFC 5044, with any kind of startup. */
static void accepts_a_local_error_without_an_enhanced_startup(void **state) {
    (void)state;
    expect_code("M01", "M03", TERMINATE "20050000", NULL, NULL, NULL);
    expect_code("M11", REPLY "40020000", TERMINATE "20050000", NULL, NULL, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_a_terminate_for_a_crc_that_does_not_count),
        cmocka_unit_test(accepts_a_terminate_for_a_crc_that_counts),
        cmocka_unit_test(reports_an_error_of_a_startup_that_was_not_enhanced),
        cmocka_unit_test(accepts_an_error_of_an_enhanced_startup),
        cmocka_unit_test(reports_a_lack_of_rtr_types_in_the_client_server_model),
        cmocka_unit_test(accepts_a_local_error_without_an_enhanced_startup),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
