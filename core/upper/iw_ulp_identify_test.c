#include "iw_ulp_identify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Octets from nfs41_rdma, smb_direct, iser and nvme_rdma_p2p in captures/ulp, and variations of them. */

static const uint8_t rpc_call[68] = {
    0xab, 0x84, 0x1d, 0xa0, 0, 0, 0, 1, 0, 0, 0, 0x80, 0, 0, 0, 0,                /* header */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,                                           /* no chunks */
    0xab, 0x84, 0x1d, 0xa0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0x86, 0xa3, 0, 0, 0, 4, /* RPC */
};
static const uint8_t rpc_nomsg[48] = {
    0xac, 0x84, 0x1d, 0xa0, 0, 0, 0, 1, 0, 0, 0, 0x40, 0, 0, 0, 1, /* header */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1,                /* reply chunk of one segment */
    0xda, 0x7e, 0xde, 0x01, 0, 0, 0, 0x64, 0xac, 0x84, 0x1d, 0xa0, 0xc7, 0x4e, 0xe0, 0x00, /* segment */
};
static const uint8_t smbd_request[20] = {
    0x00, 0x01, 0x00, 0x01, 0, 0, 0xff, 0, 0x54, 0x05, 0, 0, 0x54, 0x05, 0, 0, 0x56, 0xa7, 0x02, 0};
static const uint8_t smbd_response[32] = {0x00, 0x01, 0x00, 0x01, 0x00, 0x01, 0, 0, 0xff, 0, 0xfe, 0, 0, 0, 0,
    0, 0, 0, 0x80, 0, 0x54, 0x05, 0, 0, 0x54, 0x05, 0, 0, 0x56, 0xa7, 0x02, 0};
static const uint8_t smbd_empty[20] = {0xff, 0, 0xff, 0};
static const uint8_t smbd_data[64] = {
    0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x18, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0, 0xfe, 'S', 'M', 'B', 0x40};
static const uint8_t iser_command[76] = {0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x44, 0xe5, 0x39,
    0x01, 0xff, 0x26, 0xbf, 0x7c, 0xff, 0x35, 0xd5, 0x00, /* header: Read STag valid */
    0x01, 0xc1};
static const uint8_t nvme_connect[64] = {0x7f, 0x40, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0x80, 0x0d, 0xc7, 0x7c, 0xbf, 0x26, 0xff, 0x00, 0x04, 0, 0, 0xe2, 0x02, 0xec, 0x4f, 0, 0, 0, 0,
    0, 0x1f};
static const uint8_t nvme_completion[16] = {0, 0, 0, 0, 0, 0, 0, 0, 3};

static struct iw_ulp_message whole(const uint8_t *data, size_t octets) {
    return (struct iw_ulp_message){data, octets, octets};
}

static void assert_send(const uint8_t *data, size_t octets, enum iw_ulp_protocol expected) {
    struct iw_ulp_message message = whole(data, octets);

    assert_int_equal(iw_ulp_by_send(&message), expected);
}

static void assert_message(enum iw_ulp_protocol protocol, const uint8_t *data, size_t octets, bool expected) {
    struct iw_ulp_message message = whole(data, octets);

    assert_int_equal(iw_ulp_is_message(protocol, &message), expected);
}

static void test_sends(void **state) {
    (void)state;
    assert_send(rpc_call, sizeof rpc_call, IW_ULP_RPC);
    assert_send(rpc_nomsg, sizeof rpc_nomsg, IW_ULP_RPC);
    assert_send(smbd_request, sizeof smbd_request, IW_ULP_SMB_DIRECT);
    assert_send(smbd_response, sizeof smbd_response, IW_ULP_SMB_DIRECT);
    assert_send(smbd_data, sizeof smbd_data, IW_ULP_SMB_DIRECT);
    assert_send(iser_command, sizeof iser_command, IW_ULP_ISER);
    assert_send(nvme_connect, sizeof nvme_connect, IW_ULP_NVME);
}

/* Octets that fit a protocol, but do not prove it. */
static void test_doubtful_sends(void **state) {
    static const uint8_t text[100] =
        "rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}";
    static const uint8_t zeros[100];
    static const uint8_t rpc_done[16] = {0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3};

    (void)state;
    assert_send(text, sizeof text, IW_ULP_UNKNOWN);
    for (size_t octets = 0; octets <= sizeof zeros; octets++)
        assert_send(zeros, octets, IW_ULP_UNKNOWN);
    assert_send(rpc_done, sizeof rpc_done, IW_ULP_UNKNOWN);
    assert_send(smbd_empty, sizeof smbd_empty, IW_ULP_UNKNOWN);
    assert_send(nvme_completion, sizeof nvme_completion, IW_ULP_UNKNOWN);
}

static void test_a_different_xid_is_not_rpc(void **state) {
    uint8_t changed[sizeof rpc_call];

    (void)state;
    memcpy(changed, rpc_call, sizeof changed);
    changed[28] ^= 1;
    assert_send(changed, sizeof changed, IW_ULP_UNKNOWN);
    assert_message(IW_ULP_RPC, changed, sizeof changed, false);
}

