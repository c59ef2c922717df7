#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_impaired_facts.h"

enum { MS = 1000000 };

static void chunk(struct iw_impaired_facts *facts, enum iw_side end, enum iw_side from,
    enum iw_chunk_kind kind, uint64_t offset, uint32_t length, uint64_t time_ms) {
    const struct iw_chunk one = {
        .kind = kind, .side = from, .offset = offset, .length = length, .time_ns = time_ms * MS};

    iw_impaired_facts_chunk(facts, end, &one);
}

static void startup(struct iw_impaired_facts *facts, enum iw_side end, enum iw_side from,
    enum iw_startup_key key, struct iw_mpa_startup header) {
    const struct iw_startup frame = {.key = key, .header = header};
    const struct iw_llp_event llp = {.kind = IW_LLP_STARTUP, .side = from, .startup = &frame};

    iw_impaired_facts_event(facts, end, &(struct iw_monitor_event){.llp = &llp});
}

static void segment(struct iw_impaired_facts *facts, enum iw_side end, enum iw_side from, bool last) {
    const struct iw_segment one = {.last = last};
    const struct iw_llp_event llp = {.kind = IW_LLP_SEGMENT, .side = from};

    iw_impaired_facts_event(facts, end, &(struct iw_monitor_event){.llp = &llp, .segment = &one});
}

static void terminate(struct iw_impaired_facts *facts, enum iw_side end, enum iw_side from, uint8_t code) {
    const struct iw_segment one = {.last = true};
    const struct iw_terminate_message message = {.control = {.layer = 2, .etype = 0, .code = code}};
    const struct iw_llp_event llp = {.kind = IW_LLP_SEGMENT, .side = from};

    iw_impaired_facts_event(
        facts, end, &(struct iw_monitor_event){.llp = &llp, .segment = &one, .terminate = &message});
}

static void the_unit_reaches_its_receiver_with_its_first_octet(void **state) {
    struct iw_impaired_facts facts = {0};

    (void)state;
    chunk(&facts, IW_SIDE_B, IW_SIDE_B, IW_CHUNK_DATA, 0, 20, 10);
    iw_impaired_facts_rule(&facts, IW_SIDE_A, 100, true);
    chunk(&facts, IW_SIDE_B, IW_SIDE_A, IW_CHUNK_DATA, 0, 100, 80);
    assert_false(facts.sides[IW_SIDE_B].reached);
    segment(&facts, IW_SIDE_B, IW_SIDE_B, true);
    chunk(&facts, IW_SIDE_B, IW_SIDE_A, IW_CHUNK_DATA, 100, 1, 90);
    assert_true(facts.sides[IW_SIDE_B].reached);
    assert_int_equal(facts.sides[IW_SIDE_B].quiet_ns, 80 * MS);
    segment(&facts, IW_SIDE_B, IW_SIDE_B, false);
    segment(&facts, IW_SIDE_B, IW_SIDE_B, true);
    assert_int_equal(facts.sides[IW_SIDE_B].messages, 2);
    assert_int_equal(facts.sides[IW_SIDE_B].after, 1);
}

/* The relay's own octets, and those of its other connection, are not those of the device. */
static void the_sides_of_the_relay_do_not_count(void **state) {
    struct iw_impaired_facts facts = {0};

    (void)state;
    segment(&facts, IW_SIDE_A, IW_SIDE_B, true);
    terminate(&facts, IW_SIDE_A, IW_SIDE_B, 2);
    chunk(&facts, IW_SIDE_A, IW_SIDE_B, IW_CHUNK_FIN, 9, 0, 1);
    assert_int_equal(facts.sides[IW_SIDE_A].messages, 0);
    assert_false(facts.sides[IW_SIDE_A].terminated || facts.sides[IW_SIDE_A].fin);
    assert_true(facts.sides[IW_SIDE_A].told && facts.sides[IW_SIDE_A].got_fin);
    assert_false(facts.sides[IW_SIDE_B].terminated || facts.sides[IW_SIDE_B].fin);
}

