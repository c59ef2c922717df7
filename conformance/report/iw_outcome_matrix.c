#include <inttypes.h>
#include <string.h>

#include "iw_outcome_fact.h"
#include "iw_outcome_report.h"
#include "iw_plural.h"

/* For people: a table of cases by runs; for runs named A/B, also a table of initiators by responders. */

static const char *const matrix_cells[IW_VERDICT_COUNT] = {
    [IW_VERDICT_PASS] = "pass",
    [IW_VERDICT_NOT_APPLICABLE] = "n/a",
    [IW_VERDICT_NOT_TESTED] = "untested",
    [IW_VERDICT_NOTE] = "note",
    [IW_VERDICT_WARNING] = "WARNING",
    [IW_VERDICT_INCONCLUSIVE] = "INCONCL",
    [IW_VERDICT_FAIL] = "FAIL",
    [IW_VERDICT_ERROR] = "ERROR",
};

enum { COLUMN = 8, FIRST = 26 };

static int outcome_matrix_width_of(const char *name) {
    size_t length = strlen(name);

    return (int)(length > COLUMN ? length : COLUMN);
}

/* With several runs, only rows that differ are of interest. */
static bool matrix_is_shown(const struct iw_outcome_report *report, const struct iw_outcome_row *row) {
    return report->count == 1 || iw_outcome_row_differs(row, report->count);
}

static void matrix_put_row(const struct iw_outcome_report *report, const struct iw_outcome_row *row) {
    char name[IW_OUTCOME_NAME_OCTETS];

    iw_outcome_case_name(row->one, name);
    fprintf(report->out, "%-*s", FIRST, name);
    for (size_t i = 0; i < report->count; i++)
        fprintf(report->out, "  %-*s", outcome_matrix_width_of(report->runs[i].name),
            row->cells[i] != NULL ? matrix_cells[row->cells[i]->verdict] : "-");
    fprintf(report->out, "  %s\n", row->one->title);
}

static void outcome_matrix_put_totals(const struct iw_outcome_report *report) {
    fputc('\n', report->out);
    for (int i = 0; i < IW_VERDICT_COUNT; i++) {
        fprintf(report->out, "%-*s", FIRST, iw_verdict_name((enum iw_verdict)i));
        for (size_t j = 0; j < report->count; j++)
            fprintf(report->out, "  %-*" PRIu64, outcome_matrix_width_of(report->runs[j].name),
                report->runs[j].counts[i]);
        fputc('\n', report->out);
    }
    for (size_t i = 0; i < report->count; i++) {
        fprintf(report->out, "%s: ", report->runs[i].name);
        iw_outcome_put_coverage(report->out, &report->runs[i]);
        fputc('\n', report->out);
    }
}

static void outcome_matrix_put_facts(const struct iw_outcome_report *report) {
    fputc('\n', report->out);
    for (size_t i = 0; i < report->count; i++) {
        fprintf(report->out, "%s: ", report->runs[i].name);
        if (!iw_outcome_put_facts_line(report->out, &report->runs[i]))
            iw_outcome_report_set_incomplete(report);
        fputc('\n', report->out);
    }
}

static void outcome_matrix_put_folders(const struct iw_outcome_report *report) {
    fputc('\n', report->out);
    for (size_t i = 0; i < report->count; i++) {
        const char *path = report->runs[i].path, *slash = strrchr(path, '/');

        fprintf(report->out, "wire logs of %s: %.*sCASE.log\n", report->runs[i].name,
            slash != NULL ? (int)(slash - path) + 1 : 0, path);
    }
}

static void outcome_matrix_put_pair_cell(
    const struct iw_outcome_report *report, const char *initiator, size_t octets, const char *responder) {
    char text[64] = "-";

    for (size_t i = 0; i < report->count; i++) {
        const struct iw_outcome_run *run = &report->runs[i];

        if (iw_outcome_pair(run) == octets && strncmp(run->name, initiator, octets) == 0 &&
            strcmp(run->name + octets + 1, responder) == 0)
            snprintf(text, sizeof text, "%" PRIu64 "/%zu", run->counts[IW_VERDICT_PASS],
                run->count - run->counts[IW_VERDICT_NOT_APPLICABLE]);
    }
    fprintf(report->out, "  %-*s", outcome_matrix_width_of(responder), text);
}

static void outcome_matrix_put_pairs(const struct iw_outcome_report *report) {
    fprintf(report->out, "\n%-*s", FIRST, "initiator, by responder");
    for (size_t i = 0; i < report->count; i++)
        if (iw_outcome_pair_first(report, i, true)) {
            const char *name = report->runs[i].name + iw_outcome_pair(&report->runs[i]) + 1;

            fprintf(report->out, "  %-*s", outcome_matrix_width_of(name), name);
        }
    fputs("  (cases passed of those that apply)\n", report->out);
    for (size_t i = 0; i < report->count; i++) {
        size_t octets = iw_outcome_pair(&report->runs[i]);

        if (!iw_outcome_pair_first(report, i, false))
            continue;
        fprintf(report->out, "%-*.*s", FIRST, (int)octets, report->runs[i].name);
        for (size_t j = 0; j < report->count; j++)
            if (iw_outcome_pair_first(report, j, true))
                outcome_matrix_put_pair_cell(report, report->runs[i].name, octets,
                    report->runs[j].name + iw_outcome_pair(&report->runs[j]) + 1);
        fputc('\n', report->out);
    }
}

static void matrix_put_all(const struct iw_outcome_report *report) {
    struct iw_outcome_table table;
    size_t same = 0;

    if (!iw_outcome_table_init(&table, report)) {
        iw_outcome_report_set_incomplete(report);
        return;
    }
    fprintf(report->out, "%-*s", FIRST, "case");
    for (size_t i = 0; i < report->count; i++)
        fprintf(report->out, "  %-*s", outcome_matrix_width_of(report->runs[i].name), report->runs[i].name);
    fputs("  title\n", report->out);
    for (size_t i = 0; i < table.count; i++)
        if (matrix_is_shown(report, &table.rows[i]))
            matrix_put_row(report, &table.rows[i]);
        else
            same++;
    if (same > 0)
        fprintf(report->out, "%zu case%s with the same verdict in every run: not listed\n", same,
            iw_plural(same));
    if (table.alike > 0)
        fprintf(report->out, "%zu repeat%s that ended like the first: not listed\n", table.alike,
            iw_plural(table.alike));
    outcome_matrix_put_totals(report);
    outcome_matrix_put_facts(report);
    outcome_matrix_put_folders(report);
    if (iw_outcome_has_pairs(report))
        outcome_matrix_put_pairs(report);
    iw_outcome_table_clear(&table);
}

void iw_outcome_put_matrix(const struct iw_outcome_report *report) {
    iw_outcome_put_shown(report, matrix_put_all);
}
