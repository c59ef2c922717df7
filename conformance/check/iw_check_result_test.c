#include "iw_check_result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static void a_result_holds_connections(void **state) {
    struct iw_check_result result = {0};
    static const char *const paths[] = {"x.pcap", "y.pcap"};
    struct iw_check_file_result file = {
        .path = (char[]){"x.pcap"}, .parts = paths, .part_count = 1, .counts = {.frames = 7}};

    (void)state;
    for (uint64_t i = 0; i < 5; i++) {
        struct iw_check_connection *connection = calloc(1, sizeof *connection);

        assert_non_null(connection);
        connection->number = i;
        iw_check_result_add_connection(&result, connection);
    }
    iw_check_result_add_file(&result, &file);
    file.error = (char[]){"y.pcap: empty file"};
    file.parts++;
    iw_check_result_add_file(&result, &file);
    assert_int_equal(result.connection_count, 5);
    for (uint64_t i = 0; i < 5; i++)
        assert_int_equal(result.connections[i]->number, i);
    assert_int_equal(result.file_count, 2);
    assert_int_equal(result.unread_count + result.without_iwarp_count, 1);
    assert_null(result.files[0].error);
    assert_string_equal(result.files[1].error, "y.pcap: empty file");
    assert_int_equal(result.files[0].counts.frames, 7);
    assert_string_equal(result.files[0].path, "x.pcap");
    assert_string_equal(result.files[1].parts[0], "y.pcap");
    assert_false(result.incomplete);
    iw_check_result_add_connection(&result, NULL);
    assert_true(result.incomplete);
    iw_check_result_clear(&result);
    assert_int_equal(result.connection_count, 0);
}

static void unread_packets_have_a_row(void **state) {
    struct iw_check_counts counts = {.fragments = 2,
        .differing = 3,
        .cut = 4,
        .malformed = 5,
        .tags = 6,
        .dropped = 10,
        .lost = 11,
        .mappings = 12};
    struct iw_check_unread rows[IW_CHECK_UNREAD];

    (void)state;
    iw_capture_unread_count(&counts.links, 105, 1);
    counts.contents.frames[IW_CONTENT_ESP] = 7;
    counts.contents.frames[IW_CONTENT_TOO_DEEP] = 8;
    counts.contents.frames[IW_CONTENT_TUNNEL] = 9;
    iw_check_unread(&counts, rows);
    for (uint64_t i = 0; i < IW_CHECK_UNREAD; i++)
        assert_int_equal(rows[i].count, i + 1);
    assert_string_equal(rows[0].which, "of link type 105 (IEEE802_11)");
    assert_string_equal(rows[3].key, "cut");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_holds_connections),
        cmocka_unit_test(unread_packets_have_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
