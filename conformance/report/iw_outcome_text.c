#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iw_outcome_fact.h"
#include "iw_outcome_report.h"
#include "iw_plural.h"
#include "iw_until.h"

/* For people, on a terminal: counts by section, then the cases that did not pass. */

static void text_put_section(FILE *out, const struct iw_outcome_section *section) {
    const char *between = "";
    char clause[IW_OUTCOME_CLAUSE_OCTETS];

    snprintf(clause, sizeof clause, "%s %s", section->document, section->section);
    fprintf(out, "  %-42s %5" PRIu64 "  ", clause, section->cases);
    for (int i = 0; i < IW_VERDICT_COUNT; i++)
        if (section->counts[i] > 0) {
            fprintf(
                out, "%s%" PRIu64 " %s", between, section->counts[i], iw_verdict_name((enum iw_verdict)i));
            between = ", ";
        }
    fputc('\n', out);
}

static void text_put_sections(const struct iw_outcome_report *report, const struct iw_outcome_run *run) {
    struct iw_outcome_sections *sections = iw_outcome_sections_new(run, 1);

    fprintf(report->out, "%s: by document and section, cases and their verdicts:\n", run->name);
    if (sections == NULL)
        iw_outcome_report_set_incomplete(report);
    for (size_t i = 0; sections != NULL && i < sections->count; i++)
        if (sections->list[i].cases > 0)
            text_put_section(report->out, &sections->list[i]);
    free(sections);
}

static void text_put_text(FILE *out, const char *name, const char *text) {
    if (text[0] != '\0')
        fprintf(out, "    %-9s %s\n", name, text);
}

static void text_put_clauses(FILE *out, const struct iw_outcome_case *one) {
    for (size_t i = 0; i < one->requirement_count; i++) {
        const struct iw_requirement *requirement = one->known[i];

        if (requirement != NULL)
            fprintf(out, "    requires  %s (%s %s, %s): %s\n", requirement->id, requirement->document,
                requirement->section, iw_level_name(requirement->level), requirement->words);
        else
            fprintf(out, "    requires  %s\n", one->requirements[i]);
    }
}

/* Prints the lines about requirements that expect the findings of the case. */
static void text_put_waivers(const struct iw_outcome_report *report, const struct iw_outcome_case *one) {
    const struct iw_waiver *last = NULL;

    for (size_t i = 0; i < json_array_size(one->findings); i++) {
        const struct iw_waiver *waiver =
            iw_expect_waiver(report->expect, one, json_array_get(one->findings, i));

        if (waiver != NULL && waiver != last)
            fprintf(report->out, "    known     %s, %s:%u: %s\n", waiver->pattern, report->expect->path,
                waiver->line, waiver->reason);
        last = waiver;
    }
}

static void text_put_case(const struct iw_outcome_report *report, const struct iw_outcome_case *one) {
    const struct iw_expect_line *line;
    enum iw_expect_state state = iw_outcome_state(report, one, &line);
    char name[IW_OUTCOME_NAME_OCTETS], difference[IW_EXPECT_DIFFERENCE_OCTETS];
    FILE *out = report->out;

    iw_outcome_case_name(one, name);
    fprintf(out, "  %s %s: %s", iw_verdict_name(one->verdict), name, one->title);
    if (report->expect != NULL)
        fprintf(out, " [%s]", iw_expect_state_name(state));
    fputc('\n', out);
    text_put_text(out, "expected", one->expected);
    text_put_text(out, "actual", one->actual);
    text_put_text(out, "because", one->message);
    text_put_text(out, "waiting", one->outstanding);
    text_put_text(out, "step", one->step);
    text_put_clauses(out, one);
    text_put_text(out, "wire log", one->log != NULL ? one->log : "");
    if (line != NULL) {
        fputs("    known     ", out);
        iw_expect_put_verdicts(out, line, iw_verdict_name);
        fprintf(out, ", %s:%u: %s\n", report->expect->path, line->line, line->reason);
        iw_expect_difference(report->expect, line, one, difference);
        text_put_text(out, "differs", difference);
    }
    if (line == NULL && state == IW_EXPECT_KNOWN)
        text_put_waivers(report, one);
}

