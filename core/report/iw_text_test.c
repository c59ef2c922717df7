#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_test_memory.h"
#include "iw_text.h"

static void an_empty_text_is_returned(void **state) {
    struct iw_text text;
    char *whole;

    (void)state;
    assert_true(iw_text_open(&text));
    whole = iw_text_close(&text);
    assert_non_null(whole);
    assert_string_equal(whole, "");
    free(whole);
}

static void a_text_keeps_what_is_printed(void **state) {
    struct iw_text text;
    char *whole;

    (void)state;
    assert_true(iw_text_open(&text));
    fprintf(text.out, "%d and ", 7);
    assert_true(iw_text_flush(&text));
    assert_string_equal(text.octets, "7 and ");
    assert_int_equal(text.length, 6);
    fputs("more", text.out);
    whole = iw_text_close(&text);
    assert_string_equal(whole, "7 and more");
    free(whole);
}

static char *print_lines(struct iw_text *text, unsigned lines) {
    for (unsigned i = 0; i < lines; i++)
        fprintf(text->out, "line %04u\n", i);
    return iw_text_close(text);
}

static void grows(void **state) {
    struct iw_text text;
    char *whole;

    (void)state;
    assert_true(iw_text_open(&text));
    whole = print_lines(&text, 5000);
    assert_int_equal(strlen(whole), 50000);
    assert_memory_equal(whole + 49990, "line 4999\n", 11);
    free(whole);
}

/* The text is complete, or the call fails. */
static void a_text_reports_lack_of_memory(void **state) {
    (void)state;
    for (unsigned long nth = 1; nth <= 9; nth++) {
        struct iw_text text;
        unsigned long count;
        char *whole;

        assert_true(iw_text_open(&text));
        iw_test_memory_fail(nth, false);
        whole = print_lines(&text, 5000);
        count = iw_test_memory_restore();
        assert_true(count >= 1);
        assert_true((whole == NULL) == (nth <= count));
        free(whole);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_text_is_returned),
        cmocka_unit_test(a_text_keeps_what_is_printed),
        cmocka_unit_test(grows),
        cmocka_unit_test(a_text_reports_lack_of_memory),
    };

    return cmocka_run_group_tests_name("iw_text", tests, NULL, NULL);
}