static void test_chunk_lists_end_in_the_message(void **state) {
    uint8_t changed[sizeof rpc_nomsg];

    (void)state;
    memcpy(changed, rpc_nomsg, sizeof changed);
    memset(changed + 28, 0xff, 4); /* segments */
    assert_send(changed, sizeof changed, IW_ULP_UNKNOWN);
    for (size_t octets = 0; octets < sizeof rpc_nomsg; octets++)
        assert_send(rpc_nomsg, octets, IW_ULP_UNKNOWN);
}

static void test_messages_of_a_known_protocol(void **state) {
    static const uint8_t rpc_done[16] = {0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3};

    (void)state;
    assert_message(IW_ULP_RPC, rpc_done, sizeof rpc_done, true);
    assert_message(IW_ULP_RPC, rpc_done, 12, false);
    assert_message(IW_ULP_RPC, iser_command, sizeof iser_command, false);
    assert_message(IW_ULP_SMB_DIRECT, smbd_empty, sizeof smbd_empty, true);
    assert_message(IW_ULP_SMB_DIRECT, smbd_data, sizeof smbd_data, true);
    assert_message(IW_ULP_SMB_DIRECT, smbd_data, sizeof smbd_data - 1, false); /* one octet is missing */
    assert_message(IW_ULP_ISER, iser_command, sizeof iser_command, true);
    assert_message(IW_ULP_ISER, iser_command, sizeof iser_command - 1, false);
    assert_message(IW_ULP_NVME, nvme_completion, sizeof nvme_completion, true);
    assert_message(IW_ULP_NVME, nvme_completion, 15, false);
    assert_message(IW_ULP_UNKNOWN, rpc_call, sizeof rpc_call, false);
}

/* RFC 7143 11.2.1.2 */
static void test_opcode_that_iscsi_does_not_define(void **state) {
    uint8_t changed[sizeof iser_command];

    (void)state;
    memcpy(changed, iser_command, sizeof changed);
    changed[28] = 0x27;
    assert_send(changed, sizeof changed, IW_ULP_UNKNOWN);
    assert_message(IW_ULP_ISER, changed, sizeof changed, false);
}

static void test_reduced_reply(void **state) {
    uint8_t reply[96] = {0xc9, 0x84, 0x1d, 0xa0, 0, 0, 0, 1, 0, 0, 0, 0x40, 0, 0, 0, 0, /* header */
        0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1,                                             /* a write chunk */
        0x26, 0x80, 0x1f, 0x03, 0, 0, 0x40, 0, 0xc9, 0x84, 0x1d, 0xa0, 0xc5, 0xd8, 0x30,
        0, /* of one segment */
        0, 0, 0, 0, 0, 0, 0, 0, 0xc9, 0x84, 0x1d, 0xa0, 0, 0, 0, 1};
    struct iw_ulp_message message = whole(reply, sizeof reply);
    struct iw_ulp_message call = whole(rpc_call, sizeof rpc_call);

    (void)state;
    assert_true(iw_ulp_is_reduced_reply(&message));
    assert_false(iw_ulp_is_reduced_reply(&call));
    reply[59] = 0; /* a call */
    assert_false(iw_ulp_is_reduced_reply(&message));
}

static void test_private_data(void **state) {
    static const uint8_t rpc[8] = {0xf6, 0xab, 0x0e, 0x18, 1, 1, 3, 3};
    static const uint8_t nvme_request[32] = {0, 0, 0, 0, 0x20, 0, 0x1f, 0};
    static const uint8_t nvme_reply[32] = {0, 0, 0x20, 0};
    static const uint8_t iser[4] = {0x80};

    (void)state;
    assert_int_equal(iw_ulp_by_private_data(rpc, 8, true, 20049), IW_ULP_RPC);
    assert_int_equal(iw_ulp_by_private_data(rpc, 7, true, 20049), IW_ULP_UNKNOWN);
    assert_int_equal(iw_ulp_by_private_data(nvme_request, 32, true, 1234), IW_ULP_NVME);
    assert_int_equal(iw_ulp_by_private_data(nvme_request, 31, true, 4420), IW_ULP_UNKNOWN);
    assert_int_equal(iw_ulp_by_private_data(nvme_reply, 32, false, 4420), IW_ULP_NVME);
    assert_int_equal(iw_ulp_by_private_data(nvme_reply, 32, false, 1234), IW_ULP_UNKNOWN);
    assert_int_equal(iw_ulp_by_private_data(iser, 4, true, 3260), IW_ULP_UNKNOWN);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sends),
        cmocka_unit_test(test_doubtful_sends),
        cmocka_unit_test(test_a_different_xid_is_not_rpc),
        cmocka_unit_test(test_chunk_lists_end_in_the_message),
        cmocka_unit_test(test_messages_of_a_known_protocol),
        cmocka_unit_test(test_opcode_that_iscsi_does_not_define),
        cmocka_unit_test(test_reduced_reply),
        cmocka_unit_test(test_private_data),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
