#include "iw_rule_sctp_test.h"

/* What chunks and an association contain. */

static void reports_a_missing_indication_once(void **state) {
    (void)state;
    association.setup[IW_SIDE_A].indicated = false;
    active(0, INITIATE, 0);
    active(1, TERMINATE, 0);
    assert_string_equal(found, "RFC5043-5.1-01 of initiator in 5: 0x00000001, missing; ");
    passive(0, ACCEPT, 0);
    assert_non_null(strstr(found, "RFC5043-11.1-02 of responder in 7: 0x00000001, missing; "));
}

static void reports_another_indication(void **state) {
    (void)state;
    association.setup[IW_SIDE_B].indication = 0xdeadbeef;
    active(0, INITIATE, 0);
    assert_string_equal(found, "RFC5043-11.1-02 of initiator in 5: 0x00000001, 0xdeadbeef; ");
}

/* The indication may be truncated; an INIT that was not captured may have had one. */
static void accepts_an_indication_that_may_have_been_there(void **state) {
    (void)state;
    association.setup[IW_SIDE_A].indicated = false;
    association.setup[IW_SIDE_A].cut = true;
    association.setup[IW_SIDE_B] = (struct iw_sctp_setup){0};
    active(0, INITIATE, 0);
    passive(0, ACCEPT, 0);
    assert_string_equal(found, "");
}

static void judges_the_number_of_streams(void **state) {
    (void)state;
    association.setup[IW_SIDE_A].inbound = 4;
    association.setup[IW_SIDE_B].outbound = 4; /* at most the number offered */
    active(0, INITIATE, 0);
    passive(0, ACCEPT, 0);
    assert_string_equal(
        found, "RFC5043-8-01 of initiator in 5: 4 outbound and inbound, 8 outbound, 4 inbound; ");
    begin_again();
    association.setup[IW_SIDE_B].outbound = 7;
    active(0, INITIATE, 0);
    passive(0, ACCEPT, 0);
    assert_string_equal(
        found, "RFC5043-8-01 of responder in 6: 8 outbound and inbound, 7 outbound, 8 inbound; ");
}

