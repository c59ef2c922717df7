#include "iw_json.h"
#include "iw_outcome_report.h"

/* For programs: the lines of results.jsonl. Adds "run", the name of the run, if there are several runs; and
 * "state" if there is an expectation file. */

/* Prints and frees the line. NULL: memory ran out. */
static void jsonl_put_line(
    const struct iw_outcome_report *report, const struct iw_outcome_run *run, json_t *line) {
    if (report->count > 1)
        json_object_set_new(line, "run", json_string(run->name));
    if (!iw_json_line(report->out, line))
        iw_outcome_report_set_incomplete(report);
}

static void jsonl_put_copy(
    const struct iw_outcome_report *report, const struct iw_outcome_run *run, const json_t *object) {
    if (object != NULL)
        jsonl_put_line(report, run, json_copy((json_t *)(uintptr_t)object));
}

static void jsonl_put_case(const struct iw_outcome_report *report, const struct iw_outcome_run *run,
    const struct iw_outcome_case *one) {
    const struct iw_expect_line *known;
    enum iw_expect_state state = iw_outcome_state(report, one, &known);
    char difference[IW_EXPECT_DIFFERENCE_OCTETS];
    json_t *line = json_copy(one->object);

    if (report->expect != NULL)
        json_object_set_new(line, "state", json_string(iw_expect_state_name(state)));
    if (known != NULL || state == IW_EXPECT_KNOWN)
        iw_json_set_text(line, "reason", iw_expect_reason(report->expect, one, known));
    if (known != NULL) {
        iw_expect_difference(report->expect, known, one, difference);
        iw_json_set_text(line, "differs", difference);
    }
    jsonl_put_line(report, run, line);
    for (size_t i = 0; i < json_array_size(one->findings); i++)
        jsonl_put_copy(report, run, json_array_get(one->findings, i));
}

static void jsonl_put_stale(const struct iw_outcome_report *report) {
    for (size_t i = 0; report->expect != NULL && i < report->expect->count; i++) {
        const struct iw_expect_line *line = &report->expect->list[i];
        json_t *object;

        if (line->used > 0)
            continue;
        object = iw_json_object("stale", NULL, 0);
        iw_json_set_text(object, "case", line->id);
        iw_json_set_text(object, "reason", line->reason);
        json_object_set_new(object, "line", json_integer(line->line));
        if (!iw_json_line(report->out, object))
            iw_outcome_report_set_incomplete(report);
    }
}

static void jsonl_put_violations(const struct iw_outcome_report *report, const struct iw_outcome_run *run) {
    const struct iw_requirement *order[IW_REQUIREMENT_COUNT];
    struct iw_violations violations = {0};
    size_t count;

    iw_outcome_violations(run, &violations);
    count = iw_violations_order(&violations, order);
    for (size_t i = 0; i < count; i++)
        jsonl_put_line(report, run, iw_violations_json(&violations, order[i]));
}

static void jsonl_put_coverage(const struct iw_outcome_report *report, const struct iw_outcome_run *run) {
    struct iw_coverage coverage = {0};

    iw_outcome_coverage(run, &coverage);
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
        if (iw_coverage_state(&coverage, &iw_requirements[i]) != IW_COVERAGE_ABSENT)
            jsonl_put_line(report, run, iw_coverage_requirement_json(&coverage, &iw_requirements[i]));
    jsonl_put_line(report, run, iw_coverage_json(&coverage));
}

/* The grade of each device; without a device, an object that says why. */
static void jsonl_put_interop(const struct iw_outcome_report *report) {
    const struct iw_interop *interop = report->interop;

    for (size_t i = 0; i < interop->count || i == 0; i++)
        if (!iw_json_line(
                report->out, iw_interop_json(interop, i < interop->count ? &interop->devices[i] : NULL)))
            iw_outcome_report_set_incomplete(report);
}

void iw_outcome_put_jsonl(const struct iw_outcome_report *report) {
    for (size_t i = 0; i < report->count; i++) {
        const struct iw_outcome_run *run = &report->runs[i];

        jsonl_put_copy(report, run, run->header);
        for (size_t j = 0; j < run->count; j++)
            jsonl_put_case(report, run, &run->cases[j]);
        for (size_t j = 0; j < json_array_size(run->other_objects); j++)
            jsonl_put_copy(report, run, json_array_get(run->other_objects, j));
        jsonl_put_violations(report, run);
        jsonl_put_coverage(report, run);
        if (report->grades != NULL)
            jsonl_put_line(report, run, iw_grade_json(report->policy, &report->grades[i]));
        jsonl_put_copy(report, run, run->summary);
    }
    jsonl_put_stale(report);
    if (report->interop != NULL)
        jsonl_put_interop(report);
}
