#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_whole_file.h"
#include "iw_temporary_test.h"

static char folder[TEMPORARY_PATH], path[TEMPORARY_FILE], part[TEMPORARY_FILE];

static int set_up(void **state) {
    struct iw_whole_file output;

    (void)state;
    assert_non_null(mkdtemp(temporary_path(folder, "iw_whole_file_test")));
    snprintf(path, sizeof path, "%s/page", folder);
    snprintf(part, sizeof part, "%s/page.part", folder);
    assert_int_equal(iw_whole_file_open(&output, path), 0);
    fputs("previous", output.out);
    return iw_whole_file_close(&output, true);
}

static int tear_down(void **state) {
    (void)state;
    return temporary_remove(folder) ? 0 : -1;
}

static void assert_file(const char *expected) {
    char found[32] = "";
    FILE *in = fopen(path, "r");

    assert_non_null(in);
    assert_int_equal(fread(found, 1, sizeof found - 1, in), strlen(expected));
    fclose(in);
    assert_string_equal(found, expected);
    assert_int_equal(access(part, F_OK), -1);
}

static void a_complete_file_replaces_the_previous_one(void **state) {
    struct iw_whole_file output;

    (void)state;
    assert_int_equal(iw_whole_file_open(&output, path), 0);
    fputs("next", output.out);
    fflush(output.out);
    assert_int_equal(access(part, F_OK), 0);
    assert_int_equal(iw_whole_file_close(&output, true), 0);
    assert_file("next");
}

static void an_incomplete_file_does_not(void **state) {
    struct iw_whole_file output;

    (void)state;
    assert_int_equal(iw_whole_file_open(&output, path), 0);
    fputs("next", output.out);
    assert_int_equal(iw_whole_file_close(&output, false), 0);
    assert_file("previous");
}

/* The failed write is an earlier one than the last, and errno has changed since. */
static void a_full_disk_keeps_the_previous_file(void **state) {
    struct rlimit before, none;
    struct iw_whole_file output;

    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    none = (struct rlimit){0, before.rlim_max};
    assert_int_equal(iw_whole_file_open(&output, path), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    fputs("next", output.out);
    assert_int_equal(fflush(output.out), EOF);
    errno = EINTR;
    assert_int_equal(iw_whole_file_close(&output, true), EFBIG);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_file("previous");
}

static void a_device_and_the_file_of_a_link_are_written_themselves(void **state) {
    struct iw_whole_file output;
    char link[TEMPORARY_FILE];
    struct stat there;

    (void)state;
    snprintf(link, sizeof link, "%s/link", folder);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(iw_whole_file_open(&output, link), 0);
    fputs("next", output.out);
    assert_int_equal(iw_whole_file_close(&output, true), 0);
    assert_file("next");
    assert_int_equal(lstat(link, &there), 0);
    assert_true(S_ISLNK(there.st_mode));
    assert_int_equal(iw_whole_file_open(&output, "/dev/full"), 0);
    fputs("next", output.out);
    assert_int_equal(iw_whole_file_close(&output, true), ENOSPC);
    assert_int_equal(access("/dev/full", W_OK), 0);
}

static void assert_no_child(void) {
    assert_int_equal(waitpid(-1, NULL, 0), -1);
    assert_int_equal(errno, ECHILD);
}

static void a_helper_replaces_or_removes(void **state) {
    struct iw_whole_file output;

    (void)state;
    assert_int_equal(iw_whole_file_open(&output, path), 0);
    assert_int_equal(iw_whole_file_detach(&output), 0);
    fputs("next", output.out);
    assert_int_equal(iw_whole_file_close(&output, true), 0);
    assert_file("next");
    assert_no_child();
    assert_int_equal(iw_whole_file_open(&output, path), 0);
    assert_int_equal(iw_whole_file_detach(&output), 0);
    fputs("broken", output.out);
    assert_int_equal(iw_whole_file_close(&output, false), 0);
    assert_file("next");
    /* The part vanishes meanwhile: the error is that of the helper. */
    assert_int_equal(iw_whole_file_open(&output, path), 0);
    assert_int_equal(iw_whole_file_detach(&output), 0);
    unlink(part);
    assert_int_equal(iw_whole_file_close(&output, true), ENOENT);
    assert_file("next");
}

/* A process that is killed leaves no part. */
static void a_killed_process_leaves_no_part(void **state) {
    int ended[2];
    char octet;
    pid_t child;

    (void)state;
    assert_int_equal(pipe(ended), 0);
    child = fork();
    if (child == 0) {
        struct iw_whole_file output;

        close(ended[0]);
        if (iw_whole_file_open(&output, path) == 0 && iw_whole_file_detach(&output) == 0)
            raise(SIGKILL);
        _exit(0);
    }
    close(ended[1]); /* the helper closes the other copy when it ends */
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(read(ended[0], &octet, 1), 0);
    close(ended[0]);
    assert_file("previous");
}

static void a_missing_folder_is_an_error(void **state) {
    struct iw_whole_file output;

    (void)state;
    assert_int_equal(iw_whole_file_open(&output, "/dev/null/page"), ENOTDIR);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_complete_file_replaces_the_previous_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_incomplete_file_does_not, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_disk_keeps_the_previous_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            a_device_and_the_file_of_a_link_are_written_themselves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_helper_replaces_or_removes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_killed_process_leaves_no_part, set_up, tear_down),
        cmocka_unit_test(a_missing_folder_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