/* Prints each reason why cases have this verdict, with the number of these cases. */
static void outcome_text_put_left_out(
    const struct iw_outcome_report *report, const struct iw_outcome_run *run, enum iw_verdict verdict) {
    struct iw_reasons reasons = {0};

    if (!iw_outcome_reasons(run, verdict, &reasons))
        iw_outcome_report_set_incomplete(report);
    for (size_t i = 0; i < reasons.count; i++) {
        const struct iw_reason *reason = &reasons.list[i];

        fprintf(report->out, "  %s: %u case%s: %s\n", iw_verdict_name(verdict), reason->cases,
            iw_plural(reason->cases), reason->text[0] != '\0' ? reason->text : "no reason given");
    }
    iw_reasons_dispose(&reasons);
}

static bool text_is_told(const struct iw_outcome_report *report, const struct iw_outcome_case *one) {
    const struct iw_expect_line *line;
    enum iw_expect_state state = iw_outcome_state(report, one, &line);

    if (iw_verdict_is_left_out(one->verdict) &&
        (report->expect == NULL || state == IW_EXPECT_KNOWN || state == IW_EXPECT_NOT_APPLICABLE ||
            state == IW_EXPECT_NOT_TESTED))
        return false;
    return one->verdict != IW_VERDICT_PASS || state != IW_EXPECT_PASS;
}

