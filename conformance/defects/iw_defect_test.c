#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_defect.h"

static void *held; /* state of the last defect, which may own the result */

/* Applies the defect to a message that an endpoint sends. Returns how often the message is sent. */
static unsigned apply_defect(const char *name, struct iw_emit *emit) {
    struct iw_endpoint_config config = {0};

    iw_defect_configure(iw_defect_find(name), NULL, &config);
    assert_non_null(config.policy.send);
    free(held);
    held = config.policy.begin(config.policy.user);
    return config.policy.send(held, emit);
}

static int tear_down(void **state) {
    (void)state;
    free(held);
    return 0;
}

/* Writes an FPDU of that opcode as the defect sends it. Returns how often it is sent. */
static unsigned write_fpdu(
    const char *name, uint8_t opcode, const char *payload, uint8_t *octets, size_t *length) {
    struct iw_output output = iw_output_into(octets, 256);
    struct iw_fpdu_writer writer;
    struct iw_emit emit;
    unsigned times;

    iw_emit_init_fpdu(&emit, opcode);
    emit.segment.msn = 1;
    emit.payload = (const uint8_t *)payload;
    emit.payload_octets = strlen(payload);
    times = apply_defect(name, &emit);
    iw_fpdu_writer_init(&writer, false, true);
    iw_emit_write(&emit, &writer, &output);
    assert_false(output.failed);
    *length = output.length;
    return times;
}

/* An FPDU: Send "hello", MSN 1. */
static const uint8_t send_hello[32] = {0x00, 0x17, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
    'h', 'e', 'l', 'l', 'o', 0, 0, 0, 0xb9, 0x90, 0xb1, 0x0c};

static void crc_wrong_flips_one_bit(void **state) {
    uint8_t octets[256];
    size_t length;

    (void)state;
    assert_int_equal(write_fpdu("crc-wrong", IW_RDMAP_OP_SEND, "hello", octets, &length), 1);
    assert_int_equal(length, sizeof send_hello);
    assert_memory_equal(octets, send_hello, 28);
    assert_memory_not_equal(octets + 28, send_hello + 28, 4);
}

static void defect_sets_or_increments_field(void **state) {
    uint8_t octets[256];
    size_t length;

    (void)state;
    write_fpdu("msn-wrong", IW_RDMAP_OP_SEND, "hello", octets, &length);
    assert_int_equal(octets[15], 2);
    write_fpdu("rv-wrong", IW_RDMAP_OP_SEND, "hello", octets, &length);
    assert_int_equal(octets[3], 0x83);
    write_fpdu("dv-wrong", IW_RDMAP_OP_SEND, "hello", octets, &length);
    assert_int_equal(octets[2], 0x40);
    write_fpdu("terminate-reserved", IW_RDMAP_OP_TERMINATE, "", octets, &length);
    assert_memory_equal(octets + 20, "\0\0\0\1", 4);
}

static void defect_changes_only_its_opcode(void **state) {
    uint8_t octets[256];
    size_t length;

    (void)state;
    assert_int_equal(write_fpdu("terminate-swallowed", IW_RDMAP_OP_SEND, "hello", octets, &length), 1);
    assert_memory_equal(octets, send_hello, sizeof send_hello);
    assert_int_equal(write_fpdu("terminate-swallowed", IW_RDMAP_OP_TERMINATE, "", octets, &length), 0);
    assert_int_equal(write_fpdu("read-twice", IW_RDMAP_OP_READ_RESPONSE, "x", octets, &length), 2);
}

static void invalidate_stag_of_send_inv_is_unchanged(void **state) {
    uint8_t octets[256];
    size_t length;

    (void)state;
    write_fpdu("invalidate-nonzero", IW_RDMAP_OP_SEND, "", octets, &length);
    assert_memory_equal(octets + 4, "\0\0\0\1", 4);
    write_fpdu("invalidate-nonzero", IW_RDMAP_OP_SEND_INV, "", octets, &length);
    assert_memory_equal(octets + 4, "\0\0\0\0", 4);
}

