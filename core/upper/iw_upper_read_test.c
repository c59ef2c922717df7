#include "iw_upper_test.h"

/* RDMA Reads and replies in another order than they were sent and received, as in Wireshark, which shows the
 * packets in the order of the capture. */

enum { HEADER = 24, RESPONSE = 20 + 8 }; /* octets of MPA and DDP, in this test; and of a Read Response */

/* NFS WRITE, XID 2, with a Read chunk of 8 octets at position 100. */
static const uint8_t call_write[] = {0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 0,         /* MSG */
    0, 0, 0, 1, 0, 0, 0, 100, 0xda, 0x7e, 0xde, 0x01, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0x10, 0, /* TO 0x1000 */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,                                           /* no other chunks */
    0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0x86, 0xa3, 0, 0, 0, 3, 0, 0, 0, 7, /* WRITE */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
static const uint8_t reply_write[] = {0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 0, /* 8 credits */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,                                               /* */
    0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
/* A Long Call with XID 2: a Read chunk of 8 octets at position 0. */
static const uint8_t call_long[] = {0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 1,        /* NOMSG */
    0, 0, 0, 1, 0, 0, 0, 0, 0xda, 0x7e, 0xde, 0x01, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0x10, 0, /* TO 0x1000 */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

/* Side B reads the chunk. */
static void reads(struct upper_test *test) {
    /* Data Sink STag and TO, size, Data Source STag and TO (RFC 5040 4.4) */
    static const uint8_t header[28] = {0, 0, 0, 0x77, [15] = 8, 0xda, 0x7e, 0xde, 0x01, [26] = 0x10};
    struct iw_llp_event llp = upper_test_next_event(test, IW_SIDE_B, IW_LLP_SEGMENT, 52);
    struct iw_segment segment = {.last = true,
        .opcode = IW_RDMAP_OP_READ_REQUEST,
        .op = &iw_opcodes[IW_RDMAP_OP_READ_REQUEST],
        .qn = 1,
        .msn = 1,
        .header = header,
        .header_octets = sizeof header};

    upper_test_feed(test, &llp, &segment, test->sent[IW_SIDE_A]);
}

/* Side A answers with 8 octets, in one segment or in two. */
static void answers(struct upper_test *test, const uint8_t octets[8], unsigned segments) {
    for (unsigned i = 0; i < segments; i++) {
        uint16_t count = (uint16_t)(8 / segments);
        struct iw_llp_event llp = upper_test_next_event(test, IW_SIDE_A, IW_LLP_SEGMENT, RESPONSE / segments);
        struct iw_segment segment = {.tagged = true,
            .last = i + 1 == segments,
            .opcode = IW_RDMAP_OP_READ_RESPONSE,
            .op = &iw_opcodes[IW_RDMAP_OP_READ_RESPONSE],
            .stag = 0x77,
            .to = (uint64_t)i * count,
            .payload = octets + i * count,
            .payload_octets = count,
            .payload_captured = count};

        upper_test_feed(test, &llp, &segment, test->sent[IW_SIDE_B]);
    }
}

static const uint8_t data[8] = {0, 0, 0, 2};

static void begins(struct upper_test *test, const uint8_t *call, size_t octets) {
    upper_test_begin(test, private_rpc, sizeof private_rpc);
    upper_test_send_whole(test, IW_SIDE_A, call, octets);
}

/* The reply is captured before the response. Its sender may have received the response, or not. */
static void test_reply_captured_before_the_response(void **state) {
    (void)state;
    for (unsigned received = 0; received <= 1; received++)
        for (unsigned segments = 1; segments <= 2; segments++) {
            struct upper_test test;

            begins(&test, call_write, sizeof call_write);
            reads(&test);
            upper_test_send_at(&test, IW_SIDE_B, reply_write, sizeof reply_write,
                test.sent[IW_SIDE_A] + received * RESPONSE);
            answers(&test, data, segments);
            assert_int_equal(upper_test_findings(&test), !received);
            if (!received)
                assert_string_equal(upper_test_finding(&test, 0), "RFC8166-3.5.2-01");
            iw_upper_free(test.upper);
        }
}

/* The response is captured before its request, which tells nothing: the numbers belong together. */
static void test_response_captured_before_its_request(void **state) {
    struct upper_test test;

    (void)state;
    begins(&test, call_write, sizeof call_write);
    answers(&test, data, 1);
    reads(&test);
    upper_test_send_whole(&test, IW_SIDE_B, reply_write, sizeof reply_write);
    assert_int_equal(upper_test_findings(&test), 0);
    iw_upper_free(test.upper);
}

/* RFC 8166 4.2.1; a response that is captured before its request is no longer there to compare. */
static void test_xid_of_a_long_call(void **state) {
    static const uint8_t other[8] = {0, 0, 0, 3};

    (void)state;
    for (unsigned early = 0; early <= 1; early++)
        for (unsigned wrong = 0; wrong <= 1; wrong++) {
            struct upper_test test;

            begins(&test, call_long, sizeof call_long);
            if (early)
                answers(&test, wrong ? other : data, 1);
            reads(&test);
            if (!early)
                answers(&test, wrong ? other : data, 1);
            upper_test_send_whole(&test, IW_SIDE_B, reply_write, sizeof reply_write);
            assert_int_equal(upper_test_findings(&test), wrong && !early);
            if (wrong && !early)
                assert_string_equal(upper_test_finding(&test, 0), "RFC8166-4.2.1-01");
            iw_upper_free(test.upper);
        }
}

/* A loss may have had a Read Response. */
static void test_loss_is_silent(void **state) {
    struct upper_test test;
    struct iw_llp_event llp;

    (void)state;
    begins(&test, call_write, sizeof call_write);
    reads(&test);
    llp = upper_test_next_event(&test, IW_SIDE_A, IW_LLP_LOSS, 100);
    upper_test_feed(&test, &llp, NULL, UINT64_MAX);
    upper_test_send_whole(&test, IW_SIDE_B, reply_write, sizeof reply_write);
    assert_int_equal(upper_test_findings(&test), 0);
    iw_upper_free(test.upper);
}

/* Two calls before the first reply: a call of the other side that is captured late refutes nothing, a reply
 * does. */
static void test_only_a_reply_refutes_missing_credits(void **state) {
    uint8_t second[sizeof call_read];

    (void)state;
    memcpy(second, call_read, sizeof second);
    second[3] = second[71] = 10; /* XID */
    for (unsigned reply = 0; reply <= 1; reply++) {
        const uint8_t *late = reply ? reply_read : call_read;
        size_t octets = reply ? sizeof reply_read : sizeof call_read;
        struct upper_test test;

        begins(&test, call_read, sizeof call_read);
        upper_test_send_at(&test, IW_SIDE_A, second, sizeof second, test.sent[IW_SIDE_B] + octets + HEADER);
        upper_test_send_whole(&test, IW_SIDE_B, late, octets);
        for (size_t i = 0; i < upper_test_findings(&test); i++)
            assert_true(!reply || strcmp(upper_test_finding(&test, i), "RFC8166-3.3.3-01") != 0);
        if (!reply)
            assert_string_equal(upper_test_finding(&test, 0), "RFC8166-3.3.3-01");
        iw_upper_free(test.upper);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reply_captured_before_the_response),
        cmocka_unit_test(test_response_captured_before_its_request),
        cmocka_unit_test(test_xid_of_a_long_call),
        cmocka_unit_test(test_loss_is_silent),
        cmocka_unit_test(test_only_a_reply_refutes_missing_credits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
