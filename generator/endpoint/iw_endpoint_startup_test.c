#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_bench.h"

#define REQ "4d504120 49442052 65712046 72616d65 "
#define REP "4d504120 49442052 65702046 72616d65 "
#define F02 "000ec140 00000001 00000000 00000000 ebd34c5f "
#define F04                                                                                                  \
    "002e4141 00000000 00000001 00000001 00000000 00000001 00000000 00000000 00000000 00000001 00000000 "    \
    "00000000 27dbd7e7 "
#define F06 "000ec142 00000001 00000000 00000000 21a3e83e "
#define F07 "00174143 00000000 00000000 00000001 00000000 68656c6c 6f000000 b990b10c "
#define F08 "00124143 00000000 00000000 00000001 00000000 587be8c4 "
#define LOCAL "00164147 00000000 00000002 00000001 00000000 20050000 1680d5f1 " /* Terminate 2/0/05 */
#define F14 "00164147 00000000 00000002 00000001 00000000 20060000 6540fb1b "
#define F15 "00164147 00000000 00000002 00000001 00000000 20070000 1bd2babe "

static struct iw_bench bench;

static int set_up(void **state) {
    (void)state;
    iw_bench_init(&bench, IW_LOOP_VIRTUAL);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    iw_bench_free(&bench);
    return 0;
}

static void again(void) {
    tear_down(NULL);
    set_up(NULL);
}

/* The bare port connects and sends `request`; the responder must send `reply`. */
static void ask(const char *request, const char *reply, const char *log, char end) {
    iw_bench_connect_from_raw(&bench);
    iw_bench_run(&bench);
    iw_bench_say(&bench, request);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, reply);
    assert_string_equal(bench.responder.log, log);
    assert_int_equal(bench.raw.end, end);
}

/* The initiator connects to the bare port and must send `request`; the bare port answers `reply`; then the
 * initiator must send `after`. */
static void answer(const char *request, const char *reply, const char *after, const char *log, char end) {
    iw_bench_connect_to_raw(&bench);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, request);
    iw_bench_say(&bench, reply);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, after);
    assert_string_equal(bench.initiator.log, log);
    assert_int_equal(bench.raw.end, end);
}

static void responder_answers_the_requested_revision(void **state) {
    (void)state;
    ask(REQ "40010000", REP "40010000", "connected request:0 established ", 0);
    assert_int_equal(bench.responder.terms.revision, 1);
    again();
    ask(REQ "40020000", REP "40020000", "connected request:0 established ", 0); /* M11 */
    assert_int_equal(bench.responder.terms.revision, 2);
    assert_false(bench.responder.terms.enhanced);
    again();
    ask(REQ "50010000", REP "40010000", "connected request:0 established ", 0); /* S is Res */
}

static void responder_negotiates_depths(void **state) {
    (void)state;
    /* M05 without private data: A B C D, IRD 16, ORD 8 */
    bench.responder.config.ord = 32;
    ask(REQ "50020004 c010c008", REP "50020004 c008c010", "connected request:0 established ", 0);
    assert_int_equal(bench.responder.terms.ird, 8);
    assert_int_equal(bench.responder.terms.ord, 16);
    assert_int_equal(bench.responder.terms.rtr, IW_RTR_SEND | IW_RTR_WRITE | IW_RTR_READ);
    again();
    ask(REQ "50020004 3fff3fff", REP "50020004 3fff3fff", "connected request:0 established ", 0); /* M07 */
    assert_int_equal(bench.responder.terms.ird, 8);
    assert_int_equal(bench.responder.terms.ord, 8);
    again();
    bench.responder.config.ird = 0; /* the Reply raises it to 1, for a Read as RTR */
    ask(REQ "50020004 80044000", REP "50020004 c001c004", "connected request:0 established ", 0);
    assert_int_equal(bench.responder.terms.ird, 1);
}

static void responder_rejects(void **state) {
    (void)state;
    bench.responder.config.reject = true;
    bench.responder.config.private_data = (const uint8_t *)"busy";
    bench.responder.config.private_octets = 4;
    ask(REQ "40010000", REP "60010004 62757379", "connected request:0 rejected ", 0); /* M04 */
    iw_bench_say(&bench, "0102");
    iw_bench_run(&bench);
    assert_string_equal(bench.responder.log, "connected request:0 rejected octets:2 ");
    again();
    bench.responder.config.reject = true;
    bench.responder.config.ird = 4;
    bench.responder.config.ord = 32;
    ask(REQ "50020004 00040008", REP "70020004 00040020", "connected request:0 rejected ", 0); /* M08 */
    again();
    bench.responder.config.reject = true;
    bench.responder.config.ird = 4;
    ask(REQ "50020004 3fff3fff", REP "70020004 3fff3fff", "connected request:0 rejected ", 0);
}

