#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "iw_json_member.h"
#include "iw_junit.h"
#include "iw_outcome_fact.h"
#include "iw_outcome_report.h"
#include "iw_plural.h"
#include "iw_text.h"

/* For continuous integration: a test suite for each run. The class of a test case is the section of its first
 * requirement. An unjudged case is an error, so that a build does not pass. Warnings and notes are in the
 * text of the suite. */

static void junit_put_finding(FILE *out, const json_t *finding) {
    fprintf(out, "violates: %s (%s %s, %s)", iw_json_member_text(finding, "requirement"),
        iw_json_member_text(finding, "document"), iw_json_member_text(finding, "section"),
        iw_json_member_text(finding, "level"));
    if (iw_outcome_number(finding, "frame") > 0)
        fprintf(out, " in frame %" PRIu64, iw_outcome_number(finding, "frame"));
    fprintf(out, ": %s\n", iw_json_member_text(finding, "message"));
}

/* Returns the text of a test case: expected and actual result, findings, clauses, and paths of its files.
 * Returns NULL if memory runs out. */
static char *outcome_text(const struct iw_outcome_case *one) {
    const struct {
        const char *name, *text;
    } rows[] = {{"expected", one->expected}, {"actual", one->actual}, {"because", one->message},
        {"requests outstanding", one->outstanding}, {"step", one->step},
        {"wire log", one->log != NULL ? one->log : ""},
        {"capture", one->capture != NULL ? one->capture : ""}};
    struct iw_text text;
    FILE *out;

    if (!iw_text_open(&text))
        return NULL;
    out = text.out;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].text[0] != '\0')
            fprintf(out, "%s: %s\n", rows[i].name, rows[i].text);
    for (size_t i = 0; i < json_array_size(one->findings); i++)
        junit_put_finding(out, json_array_get(one->findings, i));
    for (size_t i = 0; i < one->requirement_count; i++)
        if (one->known[i] != NULL)
            fprintf(out, "%s (%s %s, %s): %s\n", one->known[i]->id, one->known[i]->document,
                one->known[i]->section, iw_level_name(one->known[i]->level), one->known[i]->words);
        else
            fprintf(out, "%s\n", one->requirements[i]);
    return iw_text_close(&text);
}

static enum iw_junit_result junit_result_of(
    const struct iw_outcome_report *report, const struct iw_outcome_case *one) {
    const struct iw_expect_line *line;

    if (iw_verdict_is_left_out(one->verdict))
        return IW_JUNIT_SKIPPED;
    if (one->verdict >= IW_VERDICT_INCONCLUSIVE &&
        (iw_outcome_state(report, one, &line) == IW_EXPECT_KNOWN ||
            iw_outcome_state(report, one, &line) == IW_EXPECT_BETTER))
        return IW_JUNIT_SKIPPED;
    return one->verdict == IW_VERDICT_FAIL           ? IW_JUNIT_FAILURE
           : one->verdict >= IW_VERDICT_INCONCLUSIVE ? IW_JUNIT_ERROR
                                                     : IW_JUNIT_PASSED;
}

static struct iw_junit_counts junit_count_cases(
    const struct iw_outcome_report *report, const struct iw_outcome_run *run, uint64_t *duration_ms) {
    struct iw_junit_counts counts = {0};
    unsigned failures, flakes;
    char text[IW_OUTCOME_ENDED_OCTETS];

    *duration_ms = 0;
    for (size_t i = 0; i < run->count; i++) {
        enum iw_junit_result result = junit_result_of(report, &run->cases[i]);

        counts.tests++;
        counts.failures += result == IW_JUNIT_FAILURE;
        counts.errors += result == IW_JUNIT_ERROR;
        counts.skipped += result == IW_JUNIT_SKIPPED;
        *duration_ms += run->cases[i].duration_ms;
    }
    failures = (unsigned)(iw_outcome_object_count(run, "claim") + iw_outcome_object_count(run, "crash"));
    flakes = (unsigned)iw_outcome_object_count(run, "flake");
    counts.failures += failures;
    counts.errors += flakes;
    counts.tests += failures + flakes;
    if (iw_outcome_ended_early(run, text)) {
        counts.tests++;
        counts.errors += iw_outcome_cut_short(run);
        counts.skipped += !iw_outcome_cut_short(run);
    } else if (run->count == 0) {
        counts.tests++;
        counts.errors += !iw_outcome_is_empty_shard(run, text);
        counts.skipped += iw_outcome_is_empty_shard(run, text);
    }
    return counts;
}

