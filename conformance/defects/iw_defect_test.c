#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_defect.h"

/* What an endpoint with the defect is about to send, as the defect changes it; how often it is sent. */
static void *held; /* what the last defect keeps in mind: it may have made what it gives */

static unsigned apply(const char *name, struct iw_emit *emit) {
    struct iw_endpoint_config config = {0};

    iw_defect_configure(iw_defect_find(name), &config);
    assert_non_null(config.filter);
    free(held);
    held = config.filter_begin(config.filter_user);
    return config.filter(held, emit);
}

static int tear_down(void **state) {
    (void)state;
    free(held);
    return 0;
}

/* The octets of an FPDU of that opcode as the defect sends it, and how often. */
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
    times = apply(name, &emit);
    iw_fpdu_writer_init(&writer, false, true);
    iw_emit_write(&emit, &writer, &output);
    assert_false(output.failed);
    *length = output.length;
    return times;
}

/* F07 and F37 of the vectors: Send "hello", and the same with a bit of its CRC turned over. */
static const uint8_t send_hello[32] = {0x00, 0x17, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
    'h', 'e', 'l', 'l', 'o', 0, 0, 0, 0xb9, 0x90, 0xb1, 0x0c};

static void a_wrong_crc_is_one_bit(void **state) {
    uint8_t octets[256];
    size_t length;

    (void)state;
    assert_int_equal(write_fpdu("crc-wrong", IW_RDMAP_OP_SEND, "hello", octets, &length), 1);
    assert_int_equal(length, sizeof send_hello);
    assert_memory_equal(octets, send_hello, 28);
    assert_memory_not_equal(octets + 28, send_hello + 28, 4);
}

static void a_field_is_set_or_added_to(void **state) {
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

static void only_the_opcode_concerned_is_changed(void **state) {
    uint8_t octets[256];
    size_t length;

    (void)state;
    assert_int_equal(write_fpdu("terminate-swallowed", IW_RDMAP_OP_SEND, "hello", octets, &length), 1);
    assert_memory_equal(octets, send_hello, sizeof send_hello);
    assert_int_equal(write_fpdu("terminate-swallowed", IW_RDMAP_OP_TERMINATE, "", octets, &length), 0);
    assert_int_equal(write_fpdu("read-twice", IW_RDMAP_OP_READ_RESPONSE, "x", octets, &length), 2);
}

static void an_stag_to_be_invalidated_stays(void **state) {
    uint8_t octets[256];
    size_t length;

    (void)state;
    write_fpdu("invalidate-nonzero", IW_RDMAP_OP_SEND, "", octets, &length);
    assert_memory_equal(octets + 4, "\0\0\0\1", 4);
    write_fpdu("invalidate-nonzero", IW_RDMAP_OP_SEND_INV, "", octets, &length);
    assert_memory_equal(octets + 4, "\0\0\0\0", 4);
}

static void a_startup_frame_is_changed(void **state) {
    struct iw_emit emit = {
        .kind = IW_EMIT_STARTUP, .startup = {.rev = 2, .s = 1}, .enhanced_data = {.a = 1, .ord = 4}};

    (void)state;
    apply("startup-rev", &emit);
    assert_int_equal(emit.startup.rev, 3);
    apply("startup-client-server", &emit);
    assert_int_equal(emit.enhanced_data.a, 0);
    apply("startup-ord", &emit);
    assert_int_equal(emit.enhanced_data.ord, 1000);
}

static void a_close_becomes_a_reset(void **state) {
    struct iw_emit emit = {.kind = IW_EMIT_CLOSE};

    (void)state;
    apply("crc-wrong", &emit);
    assert_false(emit.reset);
    apply("close-reset", &emit);
    assert_true(emit.reset);
}

/* User data of DDP over SCTP (RFC 5043 5.2), as an association with the defect sends them. */
static void check_chunk(const char *name, uint32_t ppid, const char *octets, size_t length, const char *sent,
    size_t sent_length, unsigned times) {
    struct iw_ddp_association_config config = {0};
    uint8_t room[1024] = {0};
    struct iw_ddp_emit emit = {
        .ppid = ppid, .times = 1, .octets = room, .length = length, .capacity = sizeof room};

    memcpy(room, octets, length);
    iw_defect_configure_association(iw_defect_find(name), &config);
    assert_non_null(config.filter);
    config.filter(config.filter_user, &emit);
    assert_int_equal(emit.times, times);
    assert_int_equal(emit.length, sent_length);
    assert_memory_equal(room, sent, sent_length);
}

static void a_chunk_of_sctp_is_changed(void **state) {
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

/* What is of SCTP leaves endpoints alone, and the other way round. */
static void each_transport_has_its_own(void **state) {
    struct iw_endpoint_config endpoint = {0};
    struct iw_ddp_association_config association = {0};

    (void)state;
    iw_defect_configure(iw_defect_find("sctp-indication-missing"), &endpoint);
    assert_null(endpoint.filter);
    iw_defect_configure_association(iw_defect_find("crc-wrong"), &association);
    assert_null(association.filter);
    iw_defect_configure_association(iw_defect_find("sctp-indication-missing"), &association);
    assert_true(association.link.unindicated);
    iw_defect_configure_association(iw_defect_find("sctp-late-taken"), &association);
    assert_int_equal(association.lapses, IW_DDP_OMITTED_CHECK_LATE);
}

static void names_are_unique(void **state) {
    (void)state;
    for (size_t i = 0; i < iw_defect_count; i++)
        assert_ptr_equal(iw_defect_find(iw_defects[i].name), &iw_defects[i]);
    assert_null(iw_defect_find("no-such-defect"));
}

/* What it is about and what it does there; equal texts are one to the compiler. */
static bool same(const struct iw_defect *a, const struct iw_defect *b) {
    size_t from = offsetof(struct iw_defect, of);

    return (a->roles & b->roles) != 0 &&
           memcmp((const char *)a + from, (const char *)b + from, sizeof *a - from) == 0;
}

static void no_defect_is_another_by_a_second_name(void **state) {
    (void)state;
    for (size_t i = 0; i < iw_defect_count; i++)
        for (size_t j = i + 1; j < iw_defect_count; j++)
            if (same(&iw_defects[i], &iw_defects[j]))
                fail_msg("%s is %s", iw_defects[j].name, iw_defects[i].name);
}

static void there_are_many_and_every_one_says_what_it_does(void **state) {
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
        cmocka_unit_test(a_wrong_crc_is_one_bit),
        cmocka_unit_test(a_field_is_set_or_added_to),
        cmocka_unit_test(only_the_opcode_concerned_is_changed),
        cmocka_unit_test(an_stag_to_be_invalidated_stays),
        cmocka_unit_test(a_startup_frame_is_changed),
        cmocka_unit_test(a_close_becomes_a_reset),
        cmocka_unit_test(a_chunk_of_sctp_is_changed),
        cmocka_unit_test(each_transport_has_its_own),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(no_defect_is_another_by_a_second_name),
        cmocka_unit_test(there_are_many_and_every_one_says_what_it_does),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