/* While the ULP decides, octets after the Request are invalid as well (RFC 5044 7.1.2). */
static void responder_waits_for_iw_endpoint_answer(void **state) {
    (void)state;
    bench.responder.config.held = true;
    ask(REQ "50020004 00080008", "", "connected request:0 requested ", 0);
    assert_true(iw_endpoint_answer(bench.responder.endpoint, false));
    assert_false(iw_endpoint_answer(bench.responder.endpoint, true));
    iw_bench_run(&bench);
    iw_bench_expect(&bench, REP "50020004 00080008");
    assert_string_equal(bench.responder.log, "connected request:0 requested established ");
    again();
    bench.responder.config.held = true;
    ask(REQ "40010000", "", "connected request:0 requested ", 0);
    iw_endpoint_answer(bench.responder.endpoint, true);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, REP "60010000");
    assert_string_equal(bench.responder.log, "connected request:0 requested rejected ");
    again();
    bench.responder.config.held = true;
    ask(REQ "40010000", "", "connected request:0 requested ", 0);
    iw_bench_say(&bench, "00");
    iw_bench_run(&bench);
    iw_endpoint_answer(bench.responder.endpoint, false);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, "");
    assert_string_equal(bench.responder.log, "connected request:0 requested error:2004 ");
    assert_int_equal(bench.raw.end, 'F');
}

static void responder_rejects_a_request_without_common_rtr(void **state) {
    (void)state;
    bench.responder.config.policy.unusual_checks = IW_POLICY_CHECK_SET(REQUEST_RTR);
    bench.responder.config.rtr = IW_RTR_READ;
    ask(REQ "50020004 c0088008", REP "70020004 80084008", "connected request:0 rejected ", 0);
    again();
    bench.responder.config.policy.unusual_checks = IW_POLICY_CHECK_SET(REQUEST_RTR);
    bench.responder.config.rtr = IW_RTR_READ;
    ask(REQ "50020004 c008c008", REP "50020004 80084008", "connected request:0 established ", 0);
    again();
    bench.responder.config.policy.unusual_checks = IW_POLICY_CHECK_SET(REQUEST_RTR);
    bench.responder.config.rtr = IW_RTR_READ;
    ask(REQ "50020004 40080008", REP "50020004 00080008", "connected request:0 established ", 0);
}

/* RFC 6581 9.2 also allows a responder to name RTR types that the Request does not name. */
static void responder_may_name_only_requested_rtr_types(void **state) {
    (void)state;
    ask(REQ "50020004 c0080008", REP "50020004 c008c008", "connected request:0 established ", 0);
    again();
    bench.responder.config.policy.unusual_checks = IW_POLICY_CHECK_SET(RTR_REQUESTED);
    ask(REQ "50020004 c0080008", REP "50020004 c0080008", "connected request:0 established ", 0);
    again();
    bench.responder.config.policy.unusual_checks = IW_POLICY_CHECK_SET(RTR_REQUESTED);
    bench.responder.config.rtr = IW_RTR_READ;
    ask(REQ "50020004 c0080008", REP "50020004 80084008", "connected request:0 established ", 0);
}

/* RFC 6581 9.1. */
static void responder_may_reject_too_small_an_ird(void **state) {
    (void)state;
    bench.responder.config.policy.unusual_checks = IW_POLICY_CHECK_SET(REQUEST_IRD);
    ask(REQ "50020004 00070008", REP "70020004 00080008", "connected request:0 rejected ", 0);
    again();
    bench.responder.config.policy.unusual_checks = IW_POLICY_CHECK_SET(REQUEST_IRD);
    bench.responder.config.policy.ending.rejected = IW_REJECTED_CLOSES;
    ask(REQ "50020004 00070008", REP "70020004 00080008", "connected request:0 rejected ", 'F');
    again();
    bench.responder.config.policy.unusual_checks = IW_POLICY_CHECK_SET(REQUEST_IRD);
    ask(REQ "50020004 00080000", REP "50020004 00080008", "connected request:0 established ", 0);
    again();
    bench.responder.config.policy.unusual_checks = IW_POLICY_CHECK_SET(REQUEST_IRD);
    ask(REQ "50020004 3fff0000", REP "50020004 00083fff", "connected request:0 established ", 0);
}

