#include <sys/stat.h>

#include "iw_live_ring_test.h"

static void keeps_the_newest_files_in_order_of_time(void **state) {
    struct ring_test *bench = *state;
    char comment[IW_PCAPNG_COMMENT_MAX];
    uint64_t first = 0;

    ring_test_begin_seconds(bench, 11); /* files of frames 1-3, 4-6, 7-9, 10-11 */
    ring_test_take_all(bench, 0);
    assert_true(iw_live_ring_close(bench->ring));
    ring_test_list_files(bench);
    assert_int_equal(bench->count, 3);
    assert_string_equal(bench->names[0], "watch_19700101000003_00002.pcapng");
    assert_string_equal(bench->names[1], "watch_19700101000006_00003.pcapng");
    assert_string_equal(bench->names[2], "watch_19700101000009_00004.pcapng");
    assert_int_equal(ring_test_read_file(bench, 0, &first, comment), 3);
    assert_int_equal(first, 3);
    assert_int_equal(ring_test_read_file(bench, 2, &first, comment), 2);
    assert_int_equal(first, 9);
    assert_int_equal(bench->troubles, 0);
}

static void a_finding_is_the_comment_of_its_packet(void **state) {
    struct ring_test *bench = *state;
    char comment[IW_PCAPNG_COMMENT_MAX];
    uint64_t first;

    ring_test_begin_seconds(bench, 2);
    assert_int_equal(ring_test_next(bench), IW_CHECK_PACKET);
    assert_int_equal(ring_test_next(bench), IW_CHECK_PACKET);
    ring_test_find(bench, 2);
    ring_test_find(bench, 1);
    assert_int_equal(ring_test_next(bench), IW_CHECK_END);
    assert_true(iw_live_ring_close(bench->ring));
    ring_test_list_files(bench);
    assert_int_equal(bench->count, 1);
    assert_int_equal(ring_test_read_file(bench, 0, &first, comment), 2);
    assert_string_equal(comment, "error RFC5044-4.4-11 (RFC 5044 4.4, MUST) responder: CRC is wrong\n"
                                 "error RFC5044-4.4-11 (RFC 5044 4.4, MUST) responder: CRC is wrong "
                                 "(packet id 1)");
}

static void keeps_files_with_findings_and_the_ones_before(void **state) {
    struct ring_test *bench = *state;

    bench->config.findings_only = true;
    bench->config.files = 4;            /* the open file and the one before it count */
    ring_test_begin_seconds(bench, 17); /* 1-3, 4-6, 7-9, 10-12, 13-15, 16-17 */
    ring_test_take_all(bench, 8);
    assert_true(iw_live_ring_close(bench->ring));
    ring_test_list_files(bench);
    assert_int_equal(bench->count, 2);
    assert_string_equal(bench->names[0], "watch_19700101000003_00002.pcapng");
    assert_string_equal(bench->names[1], "watch_19700101000006_00003.pcapng");
}

static void keeps_nothing_without_a_finding(void **state) {
    struct ring_test *bench = *state;

    bench->config.findings_only = true;
    ring_test_begin_seconds(bench, 8);
    ring_test_take_all(bench, 0);
    assert_true(iw_live_ring_close(bench->ring));
    ring_test_list_files(bench);
    assert_int_equal(bench->count, 0);
}

/* A finding that comes at the end of the capture belongs to no packet. */
static void a_finding_at_the_end_keeps_the_last_file(void **state) {
    struct ring_test *bench = *state;

    bench->config.findings_only = true;
    ring_test_begin_seconds(bench, 8);
    ring_test_take_all(bench, 0);
    ring_test_find(bench, 5);
    assert_true(iw_live_ring_close(bench->ring));
    ring_test_list_files(bench);
    assert_int_equal(bench->count, 2);
    assert_string_equal(bench->names[1], "watch_19700101000006_00003.pcapng");
}

static void each_input_is_an_interface(void **state) {
    struct ring_test *bench = *state;
    char path[TEMPORARY_FILE];
    uint8_t found[FILE_OCTETS];
    size_t length, blocks[7] = {0};
    FILE *file;

    ring_test_write_capture(bench->input[0], 1, (const uint32_t[]){1}, 1);
    ring_test_write_capture(bench->input[1], 101, (const uint32_t[]){1}, 1);
    ring_test_begin(bench, 2);
    ring_test_take_all(bench, 0);
    assert_true(iw_live_ring_close(bench->ring));
    ring_test_list_files(bench);
    assert_int_equal(bench->count, 1);
    ring_test_path_of(bench, 0, path);
    file = fopen(path, "rb");
    assert_non_null(file);
    length = fread(found, 1, sizeof found, file);
    fclose(file);
    unsigned links = 0;
    /* Blocks of a pcapng file: type and total length, big endian. */
    for (size_t at = 0; at + 12 <= length;) {
        uint32_t size = (uint32_t)found[at + 6] << 8 | found[at + 7];

        assert_true(size >= 12);
        if (found[at + 3] == 1) { /* Interface Description Block: link type, snaplen, option 2: if_name */
            links += found[at + 9];
            assert_memory_equal(found + at + 16, ((uint8_t[]){0, 2}), 2);
            assert_memory_equal(found + at + 20, bench->input[found[at + 9] == 101], found[at + 19]);
        }
        if (found[at] == 0)
            blocks[found[at + 3] % 7]++;
        at += size;
    }
    assert_int_equal(blocks[1], 2);
    assert_int_equal(blocks[6], 2);
    assert_int_equal(links, 1 + 101);
}

static void names_stay_in_order_if_the_clock_is_set_back(void **state) {
    struct ring_test *bench = *state;
    char comment[IW_PCAPNG_COMMENT_MAX];
    uint64_t first;

    ring_test_write_capture(bench->input[0], 1, (const uint32_t[]){100, 100, 100, 50, 50, 50, 60}, 7);
    ring_test_begin(bench, 1);
    ring_test_take_all(bench, 0);
    assert_true(iw_live_ring_close(bench->ring));
    ring_test_list_files(bench);
    assert_string_equal(bench->names[1], "watch_19700101000140_00002.pcapng");
    assert_int_equal(ring_test_read_file(bench, 1, &first, comment), 3);
    assert_int_equal(first, 50);
}

static void an_earlier_file_is_not_overwritten(void **state) {
    struct ring_test *bench = *state;
    char path[TEMPORARY_FILE];
    struct stat status;
    FILE *file;

    snprintf(path, sizeof path, "%s/watch_19700101000000_00001.pcapng", bench->folder);
    file = fopen(path, "wb");
    assert_non_null(file);
    fclose(file);
    ring_test_begin_seconds(bench, 1);
    ring_test_take_all(bench, 0);
    assert_true(iw_live_ring_close(bench->ring));
    ring_test_list_files(bench);
    assert_int_equal(bench->count, 2);
    assert_string_equal(bench->names[1], "watch_19700101000000_00002.pcapng");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(keeps_the_newest_files_in_order_of_time),
        TEST(a_finding_is_the_comment_of_its_packet),
        TEST(keeps_files_with_findings_and_the_ones_before),
        TEST(keeps_nothing_without_a_finding),
        TEST(a_finding_at_the_end_keeps_the_last_file),
        TEST(each_input_is_an_interface),
        TEST(names_stay_in_order_if_the_clock_is_set_back),
        TEST(an_earlier_file_is_not_overwritten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
