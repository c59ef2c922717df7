#include "iw_line_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LIMIT = 8 };

/* A reader of a file with these octets. */
static struct iw_line_reader reader_of(const char *octets, size_t count) {
    struct iw_line_reader reader = {.in = tmpfile(), .limit = LIMIT};

    assert_non_null(reader.in);
    assert_int_equal(fwrite(octets, 1, count, reader.in), count);
    rewind(reader.in);
    return reader;
}

static void expect_line(struct iw_line_reader *reader, uint64_t number, const char *octets, size_t count) {
    assert_true(iw_line_reader_next(reader));
    assert_int_equal(reader->number, number);
    assert_int_equal(reader->octets, count);
    assert_memory_equal(reader->text, octets, count + 1);
}

static void release(struct iw_line_reader *reader) {
    iw_line_reader_clear(reader);
    fclose(reader->in);
}

static void the_last_line_may_lack_its_newline(void **state) {
    struct iw_line_reader reader = reader_of("one\n\ntwo", 8);

    (void)state;
    expect_line(&reader, 1, "one\n", 4);
    expect_line(&reader, 2, "\n", 1);
    expect_line(&reader, 3, "two", 3);
    assert_false(iw_line_reader_next(&reader));
    assert_int_equal(reader.error, IW_OK);
    release(&reader);
}

static void a_nul_octet_belongs_to_the_line(void **state) {
    struct iw_line_reader reader = reader_of("a\0b\n\0", 5);

    (void)state;
    expect_line(&reader, 1, "a\0b\n", 4);
    expect_line(&reader, 2, "\0", 1);
    release(&reader);
}

static void an_empty_file_has_no_line(void **state) {
    struct iw_line_reader reader = reader_of("", 0);

    (void)state;
    assert_false(iw_line_reader_next(&reader));
    assert_int_equal(reader.error, IW_OK);
    release(&reader);
}

/* The limit includes the newline. */
static void a_line_of_the_limit_is_read_and_a_longer_one_is_not(void **state) {
    struct iw_line_reader reader = reader_of("1234567\n12345678\n", 17);
    char text[IW_LINE_READER_ERROR_OCTETS];

    (void)state;
    expect_line(&reader, 1, "1234567\n", LIMIT);
    assert_false(iw_line_reader_next(&reader));
    assert_int_equal(reader.error, IW_ERR_FORMAT);
    assert_int_equal(reader.number, 2);
    iw_line_reader_error(&reader, text);
    assert_string_equal(text, "longer than 8 octets");
    release(&reader);
}

static void an_endless_line_takes_no_more_memory_than_the_limit(void **state) {
    struct iw_line_reader reader = {.in = fopen("/dev/zero", "r"), .limit = 1 << 16};

    (void)state;
    assert_non_null(reader.in);
    assert_false(iw_line_reader_next(&reader));
    assert_int_equal(reader.error, IW_ERR_FORMAT);
    assert_in_range(reader.capacity, 1, 2 * (reader.limit + 2));
    release(&reader);
}

static void a_folder_cannot_be_read(void **state) {
    struct iw_line_reader reader = {.in = fopen("/", "r"), .limit = LIMIT};
    char text[IW_LINE_READER_ERROR_OCTETS];

    (void)state;
    assert_non_null(reader.in);
    assert_false(iw_line_reader_next(&reader));
    assert_int_equal(reader.error, IW_ERR_IO);
    iw_line_reader_error(&reader, text);
    assert_string_equal(text, "Is a directory");
    release(&reader);
}

static void it_reads_again_after_rewind(void **state) {
    struct iw_line_reader reader = reader_of("one\n", 4);

    (void)state;
    expect_line(&reader, 1, "one\n", 4);
    assert_false(iw_line_reader_next(&reader));
    iw_line_reader_clear(&reader);
    rewind(reader.in);
    expect_line(&reader, 1, "one\n", 4);
    release(&reader);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_line_may_lack_its_newline),
        cmocka_unit_test(a_nul_octet_belongs_to_the_line),
        cmocka_unit_test(an_empty_file_has_no_line),
        cmocka_unit_test(a_line_of_the_limit_is_read_and_a_longer_one_is_not),
        cmocka_unit_test(an_endless_line_takes_no_more_memory_than_the_limit),
        cmocka_unit_test(a_folder_cannot_be_read),
        cmocka_unit_test(it_reads_again_after_rewind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
