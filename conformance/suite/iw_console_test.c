#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_console.h"
#include "iw_temporary_test.h"

struct test {
    char folder[TEMPORARY_PATH], path[TEMPORARY_FILE];
    struct iw_console *console;
    char line[IW_CONSOLE_LINE_OCTETS];
};

static void append(const struct test *test, const char *text) {
    FILE *file = fopen(test->path, "a");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void begin(struct test *test, const char *text, const struct iw_pattern *more) {
    char error[256];

    assert_non_null(mkdtemp(temporary_path(test->folder, "iw_console")));
    snprintf(test->path, sizeof test->path, "%s/console", test->folder);
    append(test, text);
    test->console = iw_console_new(test->path, more, error, sizeof error);
    assert_non_null(test->console);
}

static void end(struct test *test) {
    iw_console_free(test->console);
    temporary_remove(test->folder);
}

static void assert_crash(struct test *test, const char *line) {
    assert_true(iw_console_read(test->console, test->line));
    assert_string_equal(test->line, line);
}

static void assert_no_crash(struct test *test) {
    assert_false(iw_console_read(test->console, test->line));
}

static void messages_of_crashes_are_found(void **state) {
    static const char *const crashes[] = {
        "[   12.345678] BUG: kernel NULL pointer dereference, address: 0000000000000000",
        "kernel BUG at drivers/infiniband/core/iwcm.c:969!",
        "Oops: 0002 [#1] PREEMPT SMP NOPTI",
        "Kernel panic - not syncing: Fatal exception",
        "general protection fault, probably for non-canonical address 0xdead000000000122: 0000 [#1]",
        "BUG: KASAN: slab-out-of-bounds in siw_qp_rx+0x1/0x2 [siw]",
        "watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [rping:77]",
        "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
        "INFO: task iw_cm_wq:77 blocked for more than 120 seconds.",
        "Unable to handle kernel paging request at virtual address 0000000000001000",
    };
    struct test test;

    (void)state;
    begin(&test, "Oops: before the run\n", NULL);
    assert_no_crash(&test);
    append(&test, "a debug: message\nthe oops of a program\n");
    assert_no_crash(&test);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
        append(&test, "before\r\n");
        append(&test, crashes[i]);
        append(&test, "\r\nOops: after the first message\n");
        assert_crash(&test, crashes[i]);
        assert_no_crash(&test);
    }
    end(&test);
}

static void a_line_may_come_in_parts(void **state) {
    struct test test;

    (void)state;
    begin(&test, "", NULL);
    append(&test, "Kernel pa");
    assert_no_crash(&test);
    append(&test, "nic");
    assert_crash(&test, "Kernel panic");
    append(&test, " - not syncing\n");
    assert_no_crash(&test);
    append(&test, "more");
    assert_no_crash(&test);
    append(&test, " Oops: 0000\n");
    assert_crash(&test, "more Oops: 0000");
    end(&test);
}

static void own_pattern_is_added(void **state) {
    char error[256];
    struct iw_pattern *more = iw_pattern_new("firmware assert", error, sizeof error);
    struct test test;

    (void)state;
    begin(&test, "", more);
    append(&test, "FIRMWARE ASSERT in \x1b[1m fw.c \xff\n");
    assert_crash(&test, "FIRMWARE ASSERT in ?[1m fw.c ?");
    append(&test, "Oops: 0000\n");
    assert_crash(&test, "Oops: 0000");
    end(&test);
    iw_pattern_free(more);
}

static void truncated_and_replaced_files_are_read(void **state) {
    struct test test;

    (void)state;
    begin(&test, "a first line\n", NULL);
    assert_int_equal(truncate(test.path, 0), 0);
    append(&test, "Oops: 1\n");
    assert_crash(&test, "Oops: 1");
    assert_int_equal(unlink(test.path), 0);
    assert_no_crash(&test);
    append(&test, "Oops: 2\n");
    assert_crash(&test, "Oops: 2");
    assert_no_crash(&test);
    end(&test);
}

static void long_lines_are_read_in_parts(void **state) {
    struct test test;

    (void)state;
    begin(&test, "", NULL);
    for (int i = 0; i < 1000; i++)
        append(&test, "0123456789");
    append(&test, "\nOops: 0000\n");
    assert_crash(&test, "Oops: 0000");
    end(&test);
}

static void excerpt_has_the_lines_before(void **state) {
    struct test test;
    char *text = NULL;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);

    (void)state;
    begin(&test, "", NULL);
    for (int i = 0; i < 20; i++)
        append(&test, i < 9 ? "early\n" : "before\n");
    append(&test, "Oops: 0000\nRIP: 0010:siw\r\n");
    assert_crash(&test, "Oops: 0000");
    iw_console_put_excerpt(out, test.console);
    fclose(out);
    assert_null(strstr(text, "early"));
    assert_non_null(strstr(text, "console: before\nconsole: Oops: 0000\nconsole: RIP: 0010:siw\n"));
    free(text);
    end(&test);
}

static void only_a_regular_file_is_a_console(void **state) {
    char error[256];

    (void)state;
    assert_null(iw_console_new("/nonexistent", NULL, error, sizeof error));
    assert_string_equal(error, "/nonexistent: No such file or directory");
    assert_null(iw_console_new("/dev/null", NULL, error, sizeof error));
    assert_string_equal(error, "/dev/null: not a regular file; let a program write the console to one");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_crashes_are_found),
        cmocka_unit_test(a_line_may_come_in_parts),
        cmocka_unit_test(own_pattern_is_added),
        cmocka_unit_test(truncated_and_replaced_files_are_read),
        cmocka_unit_test(long_lines_are_read_in_parts),
        cmocka_unit_test(excerpt_has_the_lines_before),
        cmocka_unit_test(only_a_regular_file_is_a_console),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
