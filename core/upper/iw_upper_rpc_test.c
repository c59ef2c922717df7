#include "iw_upper_test.h"

/* Messages of the two sides in another order than they were sent and received, as in Wireshark, which shows
 * the packets in the order of the capture. */

enum { HEADER = 24 }; /* of MPA and DDP, in this test */

/* NFS NULL. */
static const uint8_t call_null[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 0, /* XID 1, MSG */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,                                             /* no chunks */
    0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0x86, 0xa3, 0, 0, 0, 3, 0, 0, 0, 0,   /* */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
static const uint8_t reply_null[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, /* 1 credit */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,                                              /* */
    0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

static const uint8_t *with_xid(
    uint8_t octets[sizeof call_null], const uint8_t *message, size_t length, uint8_t xid) {
    memcpy(octets, message, length);
    octets[3] = octets[31] = xid;
    return octets;
}

/* The replier has received each call, and the capture has the call after the reply. */
static void test_replies_before_calls(void **state) {
    uint8_t octets[sizeof call_null];
    struct upper_test test;
    size_t count;

    (void)state;
    upper_test_begin(&test, private_rpc, sizeof private_rpc);
    for (uint8_t xid = 1; xid <= 40; xid++) {
        upper_test_send_at(&test, IW_SIDE_B, with_xid(octets, reply_null, sizeof reply_null, xid),
            sizeof reply_null, xid % 2 == 0 ? UINT64_MAX : test.sent[IW_SIDE_A] + sizeof call_null + HEADER);
        upper_test_send_whole(
            &test, IW_SIDE_A, with_xid(octets, call_null, sizeof call_null, xid), sizeof call_null);
    }
    iw_upper_calls(test.upper, &count);
    assert_int_equal(count, 0);
    assert_int_equal(iw_upper_counts(test.upper)->replies[IW_SIDE_A], 40);
    assert_true(iw_upper_complete(test.upper));
    assert_int_equal(upper_test_findings(&test), 0);
    iw_upper_free(test.upper);
}

/* More replies before their calls than are kept: calls may look unanswered, and nothing is claimed of
 * credits. */
static void test_many_replies_before_calls(void **state) {
    uint8_t octets[sizeof call_null];
    struct upper_test test;

    (void)state;
    upper_test_begin(&test, private_rpc, sizeof private_rpc);
    for (uint8_t xid = 1; xid <= 60; xid++)
        upper_test_send_at(&test, IW_SIDE_B, with_xid(octets, reply_null, sizeof reply_null, xid),
            sizeof reply_null, UINT64_MAX);
    for (uint8_t xid = 1; xid <= 60; xid++)
        upper_test_send_whole(
            &test, IW_SIDE_A, with_xid(octets, call_null, sizeof call_null, xid), sizeof call_null);
    assert_false(iw_upper_complete(test.upper));
    assert_int_equal(upper_test_findings(&test), 0);
    iw_upper_free(test.upper);
}

/* A reply whose sender had no call to answer is no reply to a call sent later. */
static void test_reply_to_nothing(void **state) {
    uint8_t octets[sizeof call_null];
    struct upper_test test;
    size_t count;

    (void)state;
    upper_test_begin(&test, private_rpc, sizeof private_rpc);
    upper_test_send_whole(&test, IW_SIDE_B, reply_null, sizeof reply_null);
    upper_test_send_whole(&test, IW_SIDE_A, call_null, sizeof call_null);
    iw_upper_calls(test.upper, &count);
    assert_int_equal(count, 1);
    upper_test_send_whole(
        &test, IW_SIDE_A, with_xid(octets, call_null, sizeof call_null, 2), sizeof call_null);
    assert_string_equal(upper_test_finding(&test, 0), "RFC8166-3.3.1-01");
    iw_upper_free(test.upper);
}

/* Only the second half of the first segment is written after the capture has the call. */
static void test_write_before_call_and_reply(void **state) {
    struct upper_test test;

    (void)state;
    upper_test_begin(&test, private_rpc, sizeof private_rpc);
    upper_test_write_octets(
        &test, IW_SIDE_B, STAG, 0x1000, 16, test.sent[IW_SIDE_A] + sizeof call_read + HEADER);
    upper_test_send_whole(&test, IW_SIDE_A, call_read, sizeof call_read);
    upper_test_write_octets(&test, IW_SIDE_B, STAG, 0x1010, 16, test.sent[IW_SIDE_A]);
    upper_test_send_whole(&test, IW_SIDE_B, reply_read, sizeof reply_read);
    assert_int_equal(upper_test_findings(&test), 0);
    iw_upper_free(test.upper);
}

/* A truncated message may be the advertisement that refutes a finding. */
static void test_truncated_message_refutes(void **state) {
    struct iw_llp_event llp;
    struct iw_segment segment = {.last = true,
        .opcode = IW_RDMAP_OP_SEND,
        .op = &iw_opcodes[IW_RDMAP_OP_SEND],
        .msn = 1,
        .payload = call_read,
        .payload_octets = sizeof call_read,
        .payload_captured = 24};
    struct upper_test test;

    (void)state;
    upper_test_begin(&test, private_rpc, sizeof private_rpc);
    upper_test_write_octets(
        &test, IW_SIDE_B, STAG, 0x1000, 16, test.sent[IW_SIDE_A] + sizeof call_read + HEADER);
    llp = upper_test_next_event(&test, IW_SIDE_A, IW_LLP_SEGMENT, sizeof call_read + HEADER);
    upper_test_feed(&test, &llp, &segment, UINT64_MAX);
    assert_int_equal(upper_test_findings(&test), 0);
    iw_upper_free(test.upper);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replies_before_calls),
        cmocka_unit_test(test_many_replies_before_calls),
        cmocka_unit_test(test_reply_to_nothing),
        cmocka_unit_test(test_write_before_call_and_reply),
        cmocka_unit_test(test_truncated_message_refutes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
