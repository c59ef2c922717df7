#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_startup.h"

#define REQUEST 0x4D, 0x50, 0x41, 0x20, 0x49, 0x44, 0x20, 0x52, 0x65, 0x71, 0x20, 0x46, 0x72, 0x61, 0x6D, 0x65
#define REPLY 0x4D, 0x50, 0x41, 0x20, 0x49, 0x44, 0x20, 0x52, 0x65, 0x70, 0x20, 0x46, 0x72, 0x61, 0x6D, 0x65

static void keys_are_those_of_the_rfc(void **state) {
    const uint8_t request[16] = {REQUEST};
    const uint8_t reply[16] = {REPLY};

    (void)state;
    assert_memory_equal(iw_startup_key_request, request, 16);
    assert_memory_equal(iw_startup_key_reply, reply, 16);
    assert_int_equal(iw_startup_key_of(request), IW_STARTUP_REQUEST);
    assert_int_equal(iw_startup_key_of(reply), IW_STARTUP_REPLY);
}

static void every_octet_of_the_key_counts(void **state) {
    (void)state;
    for (unsigned i = 0; i < 16; i++) {
        uint8_t request[16] = {REQUEST};
        uint8_t reply[16] = {REPLY};

        request[i] ^= 0x20; /* the other case of a letter */
        reply[i] ^= 0x20;
        assert_int_equal(iw_startup_key_of(request), IW_STARTUP_UNKNOWN);
        assert_int_equal(iw_startup_key_of(reply), IW_STARTUP_UNKNOWN);
    }
}

static void length_follows_pd_length(void **state) {
    const uint8_t empty[20] = {REQUEST, 0x40, 1, 0, 0};
    const uint8_t largest[20] = {REQUEST, 0x40, 1, 0x02, 0x00};
    const uint8_t absurd[20] = {REQUEST, 0x40, 1, 0xFF, 0xFF};

    (void)state;
    assert_int_equal(iw_startup_octets(empty), 20);
    assert_int_equal(iw_startup_octets(largest), 532);
    assert_int_equal(iw_startup_octets(absurd), 65555);
}

/* Rev 129: the private data follow the extension if the frame is that long, or else the header. */
static void erdma_may_have_an_extension(void **state) {
    const uint8_t octets[36] = {
        REQUEST, 0x00, 129, 0, 8, 0x12, 0x34, 0x56, 0x78, 0, 0, 0, 2, 'p', 'r', 'i', 'v'};
    struct iw_startup frame;

    (void)state;
    assert_int_equal(iw_startup_octets(octets), 28);
    assert_int_equal(iw_startup_extension(octets), 8);
    iw_startup_decode(octets, 28, &frame);
    assert_false(frame.erdma);
    assert_ptr_equal(frame.private_data, octets + 20);
    assert_int_equal(frame.private_octets, 8);
    iw_startup_decode(octets, 36, &frame);
    assert_true(frame.erdma);
    assert_int_equal(frame.erdma_data.cookie, 0x12345678);
    assert_int_equal(frame.erdma_data.cc, 2);
    assert_ptr_equal(frame.private_data, octets + 28);
    assert_int_equal(frame.private_octets, 8);
}

/* RFC 6581 6: in a frame of Rev 0 or 1 the S bit is reserved, whatever it is. */
static void s_is_ignored_before_revision_2(void **state) {
    (void)state;
    for (uint8_t rev = 0; rev <= 1; rev++) {
        const uint8_t octets[24] = {REQUEST, 0x50, rev, 0, 4, 0xC0, 0x10, 0xC0, 0x08};
        struct iw_startup frame;

        iw_startup_decode(octets, sizeof octets, &frame);
        assert_int_equal(frame.header.s, 1);
        assert_false(frame.enhanced);
        assert_int_equal(frame.enhanced_data.ird, 0);
        assert_ptr_equal(frame.private_data, octets + 20);
        assert_int_equal(frame.private_octets, 4);
    }
}

/* RFC 6581 defines enhanced data for Rev 2 only. */
static void s_announces_enhanced_data_in_revision_2(void **state) {
    (void)state;
    for (unsigned rev = 2; rev <= 3; rev++) {
        const uint8_t octets[25] = {REQUEST, 0x50, (uint8_t)rev, 0, 5, 0x80, 0x10, 0x40, 0x08, 'x'};
        struct iw_startup frame;

        iw_startup_decode(octets, sizeof octets, &frame);
        assert_int_equal(frame.enhanced, rev == 2);
        if (!frame.enhanced)
            continue;
        assert_int_equal(frame.enhanced_data.a, 1);
        assert_int_equal(frame.enhanced_data.b, 0);
        assert_int_equal(frame.enhanced_data.ird, 16);
        assert_int_equal(frame.enhanced_data.c, 0);
        assert_int_equal(frame.enhanced_data.d, 1);
        assert_int_equal(frame.enhanced_data.ord, 8);
        assert_ptr_equal(frame.private_data, octets + 24);
        assert_int_equal(frame.private_octets, 1);
    }
}

