#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_emit.h"

static size_t write_out(const struct iw_emit *emit, struct iw_fpdu_writer *writer, uint8_t octets[2048]) {
    struct iw_output output = iw_output_into(octets, 2048);

    assert_true(iw_emit_max(emit) <= 2048);
    iw_emit_write(emit, writer, &output);
    assert_false(output.failed);
    assert_true(output.length <= iw_emit_max(emit));
    return output.length;
}

static const uint8_t send_hello[32] = {
    0x00, 0x17, 0x41, 0x43, [15] = 0x01, [20] = 'h', 'e', 'l', 'l', 'o', [28] = 0xB9, 0x90, 0xB1, 0x0C};

static void an_initialised_send_is_correct(void **state) {
    struct iw_fpdu_writer writer;
    struct iw_emit emit;
    uint8_t octets[2048];

    (void)state;
    iw_fpdu_writer_init(&writer, false, true);
    iw_emit_init_fpdu(&emit, IW_RDMAP_OP_SEND);
    emit.segment.msn = 1;
    emit.payload = (const uint8_t *)"hello";
    emit.payload_octets = 5;
    assert_int_equal(write_out(&emit, &writer, octets), sizeof send_hello);
    assert_memory_equal(octets, send_hello, sizeof send_hello);
    assert_int_equal(writer.position, sizeof send_hello);
}

static void any_value_is_written(void **state) {
    /* T=0 L=0 Rsvd=Fh DV=3, RV=2 Rsv=1 opcode Ch, RsvdULP 01020304, QN 9, MSN 7, MO 5, header AA, no CRC */
    static const uint8_t expected[] = {
        0x00, 0x13, 0x3F, 0x9C, 1, 2, 3, 4, 0, 0, 0, 9, 0, 0, 0, 7, 0, 0, 0, 5, 0xAA, 0xEE, 0xEE, 0xEE};
    struct iw_fpdu_writer writer;
    struct iw_emit emit;
    uint8_t octets[2048];

    (void)state;
    iw_fpdu_writer_init(&writer, false, true);
    iw_emit_init_fpdu(&emit, 0x0C);
    emit.segment.last = false;
    emit.segment.rsvd = 0xF;
    emit.segment.dv = 3;
    emit.segment.control = 0x9C;
    emit.segment.invalidate_stag = 0x01020304;
    emit.segment.qn = 9;
    emit.segment.msn = 7;
    emit.segment.mo = 5;
    emit.header[0] = 0xAA;
    emit.header_octets = 1;
    emit.parts.overrides = IW_FPDU_NO_CRC;
    emit.parts.pad_value = 0xEE;
    assert_int_equal(write_out(&emit, &writer, octets), sizeof expected);
    assert_memory_equal(octets, expected, sizeof expected);
}

static void bare_and_shortened_fpdus_are_written(void **state) {
    static const uint8_t expected[] = {0x00, 0x03, 'a', 'b'};
    struct iw_fpdu_writer writer;
    struct iw_emit emit;
    uint8_t octets[2048];

    (void)state;
    iw_fpdu_writer_init(&writer, false, true);
    iw_emit_init_fpdu(&emit, 0x1F);
    emit.bare = true;
    emit.payload = (const uint8_t *)"abc";
    emit.payload_octets = 3;
    emit.shortened = true;
    emit.cut = 4;
    assert_int_equal(write_out(&emit, &writer, octets), 4);
    assert_memory_equal(octets, expected, 4);
    assert_int_equal(writer.position, 4);
}

static void a_startup_frame_is_written_unchanged(void **state) {
    static const uint8_t expected[] = {'M', 'P', 'A', ' ', 'I', 'D', ' ', 'R', 'e', 'q', ' ', 'F', 'r', 'a',
        'm', 'e', 0x50, 0x02, 0x00, 0x08, 0xC0, 0x10, 0xC0, 0x08, 'a', 'b', 'c', 'd'};
    struct iw_fpdu_writer writer;
    struct iw_emit emit = {.kind = IW_EMIT_STARTUP,
        .startup = {.c = 1, .s = 1, .rev = 2, .pd_length = 8},
        .enhanced = true,
        .enhanced_data = {.a = 1, .b = 1, .ird = 16, .c = 1, .d = 1, .ord = 8},
        .payload = (const uint8_t *)"abcd",
        .payload_octets = 4};
    uint8_t octets[2048];

    (void)state;
    iw_fpdu_writer_init(&writer, false, true);
    memcpy(emit.startup.key, iw_startup_key_request, 16);
    assert_int_equal(write_out(&emit, &writer, octets), sizeof expected);
    assert_memory_equal(octets, expected, sizeof expected); /* M05 */
    assert_int_equal(writer.position, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_initialised_send_is_correct),
        cmocka_unit_test(any_value_is_written),
        cmocka_unit_test(bare_and_shortened_fpdus_are_written),
        cmocka_unit_test(a_startup_frame_is_written_unchanged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
