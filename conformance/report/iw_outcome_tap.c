#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iw_outcome_fact.h"
#include "iw_outcome_report.h"
#include "iw_json_member.h"
#include "iw_text.h"

/* For test harnesses: TAP version 14 (testanything.org). A test point for each case and repeat, and for each
 * claim that the device contradicts, crash between cases and flaky case, so that the points say what the exit
 * code says. What is not applicable or was not tested is SKIP; a known failure of --expect is TODO. */

/* Prints a text in a description: # begins a directive, and \ an escape. */
static void tap_put_description(FILE *out, const char *text) {
    for (; *text != '\0'; text++) {
        if (*text == '#' || *text == '\\')
            fputc('\\', out);
        fputc(*text == '\n' ? ' ' : *text, out);
    }
}

/* Prints a line of a YAML block with a double-quoted scalar. */
static void tap_put_yaml(FILE *out, const char *name, const char *text) {
    if (text[0] == '\0')
        return;
    fprintf(out, "  %s: \"", name);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text == '\n' ? ' ' : *text, out);
    }
    fputs("\"\n", out);
}

static bool tap_is_ok(enum iw_verdict verdict) {
    return verdict != IW_VERDICT_FAIL && verdict != IW_VERDICT_INCONCLUSIVE && verdict != IW_VERDICT_ERROR;
}

static void tap_put_yaml_block(FILE *out, const struct iw_outcome_case *one) {
    uint64_t frame = iw_outcome_number(json_array_get(one->findings, 0), "frame");
    char clause[IW_OUTCOME_CLAUSE_OCTETS];

    iw_outcome_clause(one, clause);
    fputs("  ---\n", out);
    tap_put_yaml(out, "verdict", iw_verdict_name(one->verdict));
    tap_put_yaml(out, "clause", clause);
    tap_put_yaml(out, "expected", one->expected);
    tap_put_yaml(out, "actual", one->actual);
    tap_put_yaml(out, "message", one->message);
    tap_put_yaml(out, "step", one->step);
    if (frame > 0)
        fprintf(out, "  frame: %" PRIu64 "\n", frame);
    tap_put_yaml(out, "capture", one->capture != NULL ? one->capture : "");
    fputs("  ...\n", out);
}

static void tap_put_directive(
    const struct iw_outcome_report *report, const struct iw_outcome_case *one, enum iw_expect_state state) {
    FILE *out = report->out;

    if (iw_verdict_is_left_out(one->verdict))
        fprintf(out, " # SKIP %s: ", iw_verdict_name(one->verdict));
    else if (state == IW_EXPECT_KNOWN && !tap_is_ok(one->verdict))
        fputs(" # TODO known: ", out);
    else
        return;
    tap_put_description(out, one->message);
}

static void tap_put_case(const struct iw_outcome_report *report, const struct iw_outcome_run *run,
    const struct iw_outcome_case *one, size_t number) {
    const struct iw_expect_line *line;
    enum iw_expect_state state = iw_outcome_state(report, one, &line);
    char name[IW_OUTCOME_NAME_OCTETS];
    FILE *out = report->out;

    iw_outcome_case_name(one, name);
    fprintf(out, "%sok %zu - ", tap_is_ok(one->verdict) ? "" : "not ", number);
    if (report->count > 1) {
        tap_put_description(out, run->name);
        fputs(": ", out);
    }
    tap_put_description(out, name);
    fputs(": ", out);
    tap_put_description(out, one->title);
    tap_put_directive(report, one, state);
    fputc('\n', out);
    if (one->verdict != IW_VERDICT_PASS && !iw_verdict_is_left_out(one->verdict))
        tap_put_yaml_block(out, one);
}

static bool tap_is_point(const json_t *object) {
    const char *type = iw_json_member_text(object, "type");

    return strcmp(type, "claim") == 0 || strcmp(type, "crash") == 0 || strcmp(type, "flake") == 0;
}

