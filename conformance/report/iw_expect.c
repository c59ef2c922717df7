#include "iw_expect.h"

#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_pairs.h"

/* ---- reading an expectation file ---- */

/* Stores the verdicts, separated by '|'. Rejects pass alone. */
static bool expect_take_verdict(const struct iw_pairs *line, void *record, char *value) {
    struct iw_expect_line *expected = record;
    char *rest = NULL;

    for (char *key = strtok_r(value, "|", &rest); key != NULL; key = strtok_r(NULL, "|", &rest)) {
        enum iw_verdict verdict = IW_VERDICT_PASS;

        while (verdict < IW_VERDICT_COUNT && strcmp(key, iw_verdict_key(verdict)) != 0)
            verdict++;
        if (verdict == IW_VERDICT_COUNT)
            return iw_pairs_error(line, "unknown verdict %s", key);
        expected->verdicts |= 1U << verdict;
        if (verdict > expected->verdict)
            expected->verdict = verdict;
    }
    if (expected->verdict == IW_VERDICT_PASS)
        return iw_pairs_error(line, "verdict takes at least one verdict other than pass, not %s", value);
    return true;
}

static const struct iw_pairs_key keys[] = {
    {"verdict", true, 0, expect_take_verdict},
    {"clause", true, offsetof(struct iw_expect_line, clause), NULL},
    {"reason", true, offsetof(struct iw_expect_line, reason), NULL},
    {"owner", false, offsetof(struct iw_expect_line, owner), NULL},
    {"terminate", false, offsetof(struct iw_expect_line, fault[IW_FAULT_TERMINATE]), NULL},
    {"close", false, offsetof(struct iw_expect_line, fault[IW_FAULT_CLOSE]), NULL},
    {"violates", false, offsetof(struct iw_expect_line, fault[IW_FAULT_VIOLATES]), NULL},
    {"crash", false, offsetof(struct iw_expect_line, fault[IW_FAULT_CRASH]), NULL},
    {"step", false, offsetof(struct iw_expect_line, fault[IW_FAULT_STEP]), NULL},
};

static bool expect_is_clause(const char *text) {
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
        if (iw_waiver_clause_fits(text, &iw_requirements[i]))
            return true;
    return false;
}

static const struct iw_expect_line *expect_find(const struct iw_expect *expect, const char *id) {
    const json_t *place = expect != NULL ? json_object_get(expect->places, id) : NULL;

    return place != NULL ? &expect->list[json_integer_value(place)] : NULL;
}

static bool expect_is_valid(
    const struct iw_pairs *line, const struct iw_expect *expect, const struct iw_expect_line *expected) {
    const struct iw_expect_line *before = expect_find(expect, expected->id);

    if (!expect_is_clause(expected->clause))
        return iw_pairs_error(line, "%s has no requirement", expected->clause);
    if (before != NULL)
        return iw_pairs_error(line, "%s is also in line %u", expected->id, before->line);
    return true;
}

static void expect_clear_line(struct iw_expect_line *line) {
    free(line->id);
    free(line->clause);
    free(line->reason);
    free(line->owner);
    for (enum iw_fault_part part = 0; part < IW_FAULT_PARTS; part++)
        free(line->fault[part]);
}

static bool expect_add(struct iw_expect *expect, const struct iw_expect_line *line) {
    if (!iw_array_grow(&expect->list, expect->count, sizeof *line))
        return false;
    /* an id that is not UTF-8 is allowed, but matches no case */
    if (json_object_set_new_nocheck(expect->places, line->id, json_integer((json_int_t)expect->count)) != 0)
        return false;
    expect->list[expect->count++] = *line;
    return true;
}

static bool expect_line(void *user, struct iw_pairs *line) {
    struct iw_expect *expect = user;
    struct iw_expect_line expected = {.line = line->number};
    bool good = iw_pairs_take(line, &expected.id, keys, sizeof keys / sizeof *keys, &expected) &&
                expect_is_valid(line, expect, &expected);

    if (good && !expect_add(expect, &expected))
        good = iw_pairs_error(line, "out of memory");
    if (!good)
        expect_clear_line(&expected);
    return good;
}

enum iw_status iw_expect_read(struct iw_expect *expect, const char *path, FILE *diagnostics) {
    *expect = (struct iw_expect){.path = path, .places = json_object()};
    return iw_pairs_read(path, diagnostics, expect_line, expect);
}

void iw_expect_clear(struct iw_expect *expect) {
    for (size_t i = 0; i < expect->count; i++)
        expect_clear_line(&expect->list[i]);
    free(expect->list);
    json_decref(expect->places);
    *expect = (struct iw_expect){0};
}

/* ---- comparing a run with the file ---- */

const char *iw_expect_state_name(enum iw_expect_state state) {
    static const char *const names[] = {
        "pass", "expected", "new", "regressed", "better", "fixed", "not tested"};

    return names[state];
}

