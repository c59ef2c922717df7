#include "iw_outcome_fact.h"
#include "iw_outcome_report.h"

/* For people: what changed between two runs, and the roots of the failures of each run. */

/* Which run is meant, in a line. */
static void outcome_change_put_facts(const struct iw_outcome_report *report, size_t run) {
    fprintf(report->out, "%s: ", report->runs[run].name);
    if (!iw_outcome_put_facts_line(report->out, &report->runs[run]))
        iw_outcome_report_set_incomplete(report);
    fputc('\n', report->out);
}

static void outcome_change_put_compare(const struct iw_outcome_report *report) {
    for (size_t i = 0; i < report->count; i++)
        outcome_change_put_facts(report, i);
    if (!iw_compare_put(report->out, report->compare))
        iw_outcome_report_set_incomplete(report);
}

void iw_outcome_put_compare(const struct iw_outcome_report *report) {
    iw_outcome_put_shown(report, outcome_change_put_compare);
}

void iw_outcome_put_compare_jsonl(const struct iw_outcome_report *report) {
    if (!iw_compare_put_jsonl(report->out, report->compare))
        iw_outcome_report_set_incomplete(report);
}

static void outcome_change_put_triage(const struct iw_outcome_report *report) {
    struct iw_roots roots;

    for (size_t i = 0; i < report->count; i++) {
        if (iw_roots_init(&roots, &report->runs[i]))
            iw_roots_put(report->out, &report->runs[i], &roots);
        else
            iw_outcome_report_set_incomplete(report);
        iw_roots_clear(&roots);
        outcome_change_put_facts(report, i);
    }
}

void iw_outcome_put_triage(const struct iw_outcome_report *report) {
    iw_outcome_put_shown(report, outcome_change_put_triage);
}
