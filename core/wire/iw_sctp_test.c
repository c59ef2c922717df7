#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_name.h"
#include "iw_sctp.h"

static void identifiers_are_those_of_the_rfc(void **state) {
    (void)state;
    assert_int_equal(IW_SCTP_PPID_SEGMENT, 16);
    assert_int_equal(IW_SCTP_PPID_CONTROL, 17);
    assert_int_equal(IW_SCTP_INITIATE, 1);
    assert_int_equal(IW_SCTP_ACCEPT, 2);
    assert_int_equal(IW_SCTP_REJECT, 3);
    assert_int_equal(IW_SCTP_TERMINATE, 4);
    assert_int_equal(IW_SCTP_ENHANCED_INITIATE, 5);
    assert_int_equal(IW_SCTP_ENHANCED_ACCEPT, 6);
    assert_int_equal(IW_SCTP_ENHANCED_REJECT, 7);
}

static void short_messages_are_rejected(void **state) {
    (void)state;
    for (size_t length = 1; length < 4; length++) {
        uint8_t *octets = calloc(length, 1);
        struct iw_sctp_session session;

        assert_non_null(octets);
        assert_false(iw_sctp_session_decode(octets, length, &session));
        free(octets);
    }
}

/* RFC 6581 7: only codes 5 to 7 begin with enhanced data. */
static void function_code_decides_on_enhanced_data(void **state) {
    (void)state;
    for (unsigned function = 0; function <= 9; function++) {
        const uint8_t octets[10] = {0x12, 0x34, 0, (uint8_t)function, 0xC0, 0x04, 0x80, 0x02, 'h', 'i'};
        bool enhanced = function >= 5 && function <= 7;
        struct iw_sctp_session session;

        assert_true(iw_sctp_session_decode(octets, sizeof octets, &session));
        assert_int_equal(session.header.ssn, 0x1234);
        assert_int_equal(session.header.function, function);
        assert_int_equal(session.enhanced, enhanced);
        assert_int_equal(session.enhanced_data.a, enhanced ? 1 : 0);
        assert_int_equal(session.enhanced_data.b, enhanced ? 1 : 0);
        assert_int_equal(session.enhanced_data.ird, enhanced ? 4 : 0);
        assert_int_equal(session.enhanced_data.c, enhanced ? 1 : 0);
        assert_int_equal(session.enhanced_data.d, 0);
        assert_int_equal(session.enhanced_data.ord, enhanced ? 2 : 0);
        assert_ptr_equal(session.private_data, octets + (enhanced ? 8 : 4));
        assert_int_equal(session.private_octets, enhanced ? 2 : 6);
    }
}

static void function_code_has_sixteen_bits(void **state) {
    const uint8_t octets[8] = {0, 0, 0x01, 0x05, 0xC0, 0x04, 0x80, 0x02};
    struct iw_sctp_session session;

    (void)state;
    assert_true(iw_sctp_session_decode(octets, sizeof octets, &session));
    assert_int_equal(session.header.function, 0x105);
    assert_false(session.enhanced);
}

/* Every length, each in an allocation of its size. */
static void incomplete_enhanced_data_are_private_data(void **state) {
    const uint8_t whole[10] = {0, 0, 0, 5, 0xC0, 0x04, 0xC0, 0x04, 'h', 'i'};

    (void)state;
    for (size_t length = 4; length <= sizeof whole; length++) {
        uint8_t *octets = malloc(length);
        struct iw_sctp_session session;

        assert_non_null(octets);
        memcpy(octets, whole, length);
        assert_true(iw_sctp_session_decode(octets, length, &session));
        assert_int_equal(session.enhanced, length >= 8);
        assert_int_equal(session.private_octets, length >= 8 ? length - 8 : length - 4);
        free(octets);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identifiers_are_those_of_the_rfc),
        cmocka_unit_test(short_messages_are_rejected),
        cmocka_unit_test(function_code_decides_on_enhanced_data),
        cmocka_unit_test(function_code_has_sixteen_bits),
        cmocka_unit_test(incomplete_enhanced_data_are_private_data),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
