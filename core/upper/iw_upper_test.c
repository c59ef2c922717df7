#include "iw_upper_test.h"

static void test_call_and_buffers(void **state) {
    const struct iw_upper_buffer *buffer;
    const struct iw_upper_call *calls;
    char text[IW_UPPER_TEXT_OCTETS];
    struct upper_test test;
    size_t count;

    (void)state;
    upper_test_begin(&test, private_rpc, sizeof private_rpc);
    assert_int_equal(iw_upper_protocol(test.upper), IW_ULP_RPC);
    assert_true(iw_upper_complete(test.upper));
    assert_false(iw_upper_credits(test.upper, IW_SIDE_A).known);
    upper_test_send_whole(&test, IW_SIDE_A, call_read, sizeof call_read);
    calls = iw_upper_calls(test.upper, &count);
    assert_int_equal(count, 1);
    assert_int_equal(calls[0].frame, 3);
    assert_string_equal(iw_upper_call_name(test.upper, &calls[0], text), "NFS READ, XID 0x00000009");
    buffer = iw_upper_buffer_find(test.upper, IW_SIDE_A, STAG + 1, 0x2010);
    assert_non_null(buffer);
    assert_int_equal(buffer->access, IW_UPPER_ACCESS_WRITE);
    assert_string_equal(
        iw_upper_buffer_purpose(buffer, text), "for NFS READ in frame 3, offset 0x20 of 0x40");
    assert_null(iw_upper_buffer_find(test.upper, IW_SIDE_B, STAG, 0x1000));
    upper_test_write_octets(&test, IW_SIDE_B, STAG, 0x1000, 32, test.sent[IW_SIDE_A]);
    upper_test_send_whole(&test, IW_SIDE_B, reply_read, sizeof reply_read);
    iw_upper_calls(test.upper, &count);
    assert_int_equal(count, 0);
    assert_int_equal(iw_upper_credits(test.upper, IW_SIDE_A).granted, 8);
    buffer = iw_upper_buffer_find(test.upper, IW_SIDE_A, STAG, 0x1000);
    assert_int_equal(buffer->end, IW_UPPER_END_REPLY);
    assert_int_equal(buffer->end_frame, 5);
    assert_int_equal(upper_test_findings(&test), 0);
    iw_upper_free(test.upper);
}

/* Two calls while one credit is granted: the first uses it. A reply before may have granted more. */
static void test_used_credits(void **state) {
    enum { RPC_XID = 71 };
    uint8_t call[sizeof call_read], reply[sizeof reply_read];
    const uint8_t first_grants[] = {1, 8};

    (void)state;
    memcpy(call, call_read, sizeof call);
    memcpy(reply, reply_read, sizeof reply);
    for (unsigned i = 0; i < sizeof first_grants; i++) {
        struct upper_test test;
        struct iw_upper_credits credits;

        upper_test_begin(&test, private_rpc, sizeof private_rpc);
        for (uint8_t xid = 9; xid <= 12; xid++) {
            call[3] = call[RPC_XID] = reply[3] = xid;
            reply[sizeof reply - 9] = xid;
            reply[11] = xid == 9 ? first_grants[i] : 1;
            upper_test_send_whole(&test, IW_SIDE_A, call, sizeof call);
            if (xid <= 10)
                upper_test_send_whole(&test, IW_SIDE_B, reply, sizeof reply);
        }
        credits = iw_upper_credits(test.upper, IW_SIDE_A);
        assert_int_equal(credits.open, 2);
        assert_int_equal(credits.exhausted_frame, 7);
        assert_int_equal(credits.exceeded, first_grants[i] == 1);
        iw_upper_free(test.upper);
    }
}

static char heard[256]; /* what the handlers were called with */

static void hear(const char *what, uint64_t number) {
    size_t used = strlen(heard);

    snprintf(heard + used, sizeof heard - used, "%s %u\n", what, (unsigned)number);
}

static void hear_call(void *user, struct iw_upper_call *call) {
    call->user = user;
    hear("call", call->key);
}

static void hear_reply(void *user, struct iw_upper_call *call) {
    assert_ptr_equal(call->user, user);
    hear("reply", call->key);
}

static void hear_advertised(void *user, struct iw_upper_buffer *buffer, const struct iw_upper_call *call) {
    assert_null(buffer->user);
    assert_int_equal(call->number, buffer->number);
    buffer->user = user;
    hear("advertised", buffer->to);
}

static void hear_used(void *user, struct iw_upper_buffer *buffer) {
    assert_ptr_equal(buffer->user, user);
    hear("used", buffer->to);
}

static void hear_ended(void *user, struct iw_upper_buffer *buffer) {
    assert_ptr_equal(buffer->user, user);
    hear("ended", buffer->to);
}

static void hear_found(void *user, const struct iw_upper_finding *finding) {
    (void)user;
    hear("found", finding->frame);
}