static void responder_closes_on_an_invalid_request(void **state) {
    static const char *const requests[] = {
        REP "40010000",                             /* a Reply */
        REQ "c0000000",                             /* M09: Rev 0 */
        REQ "40030000",                             /* a future revision */
        REQ "40010201",                             /* M12: PD_Length 513 */
        REQ "50020002 0000",                        /* S=1, but PD_Length is too small for enhanced data */
        REQ "40010000 00",                          /* an octet after the frame */
        "474554202f20485454502f312e310d0a0d0a0d0a", /* a different protocol */
    };

    (void)state;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        iw_bench_connect_from_raw(&bench);
        iw_bench_run(&bench);
        iw_bench_say(&bench, requests[i]);
        iw_bench_run(&bench);
        iw_bench_expect(&bench, "");
        assert_int_equal(bench.raw.end, 'F');
        assert_non_null(strstr(bench.responder.log, "error:2004 "));
        again();
    }
}

static void responder_closes_after_the_startup_timeout(void **state) {
    (void)state;
    bench.responder.config.timeouts.startup_ms = 500;
    iw_bench_connect_from_raw(&bench);
    iw_bench_say(&bench, "");
    iw_bench_run(&bench);
    iw_bench_expect(&bench, "");
    assert_string_equal(bench.responder.log, "connected error:2004 ");
    assert_int_equal(bench.raw.end, 'F');
}

static void a_request_octet_by_octet(void **state) {
    uint8_t octets[64];
    size_t length = iw_bench_hex(REQ "c0010005 68656c6c 6f", octets, sizeof octets); /* M02 */

    (void)state;
    iw_bench_connect_from_raw(&bench);
    iw_bench_run(&bench);
    for (size_t i = 0; i < length; i++)
        iw_port_write(bench.raw.port, octets + i, 1);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, REP "40010000");
    assert_string_equal(bench.responder.log, "connected request:5 established ");
    assert_true(bench.responder.terms.markers_out);
    assert_false(bench.responder.terms.markers_in);
}

static void responder_holds_until_the_first_fpdu(void **state) {
    struct iw_post post = {
        .opcode = IW_RDMAP_OP_SEND, .payload = (const uint8_t *)"hello", .payload_octets = 5, .id = 7};

    (void)state;
    ask(REQ "40010000", REP "40010000", "connected request:0 established ", 0);
    assert_int_equal(iw_endpoint_post(bench.responder.endpoint, &post), IW_OK);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, "");
    iw_bench_say(&bench, F02);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, F07);
    assert_string_equal(bench.responder.log, "connected request:0 established write:1:0:0 sent:7 ");
    again();
    bench.responder.config.policy.omitted_checks = IW_POLICY_CHECK_SET(FIRST_FPDU);
    ask(REQ "40010000", REP "40010000", "connected request:0 established ", 0);
    assert_int_equal(iw_endpoint_post(bench.responder.endpoint, &post), IW_OK);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, F07);
}

