#define _GNU_SOURCE /* memfd_create, memmem */

/* Fuzz target: reads the input like `warpcheck report` and `verify-bundle`: verifies an archive as a bundle;
 * renders an input that begins with a brace as results, in every format, and compares and grades them; reads
 * any other input as expectations. Results with an empty line are two runs. Ends the program on an
 * environment error. */

#include "iw_fuzz_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "iw_bundle_check.h"
#include "iw_catalogue.h"
#include "iw_outcome_report.h"

enum { PATH_OCTETS = 64, USTAR_AT = 257, RUNS = 2 };

static void exit_with_error(const char *what) {
    perror(what);
    exit(4);
}

/* Writes the octets to a file in memory; there is one for each `file`. */
static void write_file(unsigned file, const uint8_t *input, size_t length, char path[PATH_OCTETS]) {
    static int files[RUNS] = {-1, -1};

    if (files[file] < 0)
        files[file] = memfd_create("report", 0);
    if (files[file] < 0 || ftruncate(files[file], 0) != 0 ||
        pwrite(files[file], input, length, 0) != (ssize_t)length)
        exit_with_error("memfd");
    snprintf(path, PATH_OCTETS, "/proc/self/fd/%d", files[file]);
}

/* Returns whether the input begins like the archives that bundles may be. */
static bool is_archive(const uint8_t *input, size_t length) {
    static const struct {
        size_t at, octets;
        const char *magic;
    } rows[] = {{0, 2, "\x1f\x8b"}, {0, 4, "\x28\xb5\x2f\xfd"}, {0, 4, "PK\x03\x04"}, {USTAR_AT, 5, "ustar"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (length > rows[i].at + rows[i].octets &&
            memcmp(input + rows[i].at, rows[i].magic, rows[i].octets) == 0)
            return true;
    return false;
}

static void verify_bundle(const char *path, FILE *nowhere) {
    struct iw_bundle_check check = {.count = 0};
    struct iw_bundle bundle;

    if (iw_bundle_begin(&bundle, path, nowhere) == IW_OK && iw_bundle_open(&bundle, nowhere) == IW_OK) {
        iw_bundle_check_init(&check, &bundle, NULL, nowhere);
        iw_bundle_summary_print(nowhere, &check);
        iw_bundle_summary_print_verdict(nowhere, &check);
    }
    iw_bundle_check_dispose(&check);
    iw_bundle_close(&bundle);
}

static void render_forms(struct iw_outcome_report *report) {
    static iw_outcome_put *const forms[] = {
#define IW_FORMAT_OF_RUNS(name) iw_outcome_put_##name,
#include "iw_format.def"
        iw_outcome_put_triage};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        forms[i](report);
}

static void render_comparison(struct iw_outcome_report *report) {
    struct iw_compare compare;

    if (iw_compare_init(&compare, &report->runs[0], &report->runs[1])) {
        report->compare = &compare;
        iw_outcome_put_compare(report);
        iw_outcome_put_compare_jsonl(report);
        iw_outcome_put_html(report);
    }
    report->compare = NULL;
    iw_compare_clear(&compare);
}

/* Renders the runs by a policy that needs every requirement, and partners. */
static void render_policy(struct iw_outcome_report *report) {
    static const struct iw_grade_policy policy = {
        .name = "all", .title = "all", .has_level = true, .partners = 1, .partners_pass = 1};
    static const struct iw_catalogue catalogue = {.digest = "none"};
    static struct iw_grade grades[RUNS];
    struct iw_interop interop;

    for (size_t i = 0; i < RUNS; i++)
        iw_grade_run(&policy, &report->runs[i], &catalogue, &grades[i]);
    report->policy = &policy;
    report->grades = grades;
    if (iw_interop_init(&interop, &policy, report->runs, RUNS)) {
        report->interop = &interop;
        iw_outcome_put_text(report);
        iw_outcome_put_jsonl(report);
        iw_outcome_put_html(report);
    }
    report->interop = NULL;
    iw_interop_clear(&interop);
}

static void render_report(const char *const operands[RUNS], FILE *nowhere) {
    struct iw_outcome_run runs[RUNS];
    struct iw_outcome_report report = {.out = nowhere, .runs = runs, .count = RUNS};
    bool good = true;

    for (size_t i = 0; i < RUNS; i++)
        good &= iw_outcome_read(&runs[i], operands[i], nowhere) == IW_OK;
    if (good) {
        render_forms(&report);
        iw_expect_write(nowhere, runs, RUNS, NULL);
        render_comparison(&report);
        render_policy(&report);
    }
    for (size_t i = 0; i < RUNS; i++)
        iw_outcome_clear(&runs[i]);
}

/* The second run begins after the first empty line; without one it equals the first. */
static void read_results(const uint8_t *input, size_t length, FILE *nowhere) {
    const uint8_t *end = memmem(input, length, "\n\n", 2), *second = end != NULL ? end + 2 : input;
    char paths[RUNS][PATH_OCTETS], operands[RUNS][PATH_OCTETS + 8];

    write_file(0, input, end != NULL ? (size_t)(end + 1 - input) : length, paths[0]);
    write_file(1, second, length - (size_t)(second - input), paths[1]);
    snprintf(operands[0], sizeof operands[0], "a/b=%s", paths[0]);
    snprintf(operands[1], sizeof operands[1], "a/c=%s", paths[1]);
    render_report((const char *[]){operands[0], operands[1]}, nowhere);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length) {
    static FILE *nowhere;
    struct iw_expect expect;
    char path[PATH_OCTETS];

    if (nowhere == NULL)
        nowhere = fopen("/dev/null", "w");
    if (nowhere == NULL)
        exit_with_error("/dev/null");
    if (length > 0 && input[0] == '{') {
        read_results(input, length, nowhere);
        return 0;
    }
    write_file(0, input, length, path);
    if (is_archive(input, length)) {
        verify_bundle(path, nowhere);
    } else {
        iw_expect_read(&expect, path, nowhere);
        iw_expect_clear(&expect);
    }
    return 0;
}
