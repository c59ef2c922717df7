#include "iw_conversation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static struct iw_conversation c;

/* ---- enhanced data ---- */

static void reports_an_rtr_type_of_the_client_server_model(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "50020004 00104008", REPLY "50020004 00080010");
    iw_conversation_expect(&c, "RFC6581-9.2-14", BY_INITIATOR, .frame = 1, .offset = 20, .octets = 1,
        .field = "mpa.a", .expected = "none", .actual = "zero-length RDMA Read");
    iw_conversation_end(&c);
}

static void accepts_the_client_server_model(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "50020004 00100008", REPLY "50020004 00080010");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_end(&c);
}

static void reports_an_ird_where_none_is_negotiated(void **state) {
    (void)state;
    iw_conversation_open(&c, "M07", REPLY "50020004 00083fff");
    iw_conversation_expect(&c, "RFC6581-9.1-11", BY_RESPONDER, .frame = 2, .offset = 20, .octets = 2,
        .field = "mpa.ird", .expected = "16383", .actual = "8", .context = {1});
    iw_conversation_end(&c);
}

static void reports_an_ord_where_none_is_negotiated(void **state) {
    (void)state;
    iw_conversation_open(&c, "M07", REPLY "50020004 3fff0008");
    iw_conversation_expect(&c, "RFC6581-9.1-13", BY_RESPONDER, .frame = 2, .offset = 22, .octets = 2,
        .field = "mpa.ord", .expected = "16383", .actual = "8", .context = {1});
    iw_conversation_end(&c);
}

static void accepts_no_negotiation_as_the_answer_without_a_request(void **state) {
    (void)state;
    iw_conversation_open(&c, "M07", REPLY "50020004 3fff3fff");
    iw_conversation_end(&c);
}

static void reports_an_ord_above_the_initiators_ird(void **state) {
    (void)state;
    iw_conversation_open(&c, "M05", REPLY "50020004 8008c011");
    iw_conversation_expect(&c, "RFC6581-9.1-04", BY_RESPONDER, .frame = 2, .offset = 22, .octets = 2,
        .field = "mpa.ord", .expected = "at most 16", .actual = "17", .context = {1});
    iw_conversation_end(&c);
}

/* ORD as high as the IRD asked for; IRD above the ORD asked for, as for a Read RTR (RFC 6581 9.1). */
static void accepts_an_ord_at_the_limit_and_a_raised_ird(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "50020004 80104000", REPLY "50020004 80014010");
    iw_conversation_say(&c, IW_SIDE_A, "F04");
    iw_conversation_say(&c, IW_SIDE_B, "F06");
    iw_conversation_end(&c);
}

/* The ORD of a reject is the one that would be needed (RFC 6581 9.1). */
static void accepts_an_ord_of_any_size_in_a_reject(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "50020004 00100008", "M08");
    iw_conversation_end(&c);
}

static void reports_an_answer_of_another_model(void **state) {
    (void)state;
    iw_conversation_open(&c, "M05", REPLY "50020004 00080010");
    iw_conversation_expect(&c, "RFC6581-9.2-04", BY_RESPONDER, .frame = 2, .offset = 20, .octets = 1,
        .field = "mpa.a", .expected = "1", .actual = "0", .context = {1});
    iw_conversation_end(&c);
    iw_conversation_open(&c, REQUEST "50020004 00100008", REPLY "50020004 80088010");
    iw_conversation_expect(&c, "RFC6581-9.2-13", BY_RESPONDER, .frame = 2, .offset = 20, .octets = 1,
        .field = "mpa.a", .expected = "0", .actual = "1", .context = {1});
    iw_conversation_end(&c);
}