static void rtr_is_absorbed(void **state) {
    static const struct {
        const char *request;
        const char *rtr;
        const char *answer;
        const char *log;
    } cases[] = {
        {"c0080000", F08, "", "connected request:0 established rtr:3 "},
        {"80088000", F02, "", "connected request:0 established rtr:0 "},
        {"80084001", F04, F06, "connected request:0 established rtr:1 "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        iw_bench_connect_from_raw(&bench);
        bench.responder.config.receives.count = 0;
        iw_bench_run(&bench);
        iw_bench_say(&bench, REQ "50020004");
        iw_bench_say(&bench, cases[i].request);
        iw_bench_run(&bench);
        bench.raw.length = 0;
        iw_bench_say(&bench, cases[i].rtr);
        iw_bench_run(&bench);
        iw_bench_expect(&bench, cases[i].answer);
        assert_string_equal(bench.responder.log, cases[i].log);
        again();
    }
}

/* An RTR takes no receive buffer. A Send of several segments needs one, and the responder has posted no
 * receive buffer. */
static void a_send_of_several_segments_is_not_an_rtr(void **state) {
    (void)state;
    iw_bench_connect_from_raw(&bench);
    bench.responder.config.receives.count = 0;
    iw_bench_run(&bench);
    iw_bench_say(&bench, REQ "50020004 c0080000");
    iw_bench_run(&bench);
    bench.raw.length = 0;
    iw_bench_say(&bench, "00120143 00000000 00000000 00000001 00000000 8b6a9c10");
    iw_bench_run(&bench);
    iw_bench_expect(&bench,
        "002a4147 00000000 00000002 00000001 00000000 1202c000 00120143 00000000 00000000 00000001 00000000 "
        "d1a45fee");
}

static void initiator_takes_a_reply(void **state) {
    (void)state;
    answer(REQ "40010000", REP "80010000", "", "connected reply:0 established ", 0); /* M01, M10 */
    assert_true(bench.initiator.terms.markers_out);
    assert_false(bench.initiator.terms.markers_in);
    assert_true(bench.initiator.terms.crc);
    again();
    bench.initiator.config.no_crc = true;
    bench.initiator.config.markers = true;
    answer(REQ "80010000", REP "00010000", "", "connected reply:0 established ", 0);
    assert_false(bench.initiator.terms.crc);
    assert_true(bench.initiator.terms.markers_in);
    again();
    bench.initiator.config.private_data = (const uint8_t *)"hi";
    bench.initiator.config.private_octets = 2;
    answer(REQ "40010002 6869", REP "60010004 62757379", "", "connected reply:4 rejected ", 0);
}

static void initiator_closes_on_an_invalid_reply(void **state) {
    static const char *const replies[] = {REQ "40010000", REP "40000000", REP "40020000", REP "40010201"};

    (void)state;
    for (size_t i = 0; i < sizeof replies / sizeof *replies; i++) {
        answer(REQ "40010000", replies[i], "",
            i == 0 ? "connected request:0 error:2004 " : "connected reply:0 error:2004 ", 'F');
        again();
    }
    bench.initiator.config.revision = 2;
    bench.initiator.config.enhanced = true;
    answer(REQ "50020004 00080008", REP "40020000", "", "connected reply:0 error:2004 ", 'F');
}

static void initiator_sends_a_common_rtr(void **state) {
    static const enum iw_rtr smallest[] = {IW_RTR_SEND, IW_RTR_READ, IW_RTR_WRITE};
    static const struct {
        uint16_t ord;
        const enum iw_rtr *order;
        const char *request;
        const char *reply;
        const char *rtr;
    } cases[] = {
        {8, NULL, REQ "50020004 c008c008", REP "50020004 c008c008", F02},
        {8, smallest, REQ "50020004 c008c008", REP "50020004 c008c008", F08},
        {8, smallest, REQ "50020004 c008c008", REP "50020004 8008c008", F04},
        {8, NULL, REQ "50020004 c008c008", REP "50020004 80084008", F04},
        {8, NULL, REQ "50020004 c008c008", REP "50020004 c0080008", F08},
        {0, NULL, REQ "50020004 c008c000", REP "50020004 80014000", F04}, /* the responder offers IRD 1 */
        {8, NULL, REQ "50020004 c008c008", REP "50020004 c0004008", F08}, /* IRD 0: no Read as RTR */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench.initiator.config.ord = cases[i].ord;
        bench.initiator.config.policy.rtr_order = cases[i].order;
        bench.initiator.config.revision = 2;
        bench.initiator.config.enhanced = true;
        bench.initiator.config.peer_to_peer = true;
        answer(cases[i].request, cases[i].reply, cases[i].rtr, "connected reply:0 established ", 0);
        again();
    }
}

static void initiator_terminates_a_failed_negotiation(void **state) {
    (void)state;
    bench.initiator.config.revision = 2;
    bench.initiator.config.enhanced = true;
    bench.initiator.config.peer_to_peer = true;
    bench.initiator.config.rtr = IW_RTR_WRITE;
    answer(REQ "50020004 80088008", REP "50020004 80084008", F15, "connected reply:0 error:2007! ", 'F');
    again();
    bench.initiator.config.revision = 2;
    bench.initiator.config.enhanced = true;
    bench.initiator.config.peer_to_peer = true;
    answer(REQ "50020004 c008c008", REP "50020004 80004008", F15, "connected reply:0 error:2007! ", 'F');
    again();
    bench.initiator.config.revision = 2;
    bench.initiator.config.enhanced = true;
    answer(REQ "50020004 00080008", REP "50020004 00080009", F14, "connected reply:0 error:2006! ", 'F');
}

static void a_local_error_sends_a_terminate_if_a_code_exists(void **state) {
    (void)state;
    bench.initiator.config.revision = 2;
    bench.initiator.config.enhanced = true;
    bench.initiator.config.local_error = true;
    answer(REQ "50020004 00080008", REP "50020004 00080008", LOCAL, "connected reply:0 error:2005! ", 'F');
    again();
    bench.initiator.config.local_error = true;
    answer(REQ "40010000", REP "40010000", "", "connected reply:0 error:2005 ", 'F');
}

/* A responder may send nothing before the first FPDU (RFC 5044 7.1.2). */
static void a_local_error_of_a_responder_follows_the_first_fpdu(void **state) {
    (void)state;
    bench.responder.config.local_error = true;
    ask(REQ "50020004 00080008", REP "50020004 00080008", "connected request:0 established ", 0);
    iw_bench_say(&bench, F04);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, LOCAL);
    assert_string_equal(bench.responder.log, "connected request:0 established error:2005! ");
    again();
    bench.responder.config.local_error = true;
    ask(REQ "40010000", REP "40010000", "connected request:0 established ", 0);
    iw_bench_say(&bench, F04);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, "");
    assert_int_equal(bench.raw.end, 'F');
}

