#include "iw_stag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static struct iw_stags of_a, of_b;
static struct iw_stags *const stags[2] = {&of_a, &of_b};
static struct iw_stag_use uses[IW_STAG_USES_MAX];

static int set_up(void **state) {
    (void)state;
    iw_stags_init(&of_a, IW_STAG_MAX);
    iw_stags_init(&of_b, IW_STAG_MAX);
    memset(uses, 0, sizeof uses);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    iw_stags_dispose(&of_a);
    iw_stags_dispose(&of_b);
    return 0;
}

static unsigned write_to(uint32_t stag, uint16_t octets, uint64_t frame) {
    struct iw_segment segment = {.tagged = true,
        .last = true,
        .opcode = IW_RDMAP_OP_RDMA_WRITE,
        .op = &iw_opcodes[IW_RDMAP_OP_RDMA_WRITE],
        .stag = stag,
        .payload_octets = octets};

    return iw_stags_segment(stags, IW_SIDE_A, &segment, frame, uses);
}

/* B sends it to invalidate an STag of A. */
static unsigned send_invalidate(uint32_t stag, bool last, uint64_t frame) {
    struct iw_segment segment = {.last = last,
        .opcode = IW_RDMAP_OP_SEND_INV,
        .op = &iw_opcodes[IW_RDMAP_OP_SEND_INV],
        .invalidate_stag = stag};

    return iw_stags_segment(stags, IW_SIDE_B, &segment, frame, uses);
}

/* A reads `size` octets from B: Data Sink STag 0x1234, Data Source STag 0x5678. */
static unsigned read_request(uint8_t size, uint64_t frame) {
    uint8_t header[28] = {0, 0, 0x12, 0x34, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, size, 0, 0, 0x56, 0x78, 0, 0,
        0, 0, 0, 0, 0x20, 0};
    struct iw_segment segment = {.last = true,
        .opcode = IW_RDMAP_OP_READ_REQUEST,
        .op = &iw_opcodes[IW_RDMAP_OP_READ_REQUEST],
        .qn = 1,
        .header = header,
        .header_octets = sizeof header};

    return iw_stags_segment(stags, IW_SIDE_A, &segment, frame, uses);
}

static void test_a_write_names_memory_of_the_receiver(void **state) {
    (void)state;
    assert_int_equal(write_to(0x11, 4, 7), 1);
    assert_int_equal(uses[0].field, iw_field_ddp_tagged_stag);
    assert_int_equal(uses[0].owner, IW_SIDE_B);
    assert_int_equal(uses[0].life->stag, 0x11);
    assert_int_equal(uses[0].life->first_frame, 7);
    assert_int_equal(write_to(0x11, 4, 9), 1);
    assert_int_equal(uses[0].life->first_frame, 7);
    assert_int_equal(uses[0].life->advertised_frame, 0);
    assert_int_equal(uses[0].life->invalidated_frame, 0);
}

static void test_a_write_without_payload_uses_no_stag(void **state) {
    (void)state;
    assert_int_equal(write_to(0x11, 0, 7), 0);
}

static void test_a_read_request_advertises_its_data_sink(void **state) {
    (void)state;
    assert_int_equal(read_request(8, 3), 2);
    assert_int_equal(uses[0].field, iw_field_read_request_sink_stag);
    assert_int_equal(uses[0].owner, IW_SIDE_A);
    assert_int_equal(uses[0].life->stag, 0x1234);
    assert_int_equal(uses[0].life->advertised_frame, 3);
    assert_int_equal(uses[1].field, iw_field_read_request_source_stag);
    assert_int_equal(uses[1].owner, IW_SIDE_B);
    assert_int_equal(uses[1].life->stag, 0x5678);
    assert_int_equal(uses[1].life->advertised_frame, 0);
    assert_int_equal(read_request(8, 4), 2);
    assert_int_equal(uses[0].life->advertised_frame, 3);
}

static void test_a_read_of_size_0_uses_no_stag(void **state) {
    (void)state;
    assert_int_equal(read_request(0, 3), 0);
}