static void s_needs_four_octets_of_private_data(void **state) {
    (void)state;
    for (uint8_t pd_length = 0; pd_length < 4; pd_length++) {
        const uint8_t octets[24] = {REPLY, 0x50, 2, 0, pd_length, 0xC0, 0x10, 0xC0, 0x08};
        struct iw_startup frame;

        iw_startup_decode(octets, sizeof octets, &frame);
        assert_int_equal(frame.key, IW_STARTUP_REPLY);
        assert_int_equal(frame.header.s, 1);
        assert_false(frame.enhanced);
        assert_int_equal(frame.private_octets, pd_length);
    }
}

static void without_s_all_private_data_belong_to_the_ulp(void **state) {
    const uint8_t octets[26] = {REQUEST, 0x40, 2, 0, 6, 0xC0, 0x10, 0xC0, 0x08, 'h', 'i'};
    struct iw_startup frame;

    (void)state;
    iw_startup_decode(octets, sizeof octets, &frame);
    assert_false(frame.enhanced);
    assert_ptr_equal(frame.private_data, octets + 20);
    assert_int_equal(frame.private_octets, 6);
}

/* Each truncation of a frame in an allocation of its size: octets beyond are neither read nor counted. */
static void missing_private_data_are_not_counted(void **state) {
    const uint8_t whole[28] = {REQUEST, 0x50, 2, 0, 8, 0xC0, 0x10, 0xC0, 0x08, 'a', 'b', 'c', 'd'};

    (void)state;
    for (size_t length = 20; length <= sizeof whole; length++) {
        uint8_t *octets = malloc(length);
        struct iw_startup frame;

        assert_non_null(octets);
        memcpy(octets, whole, length);
        iw_startup_decode(octets, length, &frame);
        assert_int_equal(frame.header.pd_length, 8);
        assert_int_equal(frame.enhanced, length >= 24);
        assert_int_equal(frame.private_octets, length >= 24 ? length - 24 : length - 20);
        free(octets);
    }
}

static void octets_after_the_frame_are_ignored(void **state) {
    const uint8_t octets[26] = {REQUEST, 0xC0, 1, 0, 2, 'h', 'i', 0, 0, 0, 0};
    struct iw_startup frame;

    (void)state;
    iw_startup_decode(octets, sizeof octets, &frame);
    assert_int_equal(frame.private_octets, 2);
    assert_memory_equal(frame.private_data, "hi", 2);
}

static void every_flag_has_its_bit(void **state) {
    const uint8_t octets[20] = {REQUEST, 0xAA, 1, 0, 0};
    const uint8_t inverted[20] = {REQUEST, 0x55, 1, 0, 0};
    struct iw_startup frame;

    (void)state;
    iw_startup_decode(octets, sizeof octets, &frame);
    assert_int_equal(frame.header.m, 1);
    assert_int_equal(frame.header.c, 0);
    assert_int_equal(frame.header.r, 1);
    assert_int_equal(frame.header.s, 0);
    assert_int_equal(frame.header.res, 0xA);
    iw_startup_decode(inverted, sizeof inverted, &frame);
    assert_int_equal(frame.header.m, 0);
    assert_int_equal(frame.header.c, 1);
    assert_int_equal(frame.header.r, 0);
    assert_int_equal(frame.header.s, 1);
    assert_int_equal(frame.header.res, 0x5);
}

/* B, C and D name a zero-length Send, Write and Read (RFC 6581 9.2). */
static void every_rtr_type_has_its_flag(void **state) {
    struct iw_mpa_enhanced enhanced = {.a = 1, .ird = 1, .ord = 1};

    (void)state;
    assert_string_equal(iw_startup_rtr_text(iw_startup_rtr(&enhanced)), "none");
    enhanced.b = 1;
    assert_string_equal(iw_startup_rtr_text(iw_startup_rtr(&enhanced)), "zero-length Send");
    enhanced.c = 1;
    assert_string_equal(iw_startup_rtr_text(iw_startup_rtr(&enhanced)), "zero-length Send or RDMA Write");
    enhanced.d = 1;
    assert_string_equal(
        iw_startup_rtr_text(iw_startup_rtr(&enhanced)), "zero-length Send, RDMA Write or RDMA Read");
    enhanced.b = 0;
    assert_string_equal(
        iw_startup_rtr_text(iw_startup_rtr(&enhanced)), "zero-length RDMA Write or RDMA Read");
    enhanced.c = 0;
    assert_string_equal(iw_startup_rtr_text(iw_startup_rtr(&enhanced)), "zero-length RDMA Read");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_those_of_the_rfc),
        cmocka_unit_test(every_octet_of_the_key_counts),
        cmocka_unit_test(length_follows_pd_length),
        cmocka_unit_test(erdma_may_have_an_extension),
        cmocka_unit_test(s_is_ignored_before_revision_2),
        cmocka_unit_test(s_announces_enhanced_data_in_revision_2),
        cmocka_unit_test(s_needs_four_octets_of_private_data),
        cmocka_unit_test(without_s_all_private_data_belong_to_the_ulp),
        cmocka_unit_test(missing_private_data_are_not_counted),
        cmocka_unit_test(octets_after_the_frame_are_ignored),
        cmocka_unit_test(every_flag_has_its_bit),
        cmocka_unit_test(every_rtr_type_has_its_flag),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
