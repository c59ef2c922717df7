#include "iw_expect.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_json_member.h"
#include "iw_pairs.h"
#include "iw_root.h"
#include "iw_until.h"

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

static bool expect_take_until(const struct iw_pairs *line, void *record, char *value) {
    return iw_waiver_take_until(line, &((struct iw_expect_line *)record)->until, value);
}

static const struct iw_pairs_key keys[] = {
    {"verdict", true, 0, expect_take_verdict},
    {"clause", true, offsetof(struct iw_expect_line, clause), NULL},
    {"reason", true, offsetof(struct iw_expect_line, reason), NULL},
    {"owner", false, offsetof(struct iw_expect_line, owner), NULL},
    {"issue", false, offsetof(struct iw_expect_line, issue), NULL},
    {"until", false, 0, expect_take_until},
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

const struct iw_expect_line *iw_expect_find(const struct iw_expect *expect, const char *id) {
    const json_t *place = expect != NULL ? json_object_get(expect->places, id) : NULL;

    return place != NULL ? &expect->list[json_integer_value(place)] : NULL;
}

static bool expect_is_valid(
    const struct iw_pairs *line, const struct iw_expect *expect, const struct iw_expect_line *expected) {
    const struct iw_expect_line *before = iw_expect_find(expect, expected->id);

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
    free(line->issue);
    free(line->until);
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

/* A line about a case needs its verdict: only the id of a requirement or of a rule may do without. */
static bool expect_is_about_requirement(const struct iw_pairs *line) {
    char id[64];

    snprintf(id, sizeof id, "%.*s", (int)strcspn(line->at, " \t\r\n"), line->at);
    return iw_waiver_pattern_fits(id) || iw_pairs_error(line, "no verdict given");
}

static bool expect_line(void *user, struct iw_pairs *line) {
    struct iw_expect *expect = user;
    struct iw_expect_line expected = {.line = line->number};
    bool good;

    if (!iw_pairs_has(line, "verdict"))
        return expect_is_about_requirement(line) && iw_waivers_take(&expect->waivers, line);
    good = iw_pairs_take(line, &expected.id, keys, sizeof keys / sizeof *keys, &expected) &&
           expect_is_valid(line, expect, &expected);

    if (good && !expect_add(expect, &expected))
        good = iw_pairs_error(line, "out of memory");
    if (!good)
        expect_clear_line(&expected);
    return good;
}

enum iw_status iw_expect_read(struct iw_expect *expect, const char *path, FILE *diagnostics) {
    *expect = (struct iw_expect){.path = path, .places = json_object(), .waivers.path = path};
    return iw_pairs_read(path, diagnostics, expect_line, expect);
}

void iw_expect_clear(struct iw_expect *expect) {
    for (size_t i = 0; i < expect->count; i++)
        expect_clear_line(&expect->list[i]);
    free(expect->list);
    json_decref(expect->places);
    iw_waivers_clear(&expect->waivers);
    *expect = (struct iw_expect){0};
}

/* ---- comparing a run with the file ---- */

const char *iw_expect_state_name(enum iw_expect_state state) {
    static const char *const names[] = {
        "pass", "not applicable", "expected", "new", "regressed", "better", "fixed", "not tested"};

    return names[state];
}

/* ---- lines about requirements ---- */

const struct iw_waiver *iw_expect_waiver(
    const struct iw_expect *expect, const struct iw_outcome_case *one, const json_t *finding) {
    const struct iw_requirement *requirement =
        iw_requirement_find(iw_json_member_text(finding, "requirement"));
    const char *side = iw_json_member_text(finding, "side");
    enum iw_role role = IW_ROLE_UNKNOWN;

    for (enum iw_role each = IW_ROLE_INITIATOR; each <= IW_ROLE_RESPONDER; each++)
        if (strcmp(iw_role_name(each), side) == 0)
            role = each;
    return requirement != NULL ? iw_waivers_find(&expect->waivers, requirement,
                                     one->capture != NULL ? one->capture : one->id, role, "")
                               : NULL;
}

bool iw_expect_is_waived(const struct iw_expect *expect, const struct iw_outcome_case *one) {
    if (!iw_root_is_only_violations(one))
        return false;
    for (size_t i = 0; i < json_array_size(one->findings); i++)
        if (iw_expect_waiver(expect, one, json_array_get(one->findings, i)) == NULL)
            return false;
    return true;
}

const char *iw_expect_reason(
    const struct iw_expect *expect, const struct iw_outcome_case *one, const struct iw_expect_line *line) {
    const json_t *finding = iw_root_finding(one);
    const struct iw_waiver *waiver =
        line == NULL && expect != NULL && finding != NULL ? iw_expect_waiver(expect, one, finding) : NULL;

    return line != NULL ? line->reason : waiver != NULL ? waiver->reason : "";
}

/* ---- lines about cases ---- */

/* A line applies only if its clause is a clause of the case, as with a waiver. */
static bool expect_fits(const struct iw_expect_line *line, const struct iw_outcome_case *one) {
    for (size_t i = 0; i < one->requirement_count; i++)
        if (one->known[i] != NULL && iw_waiver_clause_fits(line->clause, one->known[i]))
            return true;
    return false;
}

/* Returns the line that applies to the case: that with its id, otherwise the first with a pattern. */
static const struct iw_expect_line *expect_line_of(
    const struct iw_expect *expect, const struct iw_outcome_case *one) {
    const struct iw_expect_line *line = iw_expect_find(expect, one->id);

    if (line != NULL && !iw_until_is_over(line->until) && expect_fits(line, one))
        return line;
    for (size_t i = 0; i < expect->count; i++)
        if (strpbrk(expect->list[i].id, "*?[") != NULL && fnmatch(expect->list[i].id, one->id, 0) == 0 &&
            !iw_until_is_over(expect->list[i].until) && expect_fits(&expect->list[i], one))
            return &expect->list[i];
    return NULL;
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

bool iw_expect_states_fault(const struct iw_expect_line *line) {
    for (enum iw_fault_part part = 0; part < IW_FAULT_PARTS; part++)
        if (line->fault[part] != NULL)
            return true;
    return false;
}

void iw_expect_fault_text(const struct iw_expect *expect, const struct iw_outcome_case *one,
    enum iw_fault_part part, char text[IW_FAULT_OCTETS]) {
    struct iw_outcome_case rest = *one;

    if (part != IW_FAULT_VIOLATES || expect == NULL) {
        iw_fault_text(one, part, text);
        return;
    }
    rest.findings = json_array();
    for (size_t i = 0; i < json_array_size(one->findings); i++)
        if (iw_expect_waiver(expect, one, json_array_get(one->findings, i)) == NULL)
            json_array_append(rest.findings, json_array_get(one->findings, i));
    iw_fault_text(&rest, part, text);
    json_decref(rest.findings);
}

void iw_expect_difference(const struct iw_expect *expect, const struct iw_expect_line *line,
    const struct iw_outcome_case *one, char text[IW_EXPECT_DIFFERENCE_OCTETS]) {
    size_t length = 0;

    text[0] = '\0';
    if (!iw_expect_states_fault(line) || !iw_fault_has(one) || !iw_expect_has(line, one->verdict))
        return;
    for (enum iw_fault_part part = 0; part < IW_FAULT_PARTS && length < IW_EXPECT_DIFFERENCE_OCTETS; part++) {
        char fault[IW_FAULT_OCTETS];

        iw_expect_fault_text(expect, one, part, fault);
        if (!iw_fault_fits(line->fault[part], fault))
            length += (size_t)snprintf(text + length, IW_EXPECT_DIFFERENCE_OCTETS - length,
                "%s%s %s, expected %s", length > 0 ? "; " : "", iw_fault_name(part), fault,
                line->fault[part] != NULL ? line->fault[part] : "none");
    }
}

static bool expect_has_fault(
    const struct iw_expect *expect, const struct iw_expect_line *line, const struct iw_outcome_case *one) {
    char difference[IW_EXPECT_DIFFERENCE_OCTETS];

    iw_expect_difference(expect, line, one, difference);
    return difference[0] == '\0';
}

enum iw_expect_state iw_expect_judge(
    const struct iw_expect *expect, const struct iw_outcome_case *one, const struct iw_expect_line **line) {
    const struct iw_expect_line *found = expect_line_of(expect, one);

    *line = found;
    if (one->verdict == IW_VERDICT_NOT_TESTED && !(*line != NULL && iw_expect_has(*line, one->verdict)))
        return IW_EXPECT_NOT_TESTED;
    if (*line == NULL)
        return one->verdict == IW_VERDICT_PASS             ? IW_EXPECT_PASS
               : one->verdict == IW_VERDICT_NOT_APPLICABLE ? IW_EXPECT_NOT_APPLICABLE
               : iw_expect_is_waived(expect, one)          ? IW_EXPECT_KNOWN
                                                           : IW_EXPECT_NEW;
    if (iw_expect_has(found, one->verdict))
        return expect_has_fault(expect, found, one) ? IW_EXPECT_KNOWN : IW_EXPECT_NEW;
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
        for (size_t j = 0; j < json_array_size(run->cases[i].findings); j++) {
            const struct iw_waiver *waiver =
                iw_expect_waiver(expect, &run->cases[i], json_array_get(run->cases[i].findings, j));

            if (waiver != NULL)
                iw_waivers_use(&expect->waivers, waiver, 1);
        }
    }
}

enum iw_exit iw_expect_exit(const struct iw_expect *expect, const struct iw_outcome_run *run) {
    bool whole = run->summary != NULL && run->not_run == 0;
    enum iw_exit exit = whole ? IW_EXIT_CONFORMS : IW_EXIT_UNJUDGED;

    if (run->count == 0) /* nothing can be as expected */
        return iw_outcome_exit(run);
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
