#define _GNU_SOURCE /* memfd_create */

/* Fuzz target: reads the input like `warpcheck report` and `verify-bundle`: verifies an archive as a bundle;
 * renders an input that begins with a brace as results, in every format; reads any other input as
 * expectations. Ends the program on an environment error. */

#include "iw_fuzz_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "iw_bundle_check.h"
#include "iw_outcome_report.h"

enum { PATH_OCTETS = 64, USTAR_AT = 257 };

static void exit_with_error(const char *what) {
    perror(what);
    exit(4);
}

static void write_file(const uint8_t *input, size_t length, char path[PATH_OCTETS]) {
    static int file = -1;

    if (file < 0)
        file = memfd_create("report", 0);
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, input, length, 0) != (ssize_t)length)
        exit_with_error("memfd");
    snprintf(path, PATH_OCTETS, "/proc/self/fd/%d", file);
}

static bool is_archive(const uint8_t *input, size_t length) {
    static const uint8_t gzip[] = {0x1f, 0x8b};

    return (length >= sizeof gzip && memcmp(input, gzip, sizeof gzip) == 0) ||
           (length > USTAR_AT + 5 && memcmp(input + USTAR_AT, "ustar", 5) == 0);
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

static void render_report(const char *path, FILE *nowhere) {
    static const char *const forms[] = {"text", "jsonl", "junit", "html", "matrix"};
    struct iw_outcome_run run;
    struct iw_outcome_report report = {.out = nowhere, .runs = &run, .count = 1};

    if (iw_outcome_read(&run, path, nowhere) == IW_OK) {
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
            iw_outcome_form_find(forms[i])(&report);
        iw_expect_write(nowhere, &run, 1, NULL);
    }
    iw_outcome_clear(&run);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length) {
    static FILE *nowhere;
    struct iw_expect expect;
    char path[PATH_OCTETS];

    if (nowhere == NULL)
        nowhere = fopen("/dev/null", "w");
    if (nowhere == NULL)
        exit_with_error("/dev/null");
    write_file(input, length, path);
    if (is_archive(input, length)) {
        verify_bundle(path, nowhere);
    } else if (length > 0 && input[0] == '{') {
        render_report(path, nowhere);
    } else {
        iw_expect_read(&expect, path, nowhere);
        iw_expect_clear(&expect);
    }
    return 0;
}