/* Frame 5 writes 8 octets beyond the buffer: it is still the buffer that this Write uses. */
static void test_handlers(void **state) {
    static const struct iw_upper_handlers handlers = {
        hear_call, hear_reply, hear_advertised, hear_used, hear_ended, hear_found};
    struct upper_test test;

    upper_test_begin(&test, private_rpc, sizeof private_rpc);
    iw_upper_listen(test.upper, &handlers, state);
    upper_test_send_whole(&test, IW_SIDE_A, call_read, sizeof call_read);
    upper_test_write_octets(&test, IW_SIDE_B, STAG, 0x1000, 32, test.sent[IW_SIDE_A]);
    upper_test_write_octets(&test, IW_SIDE_B, STAG + 1, 0x2000, 40, test.sent[IW_SIDE_A]);
    upper_test_send_whole(&test, IW_SIDE_B, reply_read, sizeof reply_read);
    assert_string_equal(heard, "call 9\nadvertised 4096\nadvertised 8192\nused 4096\nused 8192\nfound 5\n"
                               "ended 4096\nended 8192\nreply 9\n");
    iw_upper_free(test.upper);
}

/* Whatever the segments of a message, it is the same message. */
static void test_message_of_several_segments(void **state) {
    (void)state;
    for (size_t cut = 1; cut < sizeof call_read; cut++) {
        struct upper_test test;
        size_t count;

        upper_test_begin(&test, private_rpc, sizeof private_rpc);
        upper_test_send_part(&test, IW_SIDE_A, call_read, 0, cut, false);
        upper_test_send_part(&test, IW_SIDE_A, call_read, cut, sizeof call_read - cut, true);
        iw_upper_calls(test.upper, &count);
        assert_int_equal(count, 1);
        assert_non_null(iw_upper_buffer_find(test.upper, IW_SIDE_A, STAG, 0x1000));
        iw_upper_free(test.upper);
    }
}

/* A message cut anywhere, and octets changed anywhere, are read within their bounds. */
static void test_hostile_messages(void **state) {
    uint8_t *octets;

    (void)state;
    for (size_t length = 0; length < sizeof call_read; length++)
        for (unsigned change = 0; change < 4; change++) {
            struct upper_test test;

            octets = malloc(length + 1); /* a read beyond the end is found by the sanitizer */
            assert_non_null(octets);
            memcpy(octets, call_read, length);
            if (length > 0)
                octets[length * change / 4] ^= 0xFF;
            upper_test_begin(&test, private_rpc, sizeof private_rpc);
            upper_test_send_whole(&test, IW_SIDE_A, octets, length);
            upper_test_send_whole(&test, IW_SIDE_B, octets, length);
            iw_upper_free(test.upper);
            free(octets);
        }
}

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

static void test_other_protocols(void **state) {
    static const uint8_t info[16] = {0, 0, 0, 0, 0, 0, 0x50, 0, 0, 0, 3, 0x21, 0, 0, 0, 64};
    static const uint8_t sent[5] = {1, 2, 3, 4, 5};
    uint8_t octets[28] = {0}; /* STag, TO, size, STag, TO (RFC 5040 4.4) */
    struct iw_segment read = {.last = true,
        .opcode = IW_RDMAP_OP_READ_REQUEST,
        .op = &iw_opcodes[IW_RDMAP_OP_READ_REQUEST],
        .qn = 1,
        .msn = 1,
        .header = octets,
        .header_octets = sizeof octets};
    struct iw_llp_event llp;
    struct upper_test test;

    (void)state;
    octets[15] = 64;                   /* RDMA Read Message Size */
    octets[18] = 3, octets[19] = 0x21; /* Data Source STag */
    octets[26] = 0x50;                 /* Data Source TO */
    upper_test_begin(&test, NULL, 0);
    upper_test_send_whole(&test, IW_SIDE_A, info, sizeof info);
    assert_int_equal(iw_upper_protocol(test.upper), IW_ULP_UNKNOWN);
    llp = upper_test_next_event(&test, IW_SIDE_B, IW_LLP_SEGMENT, 52);
    upper_test_feed(&test, &llp, &read, test.sent[IW_SIDE_A]);
    assert_int_equal(iw_upper_protocol(test.upper), IW_ULP_RPING);
    assert_non_null(iw_upper_buffer_find(test.upper, IW_SIDE_A, 0x321, 0x5000));
    iw_upper_free(test.upper);

    upper_test_begin(&test, NULL, 0);
    upper_test_send_whole(&test, IW_SIDE_A, sent, sizeof sent);
    upper_test_write_octets(&test, IW_SIDE_B, 5, 0, 64, test.sent[IW_SIDE_A]);
    assert_int_equal(iw_upper_protocol(test.upper), IW_ULP_UNKNOWN);
    assert_int_equal(upper_test_findings(&test), 0);
    iw_upper_free(test.upper);
}

/* SMB Direct: a data message that requests and grants 256 credits begins like a Negotiate Response, and has
 * its length. Its 8 octets of data are no SMB2 header. */
