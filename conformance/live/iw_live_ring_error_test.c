#include <sys/resource.h>

#include "iw_live_ring_test.h"

/* What can go wrong while packets are recorded. */

static void a_full_disk_is_one_line_and_loses_nothing(void **state) {
    struct ring_test *bench = *state;
    char comment[IW_PCAPNG_COMMENT_MAX];
    struct rlimit before, limit;
    uint64_t first;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    ring_test_begin_seconds(bench, 11);
    for (int i = 0; i < 9; i++)
        assert_int_equal(ring_test_next(bench), IW_CHECK_PACKET);
    limit = (struct rlimit){2500, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(
        ring_test_next(bench), IW_CHECK_PACKET); /* the third packet of the third file does not fit */
    assert_int_equal(ring_test_next(bench), IW_CHECK_PACKET);
    assert_int_equal(ring_test_next(bench), IW_CHECK_END);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(bench->troubles, 1);
    assert_non_null(strstr(bench->trouble, "File too large; recorded up to frame 2"));
    assert_false(iw_live_ring_close(bench->ring));
    assert_int_equal(bench->troubles, 1);
    ring_test_list_files(bench);
    assert_int_equal(bench->count, 3);
    assert_int_equal(ring_test_read_file(bench, 0, &first, comment), 3);
    assert_int_equal(ring_test_read_file(bench, 1, &first, comment), 3);
    assert_int_equal(ring_test_read_file(bench, 2, &first, comment), 2);
}

static void a_lost_folder_is_one_line(void **state) {
    struct ring_test *bench = *state;

    ring_test_begin_seconds(bench, 11);
    assert_int_equal(ring_test_next(bench), IW_CHECK_PACKET);
    assert_int_equal(ring_test_next(bench), IW_CHECK_PACKET);
    ring_test_remove_files(bench);
    ring_test_take_all(bench, 0);
    assert_int_equal(bench->troubles, 1);
    assert_non_null(strstr(bench->trouble, "was removed while it was written"));
    assert_false(iw_live_ring_close(bench->ring));
    assert_int_equal(bench->troubles, 1);
}

static void a_file_instead_of_a_folder_is_one_line(void **state) {
    struct ring_test *bench = *state;

    ring_test_begin_seconds(bench, 1);
    assert_true(iw_live_ring_close(bench->ring));
    bench->config.folder = bench->input[0];
    assert_null(iw_live_ring_open(&bench->config, bench->source, ring_test_text));
    assert_non_null(strstr(ring_test_text, ": Not a directory"));
    bench->config.folder = "/nonexistent/folder";
    assert_null(iw_live_ring_open(&bench->config, bench->source, ring_test_text));
    assert_string_equal(ring_test_text, "/nonexistent/folder: No such file or directory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_full_disk_is_one_line_and_loses_nothing),
        TEST(a_lost_folder_is_one_line),
        TEST(a_file_instead_of_a_folder_is_one_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