static void judges_the_length_of_private_data(void **state) {
    static const struct {
        uint8_t function, answer;
        uint32_t octets, answered;
        const char *expected;
    } cases[] = {
        {INITIATE, ACCEPT, 512, 512, ""},
        {INITIATE, REJECT, 0, 512, ""},
        {INITIATE, ACCEPT, 513, 0, "RFC5043-5.2.3-02 of initiator in 5: at most 512, 513; "},
        {INITIATE, REJECT, 0, 513, "RFC5043-5.2.3-02 of responder in 6: at most 512, 513; "},
        {INITIATE, TERMINATE, 0, 1, "RFC5043-5.2.3-03 of responder in 6: 0, 1; "},
        {INITIATE, TERMINATE, 0, 600, "RFC5043-5.2.3-03 of responder in 6: 0, 600; "},
        {ENHANCED_INITIATE, ENHANCED_ACCEPT, 512, 512, ""},
        {ENHANCED_INITIATE, ENHANCED_ACCEPT, 513, 4, "RFC6581-7-04 of initiator in 5: at most 512, 513; "},
        {ENHANCED_INITIATE, ENHANCED_REJECT, 4, 513, "RFC6581-7-04 of responder in 6: at most 512, 513; "},
        {ENHANCED_INITIATE, TERMINATE, 4, 1, "RFC6581-7-05 of responder in 6: 0, 1; "},
        {ENHANCED_INITIATE, ENHANCED_ACCEPT, 3, 4, "RFC6581-7-03 of initiator in 5: at least 4, 3; "},
        {ENHANCED_INITIATE, ENHANCED_ACCEPT, 4, 0, "RFC6581-7-03 of responder in 6: at least 4, 0; "},
        {ENHANCED_INITIATE, REJECT, 4, 0, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin_again();
        active(0, cases[i].function, cases[i].octets);
        passive(0, cases[i].answer, cases[i].answered);
        assert_string_equal(found, cases[i].expected);
    }
}

static void reports_an_undefined_function_code(void **state) {
    static const uint8_t codes[] = {0, 8, 255};

    (void)state;
    for (size_t i = 0; i < sizeof codes; i++) {
        char expected[96];

        begin_again();
        active(0, INITIATE, 0);
        passive(0, ACCEPT, 0);
        active(1, codes[i], 600);
        snprintf(expected, sizeof expected, "RFC5043-6.5-03 of initiator in 7: 1 to 7, %u; ", codes[i]);
        assert_string_equal(found, expected);
    }
}

static void reports_chunks_without_their_headers(void **state) {
    (void)state;
    active(0, INITIATE, 0);
    passive(0, ACCEPT, 0);
    feed(iw_session_fixture(&talk, IW_SIDE_A, 0, IW_SCTP_PPID_CONTROL, 1, "x", 1));
    feed(iw_session_fixture(&talk, IW_SIDE_A, 0, IW_SCTP_PPID_SEGMENT, 2, "\xc1", 1));
    assert_string_equal(found, "RFC5043-6.1-01 of initiator in 7: a Function Code, 3 octets; "
                               "RFC5043-6.1-01 of initiator in 8: a complete DDP header, 3 octets; ");
}

/* Not even a DDP-SSN; the octets are an allocation of their own, so that a sanitizer sees a read beyond. */
static void reads_no_octet_that_is_not_there(void **state) {
    (void)state;
    active(0, INITIATE, 0);
    passive(0, ACCEPT, 0);
    for (uint32_t i = 0; i < 4; i++) {
        struct iw_sctp_message message = *iw_session_fixture_write(&talk, IW_SIDE_A, 0, 1);
        uint8_t *octets = malloc(1);

        assert_non_null(octets);
        octets[0] = 0;
        message.octets = i % 2 == 0 ? octets + 1 : octets;
        message.length = message.captured = i % 2;
        message.ppid = i < 2 ? IW_SCTP_PPID_SEGMENT : IW_SCTP_PPID_CONTROL;
        feed(&message);
        free(octets);
    }
    assert_non_null(strstr(found, "RFC5043-6.1-01 of initiator in 7: a complete DDP header, 0 octets; "));
    assert_non_null(strstr(found, "RFC5043-6.1-01 of initiator in 10: a Function Code, 1 octet; "));
}

static void reports_nothing_about_headers_that_were_truncated(void **state) {
    struct iw_sctp_message message;

    (void)state;
    active(0, INITIATE, 0);
    message = *iw_session_fixture_control(&talk, IW_SIDE_B, 0, 0, ACCEPT, 100);
    message.captured = 3;
    feed(&message);
    message = *iw_session_fixture_write(&talk, IW_SIDE_A, 0, 1);
    message.captured = 5;
    feed(&message);
    assert_string_equal(found, "");
}

static void judges_ddp_ssns(void **state) {
    (void)state;
    active(0, INITIATE, 0);
    passive(0, ACCEPT, 0);
    feed(iw_session_fixture_write(&talk, IW_SIDE_A, 0, 1));
    feed(iw_session_fixture_write(&talk, IW_SIDE_A, 0, 1));
    feed(iw_session_fixture_write(&talk, IW_SIDE_B, 0, 3));
    active(2, TERMINATE, 0);
    assert_string_equal(found, "RFC5043-5.2.1-01 of initiator in 8: 2, 1; ");
    found[0] = '\0';
    active(0, INITIATE, 0);
    assert_string_equal(found, "RFC5043-6-01 of responder in 9: 1, 3; ");
}

static void judges_data_chunks(void **state) {
    struct iw_sctp_message message;

    (void)state;
    active(0, INITIATE, 0);
    passive(0, ACCEPT, 0);
    message = *iw_session_fixture_write(&talk, IW_SIDE_A, 0, 1);
    message.ordered = true;
    feed(&message);
    message = *iw_session_fixture_write(&talk, IW_SIDE_B, 0, 1);
    message.fragmented = true;
    feed(&message);
    message = *iw_session_fixture_write(&talk, IW_SIDE_B, 0, 2);
    message.fragmented = message.needless = true;
    feed(&message);
    assert_string_equal(found, "RFC5043-10-01 of initiator in 7: 1, 0; RFC5043-9-02 of responder in 9: one, "
                               "because it fits into a packet, several for 20 octets; ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(reports_a_missing_indication_once),
        TEST(reports_another_indication),
        TEST(accepts_an_indication_that_may_have_been_there),
        TEST(judges_the_number_of_streams),
        TEST(judges_the_length_of_private_data),
        TEST(reports_an_undefined_function_code),
        TEST(reports_chunks_without_their_headers),
        TEST(reads_no_octet_that_is_not_there),
        TEST(reports_nothing_about_headers_that_were_truncated),
        TEST(judges_ddp_ssns),
        TEST(judges_data_chunks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
