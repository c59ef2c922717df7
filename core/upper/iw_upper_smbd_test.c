#include "iw_upper_test.h"

/* SMB Direct (MS-SMBD, MS-SMB2). */

/* A data message that requests and grants 256 credits begins like a Negotiate Response, and has its
 * length. Its 8 octets of data are no SMB2 header. */
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

/* A fragment of 72 octets with an SMB2 ECHO. */
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

/* A compound that goes on in another fragment. Its requests and responses are not read, and calls
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data_message_like_negotiation),
        cmocka_unit_test(test_compound_in_fragments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
