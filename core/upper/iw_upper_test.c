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

/* Segments of a chunk that follow each other in one STag may be written together, and not beyond. */
static void test_adjacent_buffers(void **state) {
    uint8_t call[sizeof call_read];
    struct upper_test test;

    (void)state;
    memcpy(call, call_read, sizeof call);
    call[47] = 1; /* the same STag */
    call[58] = 0x10, call[59] = 0x20;
    upper_test_begin(&test, private_rpc, sizeof private_rpc);
    upper_test_send_whole(&test, IW_SIDE_A, call, sizeof call);
    upper_test_write_octets(&test, IW_SIDE_B, STAG, 0x1000, 64, test.sent[IW_SIDE_A]);
    assert_int_equal(upper_test_findings(&test), 0);
    assert_int_equal(iw_upper_buffer_find(test.upper, IW_SIDE_A, STAG, 0x1000)->done, 32);
    assert_int_equal(iw_upper_buffer_find(test.upper, IW_SIDE_A, STAG, 0x1020)->done, 32);
    upper_test_write_octets(&test, IW_SIDE_B, STAG, 0x1008, 57, test.sent[IW_SIDE_A]);
    assert_string_equal(upper_test_finding(&test, 0), "RFC8166-3.4.6-01");
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
        cmocka_unit_test(test_adjacent_buffers),
        cmocka_unit_test(test_message_of_several_segments),
        cmocka_unit_test(test_hostile_messages),
        cmocka_unit_test(test_other_protocols),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
