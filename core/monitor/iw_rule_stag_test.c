#include "iw_dialogue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Side A reads memory of side B, with Data Sink STags of its own. */

static void write_read(char ulpdu[160], unsigned msn, unsigned sink, unsigned source) {
    snprintf(ulpdu, 160,
        "4141 00000000 00000001 %08x 00000000 %08x 0000000000001000 00000002 %08x 0000000000002000", msn,
        sink, source);
}

static uint64_t read_into(unsigned msn, unsigned sink, unsigned source) {
    char ulpdu[160];

    write_read(ulpdu, msn, sink, source);
    return iw_conversation_fpdu(&c, IW_SIDE_A, ulpdu);
}

/* A Send that invalidates the STag, and a Read Request that has it, in one TCP segment. */
static void invalidate_and_read(unsigned msn, unsigned sink, unsigned source) {
    char send[64];
    char read[160];

    snprintf(send, sizeof send, "4144 %08x 00000000 00000001 00000000", source);
    write_read(read, msn, sink, source);
    iw_conversation_two(&c, IW_SIDE_A, send, read);
}

static uint64_t answer_into(unsigned sink) {
    char ulpdu[64];

    snprintf(ulpdu, sizeof ulpdu, "c142 %08x 0000000000001000 6f6b", sink);
    return iw_conversation_fpdu(&c, IW_SIDE_B, ulpdu);
}

/* ---- after the end ---- */

/* The Send may advertise another buffer with the same STag; so may another connection, because an STag is
 * valid in all of its Protection Domain. TCP segment boundaries prove nothing. */
static void accepts_an_stag_that_may_have_been_given_out_again(void **state) {
    (void)state;
    open_plain();
    read_into(1, 0x12345678, 0xabcdef01);
    answer_into(0x12345678);
    invalidate_and_read(2, 0x12345678, 0xabcdef01);
    answer_into(0x12345678);
    iw_conversation_end(&c);
    open_plain();
    read_into(1, 0x12345678, 0xabcdef01);
    answer_into(0x12345678);
    iw_conversation_fpdu(&c, IW_SIDE_A, "4144 abcdef01 00000000 00000001 00000000");
    iw_conversation_fpdu(&c, IW_SIDE_B, "4143 00000000 00000000 00000001 00000000 abcdef01");
    read_into(2, 0x12345678, 0xabcdef01);
    answer_into(0x12345678);
    iw_conversation_end(&c);
    open_plain();
    read_into(1, 0x12345678, 0xabcdef01);
    answer_into(0x12345678);
    iw_conversation_fpdu(&c, IW_SIDE_A, "4144 abcdef01 00000000 00000001 00000000");
    read_into(2, 0x12345678, 0xabcdef01);
    answer_into(0x12345678);
    iw_conversation_end(&c);
    open_plain();
    iw_conversation_fpdu(&c, IW_SIDE_A, "4144 abcdef01 00000000 00000001 00000000");
    read_into(1, 0x12345678, 0xabcdef02);
    answer_into(0x12345678);
    iw_conversation_end(&c);
}

/* ---- a row ---- */

static uint64_t use_all(const unsigned *stags, unsigned count) {
    uint64_t at = 0;

    open_plain();
    for (unsigned i = 0; i < count; i++) {
        at = read_into(i + 1, stags[i], 0xabcdef01);
        answer_into(stags[i]);
    }
    return at;
}

static void reports_stags_that_follow_from_each_other(void **state) {
    static const unsigned stags[] = {0x20000000, 0x30000100, 0x40000200, 0x50000300, 0x60000400, 0x70000500,
        0x80000600, 0x90000700, 0xa0000800, 0xb0000900};
    uint64_t at = use_all(stags, 8);

    (void)state;
    iw_conversation_expect(&c, "RFC5040-8.1.1-09", BY_INITIATOR, .frame = 17, .offset = at + 20, .octets = 4,
        .field = "rdmap.read.sink_stag", .expected = "hard to guess",
        .actual = "0x90000700, in the first 24 bits 0x100001 above the previous one, the seventh such step");
    iw_conversation_end(&c);
    use_all(stags, 7);
    iw_conversation_end(&c);
    use_all(stags, 10);
    assert_int_equal(c.finding_count, 1);
    c.expected_count = 1;
    iw_conversation_end(&c);
}

static void reports_stags_that_stand_close_together(void **state) {
    static const unsigned stags[] = {
        0x20000000, 0x20000300, 0x20000500, 0x20000600, 0x20001000, 0x20001100, 0x20001500, 0x20001700};
    uint64_t at = use_all(stags, 8);

    (void)state;
    iw_conversation_expect(&c, "RFC5040-8.1.1-10", BY_INITIATOR, .frame = 17, .offset = at + 20, .octets = 4,
        .field = "rdmap.read.sink_stag", .expected = "spread over all 32-bit values",
        .actual = "0x20001700, in the first 24 bits 0x2 above the previous one, the seventh such small step");
    iw_conversation_end(&c);
}

/* A side may have guessed the STags that it writes to or reads from: they show nothing about the other
 * side's choice. */
static void accepts_stags_that_their_owner_has_not_named(void **state) {
    char ulpdu[128];

    (void)state;
    open_plain();
    for (unsigned i = 0; i < 8; i++) {
        snprintf(ulpdu, sizeof ulpdu, "c140 %08x 0000000000001000 6f6b", 0x20000000 + i * 0x10000100);
        iw_conversation_fpdu(&c, IW_SIDE_A, ulpdu);
    }
    iw_conversation_end(&c);
    open_plain();
    for (unsigned i = 0; i < 8; i++)
        read_into(i + 1, 0x12345678, 0x20000000 + i * 0x10000100);
    iw_conversation_end(&c);
}

/* A few buffers in turn, each with an octet that the ULP counts up. */
static void accepts_stags_whose_last_octet_is_the_ulps(void **state) {
    static const unsigned stags[] = {0x12345600, 0x9abcde00, 0x12345601, 0x9abcde01, 0x12345602, 0x9abcde02,
        0x12345603, 0x9abcde03, 0x12345604, 0x9abcde04};
    static const unsigned one[] = {0x12345600, 0x12345601, 0x12345602, 0x12345603, 0x12345604, 0x12345605,
        0x12345606, 0x12345607, 0x12345608, 0x12345609};

    (void)state;
    use_all(stags, 10);
    iw_conversation_end(&c);
    use_all(one, 10);
    iw_conversation_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_an_stag_that_may_have_been_given_out_again),
        cmocka_unit_test(reports_stags_that_follow_from_each_other),
        cmocka_unit_test(reports_stags_that_stand_close_together),
        cmocka_unit_test(accepts_stags_that_their_owner_has_not_named),
        cmocka_unit_test(accepts_stags_whose_last_octet_is_the_ulps),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