void iw_outcome_put_counts(FILE *out, const struct iw_outcome_run *run) {
    static const struct {
        const char *type, *words;
    } others[] = {{"claim", "wrong claim"}, {"crash", "crash between cases"}, {"flake", "flaky"}};
    char empty[IW_RUN_EMPTY_SHARD_OCTETS];
    const char *between = "";

    fprintf(out, "%zu case%s: ", run->count, iw_plural(run->count));
    for (int i = 0; i < IW_VERDICT_COUNT; i++) {
        if (run->counts[i] == 0 && i != IW_VERDICT_PASS && i != IW_VERDICT_FAIL)
            continue;
        fprintf(out, "%s%" PRIu64 " %s", between, run->counts[i], iw_verdict_name((enum iw_verdict)i));
        between = ", ";
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (iw_outcome_object_count(run, others[i].type) > 0)
            fprintf(out, "; %" PRIu64 " %s%s", iw_outcome_object_count(run, others[i].type), others[i].words,
                i == 0 ? iw_plural(iw_outcome_object_count(run, others[i].type)) : "");
    if (run->wrong_closes > 0)
        fprintf(out, "; %" PRIu64 " wrong close%s", run->wrong_closes, iw_plural(run->wrong_closes));
    if (run->not_run > 0)
        fprintf(out, "; interrupted: %" PRIu64 " not run", run->not_run);
    if (iw_outcome_number(run->summary, "not_begun") > 0)
        fprintf(
            out, "; %" PRIu64 " not begun within the budget", iw_outcome_number(run->summary, "not_begun"));
    if (run->summary == NULL)
        fputs("; cut short: the run has no summary", out);
    if (iw_outcome_is_empty_shard(run, empty))
        fprintf(out, "; %s", empty);
}

void iw_outcome_put_coverage(FILE *out, const struct iw_outcome_run *run) {
    struct iw_coverage coverage = {0};

    iw_outcome_coverage(run, &coverage);
    iw_coverage_print(out, &coverage);
}

void iw_outcome_put_coverage_states(FILE *out, const struct iw_outcome_run *run) {
    struct iw_coverage coverage = {0};

    iw_outcome_coverage(run, &coverage);
    iw_coverage_print(out, &coverage);
    fputc('\n', out);
    iw_coverage_print_states(out, &coverage);
}

static void text_put_run(const struct iw_outcome_report *report, const struct iw_outcome_run *run) {
    struct iw_violations violations = {0};
    struct iw_coverage coverage = {0};
    FILE *out = report->out;

    fprintf(out, "%s: ", run->name);
    iw_outcome_put_counts(out, run);
    fprintf(out, "\n%s: ", run->name);
    iw_outcome_coverage(run, &coverage);
    iw_coverage_print(out, &coverage);
    fputc('\n', out);
    for (size_t i = 0; i < run->count; i++)
        if (text_is_told(report, &run->cases[i]))
            text_put_case(report, &run->cases[i]);
    iw_coverage_print_states(out, &coverage);
    outcome_text_put_left_out(report, run, IW_VERDICT_NOT_TESTED);
    outcome_text_put_left_out(report, run, IW_VERDICT_NOT_APPLICABLE);
    for (size_t i = 0; i < json_array_size(run->other_objects); i++) {
        char *other = iw_outcome_object_line(report, json_array_get(run->other_objects, i));

        fprintf(out, "  %s\n", other != NULL ? other : "");
        free(other);
    }
    iw_outcome_violations(run, &violations);
    iw_violations_print(out, &violations);
    if (report->grades != NULL)
        iw_grade_put(out, report->policy, run, &report->grades[run - report->runs]);
}

static void text_put_expectations(const struct iw_outcome_report *report) {
    const struct iw_expect *expect = report->expect;
    uint64_t counts[IW_EXPECT_STATES] = {0};
    uint64_t stale = iw_outcome_count_states(report, counts);

    fprintf(report->out, "%s:", expect->path);
    for (int i = IW_EXPECT_KNOWN; i < IW_EXPECT_STATES; i++)
        fprintf(report->out, " %" PRIu64 " %s,", counts[i], iw_expect_state_name((enum iw_expect_state)i));
    fprintf(report->out, " %" PRIu64 " stale\n", stale);
    for (size_t i = 0; i < expect->count; i++)
        if (iw_until_is_over(expect->list[i].until))
            fprintf(report->out, "  %s:%u: expired on %s: %s\n", expect->path, expect->list[i].line,
                expect->list[i].until, expect->list[i].id);
        else if (expect->list[i].used == 0)
            fprintf(report->out, "  %s:%u: stale: the results have no such case about %s\n", expect->path,
                expect->list[i].line, expect->list[i].clause);
    for (size_t i = 0; i < expect->waivers.count; i++)
        if (iw_until_is_over(expect->waivers.list[i].until))
            fprintf(report->out, "  %s:%u: expired on %s: %s\n", expect->path, expect->waivers.list[i].line,
                expect->waivers.list[i].until, expect->waivers.list[i].pattern);
        else if (iw_waiver_is_unused(&expect->waivers.list[i], false))
            fprintf(report->out, "  %s:%u: stale: no finding about %s\n", expect->path,
                expect->waivers.list[i].line, expect->waivers.list[i].pattern);
}

/* Prints each case with an unexpected result, and each line that applied to no case. */
static void outcome_text_put_states(const struct iw_outcome_report *report) {
    fputc('\n', report->out);
    for (size_t i = 0; i < report->count; i++)
        for (size_t j = 0; j < report->runs[i].count; j++) {
            const struct iw_outcome_case *one = &report->runs[i].cases[j];
            const struct iw_expect_line *line;
            enum iw_expect_state state = iw_outcome_state(report, one, &line);
            char name[IW_OUTCOME_NAME_OCTETS], difference[IW_EXPECT_DIFFERENCE_OCTETS] = "";

            iw_outcome_case_name(one, name);
            if (line != NULL)
                iw_expect_difference(report->expect, line, one, difference);
            if (state != IW_EXPECT_PASS && state != IW_EXPECT_NOT_APPLICABLE && state != IW_EXPECT_KNOWN &&
                state != IW_EXPECT_NOT_TESTED)
                fprintf(report->out, "%-9s  %s %s%s%s\n", iw_expect_state_name(state),
                    iw_verdict_name(one->verdict), name, difference[0] != '\0' ? ": " : "", difference);
        }
    text_put_expectations(report);
}

static void text_put_facts(const struct iw_outcome_report *report, const struct iw_outcome_run *run) {
    fprintf(report->out, "%s:\n", run->name);
    if (!iw_outcome_put_facts(report->out, run, IW_OUTCOME_FACT_ALL, "  "))
        iw_outcome_report_set_incomplete(report);
}

static void text_put_all(const struct iw_outcome_report *report) {
    for (size_t i = 0; i < report->count; i++) {
        if (i > 0)
            fputc('\n', report->out);
        text_put_facts(report, &report->runs[i]);
        fputc('\n', report->out);
        text_put_sections(report, &report->runs[i]);
        fputc('\n', report->out);
        text_put_run(report, &report->runs[i]);
    }
    if (report->expect != NULL) {
        fputc('\n', report->out);
        text_put_expectations(report);
    }
    if (report->interop != NULL) {
        fputc('\n', report->out);
        iw_interop_put(report->out, report->interop);
    }
}

void iw_outcome_put_states(const struct iw_outcome_report *report) {
    iw_outcome_put_shown(report, outcome_text_put_states);
}

void iw_outcome_put_text(const struct iw_outcome_report *report) {
    iw_outcome_put_shown(report, text_put_all);
}