/* The cases that --budget has left out. A run that was cut short bails out instead. */
static bool tap_has_rest(const struct iw_outcome_run *run, char text[IW_OUTCOME_ENDED_OCTETS]) {
    return iw_outcome_ended_early(run, text) && !iw_outcome_cut_short(run);
}

static size_t tap_count_others(const struct iw_outcome_run *run) {
    char text[IW_OUTCOME_ENDED_OCTETS];
    size_t count = tap_has_rest(run, text);

    for (size_t i = 0; i < json_array_size(run->other_objects); i++)
        count += tap_is_point(json_array_get(run->other_objects, i));
    return count;
}

static void tap_put_others(
    const struct iw_outcome_report *report, const struct iw_outcome_run *run, size_t *number) {
    char text[IW_OUTCOME_ENDED_OCTETS];

    for (size_t i = 0; i < json_array_size(run->other_objects); i++) {
        const json_t *object = json_array_get(run->other_objects, i);
        char *line = tap_is_point(object) ? iw_outcome_object_line(report, object) : NULL;

        if (line == NULL)
            continue;
        fprintf(report->out, "not ok %zu - ", ++*number);
        tap_put_description(report->out, line);
        fputc('\n', report->out);
        free(line);
    }
    if (tap_has_rest(run, text))
        fprintf(report->out, "ok %zu - all selected cases were run # SKIP %s\n", ++*number, text);
}

/* Prints the coverage as comments. */
static void tap_put_coverage(const struct iw_outcome_report *report, const struct iw_outcome_run *run) {
    struct iw_text text;
    char *lines;

    if (iw_text_open(&text))
        iw_outcome_put_coverage_states(text.out, run);
    lines = iw_text_close(&text);
    if (lines == NULL)
        iw_outcome_report_set_incomplete(report);
    for (char *line = lines, *end; line != NULL && (end = strchr(line, '\n')) != NULL; line = end + 1)
        fprintf(report->out, "# %.*s\n", (int)(end - line), line);
    free(lines);
}

static void tap_put_end(const struct iw_outcome_report *report, const struct iw_outcome_run *run) {
    FILE *out = report->out;

    if (report->count > 1)
        fprintf(out, "# %s:\n", run->name);
    if (!iw_outcome_put_facts(out, run, IW_OUTCOME_FACT_ALL, "# "))
        iw_outcome_report_set_incomplete(report);
    fputs("# ", out);
    iw_outcome_put_counts(out, run);
    fputc('\n', out);
    tap_put_coverage(report, run);
    if (iw_outcome_cut_short(run))
        fprintf(out, "Bail out! %s was cut short\n", run->name);
}

static void tap_put_reason(const struct iw_outcome_report *report) {
    char empty[IW_RUN_EMPTY_SHARD_OCTETS];

    for (size_t i = 0; i < report->count; i++)
        fprintf(report->out, "%s%s", i == 0 ? " # SKIP " : "; ",
            iw_outcome_is_empty_shard(&report->runs[i], empty) ? empty : "no case has a result");
}

static void tap_put(const struct iw_outcome_report *report) {
    size_t total = 0, number = 0;

    for (size_t i = 0; i < report->count; i++)
        total += report->runs[i].count + tap_count_others(&report->runs[i]);
    fprintf(report->out, "TAP version 14\n1..%zu", total);
    if (total == 0) /* a plan without test points needs a reason */
        tap_put_reason(report);
    fputc('\n', report->out);
    for (size_t i = 0; i < report->count; i++) {
        const struct iw_outcome_run *run = &report->runs[i];

        for (size_t j = 0; j < run->count; j++)
            tap_put_case(report, run, &run->cases[j], ++number);
        tap_put_others(report, run, &number);
    }
    for (size_t i = 0; i < report->count; i++)
        tap_put_end(report, &report->runs[i]);
}

void iw_outcome_put_tap(const struct iw_outcome_report *report) {
    iw_outcome_put_shown(report, tap_put);
}