static const char *outcome_junit_level_of(const struct iw_outcome_case *one) {
    for (size_t i = 0; i < one->requirement_count; i++)
        if (one->known[i] != NULL)
            return iw_level_name(one->known[i]->level);
    return "requirement";
}

static void junit_put_case(
    struct iw_junit *junit, const struct iw_outcome_report *report, const struct iw_outcome_case *one) {
    enum iw_junit_result result = junit_result_of(report, one);
    char clause[IW_OUTCOME_CLAUSE_OCTETS], name[IW_OUTCOME_NAME_OCTETS + 512], id[IW_OUTCOME_NAME_OCTETS];
    char message[1024];
    char *text = outcome_text(one);
    const struct iw_expect_line *line;

    if (text == NULL)
        iw_outcome_report_set_incomplete(report);
    iw_outcome_clause(one, clause);
    iw_outcome_case_name(one, id);
    snprintf(name, sizeof name, "%s %.400s", id, one->title);
    iw_outcome_state(report, one, &line);
    if (iw_verdict_is_left_out(one->verdict))
        snprintf(message, 512, "%s: %s", iw_verdict_name(one->verdict), one->message);
    else if (result == IW_JUNIT_SKIPPED)
        snprintf(message, 512, "%s as expected: %s", iw_verdict_name(one->verdict),
            iw_expect_reason(report->expect, one, line));
    else
        snprintf(message, sizeof message, "%s%.400s%s%.400s", one->expected[0] != '\0' ? "expected " : "",
            one->expected[0] != '\0' ? one->expected : one->message,
            one->actual[0] != '\0' ? ", actual " : "", one->actual);
    iw_junit_case(junit, &(struct iw_junit_case){.group = clause,
                             .name = name,
                             .duration_ns = one->duration_ms * 1000000u,
                             .result = result,
                             .message = message,
                             .type = result == IW_JUNIT_SKIPPED   ? NULL
                                     : result == IW_JUNIT_FAILURE ? outcome_junit_level_of(one)
                                                                  : iw_verdict_name(one->verdict),
                             .text = result == IW_JUNIT_SKIPPED ? NULL : text});
    free(text);
}

/* Writes a wrong claim and a crash as failures, a flaky case as an error. */
static void outcome_junit_put_other(
    struct iw_junit *junit, const struct iw_outcome_report *report, const json_t *object) {
    static const struct {
        const char *type, *group, *key, *shown;
        enum iw_junit_result result;
    } kinds[] = {{"claim", "claims", "claim", "claim", IW_JUNIT_FAILURE},
        {"crash", "crashes", "case", "crash", IW_JUNIT_FAILURE},
        {"flake", "repeats", "case", "flaky", IW_JUNIT_ERROR}};
    char *text = iw_outcome_object_line(report, object);

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *name = iw_json_member_text(object, kinds[i].key);

        if (strcmp(iw_json_member_text(object, "type"), kinds[i].type) == 0)
            iw_junit_case(junit, &(struct iw_junit_case){.group = kinds[i].group,
                                     .name = name[0] != '\0' ? name : "?",
                                     .result = kinds[i].result,
                                     .type = kinds[i].shown,
                                     .message = text != NULL ? text : ""});
    }
    free(text);
}

static void junit_put_rest_case(struct iw_junit *junit, const char *name, bool error, const char *message) {
    iw_junit_case(junit, &(struct iw_junit_case){.group = "warpcheck",
                             .name = name,
                             .result = error ? IW_JUNIT_ERROR : IW_JUNIT_SKIPPED,
                             .type = error ? "environment" : NULL,
                             .message = message});
}

/* Cases that were not run have no results, so that the others would look like the whole run. Readers expect
 * at least one test case, also in a run without results. */