static void an_initiator_may_terminate_an_invalid_reply(void **state) {
    (void)state;
    bench.initiator.config.revision = 2;
    bench.initiator.config.enhanced = true;
    bench.initiator.config.policy.ending.invalid_reply = IW_INVALID_REPLY_TERMINATES;
    answer(REQ "50020004 00080008", REP "50020002 7879", LOCAL, "connected reply:2 error:2005! ", 'F');
}

static unsigned ask_for_markers(void *user, struct iw_emit *emit) {
    (void)user;
    if (emit->kind == IW_EMIT_STARTUP)
        emit->startup.m = 1;
    return 1;
}

static void a_filter_changes_the_negotiated_terms(void **state) {
    (void)state;
    bench.initiator.config.policy.send = ask_for_markers;
    answer(REQ "c0010000", REP "40010000", "", "connected reply:0 established ", 0);
    assert_true(bench.initiator.terms.markers_in);
    again();
    bench.responder.config.policy.send = ask_for_markers;
    ask(REQ "40010000", REP "c0010000", "connected request:0 established ", 0);
    assert_true(bench.responder.terms.markers_in);
}

static void mpa_begins_after_other_octets(void **state) {
    (void)state;
    bench.responder.config.streaming = true;
    iw_bench_connect_from_raw(&bench);
    iw_bench_run(&bench);
    iw_bench_say(&bench, "48454c4c 4f");
    iw_bench_run(&bench);
    iw_endpoint_await_startup(bench.responder.endpoint);
    iw_bench_say(&bench, REQ "40010000");
    iw_bench_run(&bench);
    iw_bench_expect(&bench, REP "40010000");
    assert_string_equal(bench.responder.log, "connected octets:5 request:0 established ");
}

static void a_refused_connection_has_a_reason(void **state) {
    char text[IW_PORT_TEXT_OCTETS];

    (void)state;
    iw_bench_connect(&bench);
    iw_listener_free(bench.listener);
    bench.listener = NULL;
    iw_bench_run(&bench);
    assert_string_equal(bench.initiator.log, "closed:failed ");
    assert_null(
        iw_endpoint_connect(bench.loop, "nowhere.invalid", 1, &bench.initiator.config, NULL, NULL, text));
    assert_string_equal(text, "nowhere.invalid:1: no address");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(responder_answers_the_requested_revision),
        TEST(responder_negotiates_depths),
        TEST(responder_rejects),
        TEST(responder_waits_for_iw_endpoint_answer),
        TEST(responder_rejects_a_request_without_common_rtr),
        TEST(responder_may_name_only_requested_rtr_types),
        TEST(responder_may_reject_too_small_an_ird),
        TEST(responder_closes_on_an_invalid_request),
        TEST(responder_closes_after_the_startup_timeout),
        TEST(a_request_octet_by_octet),
        TEST(responder_holds_until_the_first_fpdu),
        TEST(rtr_is_absorbed),
        TEST(a_send_of_several_segments_is_not_an_rtr),
        TEST(initiator_takes_a_reply),
        TEST(initiator_closes_on_an_invalid_reply),
        TEST(initiator_sends_a_common_rtr),
        TEST(initiator_terminates_a_failed_negotiation),
        TEST(a_local_error_sends_a_terminate_if_a_code_exists),
        TEST(a_local_error_of_a_responder_follows_the_first_fpdu),
        TEST(an_initiator_may_terminate_an_invalid_reply),
        TEST(a_filter_changes_the_negotiated_terms),
        TEST(mpa_begins_after_other_octets),
        TEST(a_refused_connection_has_a_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