static void test_data_message_like_negotiation(void **state) {
    static const uint8_t request[20] = {
        0, 1, 0, 1, 0, 0, 0xff, 0, 0x54, 5, 0, 0, 0x54, 5, 0, 0, 0x56, 0xa7, 2, 0};
    static const uint8_t data[32] = {0, 1, 0, 1, [12] = 24, [16] = 8, [24] = 1, 2, 3, 4, 5, 6, 7, 8};
    struct upper_test test;

    (void)state;
    upper_test_begin(&test, NULL, 0);
    upper_test_send_whole(&test, IW_SIDE_A, request, sizeof request);
    assert_int_equal(iw_upper_protocol(test.upper), IW_ULP_SMB_DIRECT);
    assert_true(iw_upper_complete(test.upper));
    upper_test_send_whole(&test, IW_SIDE_A, data, sizeof data);
    assert_false(iw_upper_complete(test.upper));
    iw_upper_free(test.upper);
}

enum { SMBD = 24, FRAGMENT = SMBD + 72 };

/* SMB Direct: a fragment of 72 octets with an SMB2 ECHO. */
static void smb_echo(uint8_t data[FRAGMENT], uint8_t message_id, bool response, uint8_t next) {
    memset(data, 0, FRAGMENT);
    data[12] = SMBD;
    data[16] = FRAGMENT - SMBD;
    memcpy(data + SMBD, "\xfeSMB\x40", 5);
    data[SMBD + 12] = 13; /* ECHO */
    data[SMBD + 16] = response;
    data[SMBD + 20] = next;
    data[SMBD + 24] = message_id;
}

/* SMB Direct: a compound that goes on in another fragment. Its requests and responses are not read, and calls
 * before and after it are followed. */
static void test_compound_in_fragments(void **state) {
    static const uint8_t request[20] = {
        0, 1, 0, 1, 0, 0, 0xff, 0, 0x54, 5, 0, 0, 0x54, 5, 0, 0, 0x56, 0xa7, 2, 0};
    uint8_t echo[FRAGMENT];
    struct upper_test test;
    size_t count;

    (void)state;
    upper_test_begin(&test, NULL, 0);
    upper_test_send_whole(&test, IW_SIDE_A, request, sizeof request);
    smb_echo(echo, 1, false, 72);
    echo[8] = 72; /* RemainingDataLength */
    upper_test_send_whole(&test, IW_SIDE_A, echo, sizeof echo);
    smb_echo(echo, 2, false, 0);
    upper_test_send_whole(&test, IW_SIDE_A, echo, sizeof echo);
    smb_echo(echo, 3, false, 0);
    upper_test_send_whole(&test, IW_SIDE_A, echo, sizeof echo);
    assert_false(iw_upper_complete(test.upper)); /* message 2 might advertise memory */
    assert_true(iw_upper_calls_complete(test.upper));
    iw_upper_calls(test.upper, &count);
    assert_int_equal(count, 2); /* 1 and 3 */
    smb_echo(echo, 2, true, 0);
    upper_test_send_whole(&test, IW_SIDE_B, echo, sizeof echo);
    smb_echo(echo, 1, true, 0);
    upper_test_send_whole(&test, IW_SIDE_B, echo, sizeof echo);
    assert_true(iw_upper_calls_complete(test.upper));
    assert_int_equal(iw_upper_calls(test.upper, &count)->key, 3);
    assert_int_equal(count, 1);
    smb_echo(echo, 7, true, 72); /* the response that follows it may be that to 3 */
    echo[8] = 72;
    upper_test_send_whole(&test, IW_SIDE_B, echo, sizeof echo);
    assert_true(iw_upper_calls_complete(test.upper));
    iw_upper_calls(test.upper, &count);
    assert_int_equal(count, 0);
    smb_echo(echo, 3, true, 0);
    upper_test_send_whole(&test, IW_SIDE_B, echo, sizeof echo);
    smb_echo(echo, 4, false, 0);
    upper_test_send_whole(&test, IW_SIDE_A, echo, sizeof echo);
    assert_true(iw_upper_calls_complete(test.upper));
    assert_int_equal(iw_upper_calls(test.upper, &count)->key, 4);
    smb_echo(echo, 5, false, 72); /* malformed: no fragment follows */
    upper_test_send_whole(&test, IW_SIDE_A, echo, sizeof echo);
    assert_false(iw_upper_calls_complete(test.upper));
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

static void test_names(void **state) {
    (void)state;
    for (int i = 0; i < IW_ULP_COUNT; i++) {
        assert_non_null(iw_upper_protocol_name((enum iw_ulp_protocol)i));
        assert_non_null(iw_upper_protocol_key((enum iw_ulp_protocol)i));
    }
    for (int i = 0; i < IW_UPPER_RULE_COUNT; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(iw_upper_rules[i].id, iw_upper_rules[k].id);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_call_and_buffers),
        cmocka_unit_test(test_used_credits),
        cmocka_unit_test(test_handlers),
        cmocka_unit_test(test_message_of_several_segments),
        cmocka_unit_test(test_hostile_messages),
        cmocka_unit_test(test_unknown_stag),
        cmocka_unit_test(test_call_captured_late),
        cmocka_unit_test(test_write_before_call),
        cmocka_unit_test(test_more_pending_than_kept),
        cmocka_unit_test(test_loss_is_silent),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_other_protocols),
        cmocka_unit_test(test_data_message_like_negotiation),
        cmocka_unit_test(test_compound_in_fragments),
        cmocka_unit_test(test_completion_before_command),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
