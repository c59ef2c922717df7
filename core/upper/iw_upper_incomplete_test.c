#include "iw_upper_test.h"

/* Captures that lack something, have it in another order, or have more than is kept. */

/* A Write to an unknown STag is a finding once everything was seen that its sender may have received. */
static void test_unknown_stag(void **state) {
    struct upper_test test;

    (void)state;
    upper_test_begin(&test, private_rpc, sizeof private_rpc);
    upper_test_write_octets(&test, IW_SIDE_B, STAG, 0x1000, 8, test.sent[IW_SIDE_A]);
    assert_string_equal(upper_test_finding(&test, 0), "RFC8166-3.4.6-01");
    upper_test_write_octets(
        &test, IW_SIDE_B, STAG, 0x1000, 8, UINT64_MAX); /* not known what it had received */
    assert_int_equal(upper_test_findings(&test), 1);
    iw_upper_free(test.upper);
}

/* The call is captured after the Write that answers it. */
static void test_call_captured_late(void **state) {
    struct upper_test test;

    (void)state;
    upper_test_begin(&test, private_rpc, sizeof private_rpc);
    upper_test_write_octets(&test, IW_SIDE_B, STAG, 0x1000, 32, test.sent[IW_SIDE_A] + sizeof call_read + 24);
    upper_test_send_whole(&test, IW_SIDE_A, call_read, sizeof call_read);
    upper_test_send_whole(&test, IW_SIDE_B, reply_read, sizeof reply_read);
    iw_upper_finish(test.upper);
    for (size_t i = 0; i < upper_test_findings(&test); i++)
        assert_string_not_equal(upper_test_finding(&test, i), "RFC8166-3.4.6-01");
    iw_upper_free(test.upper);
}

/* The octets that its sender had received do not have the call, so a later one is too late. */
static void test_write_before_call(void **state) {
    static const uint8_t grant[20] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 2};
    struct upper_test test;

    (void)state;
    upper_test_begin(&test, private_rpc, sizeof private_rpc);
    upper_test_write_octets(&test, IW_SIDE_B, STAG, 0x1000, 32, test.sent[IW_SIDE_A] + sizeof grant + 24);
    assert_int_equal(upper_test_findings(&test), 0);
    upper_test_send_whole(&test, IW_SIDE_A, grant, sizeof grant);
    assert_string_equal(upper_test_finding(&test, upper_test_findings(&test) - 1), "RFC8166-3.4.6-01");
    iw_upper_free(test.upper);
}

/* Of nine findings that wait for the same later message, eight are reported, and the result says that it is
 * not complete. */
static void test_more_pending_than_kept(void **state) {
    static const uint8_t grant[20] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 2};

    (void)state;
    for (unsigned writes = 8; writes <= 9; writes++) {
        struct upper_test test;

        upper_test_begin(&test, private_rpc, sizeof private_rpc);
        for (unsigned i = 0; i < writes; i++)
            upper_test_write_octets(
                &test, IW_SIDE_B, STAG + i, 0x1000, 32, test.sent[IW_SIDE_A] + sizeof grant + 24);
        assert_int_equal(upper_test_findings(&test), 0);
        upper_test_send_whole(&test, IW_SIDE_A, grant, sizeof grant);
        assert_int_equal(upper_test_findings(&test), 8);
        assert_int_equal(iw_upper_complete(test.upper), writes == 8);
        assert_false(iw_upper_no_memory(test.upper));
        iw_upper_free(test.upper);
    }
}

static void test_loss_is_silent(void **state) {
    struct iw_llp_event llp;
    struct upper_test test;
    size_t count;

    (void)state;
    upper_test_begin(&test, private_rpc, sizeof private_rpc);
    upper_test_send_whole(&test, IW_SIDE_A, call_read, sizeof call_read);
    llp = upper_test_next_event(&test, IW_SIDE_A, IW_LLP_LOSS, 100);
    upper_test_feed(&test, &llp, NULL, UINT64_MAX);
    assert_false(iw_upper_complete(test.upper));
    iw_upper_calls(test.upper, &count);
    assert_int_equal(count, 0);
    upper_test_write_octets(&test, IW_SIDE_B, STAG + 7, 0x1000, 32, test.sent[IW_SIDE_A]);
    upper_test_send_whole(&test, IW_SIDE_B, reply_read, sizeof reply_read);
    assert_int_equal(upper_test_findings(&test), 0);
    iw_upper_free(test.upper);
}

/* More calls and buffers than are kept: no finding, and no more memory. */
static void test_limits(void **state) {
    uint8_t call[sizeof call_read];
    struct upper_test test;
    size_t count;

    (void)state;
    memcpy(call, call_read, sizeof call);
    upper_test_begin(&test, private_rpc, sizeof private_rpc);
    upper_test_send_whole(&test, IW_SIDE_A, call, sizeof call);
    upper_test_send_whole(&test, IW_SIDE_B, reply_read, sizeof reply_read);
    for (unsigned i = 0; i < 2000; i++) {
        call[0] = call[76] = (uint8_t)(1 + i / 256);
        call[1] = call[77] = (uint8_t)i;
        call[28] = (uint8_t)i;
        call[29] = (uint8_t)(i / 256);
        upper_test_send_whole(&test, IW_SIDE_A, call, sizeof call);
    }
    iw_upper_calls(test.upper, &count);
    assert_true(count <= IW_UPPER_CALLS_MAX);
    assert_false(iw_upper_complete(test.upper));
    assert_true(upper_test_findings(&test) <= IW_UPPER_FINDINGS_MAX);
    iw_upper_free(test.upper);
}

