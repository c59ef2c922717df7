#include "cmd_expect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "iw_diagnostics.h"
#include "iw_json.h"
#include "iw_outcome_report.h"

bool cmd_expect_read(struct cmd_expect *expect) {
    struct iw_diagnostics diagnostics;
    bool good;

    if (expect->file == NULL)
        return true;
    iw_diagnostics_open(&diagnostics);
    good = diagnostics.out != NULL && iw_expect_read(&expect->expect, expect->file, diagnostics.out) == IW_OK;
    return iw_diagnostics_tell(&diagnostics) && good;
}

void cmd_expect_clear(struct cmd_expect *expect) {
    iw_expect_clear(&expect->expect);
}

const struct iw_expect *cmd_expect_of(
    struct cmd_expect *expect, const struct iw_outcome_run *runs, size_t count) {
    if (expect->file == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        iw_expect_use(&expect->expect, &runs[i]);
    return &expect->expect;
}

static enum iw_exit report_unwritable(const char *path) {
    fprintf(stderr, "warpcheck: %s: %s\n", path, strerror(errno));
    return IW_EXIT_ENVIRONMENT;
}

static enum iw_exit report_no_memory(void) {
    fputs("warpcheck: out of memory\n", stderr);
    return IW_EXIT_INTERNAL;
}

enum iw_exit cmd_expect_write(
    const struct cmd_expect *expect, const struct iw_outcome_run *runs, size_t count) {
    FILE *out;
    bool failed;

    if (expect->write == NULL)
        return IW_EXIT_CONFORMS;
    out = fopen(expect->write, "w");
    if (out == NULL)
        return report_unwritable(expect->write);
    iw_expect_write(out, runs, count, expect->file != NULL ? &expect->expect : NULL);
    failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed)
        return report_unwritable(expect->write);
    return iw_json_memory_failed() ? report_no_memory() : IW_EXIT_CONFORMS;
}

static bool read_run(struct iw_outcome_run *run, const char *path) {
    struct iw_diagnostics diagnostics;
    bool good;

    iw_diagnostics_open(&diagnostics);
    good = diagnostics.out != NULL && iw_outcome_read(run, path, diagnostics.out) == IW_OK;
    return iw_diagnostics_tell(&diagnostics) && good;
}

enum iw_exit cmd_expect_run(struct cmd_expect *expect, const char *path, enum iw_exit exit) {
    struct iw_outcome_run run = {0};
    bool incomplete = false;
    struct iw_outcome_report report = {.out = stdout, .runs = &run, .count = 1, .incomplete = &incomplete};

    if (expect->file == NULL && expect->write == NULL)
        return exit;
    iw_json_require_memory();
    if (!read_run(&run, path)) {
        iw_outcome_clear(&run);
        return IW_EXIT_ENVIRONMENT;
    }
    report.expect = cmd_expect_of(expect, &run, 1);
    if (report.expect != NULL) {
        iw_outcome_put_states(&report);
        exit = iw_outcome_report_exit(&report);
        if (incomplete)
            exit = report_no_memory();
    }
    exit = iw_exit_join(exit, cmd_expect_write(expect, &run, 1));
    iw_outcome_clear(&run);
    return exit;
}