static void a_device_that_closed_before_the_unit_is_known(void **state) {
    struct iw_impaired_facts facts = {0};

    (void)state;
    chunk(&facts, IW_SIDE_A, IW_SIDE_A, IW_CHUNK_FIN, 0, 0, 1);
    iw_impaired_facts_rule(&facts, IW_SIDE_B, 0, true);
    chunk(&facts, IW_SIDE_A, IW_SIDE_B, IW_CHUNK_DATA, 0, 4, 2);
    assert_true(facts.sides[IW_SIDE_A].closed_before);
    chunk(&facts, IW_SIDE_B, IW_SIDE_B, IW_CHUNK_RST, 0, 0, 3);
    assert_true(facts.sides[IW_SIDE_B].rst);
    assert_false(facts.sides[IW_SIDE_B].reached);
}

/* Only the first unit counts, and only if it has what the rule changes. */
static void the_first_applied_rule_counts(void **state) {
    struct iw_impaired_facts facts = {0};

    (void)state;
    iw_impaired_facts_rule(&facts, IW_SIDE_A, 7, false);
    assert_true(facts.unfit && !facts.impaired);
    iw_impaired_facts_rule(&facts, IW_SIDE_A, 20, true);
    iw_impaired_facts_rule(&facts, IW_SIDE_B, 30, true);
    assert_int_equal(facts.passed, 20);
    assert_int_equal(facts.sender, IW_SIDE_A);
}

static void startup_frames_show_what_is_in_use(void **state) {
    struct iw_impaired_facts facts = {0};

    (void)state;
    startup(&facts, IW_SIDE_A, IW_SIDE_A, IW_STARTUP_REQUEST, (struct iw_mpa_startup){.m = 1});
    assert_true(facts.markers[IW_SIDE_A] && !facts.crc && !facts.sides[IW_SIDE_A].replied);
    startup(&facts, IW_SIDE_B, IW_SIDE_B, IW_STARTUP_REPLY, (struct iw_mpa_startup){.c = 1, .r = 1});
    assert_true(facts.crc && !facts.markers[IW_SIDE_B]);
    assert_true(facts.sides[IW_SIDE_B].replied && facts.sides[IW_SIDE_B].rejected);
}

static void the_first_terminate_of_a_device_counts(void **state) {
    struct iw_impaired_facts facts = {0};

    (void)state;
    terminate(&facts, IW_SIDE_B, IW_SIDE_B, 2);
    terminate(&facts, IW_SIDE_B, IW_SIDE_B, 3);
    assert_int_equal(facts.sides[IW_SIDE_B].error, 0x2002);
    assert_int_equal(facts.sides[IW_SIDE_B].messages, 0);
}

static void the_order_of_the_closes_is_kept(void **state) {
    struct iw_impaired_facts facts = {0};

    (void)state;
    chunk(&facts, IW_SIDE_A, IW_SIDE_A, IW_CHUNK_START, 0, 0, 50);
    iw_impaired_facts_rule(&facts, IW_SIDE_A, 0, true);
    chunk(&facts, IW_SIDE_B, IW_SIDE_A, IW_CHUNK_DATA, 0, 40, 100);
    chunk(&facts, IW_SIDE_A, IW_SIDE_A, IW_CHUNK_FIN, 40, 0, 120);
    chunk(&facts, IW_SIDE_B, IW_SIDE_A, IW_CHUNK_FIN, 40, 0, 130);
    chunk(&facts, IW_SIDE_B, IW_SIDE_B, IW_CHUNK_FIN, 0, 0, 150);
    chunk(&facts, IW_SIDE_A, IW_SIDE_B, IW_CHUNK_FIN, 0, 0, 160);
    assert_true(facts.sides[IW_SIDE_B].followed);
    assert_int_equal(facts.sides[IW_SIDE_B].alone_ns, 30 * MS);
    assert_false(facts.sides[IW_SIDE_A].followed);
    assert_int_equal(facts.sides[IW_SIDE_A].life_ns, 70 * MS);
}

static void a_terminate_before_the_unit_is_known(void **state) {
    struct iw_impaired_facts facts = {0};

    (void)state;
    terminate(&facts, IW_SIDE_B, IW_SIDE_B, 2);
    iw_impaired_facts_rule(&facts, IW_SIDE_A, 0, true);
    chunk(&facts, IW_SIDE_B, IW_SIDE_A, IW_CHUNK_DATA, 0, 4, 2);
    assert_true(facts.sides[IW_SIDE_B].terminated_before);
    terminate(&facts, IW_SIDE_B, IW_SIDE_A, 1);
    assert_true(facts.sides[IW_SIDE_B].told);
}