static void junit_put_rest(struct iw_junit *junit, const struct iw_outcome_run *run) {
    char text[IW_OUTCOME_ENDED_OCTETS];

    if (iw_outcome_ended_early(run, text))
        junit_put_rest_case(junit, "all selected cases were run", iw_outcome_cut_short(run), text);
    else if (run->count == 0 && iw_outcome_is_empty_shard(run, text))
        junit_put_rest_case(junit, "the run has results", false, text);
    else if (run->count == 0)
        junit_put_rest_case(junit, "the run has results", true, "no case has a result");
}

static void junit_put_violations(FILE *out, const struct iw_outcome_run *run) {
    const struct iw_requirement *order[IW_REQUIREMENT_COUNT];
    struct iw_violations violations = {0};
    size_t count;

    iw_outcome_violations(run, &violations);
    count = iw_violations_order(&violations, order);
    for (size_t i = 0; i < count; i++) {
        const struct iw_violation *violation = iw_violations_of(&violations, order[i]);

        fprintf(out, "the device violates %s (%s %s, %s) in %u case%s, first in %s: %s\n", order[i]->id,
            order[i]->document, order[i]->section, iw_level_name(order[i]->level), violation->cases,
            iw_plural(violation->cases), violation->first, order[i]->words);
    }
}

static char *outcome_junit_summary_of(const struct iw_outcome_run *run) {
    struct iw_text text;
    FILE *out;

    if (!iw_text_open(&text))
        return NULL;
    out = text.out;
    iw_outcome_put_counts(out, run);
    fputc('\n', out);
    iw_outcome_put_coverage_states(out, run);
    for (size_t i = 0; i < run->count; i++) {
        const struct iw_outcome_case *one = &run->cases[i];

        if (one->verdict == IW_VERDICT_WARNING || one->verdict == IW_VERDICT_NOTE)
            fprintf(out, "%s %s: %s\n", iw_verdict_name(one->verdict), one->id,
                one->message[0] != '\0' ? one->message : one->actual);
    }
    junit_put_violations(out, run);
    return iw_text_close(&text);
}

/* Returns the time in nanoseconds since 1970; 0 if the text is not a time such as "2026-01-31T12:00:00Z". */
static uint64_t junit_time_of(const char *text) {
    struct tm utc = {0};
    time_t seconds;

    if (strlen(text) != sizeof "2026-01-31T12:00:00Z" - 1 ||
        sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2dZ", &utc.tm_year, &utc.tm_mon, &utc.tm_mday, &utc.tm_hour,
            &utc.tm_min, &utc.tm_sec) != 6)
        return 0;
    utc.tm_year -= 1900;
    utc.tm_mon--;
    seconds = timegm(&utc);
    return seconds > 0 ? (uint64_t)seconds * 1000000000u : 0;
}

static void junit_put_fact(void *user, const char *name, const char *value) {
    iw_junit_property(user, name, value);
}

static void junit_put_run(
    struct iw_junit *junit, const struct iw_outcome_report *report, const struct iw_outcome_run *run) {
    uint64_t duration_ms;
    struct iw_junit_counts counts = junit_count_cases(report, run, &duration_ms);
    char *text = outcome_junit_summary_of(run);
    const char *host = iw_json_member_text(run->header, "host");

    if (text == NULL)
        iw_outcome_report_set_incomplete(report);
    iw_junit_suite_begin(junit, "warpcheck", run->name, host[0] != '\0' ? host : NULL, counts,
        junit_time_of(iw_json_member_text(run->header, "started")), duration_ms * 1000000u);
    if (!iw_outcome_facts(run, IW_OUTCOME_FACT_ALL, junit_put_fact, junit))
        iw_outcome_report_set_incomplete(report);
    iw_junit_properties_end(junit);
    for (size_t i = 0; i < run->count; i++)
        junit_put_case(junit, report, &run->cases[i]);
    for (size_t i = 0; i < json_array_size(run->other_objects); i++)
        outcome_junit_put_other(junit, report, json_array_get(run->other_objects, i));
    junit_put_rest(junit, run);
    iw_junit_suite_end(junit, text != NULL ? text : "");
    free(text);
}

void iw_outcome_put_junit(const struct iw_outcome_report *report) {
    struct iw_junit *junit = iw_junit_new(report->out);

    for (size_t i = 0; junit != NULL && i < report->count; i++)
        junit_put_run(junit, report, &report->runs[i]);
    if (!iw_junit_free(junit))
        iw_outcome_report_set_incomplete(report);
}
