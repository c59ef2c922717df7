#include "iw_rpcrdma.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* From nfs41_rdma in captures/ulp, frame 12: a Long Reply. */
static const uint8_t long_reply[48] = {0xac, 0x84, 0x1d, 0xa0, 0, 0, 0, 1, 0, 0, 0, 0x40, 0, 0, 0,
    1,                                              /* 64 credits, RDMA_NOMSG */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, /* Reply chunk of one segment */
    0xda, 0x7e, 0xde, 0x01, 0, 0, 0, 0x64, 0xac, 0x84, 0x1d, 0xa0, 0xc7, 0x4e, 0xe0, 0x00};

static void test_long_reply(void **state) {
    struct iw_rpcrdma header;

    (void)state;
    assert_true(iw_rpcrdma_decode(long_reply, sizeof long_reply, &header));
    assert_int_equal(header.xid, 0xac841da0);
    assert_int_equal(header.credit, 64);
    assert_true(header.lists);
    assert_true(header.reply_chunk);
    assert_int_equal(header.segment_count, 1);
    assert_int_equal(header.segments[0].handle, 0xda7ede01);
    assert_int_equal(header.segments[0].length, 100);
    assert_true(header.segments[0].offset == UINT64_C(0xac841da0c74ee000));
    assert_int_equal(header.body, sizeof long_reply);
}

static void test_cut_lists(void **state) {
    struct iw_rpcrdma header;

    (void)state;
    for (size_t octets = 0; octets < sizeof long_reply; octets++) {
        assert_int_equal(iw_rpcrdma_decode(long_reply, octets, &header), octets >= 16);
        assert_false(header.lists);
    }
}

/* A count of segments that no message can have. */
static void test_many_segments(void **state) {
    uint8_t data[4096] = {0};
    struct iw_rpcrdma header;

    (void)state;
    memcpy(data, long_reply, sizeof long_reply);
    memset(data + 28, 0xff, 4);
    assert_true(iw_rpcrdma_decode(data, sizeof data, &header));
    assert_false(header.lists);
    assert_int_equal(header.segment_count, IW_RPCRDMA_SEGMENTS_MAX);
}

/* More segments than are stored: the message is recognised all the same. */
static void test_message_with_more_segments_than_stored(void **state) {
    enum { SEGMENTS = IW_RPCRDMA_SEGMENTS_MAX + 1, OCTETS = 32 + SEGMENTS * 16 };
    uint8_t data[OCTETS] = {0};
    struct iw_rpcrdma header;

    (void)state;
    memcpy(data, long_reply, 32);
    data[31] = SEGMENTS;
    assert_true(iw_rpcrdma_is_message(data, OCTETS, OCTETS, &header));
    assert_int_equal(header.count[IW_RPCRDMA_REPLY], SEGMENTS);
    assert_false(iw_rpcrdma_is_message(data, OCTETS - 1, OCTETS, &header));
    assert_false(iw_rpcrdma_is_message(data, OCTETS, OCTETS + 4, &header)); /* octets after the lists */
    assert_true(iw_rpcrdma_decode(data, OCTETS, &header));
    assert_false(header.lists);
}

static void test_operations(void **state) {
    /* XID, CALL, RPC version 2, program 100003, version, procedure, two empty authentications */
    uint8_t call[92] = {[11] = 2, [13] = 1, [14] = 0x86, [15] = 0xa3, [19] = 4, [23] = 1};

    (void)state;
    call[51] = 3; /* a COMPOUND of three operations, after an empty tag and minor version 1 */
    call[47] = 1;
    call[55] = 53;                                                                /* SEQUENCE */
    call[91] = 24;                                                                /* PUTROOTFH */
    assert_string_equal(iw_rpcrdma_operation(call, sizeof call), "NFS COMPOUND"); /* cut */
    call[91] = 38;
    assert_string_equal(iw_rpcrdma_operation(call, sizeof call), "NFS WRITE");
    call[19] = 3;
    call[23] = 7;
    assert_string_equal(iw_rpcrdma_operation(call, sizeof call), "NFS WRITE");
    call[23] = 0;
    assert_string_equal(iw_rpcrdma_operation(call, sizeof call), "NFS NULL");
    call[15] = 0xa5;
    assert_string_equal(iw_rpcrdma_operation(call, sizeof call), "MOUNT call");
    for (size_t octets = 0; octets < 24; octets++)
        assert_string_equal(iw_rpcrdma_operation(call, octets), "RPC call");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_reply),
        cmocka_unit_test(test_cut_lists),
        cmocka_unit_test(test_many_segments),
        cmocka_unit_test(test_message_with_more_segments_than_stored),
        cmocka_unit_test(test_operations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
