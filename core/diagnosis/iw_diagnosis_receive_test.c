#include "iw_diagnosis_test.h"

/* Side B has no buffer for a message of side A, and its Terminate does not show which one. */
static struct iw_history_traffic traffic[] = {
    {.opcode = IW_RDMAP_OP_SEND, .messages = 3}, {.opcode = IW_RDMAP_OP_READ_REQUEST, .messages = 1}};

static void rejects_unknown(uint8_t opcodes) {
    static struct iw_history_message send;

    send = (struct iw_history_message){.last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 3, .length = 600};
    rejects(IW_ERROR_DDP_MSN_NO_BUFFER, &send, 1);
    trouble.terminate.has_header = trouble.terminate.has_message = false;
    history.side[IW_SIDE_A].traffic = traffic;
    history.side[IW_SIDE_A].traffic_count = opcodes;
}

static void only_sends_need_a_receive(void **state) {
    (void)state;
    rejects_unknown(1);
    assert_string_equal(first(), "no-receive-buffer");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    counts.unjudged[IW_UNJUDGED_CUT] = 1; /* a request may be what the capture lacks */
    assert_string_equal(first(), "no-receive-buffer");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
}

static void a_request_may_lack_its_buffer(void **state) {
    (void)state;
    rejects_unknown(2);
    assert_string_equal(first(), "");
}

/* RFC 5041 7.2: no buffer belongs to a wrong MSN. */
static void a_violation_may_be_the_reason(void **state) {
    (void)state;
    rejects_unknown(1);
    finds("RFC5041-4.3-12", IW_SIDE_A, 10);
    assert_string_not_equal(first(), "no-receive-buffer");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(only_sends_need_a_receive),
        TEST(a_request_may_lack_its_buffer),
        TEST(a_violation_may_be_the_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