/* A Reply that rejects is a "reply message", too (RFC 6581 7, 9.1, 9.2), but needs to name no RTR type. */
static void judges_a_reject_as_any_reply(void **state) {
    (void)state;
    iw_conversation_open(&c, "M05", REPLY "70020004 00080010");
    iw_conversation_expect(&c, "RFC6581-9.2-04", BY_RESPONDER, .frame = 2, .offset = 20, .octets = 1,
        .field = "mpa.a", .expected = "1", .actual = "0", .context = {1});
    iw_conversation_end(&c);
    iw_conversation_open(&c, REQUEST "50020004 00100008", REPLY "70020004 80088010");
    iw_conversation_expect(&c, "RFC6581-9.2-13", BY_RESPONDER, .frame = 2, .offset = 20, .octets = 1,
        .field = "mpa.a", .expected = "0", .actual = "1", .context = {1});
    iw_conversation_end(&c);
    iw_conversation_open(&c, REQUEST "50020004 00103fff", REPLY "70020004 00080010");
    iw_conversation_expect(&c, "RFC6581-9.1-11", BY_RESPONDER, .frame = 2, .offset = 20, .octets = 2,
        .field = "mpa.ird", .expected = "16383", .actual = "8", .context = {1});
    iw_conversation_end(&c);
    iw_conversation_open(&c, "M05", REPLY "70020004 80080010");
    iw_conversation_end(&c);
}

/* A=1; IRD 16, ORD 8; no RTR type, so the responder supports none of those requested. */
static void reports_an_answer_without_an_rtr_type(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "50020004 80100008", REPLY "50020004 80080010");
    iw_conversation_expect(&c, "RFC6581-9.2-08", BY_RESPONDER, .frame = 2, .offset = 20, .octets = 1,
        .field = "mpa.b", .expected = "at least one of B, C, D", .actual = "none", .context = {1});
    iw_conversation_end(&c);
}

/* B; C and D; B, C and D. The responder may support exactly one of the types, so only the SHOULD is proven.
 */
static void warns_of_an_answer_without_a_requested_rtr_type(void **state) {
    static const char *const requests[] = {
        REQUEST "50020004 c0100008", REQUEST "50020004 8010c008", REQUEST "50020004 c010c008"};

    (void)state;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        iw_conversation_open(&c, requests[i], REPLY "50020004 80080010");
        iw_conversation_expect(&c, "RFC6581-9.2-05", BY_RESPONDER, .frame = 2, .offset = 20, .octets = 1,
            .field = "mpa.b", .expected = "at least one of B, C, D", .actual = "none", .context = {1});
        iw_conversation_end(&c);
    }
}

/* Request with D, Reply with B: types that were not asked for may be named (RFC 6581 9.2). */
static void accepts_an_rtr_type_that_was_not_asked_for(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "50020004 80104008", REPLY "50020004 c0080010");
    iw_conversation_say(&c, IW_SIDE_A, "F15");
    iw_conversation_end(&c);
}

static void reports_enhanced_data_missing_in_the_answer(void **state) {
    (void)state;
    iw_conversation_open(&c, "M05", "M03");
    iw_conversation_expect(&c, "RFC6581-10-05", BY_RESPONDER, .frame = 2, .offset = 16, .octets = 1,
        .field = "mpa.s", .expected = "1", .actual = "0", .context = {1});
    iw_conversation_end(&c);
    iw_conversation_open(&c, "M05", "M04");
    iw_conversation_expect(&c, "RFC6581-10-05", BY_RESPONDER, .frame = 2, .offset = 16, .octets = 1,
        .field = "mpa.s", .expected = "1", .actual = "0", .context = {1});
    iw_conversation_end(&c);
}

static void reports_enhanced_data_that_was_not_requested(void **state) {
    (void)state;
    iw_conversation_open(&c, "M11", REPLY "50020004 00080010");
    iw_conversation_expect(&c, "RFC6581-10-06", BY_RESPONDER, .frame = 2, .offset = 16, .octets = 1,
        .field = "mpa.s", .expected = "0", .actual = "1", .context = {1});
    iw_conversation_end(&c);
}

