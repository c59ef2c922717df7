#include "iw_expect.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_json_member.h"
#include "iw_plural.h"
#include "iw_root.h"

/* Writes an expectation file. Cases that fail only by a violation that the monitor found, and by what follows
 * from it, need one line for the requirement, and not one for each case. */

struct expect_writing {
    FILE *out;
    const struct iw_outcome_run *runs;
    size_t count;
    const struct iw_expect *known; /* NULL: none */
    struct iw_expect grouped;      /* the lines about requirements that this file has, without their texts */
};

/* Replaces quotes and control characters, which a value cannot contain. */
static void expect_put_value(FILE *out, const char *key, const char *text) {
    if (text == NULL || *text == '\0')
        return;
    fprintf(out, " %s=\"", key);
    for (; *text != '\0'; text++)
        fputc(*text == '"' ? '\'' : (unsigned char)*text < ' ' ? ' ' : *text, out);
    fputc('"', out);
}

/* ---- lines about requirements ---- */

/* The cases that fail only by violations, one of them of a requirement, and by what follows from them. */
struct expect_group {
    size_t cases;
    const struct iw_outcome_case *first;
    const json_t *finding; /* of `first` */
};

static const json_t *expect_finding_about(
    const struct iw_outcome_case *one, const struct iw_requirement *requirement) {
    for (size_t i = 0; i < json_array_size(one->findings); i++) {
        const json_t *finding = json_array_get(one->findings, i);

        if (strcmp(iw_json_member_text(finding, "requirement"), requirement->id) == 0)
            return finding;
    }
    return NULL;
}

/* Whether the known file has a line for the case, which is kept. */
static bool expect_has_own_line(const struct expect_writing *writing, const struct iw_outcome_case *one) {
    const struct iw_expect_line *line = iw_expect_find(writing->known, one->id);

    return line != NULL && iw_expect_has(line, one->verdict);
}

static struct expect_group expect_group_of(
    const struct expect_writing *writing, const struct iw_requirement *requirement) {
    struct expect_group group = {0};

    for (size_t i = 0; i < writing->count; i++)
        for (size_t j = 0; j < writing->runs[i].count; j++) {
            const struct iw_outcome_case *one = &writing->runs[i].cases[j];
            const json_t *finding = iw_root_is_only_violations(one) && !expect_has_own_line(writing, one)
                                        ? expect_finding_about(one, requirement)
                                        : NULL;

            if (finding == NULL)
                continue;
            if (group.cases++ == 0) {
                group.first = one;
                group.finding = finding;
            }
        }
    return group;
}

/* Returns the line of the known file about the requirement. */
static const struct iw_waiver *expect_known_waiver(
    const struct iw_expect *known, const struct iw_requirement *requirement) {
    for (size_t i = 0; known != NULL && i < known->waivers.count; i++)
        if (fnmatch(known->waivers.list[i].pattern, requirement->id, 0) == 0 &&
            iw_waiver_clause_fits(known->waivers.list[i].clause, requirement))
            return &known->waivers.list[i];
    return NULL;
}

static void expect_put_waiver(FILE *out, const struct iw_waiver *waiver) {
    fputs(waiver->pattern, out);
    expect_put_value(out, "clause", waiver->clause);
    if (waiver->side != IW_ROLE_UNKNOWN)
        expect_put_value(out, "side", iw_role_name(waiver->side));
    expect_put_value(out, "file", waiver->file);
    expect_put_value(out, "peer", waiver->peer);
    expect_put_value(out, "reason", waiver->reason);
    expect_put_value(out, "owner", waiver->owner);
    expect_put_value(out, "issue", waiver->issue);
    expect_put_value(out, "until", waiver->until);
    fputc('\n', out);
}

static void expect_put_group(const struct expect_writing *writing, const struct iw_requirement *requirement,
    const struct expect_group *group) {
    char reason[512];

    snprintf(reason, sizeof reason, "%s (%zu case%s, first %s, frame %" PRIu64 ")",
        iw_json_member_text(group->finding, "message"), group->cases, iw_plural(group->cases),
        group->first->id, iw_outcome_number(group->finding, "frame"));
    fprintf(
        writing->out, "%s clause=\"%s %s\"", requirement->id, requirement->document, requirement->section);
    expect_put_value(writing->out, "reason", reason);
    fputc('\n', writing->out);
}

/* Returns whether an earlier requirement has the same line of the known file. */
static bool expect_waiver_is_put(const struct expect_writing *writing, const struct iw_waiver *waiver) {
    for (size_t i = 0; i < writing->grouped.waivers.count; i++)
        if (writing->grouped.waivers.list[i].line == waiver->line)
            return true;
    return false;
}

/* Notes that the file has a line about the requirement. Returns false if memory runs out. */
static bool expect_note_waiver(struct expect_writing *writing, const struct iw_waiver *waiver) {
    struct iw_waivers *waivers = &writing->grouped.waivers;

    if (!iw_array_grow(&waivers->list, waivers->count, sizeof *waivers->list))
        return false;
    waivers->list[waivers->count++] = *waiver;
    return true;
}

static bool expect_put_requirement(struct expect_writing *writing, const struct iw_requirement *requirement) {
    const struct expect_group group = expect_group_of(writing, requirement);
    const struct iw_waiver *known = expect_known_waiver(writing->known, requirement);
    struct iw_waiver own = {
        .pattern = (char *)(uintptr_t)requirement->id, .clause = (char *)(uintptr_t)requirement->document};

    if (group.cases == 0)
        return true;
    if (known == NULL) {
        expect_put_group(writing, requirement, &group);
        return expect_note_waiver(writing, &own);
    }
    if (expect_waiver_is_put(writing, known))
        return true;
    expect_put_waiver(writing->out, known);
    return expect_note_waiver(writing, known);
}