static void defect_changes_startup_frame(void **state) {
    struct iw_emit emit = {
        .kind = IW_EMIT_STARTUP, .startup = {.rev = 2, .s = 1}, .enhanced_data = {.a = 1, .ord = 4}};

    (void)state;
    apply_defect("startup-rev", &emit);
    assert_int_equal(emit.startup.rev, 3);
    apply_defect("startup-client-server", &emit);
    assert_int_equal(emit.enhanced_data.a, 0);
    apply_defect("startup-ord", &emit);
    assert_int_equal(emit.enhanced_data.ord, 1000);
}

static void close_reset_sends_rst(void **state) {
    struct iw_emit emit = {.kind = IW_EMIT_CLOSE};

    (void)state;
    apply_defect("crc-wrong", &emit);
    assert_false(emit.reset);
    apply_defect("close-reset", &emit);
    assert_true(emit.reset);
}

/* Checks user data of DDP over SCTP (RFC 5043 5.2), as an association with the defect sends it. */
static void check_chunk(const char *name, uint32_t ppid, const char *octets, size_t length, const char *sent,
    size_t sent_length, unsigned times) {
    struct iw_ddp_association_config config = {0};
    uint8_t buffer[1024] = {0};
    struct iw_ddp_emit emit = {
        .ppid = ppid, .times = 1, .octets = buffer, .length = length, .capacity = sizeof buffer};

    memcpy(buffer, octets, length);
    iw_defect_configure_association(iw_defect_find(name), &config);
    assert_non_null(config.policy.send);
    config.policy.send(config.policy.user, &emit);
    assert_int_equal(emit.times, times);
    assert_int_equal(emit.length, sent_length);
    assert_memory_equal(buffer, sent, sent_length);
}

static void defect_changes_sctp_chunk(void **state) {
    (void)state;
    check_chunk("sctp-accept-unknown", 17, "\0\0\0\2hi", 6, "\0\0\0\10hi", 6, 1);
    check_chunk("sctp-accept-unknown", 17, "\0\0\0\3hi", 6, "\0\0\0\3hi", 6, 1);
    check_chunk("sctp-accept-twice", 17, "\0\0\0\2", 4, "\0\0\0\2", 4, 2);
    check_chunk("sctp-accept-short", 17, "\0\0\0\6\0\10\0\10", 8, "\0\0\0\6", 4, 1);
    check_chunk("sctp-terminate-private", 17, "\0\7\0\4", 4, "\0\7\0\4\xEE\xEE\xEE\xEE", 8, 1);
    check_chunk("sctp-terminate-never", 17, "\0\7\0\4", 4, "\0\7\0\4", 4, 0);
    check_chunk("sctp-terminate-never", 16, "\0\7\0\4", 4, "\0\7\0\4", 4, 1);
    check_chunk("sctp-ssn-skipped", 16, "\0\1\xC1\x40", 4, "\0\2\xC1\x40", 4, 1);
    check_chunk("sctp-ssn-again", 16, "\0\1\xC1\x40", 4, "\0\0\xC1\x40", 4, 1);
    check_chunk("sctp-ssn-from-one", 17, "\0\0\0\1", 4, "\0\1\0\1", 4, 1);
    check_chunk("sctp-ssn-from-one", 17, "", 0, "", 0, 1);
}

/* Defects of SCTP do not change endpoints, and vice versa. */
static void defect_applies_to_its_transport_only(void **state) {
    struct iw_endpoint_config endpoint = {0};
    struct iw_ddp_association_config association = {0};

    (void)state;
    iw_defect_configure(iw_defect_find("sctp-indication-missing"), NULL, &endpoint);
    assert_null(endpoint.policy.send);
    iw_defect_configure_association(iw_defect_find("crc-wrong"), &association);
    assert_null(association.policy.send);
    iw_defect_configure_association(iw_defect_find("sctp-indication-missing"), &association);
    assert_true(association.link.unindicated);
    association = (struct iw_ddp_association_config){0};
    iw_defect_configure_association(iw_defect_find("sctp-late-taken"), &association);
    assert_int_equal(association.policy.omitted_checks, IW_DDP_CHECK_SET(TERMINATED));
}

/* A startup frame, then a Terminate, of a connection with a defect of its device. Returns whether both are
 * sent. */