/* A line applies only if its clause is a clause of the case, as with a waiver. */
static bool expect_fits(const struct iw_expect_line *line, const struct iw_outcome_case *one) {
    for (size_t i = 0; i < one->requirement_count; i++)
        if (one->known[i] != NULL && iw_waiver_clause_fits(line->clause, one->known[i]))
            return true;
    return false;
}

static bool expect_has(const struct iw_expect_line *line, enum iw_verdict verdict) {
    return (line->verdicts & 1U << verdict) != 0;
}

void iw_expect_put_verdicts(
    FILE *out, const struct iw_expect_line *line, const char *(*name)(enum iw_verdict)) {
    const char *between = "";

    for (enum iw_verdict verdict = IW_VERDICT_PASS; verdict < IW_VERDICT_COUNT; verdict++)
        if (expect_has(line, verdict)) {
            fprintf(out, "%s%s", between, name(verdict));
            between = "|";
        }
}

static bool expect_states_fault(const struct iw_expect_line *line) {
    for (enum iw_fault_part part = 0; part < IW_FAULT_PARTS; part++)
        if (line->fault[part] != NULL)
            return true;
    return false;
}

void iw_expect_difference(const struct iw_expect_line *line, const struct iw_outcome_case *one,
    char text[IW_EXPECT_DIFFERENCE_OCTETS]) {
    size_t length = 0;

    text[0] = '\0';
    if (!expect_states_fault(line) || !iw_fault_has(one) || !expect_has(line, one->verdict))
        return;
    for (enum iw_fault_part part = 0; part < IW_FAULT_PARTS && length < IW_EXPECT_DIFFERENCE_OCTETS; part++) {
        char fault[IW_FAULT_OCTETS];

        iw_fault_text(one, part, fault);
        if (!iw_fault_fits(line->fault[part], fault))
            length += (size_t)snprintf(text + length, IW_EXPECT_DIFFERENCE_OCTETS - length,
                "%s%s %s, expected %s", length > 0 ? "; " : "", iw_fault_name(part), fault,
                line->fault[part] != NULL ? line->fault[part] : "none");
    }
}

static bool expect_has_fault(const struct iw_expect_line *line, const struct iw_outcome_case *one) {
    char difference[IW_EXPECT_DIFFERENCE_OCTETS];

    iw_expect_difference(line, one, difference);
    return difference[0] == '\0';
}

enum iw_expect_state iw_expect_judge(
    const struct iw_expect *expect, const struct iw_outcome_case *one, const struct iw_expect_line **line) {
    const struct iw_expect_line *found = expect_find(expect, one->id);

    *line = found != NULL && expect_fits(found, one) ? found : NULL;
    if (one->verdict == IW_VERDICT_NOT_TESTED && !(*line != NULL && expect_has(*line, one->verdict)))
        return IW_EXPECT_NOT_TESTED;
    if (*line == NULL)
        return one->verdict == IW_VERDICT_PASS ? IW_EXPECT_PASS : IW_EXPECT_NEW;
    if (expect_has(found, one->verdict))
        return expect_has_fault(found, one) ? IW_EXPECT_KNOWN : IW_EXPECT_NEW;
    if (one->verdict == IW_VERDICT_PASS)
        return IW_EXPECT_FIXED;
    return one->verdict > found->verdict ? IW_EXPECT_REGRESSED : IW_EXPECT_BETTER;
}

void iw_expect_use(struct iw_expect *expect, const struct iw_outcome_run *run) {
    const struct iw_expect_line *line;

    for (size_t i = 0; i < run->count; i++) {
        iw_expect_judge(expect, &run->cases[i], &line);
        if (line != NULL)
            expect->list[line - expect->list].used++;
    }
}

enum iw_exit iw_expect_exit(const struct iw_expect *expect, const struct iw_outcome_run *run) {
    bool whole = run->summary != NULL && run->not_run == 0;
    enum iw_exit exit = run->count == 0 ? IW_EXIT_ENVIRONMENT : whole ? IW_EXIT_CONFORMS : IW_EXIT_UNJUDGED;

    /* Wrong claims, crashes between cases and flaky cases cannot be expected. */
    if (iw_outcome_object_count(run, "flake") > 0)
        exit = iw_exit_join(exit, IW_EXIT_UNJUDGED);
    if (iw_outcome_object_count(run, "claim") + iw_outcome_object_count(run, "crash") > 0)
        exit = iw_exit_join(exit, IW_EXIT_VIOLATIONS);
    for (size_t i = 0; i < run->count; i++) {
        const struct iw_expect_line *line;
        enum iw_expect_state state = iw_expect_judge(expect, &run->cases[i], &line);

        if (state == IW_EXPECT_NEW || state == IW_EXPECT_REGRESSED ||
            (state == IW_EXPECT_NOT_TESTED && !iw_outcome_accepts_untested(run)))
            exit = iw_exit_join(exit, iw_outcome_verdict_exit(run->cases[i].verdict));
    }
    return exit;
}

