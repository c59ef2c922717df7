#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "iw_opcode.h"
#include "iw_unanswered.h"

static struct iw_operations operations;
static struct iw_unanswered reported;
static uint64_t frame;

static int set_up(void **state) {
    (void)state;
    iw_operations_init(&operations);
    frame = 0;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    iw_operations_dispose(&operations);
    return 0;
}

/* A Read Request for 8 octets, whose sink STag is equal to its MSN; or an Atomic Request. */
static void request(uint8_t opcode, uint32_t msn) {
    const uint8_t header[52] = {[3] = (uint8_t)msn, [15] = 8};
    const struct iw_segment segment = {.opcode = opcode,
        .op = &iw_opcodes[opcode],
        .last = true,
        .qn = IW_QN_REQUEST,
        .msn = msn,
        .header = header,
        .header_octets = sizeof header};

    frame++;
    iw_operations_request(&operations, &segment, frame, 1000 * frame);
}

static void respond_with(uint32_t stag, uint16_t octets, bool last) {
    const struct iw_segment segment = {.opcode = IW_RDMAP_OP_READ_RESPONSE,
        .op = &iw_opcodes[IW_RDMAP_OP_READ_RESPONSE],
        .tagged = true,
        .last = last,
        .stag = stag,
        .payload_octets = octets};
    struct iw_response_fact fact;

    iw_operations_response(&operations, &segment, UINT64_MAX, ++frame, &fact);
}

static void respond(uint32_t stag) {
    respond_with(stag, 8, true);
}

static void read_requests(uint32_t from, uint32_t to) {
    for (uint32_t msn = from; msn <= to; msn++)
        request(IW_RDMAP_OP_READ_REQUEST, msn);
}

static void report(void) {
    iw_operations_unanswered(&operations, false, &reported);
}

static void reports_no_request_at_first(void **state) {
    (void)state;
    read_requests(1, 1);
    respond(1);
    report();
    assert_int_equal(reported.count, 0);
    assert_int_equal(reported.named_count, 0);
}

static void names_outstanding_requests_in_order(void **state) {
    (void)state;
    request(IW_RDMAP_OP_ATOMIC_REQUEST, 1); /* it has its own list */
    read_requests(2, 3);
    respond(2);
    report();
    assert_int_equal(reported.count, 2);
    assert_int_equal(reported.perhaps, 0);
    assert_int_equal(reported.named[0].opcode, IW_RDMAP_OP_ATOMIC_REQUEST);
    assert_int_equal(reported.named[0].frame, 1);
    assert_int_equal(reported.named[1].msn, 3);
    assert_int_equal(reported.named[1].frame, 3);
    assert_int_equal(reported.named[1].time_ns, 3000);
}

static void names_only_the_oldest(void **state) {
    (void)state;
    read_requests(1, 10);
    request(IW_RDMAP_OP_ATOMIC_REQUEST, 11);
    report();
    assert_int_equal(reported.count, 11);
    assert_int_equal(reported.named_count, IW_UNANSWERED_NAMED);
    assert_int_equal(reported.named[0].msn, 1);
    assert_int_equal(reported.named[7].msn, 8);
}

/* The lost octets may contain responses to earlier requests, but not to requests that are sent afterwards. */
static void earlier_requests_are_doubtful_after_a_loss(void **state) {
    (void)state;
    read_requests(1, 2);
    iw_operations_lost(&operations);
    read_requests(3, 3);
    report();
    assert_int_equal(reported.count, 3);
    assert_int_equal(reported.perhaps, 2);
    assert_true(reported.named[0].perhaps);
    assert_true(reported.named[1].perhaps);
    assert_false(reported.named[2].perhaps);
}

/* The response may belong to the second or third request as well. */
static void a_response_after_a_loss_belongs_to_the_oldest(void **state) {
    (void)state;
    read_requests(1, 2);
    iw_operations_lost(&operations);
    read_requests(3, 3);
    respond(1);
    report();
    assert_int_equal(reported.count, 2);
    assert_int_equal(reported.perhaps, 2);
    assert_int_equal(reported.named[0].msn, 2);
    assert_int_equal(reported.named[1].msn, 3);
}

/* The capture reports the response first: the search for FPDUs has delayed the request. */
static void a_response_may_come_before_its_request(void **state) {
    (void)state;
    iw_operations_lost(&operations);
    frame = 9;
    respond(1);
    frame = 4;
    read_requests(1, 1);
    report();
    assert_int_equal(reported.count, 1);
    assert_int_equal(reported.perhaps, 1);
}

/* The beginning of the response was captured; the rest is missing. */
static void reports_the_answered_octets_of_a_read(void **state) {
    (void)state;
    read_requests(1, 2);
    request(IW_RDMAP_OP_ATOMIC_REQUEST, 3);
    respond_with(1, 5, false);
    report();
    assert_int_equal(reported.count, 3);
    assert_int_equal(reported.in_part, 1);
    assert_int_equal(reported.named[0].answered, 5);
    assert_int_equal(reported.named[0].read_octets, 8);
    assert_int_equal(reported.named[1].answered, 0);
    assert_int_equal(reported.named[2].read_octets, 0);
    iw_operations_lost(&operations); /* the rest of it may be lost */
    report();
    assert_int_equal(reported.in_part, 1);
    assert_true(reported.named[0].perhaps);
    assert_int_equal(reported.named[0].answered, 5);
}

static void many_losses_keep_the_count(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 100; i++) {
        read_requests(i + 1, i + 1);
        iw_operations_lost(&operations);
    }
    report();
    assert_int_equal(reported.count, 100);
    assert_int_equal(reported.perhaps, 100);
    assert_int_equal(reported.named[7].msn, 8);
}

/* Requests in doubt, but the responder has sent nothing. */
static void is_certain_without_a_possible_response(void **state) {
    (void)state;
    read_requests(1, 1);
    iw_operations_doubt(&operations);
    report();
    assert_int_equal(reported.perhaps, 1);
    assert_true(reported.named[0].perhaps);
    iw_operations_without_response(&operations, &reported);
    assert_int_equal(reported.count, 1);
    assert_int_equal(reported.perhaps, 0);
    assert_int_equal(reported.sure_after, 0);
    assert_false(reported.named[0].perhaps);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(reports_no_request_at_first),
        TEST(names_outstanding_requests_in_order),
        TEST(names_only_the_oldest),
        TEST(earlier_requests_are_doubtful_after_a_loss),
        TEST(a_response_after_a_loss_belongs_to_the_oldest),
        TEST(a_response_may_come_before_its_request),
        TEST(reports_the_answered_octets_of_a_read),
        TEST(many_losses_keep_the_count),
        TEST(is_certain_without_a_possible_response),
    };

    return cmocka_run_group_tests_name("iw_unanswered", tests, NULL, NULL);
}