static bool is_served(const struct iw_endpoint_config *config, void *connection) {
    struct iw_emit frame = {.kind = IW_EMIT_STARTUP}, fpdu;

    iw_emit_init_fpdu(&fpdu, IW_RDMAP_OP_TERMINATE);
    return config->policy.send(connection, &frame) == 1 && config->policy.send(connection, &fpdu) == 1;
}

static void device_serves_none_while_another_starts(void **state) {
    struct iw_defect_device device = {0};
    struct iw_endpoint_config config = {0};
    void *first, *second;

    (void)state;
    iw_defect_configure(iw_defect_find("startup-stalls"), &device, &config);
    first = config.policy.begin(config.policy.user);
    second = config.policy.begin(config.policy.user);
    assert_false(is_served(&config, second));
    config.policy.end(first);
    assert_true(is_served(&config, second));
    assert_int_equal(device.connections[IW_DEFECT_ABANDONED], 1);
    assert_int_equal(device.connections[IW_DEFECT_TERMINATED], 1);
    config.policy.end(second);
    assert_int_equal(device.connections[IW_DEFECT_FAILED], 1);
}

static void device_that_leaks_serves_as_many_as_it_can(void **state) {
    struct iw_defect_device device = {0};
    struct iw_endpoint_config config = {0};

    (void)state;
    iw_defect_configure(iw_defect_find("startup-leaked"), &device, &config);
    for (unsigned i = 0; i < 10; i++) {
        void *abandoned = config.policy.begin(config.policy.user), *good;

        config.policy.end(abandoned);
        good = config.policy.begin(config.policy.user);
        assert_int_equal(is_served(&config, good), i < 8);
        config.policy.end(good);
        device.connections[IW_DEFECT_ABANDONED] = i + 1; /* without `good` */
    }
}

/* The reference keeps a connection for a while after the FINs. */
static void device_that_leaks_counts_what_it_has_closed(void **state) {
    struct iw_defect_device device = {0};
    struct iw_endpoint_config config = {0};
    struct iw_emit frame = {.kind = IW_EMIT_STARTUP}, close = {.kind = IW_EMIT_CLOSE};
    void *served, *failed;

    (void)state;
    iw_defect_configure(iw_defect_find("connection-leaked"), &device, &config);
    served = config.policy.begin(config.policy.user);
    failed = config.policy.begin(config.policy.user);
    assert_int_equal(config.policy.send(served, &frame), 1);
    assert_true(is_served(&config, failed));
    assert_int_equal(config.policy.send(served, &close), 1);
    assert_int_equal(config.policy.send(failed, &close), 1);
    assert_int_equal(device.connections[IW_DEFECT_ENDED], 1);
    assert_int_equal(device.connections[IW_DEFECT_TERMINATED], 1);
    config.policy.end(served);
    config.policy.end(failed);
    assert_int_equal(device.connections[IW_DEFECT_ENDED], 1);
    assert_int_equal(device.connections[IW_DEFECT_FAILED], 1);
}

/* As in `play`, whose endpoints are those of the script. */
static void without_a_device_its_defects_have_no_effect(void **state) {
    struct iw_endpoint_config config = {0};
    void *first, *second;

    (void)state;
    iw_defect_configure(iw_defect_find("startup-stalls"), NULL, &config);
    first = config.policy.begin(config.policy.user);
    second = config.policy.begin(config.policy.user);
    assert_true(is_served(&config, second));
    config.policy.end(first);
    config.policy.end(second);
}