/* ---- writing an expectation file ---- */

/* Returns the worst result of the case in all runs and repeats. */
static const struct iw_outcome_case *expect_worst(
    const struct iw_outcome_run *runs, size_t count, const char *id) {
    const struct iw_outcome_case *found = NULL;

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < runs[i].count; j++)
            if (strcmp(runs[i].cases[j].id, id) == 0 &&
                (found == NULL || runs[i].cases[j].verdict > found->verdict))
                found = &runs[i].cases[j];
    return found;
}

/* Replaces quotes and control characters, which a value cannot contain. */
static void expect_put_value(FILE *out, const char *key, const char *text) {
    fprintf(out, " %s=\"", key);
    for (; *text != '\0'; text++)
        fputc(*text == '"' ? '\'' : (unsigned char)*text < ' ' ? ' ' : *text, out);
    fputc('"', out);
}

/* Prints the different texts of this part in all results of the case. Omits "none", except for the close, so
 * that the line states a fault. */
static void expect_put_fault_part(
    FILE *out, const struct iw_outcome_run *runs, size_t count, const char *id, enum iw_fault_part part) {
    char text[IW_FAULT_OCTETS], all[4 * IW_FAULT_OCTETS] = "";
    size_t length = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < runs[i].count && length < sizeof all; j++) {
            const struct iw_outcome_case *one = &runs[i].cases[j];

            if (strcmp(one->id, id) != 0 || !iw_fault_has(one))
                continue;
            iw_fault_text(one, part, text);
            if (length == 0 || !iw_fault_fits(all, text))
                length +=
                    (size_t)snprintf(all + length, sizeof all - length, "%s%s", length > 0 ? "|" : "", text);
        }
    if (part == IW_FAULT_CLOSE || strcmp(all, "none") != 0)
        expect_put_value(out, iw_fault_name(part), all);
}

/* Prints the fault that the line states or, without a line, the fault in the results. */
static void expect_put_fault(FILE *out, const struct iw_outcome_run *runs, size_t count, const char *id,
    const struct iw_expect_line *line) {
    for (enum iw_fault_part part = 0; part < IW_FAULT_PARTS; part++)
        if (line == NULL)
            expect_put_fault_part(out, runs, count, id, part);
        else if (line->fault[part] != NULL)
            expect_put_value(out, iw_fault_name(part), line->fault[part]);
}

/* Returns whether the fault in the line fits all results of the case. */
static bool expect_fits_all(
    const struct iw_expect_line *line, const struct iw_outcome_run *runs, size_t count, const char *id) {
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < runs[i].count; j++)
            if (strcmp(runs[i].cases[j].id, id) == 0 && !expect_has_fault(line, &runs[i].cases[j]))
                return false;
    return true;
}

static void expect_put_line(FILE *out, const struct iw_outcome_run *runs, size_t count,
    const struct iw_outcome_case *one, const struct iw_expect_line *line) {
    bool states = line != NULL && expect_states_fault(line);
    bool fits = states && expect_fits_all(line, runs, count, one->id);
    char clause[IW_OUTCOME_CLAUSE_OCTETS];

    iw_outcome_clause(one, clause);
    fprintf(out, "%s verdict=", one->id);
    if (line != NULL && expect_has(line, one->verdict))
        iw_expect_put_verdicts(out, line, iw_verdict_key);
    else
        fputs(iw_verdict_key(one->verdict), out);
    expect_put_value(out, "clause", line != NULL ? line->clause : clause);
    if (iw_fault_has(one) || fits)
        expect_put_fault(out, runs, count, one->id, fits ? line : NULL);
    expect_put_value(out, "reason",
        line != NULL && (!states || fits)           ? line->reason
        : one->verdict == IW_VERDICT_NOT_APPLICABLE ? one->message
                                                    : "");
    if (line != NULL && line->owner != NULL)
        expect_put_value(out, "owner", line->owner);
    fputc('\n', out);
}

void iw_expect_write(
    FILE *out, const struct iw_outcome_run *runs, size_t count, const struct iw_expect *known) {
    json_t *done = json_object();

    fputs("# Cases known not to pass. Fill in the empty reasons.\n", out);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < runs[i].count; j++) {
            const struct iw_outcome_case *one = &runs[i].cases[j];
            const struct iw_expect_line *line = expect_find(known, one->id);
            bool expected = line != NULL && expect_has(line, one->verdict);

            if (((one->verdict == IW_VERDICT_PASS || one->verdict == IW_VERDICT_NOT_TESTED) && !expected) ||
                json_object_get(done, one->id) != NULL)
                continue;
            json_object_set_new(done, one->id, json_true());
            expect_put_line(out, runs, count, expect_worst(runs, count, one->id), line);
        }
    json_decref(done);
}