static void test_an_invalidated_stag_begins_a_new_life(void **state) {
    (void)state;
    read_request(8, 3);
    assert_int_equal(send_invalidate(0x1234, true, 5), 1);
    assert_int_equal(uses[0].field, iw_field_rdmap_invalidate_stag);
    assert_int_equal(uses[0].owner, IW_SIDE_A);
    assert_int_equal(uses[0].life->first_frame, 3);
    assert_int_equal(uses[0].life->invalidated_frame, 5);
    read_request(8, 6);
    assert_int_equal(uses[0].life->first_frame, 6);
    assert_int_equal(uses[0].life->advertised_frame, 6);
    assert_int_equal(uses[0].life->ended_before, 5);
    assert_int_equal(uses[0].life->invalidated_frame, 0);
    assert_null(uses[0].life->user);
}

static void test_only_the_last_segment_invalidates(void **state) {
    (void)state;
    send_invalidate(0x1234, false, 5);
    assert_int_equal(uses[0].life->invalidated_frame, 0);
    send_invalidate(0x1234, true, 6);
    assert_int_equal(uses[0].life->first_frame, 5);
    assert_int_equal(uses[0].life->invalidated_frame, 6);
}

/* The same number names different memory on each side. */
static void test_the_sides_have_stags_of_their_own(void **state) {
    (void)state;
    write_to(0x1234, 4, 2);
    send_invalidate(0x1234, true, 3);
    assert_int_equal(uses[0].life->first_frame, 3);
    write_to(0x1234, 4, 4);
    assert_int_equal(uses[0].life->first_frame, 2);
    assert_int_equal(uses[0].life->invalidated_frame, 0);
}

static void test_user_pointers_survive_table_growth(void **state) {
    static int mark;

    (void)state;
    write_to(0x11, 4, 1);
    uses[0].life->user = &mark;
    for (uint32_t stag = 0x100; stag < 0x100 + 40; stag++)
        write_to(stag, 4, 2);
    write_to(0x11, 4, 3);
    assert_ptr_equal(uses[0].life->user, &mark);
    assert_int_equal(uses[0].life->first_frame, 1);
}

static void test_a_flood_keeps_the_limit_and_is_not_reported_as_new(void **state) {
    (void)state;
    for (uint32_t stag = 1; stag <= 100000; stag++)
        write_to(stag * 0x01000193u, 4, stag);
    assert_int_equal(of_b.capacity, IW_STAG_MAX);
    assert_true(of_b.count <= IW_STAG_MAX);
    assert_true(of_b.forgotten);
    write_to(1 * 0x01000193u, 4, 100001);
    assert_int_equal(uses[0].life->first_frame, 0);
    write_to(1 * 0x01000193u, 4, 100002);
    assert_int_equal(uses[0].life->first_frame, 0);
}

/* With a limit of eight: dropping valid STags hides nothing, dropping an invalidated one does. */
static void test_reports_dropped_stags_if_invalidated(void **state) {
    uint64_t before;

    (void)state;
    iw_stags_dispose(&of_b);
    iw_stags_init(&of_b, 8);
    for (uint32_t stag = 1; stag <= 1000; stag++)
        write_to(stag, 4, stag);
    assert_int_equal(of_b.capacity, 8);
    assert_true(of_b.forgotten);
    assert_int_equal(of_b.doubtful, 0);

    iw_stags_dispose(&of_a);
    iw_stags_init(&of_a, 8);
    for (uint32_t stag = 1; stag <= 8; stag++)
        send_invalidate(stag, true, stag);
    before = of_a.doubtful;
    assert_int_equal(before, 0);
    for (uint32_t stag = 9; stag <= 20; stag++)
        send_invalidate(stag, true, stag);
    assert_true(of_a.doubtful >= 11);
    before = of_a.doubtful;
    send_invalidate(20, true, 21); /* one that was kept */
    assert_int_equal(of_a.doubtful, before);
}

static void test_accepts_stag_0_in_an_empty_table(void **state) {
    (void)state;
    write_to(0, 4, 5);
    assert_int_equal(uses[0].life->first_frame, 5);
    write_to(0, 4, 6);
    assert_int_equal(uses[0].life->first_frame, 5);
    assert_int_equal(of_b.count, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_write_names_memory_of_the_receiver, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_write_without_payload_uses_no_stag, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_read_request_advertises_its_data_sink, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_read_of_size_0_uses_no_stag, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_an_invalidated_stag_begins_a_new_life, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_only_the_last_segment_invalidates, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_sides_have_stags_of_their_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_user_pointers_survive_table_growth, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            test_a_flood_keeps_the_limit_and_is_not_reported_as_new, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_reports_dropped_stags_if_invalidated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_accepts_stag_0_in_an_empty_table, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
