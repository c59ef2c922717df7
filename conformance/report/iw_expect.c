#include "iw_expect.h"

#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_pairs.h"

/* ---- the file ---- */

/* Takes one verdict, or several separated by '|'; pass alone is invalid. */
static bool expect_take_verdict(const struct iw_pairs *line, void *record, char *value) {
    struct iw_expect_line *expected = record;
    char *rest = NULL;

    if (expected->verdicts != 0)
        return iw_pairs_error(line, "verdict is given twice");
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
}

static bool expect_add(struct iw_expect *expect, const struct iw_expect_line *line) {
    if (!iw_array_grow(&expect->list, expect->count, sizeof *line))
        return false;
    /* An id that is not UTF-8 matches no case. */
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

/* ---- judging a run ---- */

const char *iw_expect_state_name(enum iw_expect_state state) {
    static const char *const names[] = {"pass", "expected", "new", "regressed", "better", "fixed"};

    return names[state];
}

/* As with a waiver, a line applies only if its clause is a clause of the case. */
static bool expect_fits(const struct iw_expect_line *line, const struct iw_outcome_case *one) {
    for (size_t i = 0; i < one->requirement_count; i++)
        if (one->known[i] != NULL && iw_waiver_clause_fits(line->clause, one->known[i]))
            return true;
    return false;
}

bool iw_expect_has(const struct iw_expect_line *line, enum iw_verdict verdict) {
    return (line->verdicts & 1U << verdict) != 0;
}

void iw_expect_put_verdicts(
    FILE *out, const struct iw_expect_line *line, const char *(*name)(enum iw_verdict)) {
    const char *between = "";

    for (enum iw_verdict verdict = IW_VERDICT_PASS; verdict < IW_VERDICT_COUNT; verdict++)
        if (iw_expect_has(line, verdict)) {
            fprintf(out, "%s%s", between, name(verdict));
            between = "|";
        }
}

enum iw_expect_state iw_expect_judge(
    const struct iw_expect *expect, const struct iw_outcome_case *one, const struct iw_expect_line **line) {
    const struct iw_expect_line *found = expect_find(expect, one->id);

    *line = found != NULL && expect_fits(found, one) ? found : NULL;
    if (*line == NULL)
        return one->verdict == IW_VERDICT_PASS ? IW_EXPECT_PASS : IW_EXPECT_NEW;
    if (iw_expect_has(found, one->verdict))
        return IW_EXPECT_KNOWN;
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

    /* Wrong claims, crashes between cases and varying verdicts count despite expectations. */
    if (iw_outcome_object_count(run, "flake") > 0)
        exit = iw_exit_join(exit, IW_EXIT_UNJUDGED);
    if (iw_outcome_object_count(run, "claim") + iw_outcome_object_count(run, "crash") > 0)
        exit = iw_exit_join(exit, IW_EXIT_VIOLATIONS);
    for (size_t i = 0; i < run->count; i++) {
        const struct iw_expect_line *line;
        enum iw_expect_state state = iw_expect_judge(expect, &run->cases[i], &line);

        if (state == IW_EXPECT_NEW || state == IW_EXPECT_REGRESSED)
            exit = iw_exit_join(exit, iw_outcome_verdict_exit(run->cases[i].verdict));
    }
    return exit;
}

/* ---- writing a file ---- */

/* The result of the case with the worst verdict, over all runs and repeats. */
static const struct iw_outcome_case *worst(const struct iw_outcome_run *runs, size_t count, const char *id) {
    const struct iw_outcome_case *found = NULL;

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < runs[i].count; j++)
            if (strcmp(runs[i].cases[j].id, id) == 0 &&
                (found == NULL || runs[i].cases[j].verdict > found->verdict))
                found = &runs[i].cases[j];
    return found;
}

/* A value cannot contain quotes or control characters. */
static void expect_put_value(FILE *out, const char *key, const char *text) {
    fprintf(out, " %s=\"", key);
    for (; *text != '\0'; text++)
        fputc(*text == '"' ? '\'' : (unsigned char)*text < ' ' ? ' ' : *text, out);
    fputc('"', out);
}

static void expect_put_line(FILE *out, const struct iw_outcome_case *one, const struct iw_expect_line *line) {
    char clause[IW_OUTCOME_CLAUSE_OCTETS];

    iw_outcome_clause(one, clause);
    fprintf(out, "%s verdict=", one->id);
    if (line != NULL && iw_expect_has(line, one->verdict))
        iw_expect_put_verdicts(out, line, iw_verdict_key);
    else
        fputs(iw_verdict_key(one->verdict), out);
    expect_put_value(out, "clause", line != NULL ? line->clause : clause);
    expect_put_value(out, "reason",
        line != NULL                                ? line->reason
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
            bool expected = line != NULL && iw_expect_has(line, one->verdict);

            if ((one->verdict == IW_VERDICT_PASS && !expected) || json_object_get(done, one->id) != NULL)
                continue;
            json_object_set_new(done, one->id, json_true());
            expect_put_line(out, worst(runs, count, one->id), line);
        }
    json_decref(done);
}