static void given_checks_remain(void **state) {
    bool deviated = false;
    struct iw_endpoint_config endpoint = {.policy = {.omitted_checks = IW_POLICY_CHECK_SET(FIRST_FPDU),
                                              .unusual_checks = IW_POLICY_CHECK_SET(REQUEST_RTR),
                                              .deviated = &deviated}};
    struct iw_ddp_association_config association = {.policy = {.omitted_checks = IW_DDP_CHECK_SET(INDICATION),
                                                        .unusual_checks = IW_DDP_CHECK_SET(PRIVATE_DATA)}};

    (void)state;
    iw_defect_configure(iw_defect_find("msn-unchecked"), NULL, &endpoint);
    assert_true(
        endpoint.policy.omitted_checks == (IW_POLICY_CHECK_SET(FIRST_FPDU) | IW_POLICY_CHECK_SET(MSN)));
    assert_true(endpoint.policy.unusual_checks == IW_POLICY_CHECK_SET(REQUEST_RTR));
    assert_ptr_equal(endpoint.policy.deviated, &deviated);
    iw_defect_configure_association(iw_defect_find("sctp-late-taken"), &association);
    assert_int_equal(
        association.policy.omitted_checks, IW_DDP_CHECK_SET(INDICATION) | IW_DDP_CHECK_SET(TERMINATED));
    assert_int_equal(association.policy.unusual_checks, IW_DDP_CHECK_SET(PRIVATE_DATA));
}

static void deviated_shows_items_and_checks_of_fpdus(void **state) {
    (void)state;
    assert_true(iw_defect_sets_deviated(iw_defect_find("crc-wrong")));
    assert_true(iw_defect_sets_deviated(iw_defect_find("msn-unchecked")));
    assert_true(iw_defect_sets_deviated(iw_defect_find("pad-refused")));
    assert_true(iw_defect_sets_deviated(iw_variant_find("identifier-unread")));
    assert_true(iw_defect_sets_deviated(iw_variant_find("requests-in-long-buffers")));
    assert_false(iw_defect_sets_deviated(iw_variant_find("msn-awaited")));
    assert_false(iw_defect_sets_deviated(iw_variant_find("answers-late")));
    assert_false(iw_defect_sets_deviated(iw_variant_find("reject-closes")));
    assert_false(iw_defect_sets_deviated(iw_defect_find("to-narrow")));
    assert_false(iw_defect_sets_deviated(iw_defect_find("sctp-late-taken")));
}

static void names_are_unique(void **state) {
    (void)state;
    for (size_t i = 0; i < iw_defect_count; i++)
        assert_ptr_equal(iw_defect_find(iw_defects[i].name), &iw_defects[i]);
    assert_null(iw_defect_find("no-such-defect"));
}

/* Compares the effect; the compiler merges equal strings. */
static bool same_effect(const struct iw_defect *a, const struct iw_defect *b) {
    size_t from = offsetof(struct iw_defect, of);

    return (a->roles & b->roles) != 0 &&
           memcmp((const char *)a + from, (const char *)b + from, sizeof *a - from) == 0;
}

static void no_two_defects_are_equal(void **state) {
    (void)state;
    for (size_t i = 0; i < iw_defect_count; i++)
        for (size_t j = i + 1; j < iw_defect_count; j++)
            if (same_effect(&iw_defects[i], &iw_defects[j]))
                fail_msg("%s is %s", iw_defects[j].name, iw_defects[i].name);
}

static void every_defect_has_a_unique_title(void **state) {
    (void)state;
    assert_true(iw_defect_count >= 350);
    for (size_t i = 0; i < iw_defect_count; i++) {
        assert_true(iw_defects[i].words[0] != '\0');
        for (size_t j = i + 1; j < iw_defect_count; j++)
            assert_string_not_equal(iw_defects[i].words, iw_defects[j].words);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc_wrong_flips_one_bit),
        cmocka_unit_test(defect_sets_or_increments_field),
        cmocka_unit_test(defect_changes_only_its_opcode),
        cmocka_unit_test(invalidate_stag_of_send_inv_is_unchanged),
        cmocka_unit_test(defect_changes_startup_frame),
        cmocka_unit_test(close_reset_sends_rst),
        cmocka_unit_test(defect_changes_sctp_chunk),
        cmocka_unit_test(defect_applies_to_its_transport_only),
        cmocka_unit_test(device_serves_none_while_another_starts),
        cmocka_unit_test(device_that_leaks_serves_as_many_as_it_can),
        cmocka_unit_test(device_that_leaks_counts_what_it_has_closed),
        cmocka_unit_test(without_a_device_its_defects_have_no_effect),
        cmocka_unit_test(given_checks_remain),
        cmocka_unit_test(deviated_shows_items_and_checks_of_fpdus),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(no_two_defects_are_equal),
        cmocka_unit_test(every_defect_has_a_unique_title),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