/* ---- lines about cases ---- */

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

/* Prints the different texts of this part in all results of the case. Omits "none", except for the close, so
 * that the line states a fault. */
static void expect_put_fault_part(
    const struct expect_writing *writing, const char *id, enum iw_fault_part part) {
    char text[IW_FAULT_OCTETS], all[4 * IW_FAULT_OCTETS] = "";
    size_t length = 0;

    for (size_t i = 0; i < writing->count; i++)
        for (size_t j = 0; j < writing->runs[i].count && length < sizeof all; j++) {
            const struct iw_outcome_case *one = &writing->runs[i].cases[j];

            if (strcmp(one->id, id) != 0 || !iw_fault_has(one))
                continue;
            iw_expect_fault_text(&writing->grouped, one, part, text);
            if (length == 0 || !iw_fault_fits(all, text))
                length +=
                    (size_t)snprintf(all + length, sizeof all - length, "%s%s", length > 0 ? "|" : "", text);
        }
    if (part == IW_FAULT_CLOSE || strcmp(all, "none") != 0)
        expect_put_value(writing->out, iw_fault_name(part), all);
}

/* Prints the fault that the line states or, without a line, the fault in the results. */
static void expect_put_fault(
    const struct expect_writing *writing, const char *id, const struct iw_expect_line *line) {
    for (enum iw_fault_part part = 0; part < IW_FAULT_PARTS; part++)
        if (line == NULL)
            expect_put_fault_part(writing, id, part);
        else if (line->fault[part] != NULL)
            expect_put_value(writing->out, iw_fault_name(part), line->fault[part]);
}

/* Returns whether the fault in the line fits all results of the case. */
static bool expect_fits_all(
    const struct expect_writing *writing, const struct iw_expect_line *line, const char *id) {
    char difference[IW_EXPECT_DIFFERENCE_OCTETS];

    for (size_t i = 0; i < writing->count; i++)
        for (size_t j = 0; j < writing->runs[i].count; j++) {
            if (strcmp(writing->runs[i].cases[j].id, id) != 0)
                continue;
            iw_expect_difference(&writing->grouped, line, &writing->runs[i].cases[j], difference);
            if (difference[0] != '\0')
                return false;
        }
    return true;
}

/* What happened, as the reason of a new line. */
static void expect_put_reason(FILE *out, const struct iw_outcome_case *one) {
    char reason[1100];

    if (one->expected[0] != '\0' && one->actual[0] != '\0')
        snprintf(reason, sizeof reason, "expected %s; actual %s", one->expected, one->actual);
    else
        snprintf(reason, sizeof reason, "%s", one->message);
    expect_put_value(out, "reason", reason[0] != '\0' ? reason : "unknown");
}

static void expect_put_line(const struct expect_writing *writing, const struct iw_outcome_case *one,
    const struct iw_expect_line *line) {
    bool states = line != NULL && iw_expect_states_fault(line);
    bool fits = states && expect_fits_all(writing, line, one->id);
    char clause[IW_OUTCOME_CLAUSE_OCTETS];
    FILE *out = writing->out;

    iw_outcome_clause(one, clause);
    fprintf(out, "%s verdict=", one->id);
    if (line != NULL && iw_expect_has(line, one->verdict))
        iw_expect_put_verdicts(out, line, iw_verdict_key);
    else
        fputs(iw_verdict_key(one->verdict), out);
    expect_put_value(out, "clause", line != NULL ? line->clause : clause);
    if (iw_fault_has(one) || fits)
        expect_put_fault(writing, one->id, fits ? line : NULL);
    if (line != NULL && (!states || fits))
        expect_put_value(out, "reason", line->reason);
    else
        expect_put_reason(out, one);
    if (line != NULL) {
        expect_put_value(out, "owner", line->owner);
        expect_put_value(out, "issue", line->issue);
        expect_put_value(out, "until", line->until);
    }
    fputc('\n', out);
}

/* Whether the file needs a line about the case, which has this result and this known line. */
static bool expect_needs_line(const struct expect_writing *writing, const struct iw_outcome_case *one,
    const struct iw_expect_line *line) {
    if (line != NULL && iw_expect_has(line, one->verdict))
        return true;
    return one->verdict != IW_VERDICT_PASS && !iw_verdict_is_left_out(one->verdict) &&
           !iw_expect_is_waived(&writing->grouped, one);
}

static void expect_put_cases(const struct expect_writing *writing) {
    json_t *done = json_object();

    for (size_t i = 0; i < writing->count; i++)
        for (size_t j = 0; j < writing->runs[i].count; j++) {
            const struct iw_outcome_case *one = &writing->runs[i].cases[j];
            const struct iw_expect_line *line = iw_expect_find(writing->known, one->id);

            if (!expect_needs_line(writing, one, line) || json_object_get(done, one->id) != NULL)
                continue;
            json_object_set_new(done, one->id, json_true());
            expect_put_line(writing, expect_worst(writing->runs, writing->count, one->id), line);
        }
    json_decref(done);
}

bool iw_expect_write(
    FILE *out, const struct iw_outcome_run *runs, size_t count, const struct iw_expect *known) {
    struct expect_writing writing = {.out = out, .runs = runs, .count = count, .known = known};
    bool good = true;

    fputs("# What is known to fail. Check the reasons; owner=, issue= and until=2027-01-31 may be added.\n",
        out);
    for (size_t i = 0; good && i < IW_REQUIREMENT_COUNT; i++)
        good = expect_put_requirement(&writing, &iw_requirements[i]);
    if (good)
        expect_put_cases(&writing);
    free(writing.grouped.waivers.list); /* its texts belong to others */
    return good;
}
