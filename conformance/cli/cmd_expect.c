#include "cmd_expect.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "iw_json.h"
#include "iw_outcome_report.h"
#include "iw_whole_file.h"

/* A run may take hours: a folder that does not exist must not be noticed only at its end. */
static bool cmd_expect_check_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];

    snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - path) + 1 : 1,
        slash != NULL ? path : ".");
    if (access(folder, W_OK | X_OK) == 0)
        return true;
    cmd_cannot_write(path, errno);
    return false;
}

bool cmd_expect_read(struct cmd_expect *expect) {
    struct iw_text diagnostics;
    bool good;

    if (expect->write != NULL && !cmd_expect_check_folder(expect->write))
        return false;
    if (expect->file == NULL)
        return true;
    good =
        iw_text_open(&diagnostics) && iw_expect_read(&expect->expect, expect->file, diagnostics.out) == IW_OK;
    return cmd_print_diagnostics(&diagnostics) && good;
}

const struct iw_expect *cmd_expect_of(
    struct cmd_expect *expect, const struct iw_outcome_run *runs, size_t count) {
    if (expect->file == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        iw_expect_use(&expect->expect, &runs[i]);
    return &expect->expect;
}

enum iw_exit cmd_expect_write(
    const struct cmd_expect *expect, const struct iw_outcome_run *runs, size_t count) {
    struct iw_whole_file output;
    bool good = false;
    int error;

    if (expect->write == NULL)
        return IW_EXIT_CONFORMS;
    error = iw_whole_file_open(&output, expect->write);
    if (error == 0) {
        good = iw_expect_write(output.out, runs, count, expect->file != NULL ? &expect->expect : NULL) &&
               !iw_json_memory_failed();
        error = iw_whole_file_close(&output, good);
    }
    if (error != 0)
        return cmd_cannot_write(expect->write, error);
    return good ? IW_EXIT_CONFORMS : (enum iw_exit)cmd_fail(IW_EXIT_INTERNAL, "out of memory");
}

enum iw_exit cmd_expect_run(struct cmd_expect *expect, const char *path, enum iw_exit exit) {
    struct iw_outcome_run run = {0};
    struct iw_text diagnostics;
    bool incomplete = false, good;
    struct iw_outcome_report report = {.out = stdout, .runs = &run, .count = 1, .incomplete = &incomplete};

    if (expect->file == NULL && expect->write == NULL)
        return exit;
    iw_json_require_memory();
    good = iw_text_open(&diagnostics) && iw_outcome_read(&run, path, diagnostics.out) == IW_OK;
    if (!cmd_print_diagnostics(&diagnostics) || !good) {
        iw_outcome_clear(&run);
        return IW_EXIT_ENVIRONMENT;
    }
    report.expect = cmd_expect_of(expect, &run, 1);
    if (report.expect != NULL) {
        iw_outcome_put_states(&report);
        exit = iw_outcome_report_exit(&report);
        if (incomplete)
            exit = (enum iw_exit)cmd_fail(IW_EXIT_INTERNAL, "out of memory");
    }
    exit = iw_exit_join(exit, cmd_expect_write(expect, &run, 1));
    iw_outcome_clear(&run);
    return exit;
}