/* Only a valid FPDU before the impaired unit lets a responder send. */
static void the_fpdus_before_the_unit_count(void **state) {
    struct iw_impaired_facts facts = {0};
    struct iw_fpdu fpdu = {.crc = IW_CRC_BAD};
    struct iw_llp_event llp = {.kind = IW_LLP_SEGMENT, .side = IW_SIDE_A, .offset = 20, .fpdu = &fpdu};
    const struct iw_monitor_event event = {.llp = &llp};

    (void)state;
    iw_impaired_facts_event(&facts, IW_SIDE_B, &event);
    assert_false(facts.sides[IW_SIDE_B].got_fpdu);
    iw_impaired_facts_rule(&facts, IW_SIDE_A, 60, true);
    fpdu.crc = IW_CRC_GOOD;
    llp.offset = 60;
    iw_impaired_facts_event(&facts, IW_SIDE_B, &event);
    assert_false(facts.sides[IW_SIDE_B].got_fpdu);
    llp.offset = 20;
    iw_impaired_facts_event(&facts, IW_SIDE_B, &event);
    assert_true(facts.sides[IW_SIDE_B].got_fpdu);
}

/* A hand-made FPDU: a zero-length Send with a CRC32C computed by another program. */
static void an_fpdu_after_a_rejection_is_a_message(void **state) {
    static const uint8_t send[] = {0x00, 0x12, 0x41, 0x43, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x58, 0x7B, 0xE8, 0xC4};
    static const uint8_t http[] = "GET / HTTP/1.0\r\n\r\n";
    const struct {
        const uint8_t *octets;
        uint32_t length;
        uint64_t messages;
    } rows[] = {{send, sizeof send, 1}, {http, sizeof http - 1, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct iw_chunk one = {
            .kind = IW_CHUNK_DATA, .side = IW_SIDE_A, .octets = rows[i].octets, .length = rows[i].length};
        struct iw_impaired_facts facts = {0};

        startup(&facts, IW_SIDE_A, IW_SIDE_B, IW_STARTUP_REPLY, (struct iw_mpa_startup){.r = 1});
        iw_impaired_facts_chunk(&facts, IW_SIDE_A, &one);
        assert_true(facts.sides[IW_SIDE_A].got_reject);
        assert_int_equal(facts.sides[IW_SIDE_A].messages, rows[i].messages);
    }
}

static void an_ird_of_all_ones_is_not_negotiated(void **state) {
    for (unsigned ird = 0x3FFE; ird <= 0x3FFF; ird++) {
        const struct iw_startup frame = {
            .key = IW_STARTUP_REQUEST, .enhanced = true, .enhanced_data = {.ird = (uint16_t)ird}};
        const struct iw_llp_event llp = {.kind = IW_LLP_STARTUP, .side = IW_SIDE_A, .startup = &frame};
        struct iw_impaired_facts facts = {0};

        iw_impaired_facts_event(&facts, IW_SIDE_A, &(struct iw_monitor_event){.llp = &llp});
        assert_int_equal(facts.depths, ird == 0x3FFE);
    }
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_unit_reaches_its_receiver_with_its_first_octet),
        cmocka_unit_test(the_sides_of_the_relay_do_not_count),
        cmocka_unit_test(a_device_that_closed_before_the_unit_is_known),
        cmocka_unit_test(the_first_applied_rule_counts),
        cmocka_unit_test(startup_frames_show_what_is_in_use),
        cmocka_unit_test(the_first_terminate_of_a_device_counts),
        cmocka_unit_test(the_order_of_the_closes_is_kept),
        cmocka_unit_test(a_terminate_before_the_unit_is_known),
        cmocka_unit_test(the_fpdus_before_the_unit_count),
        cmocka_unit_test(an_fpdu_after_a_rejection_is_a_message),
        cmocka_unit_test(an_ird_of_all_ones_is_not_negotiated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
