#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_matrix_results.h"
#include "iw_temporary_test.h"

/* Results of a matrix: exit code, changes, and the file. */

static enum iw_exit exit_of(const char *verdicts) {
    json_t *results = json_pack("{s[]}", "cells");
    enum iw_exit exit;

    for (; *verdicts != '\0'; verdicts++) {
        const char *name = *verdicts == 'p'   ? "pass"
                           : *verdicts == 's' ? "not supported"
                           : *verdicts == 'j' ? "not judged"
                           : *verdicts == 'f' ? "fail"
                                              : "error";

        json_array_append_new(json_object_get(results, "cells"), json_pack("{ss}", "verdict", name));
    }
    exit = iw_matrix_results_exit(results);
    json_decref(results);
    return exit;
}

static void the_exit_code_is_that_of_the_worst_cell(void **state) {
    (void)state;
    assert_int_equal(exit_of("pp"), IW_EXIT_CONFORMS);
    assert_int_equal(exit_of("psp"), IW_EXIT_CONFORMS);
    assert_int_equal(exit_of("pjs"), IW_EXIT_UNJUDGED);
    assert_int_equal(exit_of("pjf"), IW_EXIT_VIOLATIONS);
    assert_int_equal(exit_of("pfe"), IW_EXIT_ENVIRONMENT);
}

static void nothing_run_is_no_success(void **state) {
    (void)state;
    assert_int_equal(exit_of(""), IW_EXIT_ENVIRONMENT);
    assert_int_equal(exit_of("ss"), IW_EXIT_ENVIRONMENT);
}

static void assert_change(const char *before, const char *now, const char *expected) {
    json_t *cell = json_pack("{ss ss}", "before", before, "verdict", now);

    assert_string_equal(iw_matrix_cell_change(cell), expected);
    json_decref(cell);
}

static void changes_have_names(void **state) {
    (void)state;
    assert_change("pass", "pass", "");
    assert_change("fail", "fail", "");
    assert_change("", "fail", "");
    assert_change("pass", "error", "regressed");
    assert_change("fail", "pass", "fixed");
    assert_change("fail", "not judged", "changed");
}

static bool read_text(const char *text, json_t **results, char *error) {
    char path[TEMPORARY_PATH];
    int descriptor = mkstemp(temporary_path(path, "iw_matrix_results"));
    bool read;

    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
    read = iw_matrix_results_read(results, path, error);
    unlink(path);
    return read;
}

static void other_files_are_rejected(void **state) {
    char error[IW_MATRIX_ERROR_OCTETS];
    json_t *results;

    (void)state;
    assert_false(read_text("{}", &results, error));
    assert_null(results);
    assert_non_null(strstr(error, ": these are not the results of a matrix"));
    assert_false(read_text("{\n7", &results, error));
    assert_non_null(strstr(error, ":2: "));
    /* no number is left for the next run */
    assert_false(
        read_text("{\"type\": \"matrix\", \"cells\": [], \"runs\": [{\"run\": 9223372036854775807}]}",
            &results, error));
    assert_true(iw_matrix_results_read(&results, "/nonexistent/results.json", error));
    assert_null(results);
}

static void results_are_written_and_found_by_name(void **state) {
    json_t *results, *index,
        *cell = json_pack(
            "{ss ss ss ss}", "initiator", "a", "responder", "b", "scenario", "load", "verdict", "pass");
    json_t *written = json_pack("{ss s[o] s[{si}]}", "type", "matrix", "cells", cell, "runs", "run", 3);
    char error[IW_MATRIX_ERROR_OCTETS], path[TEMPORARY_PATH];

    (void)state;
    close(mkstemp(temporary_path(path, "iw_matrix_results")));
    assert_int_equal(iw_matrix_results_write(written, path), 0);
    assert_true(iw_matrix_results_read(&results, path, error));
    unlink(path);
    assert_true(json_equal(written, results));
    assert_int_equal(iw_matrix_results_run(results), 3);
    index = iw_matrix_results_index(results);
    assert_true(json_equal(json_object_get(index, "a/b/load"), cell));
    assert_null(json_object_get(index, "b/a/load"));
    json_decref(index);
    json_decref(results);
    json_decref(written);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exit_code_is_that_of_the_worst_cell),
        cmocka_unit_test(nothing_run_is_no_success),
        cmocka_unit_test(changes_have_names),
        cmocka_unit_test(other_files_are_rejected),
        cmocka_unit_test(results_are_written_and_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