/* S is set with Rev 1: that is the only fault. */
static void reports_an_enhanced_answer_of_rev_1_once(void **state) {
    (void)state;
    iw_conversation_open(&c, "M05", REPLY "50010004 8008c010");
    iw_conversation_expect(&c, "RFC6581-6-03", BY_RESPONDER, .frame = 2, .offset = 17, .octets = 1,
        .field = "mpa.rev", .expected = "at least 2", .actual = "1");
    iw_conversation_end(&c);
}

/* The Request was acknowledged, but the capture lacks it. */
static void accepts_the_reply_to_a_request_that_was_not_captured(void **state) {
    (void)state;
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_start(&c, IW_SIDE_A);
    iw_conversation_start(&c, IW_SIDE_B);
    c.unseen = true;
    iw_conversation_say(&c, IW_SIDE_B, "M03");
    iw_conversation_end(&c);
}

/* Startup frames without SYN. With `late`, the Request acknowledges octets after the Reply, which the
 * initiator had not received then: they are of different connections between the same ports. */
static void say_late_request(const char *request, bool late) {
    c.acks = true;
    c.acked = late ? 1000 : 0;
    iw_conversation_say(&c, IW_SIDE_A, request);
    c.acks = false;
}

static void judges_no_reply_by_a_request_that_was_sent_after_it(void **state) {
    (void)state;
    for (int late = 0; late <= 1; late++) {
        iw_conversation_init(&c, IW_EXT_ALL);
        say_late_request(REQUEST "40010000", late);
        iw_conversation_say(&c, IW_SIDE_B, REPLY "50020004 00010001");
        if (!late)
            iw_conversation_found(&c, "RFC6581-10-06");
        assert_int_equal(iw_monitor_terms(c.monitor)->settled, !late);
        assert_int_equal(iw_monitor_terms(c.monitor)->seen[IW_SIDE_B], !late);
        iw_conversation_end(&c);
    }
}

/* M is 0 in that Reply. The FPDU begins with the first Marker and has a second. */
static void judges_no_markers_by_a_reply_that_was_sent_before_the_request(void **state) {
    (void)state;
    for (int late = 0; late <= 1; late++) {
        iw_conversation_init(&c, IW_EXT_ALL);
        iw_conversation_say(&c, IW_SIDE_B, REPLY "40010000");
        say_late_request(REQUEST "40010000", late);
        iw_conversation_sum(
            &c, IW_SIDE_A, "00000000 0206 4143 00000000 00000000 00000001 00000000 *488 000001fc *12");
        if (!late)
            iw_conversation_found(&c, "RFC5044-7.1.1-05");
        iw_conversation_end(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_an_rtr_type_of_the_client_server_model),
        cmocka_unit_test(accepts_the_client_server_model),
        cmocka_unit_test(reports_an_ird_where_none_is_negotiated),
        cmocka_unit_test(reports_an_ord_where_none_is_negotiated),
        cmocka_unit_test(accepts_no_negotiation_as_the_answer_without_a_request),
        cmocka_unit_test(reports_an_ord_above_the_initiators_ird),
        cmocka_unit_test(accepts_an_ord_at_the_limit_and_a_raised_ird),
        cmocka_unit_test(accepts_an_ord_of_any_size_in_a_reject),
        cmocka_unit_test(judges_a_reject_as_any_reply),
        cmocka_unit_test(reports_an_answer_of_another_model),
        cmocka_unit_test(reports_an_answer_without_an_rtr_type),
        cmocka_unit_test(warns_of_an_answer_without_a_requested_rtr_type),
        cmocka_unit_test(accepts_an_rtr_type_that_was_not_asked_for),
        cmocka_unit_test(reports_enhanced_data_missing_in_the_answer),
        cmocka_unit_test(reports_enhanced_data_that_was_not_requested),
        cmocka_unit_test(reports_an_enhanced_answer_of_rev_1_once),
        cmocka_unit_test(accepts_the_reply_to_a_request_that_was_not_captured),
        cmocka_unit_test(judges_no_reply_by_a_request_that_was_sent_after_it),
        cmocka_unit_test(judges_no_markers_by_a_reply_that_was_sent_before_the_request),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