/* NVMe: a completion that comes before its command is no proof that the command is unanswered. */
static void test_completion_before_command(void **state) {
    static const uint8_t connect[64] = {0x7f, 0x40, 1, 0, 1};
    static const uint8_t command[64] = {0x00, 0x40, 2, 0};
    static const uint8_t done[2][16] = {{[12] = 1}, {[12] = 2}};

    (void)state;
    for (unsigned late = 0; late <= 1; late++) {
        struct upper_test test;

        upper_test_begin(&test, NULL, 0);
        upper_test_send_whole(&test, IW_SIDE_A, connect, sizeof connect);
        assert_int_equal(iw_upper_protocol(test.upper), IW_ULP_NVME);
        upper_test_send_whole(&test, IW_SIDE_B, done[0], sizeof done[0]);
        upper_test_send_at(&test, IW_SIDE_B, done[1], sizeof done[1],
            test.sent[IW_SIDE_A] + (late ? sizeof command + 24 : 0));
        upper_test_send_whole(&test, IW_SIDE_A, command, sizeof command);
        assert_int_equal(iw_upper_complete(test.upper), !late);
        iw_upper_free(test.upper);
    }
}

/* Calls of side A that miss their reply. */
static size_t waiting(const struct upper_test *test) {
    size_t count, found = 0;
    const struct iw_upper_call *calls = iw_upper_calls(test->upper, &count);

    for (size_t i = 0; i < count; i++)
        found += calls[i].caller == IW_SIDE_A && !calls[i].may_be_answered && calls[i].key < 9;
    return found;
}

static void send_iscsi(struct upper_test *test, enum iw_side side, uint8_t opcode, uint8_t function,
    uint8_t itt, uint8_t referenced) {
    uint8_t pdu[76] = {[0] = 0x10, [28] = opcode, [29] = function, [47] = itt, [51] = referenced};

    upper_test_send_whole(test, side, pdu, sizeof pdu);
}

/* iSER: what may end a command without a SCSI Response, and how many of three commands then still wait. */
static void test_commands_that_are_given_up(void **state) {
    static const struct {
        uint8_t request, function, response;
        size_t waiting;
    } ends[] = {{0x02, 0x81, 0x22, 2}, {0x02, 0x85, 0x22, 0}, {0x06, 0x80, 0x26, 0}, {0x00, 0x80, 0x3F, 0},
        {0x00, 0x80, 0x20, 3}};

    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct upper_test test;

        upper_test_begin(&test, NULL, 0);
        for (uint8_t itt = 1; itt <= 3; itt++)
            send_iscsi(&test, IW_SIDE_A, 0x01, 0x80, itt, 0);
        assert_int_equal(iw_upper_protocol(test.upper), IW_ULP_ISER);
        send_iscsi(&test, IW_SIDE_A, ends[i].request, ends[i].function, 9, 2);
        send_iscsi(&test, IW_SIDE_B, ends[i].response, 0, ends[i].response == 0x3F ? 0xFF : 9, 0);
        assert_int_equal(waiting(&test), ends[i].waiting);
        iw_upper_free(test.upper);
    }
}

/* The startup and the first call are missing: what follows has all replies to the calls that it has. A gap
 * forgets the calls before it. Of rules, neither shows enough. */
static void test_calls_after_what_is_missing(void **state) {
    uint8_t call[sizeof call_read];
    struct iw_llp_event llp;
    struct upper_test test = {.upper = iw_upper_new()};
    size_t count;

    (void)state;
    assert_non_null(test.upper);
    upper_test_send_whole(&test, IW_SIDE_A, call_read, sizeof call_read);
    assert_int_equal(iw_upper_protocol(test.upper), IW_ULP_RPC);
    assert_false(iw_upper_calls_complete(test.upper)); /* the capture may have one direction only */
    memcpy(call, call_read, sizeof call);
    call[3] = call[71] = 9; /* its reply may stand in octets of the other side that could not be read */
    upper_test_send_whole(&test, IW_SIDE_A, call, sizeof call);
    upper_test_send_whole(&test, IW_SIDE_B, reply_read, sizeof reply_read);
    call[3] = call[71] = 10; /* XID */
    upper_test_send_whole(&test, IW_SIDE_A, call, sizeof call);
    assert_true(iw_upper_calls_complete(test.upper));
    assert_false(iw_upper_complete(test.upper));
    assert_int_equal(iw_upper_calls(test.upper, &count)->key, 10);
    assert_int_equal(count, 1);
    llp = upper_test_next_event(&test, IW_SIDE_B, IW_LLP_LOSS, 100);
    upper_test_feed(&test, &llp, NULL, UINT64_MAX);
    call[3] = call[71] = 11;
    upper_test_send_whole(&test, IW_SIDE_A, call, sizeof call);
    assert_true(iw_upper_calls_complete(test.upper));
    assert_false(iw_upper_is_read_after(test.upper, llp.frame - 1));
    assert_true(iw_upper_is_read_after(test.upper, llp.frame));
    assert_int_equal(iw_upper_calls(test.upper, &count)->key, 11);
    assert_int_equal(count, 1);
    iw_upper_free(test.upper);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_stag),
        cmocka_unit_test(test_call_captured_late),
        cmocka_unit_test(test_write_before_call),
        cmocka_unit_test(test_more_pending_than_kept),
        cmocka_unit_test(test_loss_is_silent),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_completion_before_command),
        cmocka_unit_test(test_commands_that_are_given_up),
        cmocka_unit_test(test_calls_after_what_is_missing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
