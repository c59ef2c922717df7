#include "iw_outcome_report.h"

#include <stdlib.h>
#include <string.h>

#include "iw_json_member.h"
#include "iw_show.h"
#include "iw_text.h"

iw_outcome_put *iw_outcome_form_find(const char *name) {
    static const struct {
        const char *name;
        iw_outcome_put *put;
    } forms[] = {
#define IW_FORMAT_OF_RUNS(name) {#name, iw_outcome_put_##name},
#include "iw_format.def"
    };

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].name, name) == 0)
            return forms[i].put;
    return NULL;
}

static enum iw_exit outcome_report_policy_exit(const struct iw_outcome_report *report) {
    enum iw_exit exit = IW_EXIT_CONFORMS;

    for (size_t i = 0; report->grades != NULL && i < report->count; i++)
        exit = iw_exit_join(exit, report->grades[i].exit);
    if (report->interop != NULL)
        exit = iw_exit_join(exit, report->interop->exit);
    return exit;
}

enum iw_exit iw_outcome_report_exit(const struct iw_outcome_report *report) {
    enum iw_exit exit = IW_EXIT_CONFORMS;

    if (report->compare != NULL)
        return iw_compare_exit(report->compare);
    if (report->policy != NULL)
        return outcome_report_policy_exit(report);
    for (size_t i = 0; i < report->count; i++)
        exit = iw_exit_join(exit, report->expect != NULL ? iw_expect_exit(report->expect, &report->runs[i])
                                                         : iw_outcome_exit(&report->runs[i]));
    return exit;
}

void iw_outcome_report_set_incomplete(const struct iw_outcome_report *report) {
    if (report->incomplete != NULL)
        *report->incomplete = true;
}

void iw_outcome_put_shown(const struct iw_outcome_report *report, iw_outcome_put *put) {
    struct iw_outcome_report copy = *report;
    struct iw_text shown;
    char *text;

    if (iw_text_open(&shown)) {
        copy.out = shown.out;
        put(&copy);
    }
    text = iw_text_close(&shown);
    if (text != NULL)
        iw_show_text(report->out, text);
    else
        iw_outcome_report_set_incomplete(report);
    free(text);
}

enum iw_expect_state iw_outcome_state(const struct iw_outcome_report *report,
    const struct iw_outcome_case *one, const struct iw_expect_line **line) {
    *line = NULL;
    return report->expect != NULL ? iw_expect_judge(report->expect, one, line) : IW_EXPECT_PASS;
}

uint64_t iw_outcome_count_states(const struct iw_outcome_report *report, uint64_t counts[IW_EXPECT_STATES]) {
    const struct iw_expect_line *line;
    uint64_t stale = 0;

    for (size_t i = 0; i < report->count; i++)
        for (size_t j = 0; j < report->runs[i].count; j++)
            counts[iw_expect_judge(report->expect, &report->runs[i].cases[j], &line)]++;
    for (size_t i = 0; i < report->expect->count; i++)
        stale += report->expect->list[i].used == 0;
    for (size_t i = 0; i < report->expect->waivers.count; i++)
        stale += iw_waiver_is_unused(&report->expect->waivers.list[i], false);
    return stale;
}

/* Prints the members as "KEY VALUE" between separators. Returns false if memory runs out. */
static bool outcome_report_put_members(FILE *out, const json_t *object, const char **between) {
    const json_t *value;
    const char *key;
    bool whole = true;

    json_object_foreach((json_t *)(uintptr_t)object, key, value) {
        if (strcmp(key, "type") == 0 || strcmp(key, "case") == 0)
            continue;
        if (json_is_object(value)) {
            whole &= outcome_report_put_members(out, value, between);
            continue;
        }
        fprintf(out, "%s%s ", *between, key);
        *between = ", ";
        if (json_is_string(value))
            fputs(json_string_value(value), out);
        else
            whole &= json_dumpf(value, out, JSON_ENCODE_ANY | JSON_COMPACT) == 0;
    }
    return whole;
}

char *iw_outcome_object_line(const struct iw_outcome_report *report, const json_t *object) {
    const char *between = ": ", *id = iw_json_member_text(object, "case");
    struct iw_text text;
    char *other;

    if (iw_text_open(&text)) {
        fprintf(text.out, "%s%s%s", iw_json_member_text(object, "type"), id[0] != '\0' ? " " : "", id);
        text.failed |= !outcome_report_put_members(text.out, object, &between);
    }
    other = iw_text_close(&text);
    if (other == NULL)
        iw_outcome_report_set_incomplete(report);
    return other;
}

/* ---- table of cases by runs ---- */

static bool outcome_report_is_like_first(
    const struct iw_outcome_run *run, const struct iw_outcome_case *one) {
    const struct iw_outcome_case *first = one->repeat > 1 ? iw_outcome_find(run, one->id, 1) : NULL;

    return first != NULL && first->verdict == one->verdict && strcmp(first->message, one->message) == 0 &&
           strcmp(first->expected, one->expected) == 0 && strcmp(first->actual, one->actual) == 0 &&
           strcmp(first->step, one->step) == 0 && strcmp(first->close, one->close) == 0 &&
           strcmp(first->close_verdict, one->close_verdict) == 0;
}

/* Adds the row of a case and repeat that no earlier run has. A repeat that ended in every run like the first
 * one of that run is only counted. */
static void outcome_add_row(struct iw_outcome_table *table, const struct iw_outcome_report *report,
    size_t run, const struct iw_outcome_case *one) {
    const struct iw_outcome_case **cells = table->cells + table->count * report->count;
    bool alike = true;

    for (size_t i = 0; i < report->count; i++) {
        cells[i] = i < run ? NULL : iw_outcome_find(&report->runs[i], one->id, one->repeat);
        alike &= cells[i] == NULL || outcome_report_is_like_first(&report->runs[i], cells[i]);
    }
    if (alike)
        table->alike++;
    else
        table->rows[table->count++] = (struct iw_outcome_row){.one = one, .cells = cells};
}

static void outcome_report_add_rows(
    struct iw_outcome_table *table, const struct iw_outcome_report *report, size_t run) {
    for (size_t i = 0; i < report->runs[run].count; i++) {
        const struct iw_outcome_case *one = &report->runs[run].cases[i];
        bool before = false;

        for (size_t j = 0; j < run && !before; j++)
            before = iw_outcome_find(&report->runs[j], one->id, one->repeat) != NULL;
        if (!before)
            outcome_add_row(table, report, run, one);
    }
}

bool iw_outcome_table_init(struct iw_outcome_table *table, const struct iw_outcome_report *report) {
    size_t most = 1;

    for (size_t i = 0; i < report->count; i++)
        most += report->runs[i].count;
    *table = (struct iw_outcome_table){.rows = calloc(most, sizeof *table->rows),
        .cells = calloc(most * report->count, sizeof *table->cells)};
    if (table->rows == NULL || table->cells == NULL) {
        iw_outcome_table_clear(table);
        return false;
    }
    for (size_t i = 0; i < report->count; i++)
        outcome_report_add_rows(table, report, i);
    return true;
}

void iw_outcome_table_clear(struct iw_outcome_table *table) {
    free(table->rows);
    free(table->cells);
    *table = (struct iw_outcome_table){0};
}

enum iw_verdict iw_outcome_row_verdict(const struct iw_outcome_row *row, size_t runs) {
    enum iw_verdict worst = IW_VERDICT_PASS;

    for (size_t i = 0; i < runs; i++)
        if (row->cells[i] != NULL && row->cells[i]->verdict > worst)
            worst = row->cells[i]->verdict;
    return worst;
}

bool iw_outcome_row_differs(const struct iw_outcome_row *row, size_t runs) {
    for (size_t i = 1; i < runs; i++)
        if ((row->cells[i] == NULL) != (row->cells[0] == NULL) ||
            (row->cells[i] != NULL && row->cells[i]->verdict != row->cells[0]->verdict))
            return true;
    return false;
}

size_t iw_outcome_pair(const struct iw_outcome_run *run) {
    const char *slash = strchr(run->name, '/');

    return slash != NULL && slash != run->name && slash[1] != '\0' && strchr(slash + 1, '/') == NULL
               ? (size_t)(slash - run->name)
               : 0;
}

bool iw_outcome_has_pairs(const struct iw_outcome_report *report) {
    for (size_t i = 0; i < report->count; i++)
        if (iw_outcome_pair(&report->runs[i]) > 0)
            return true;
    return false;
}

bool iw_outcome_pair_first(const struct iw_outcome_report *report, size_t run, bool responder) {
    const char *name = report->runs[run].name;
    size_t octets = iw_outcome_pair(&report->runs[run]);

    for (size_t i = 0; i < run; i++) {
        const char *other = report->runs[i].name;
        size_t length = iw_outcome_pair(&report->runs[i]);

        if (length > 0 && (responder ? strcmp(other + length, name + octets) == 0
                                     : length == octets && strncmp(other, name, octets) == 0))
            return false;
    }
    return octets > 0;
}

/* ---- counts by document and section ---- */

/* Returns the index of the requirement's section; adds a new section to the list. */
static size_t outcome_report_section_index(
    struct iw_outcome_sections *sections, const struct iw_requirement *requirement) {
    size_t i = 0;

    while (i < sections->count && (strcmp(sections->list[i].document, requirement->document) != 0 ||
                                      strcmp(sections->list[i].section, requirement->section) != 0))
        i++;
    if (i == sections->count)
        sections->list[sections->count++] =
            (struct iw_outcome_section){.document = requirement->document, .section = requirement->section};
    return i;
}

/* Counts the case once in each section, and for each requirement. */
static void outcome_report_count_case(
    struct iw_outcome_sections *sections, const struct iw_outcome_case *one, enum iw_verdict verdict) {
    const struct iw_outcome_section *counted[IW_OUTCOME_REQUIREMENTS_MAX];
    size_t count = 0;

    for (size_t i = 0; i < one->requirement_count; i++) {
        struct iw_outcome_section *section;
        bool before = false;

        if (one->known[i] == NULL)
            continue;
        sections->requirements[one->known[i] - iw_requirements][verdict]++;
        section = &sections->list[sections->of[one->known[i] - iw_requirements]];
        for (size_t j = 0; j < count; j++)
            before |= counted[j] == section;
        if (before)
            continue;
        counted[count++] = section;
        section->cases++;
        section->counts[verdict]++;
    }
}

/* Counts the case of run `at`, unless an earlier run has it, too. */
static void outcome_report_count_once(struct iw_outcome_sections *sections, const struct iw_outcome_run *runs,
    size_t count, size_t at, const struct iw_outcome_case *one) {
    enum iw_verdict worst = one->verdict;

    for (size_t i = 0; i < count; i++) {
        const struct iw_outcome_case *other = iw_outcome_find(&runs[i], one->id, one->repeat);

        if (other != NULL && i < at)
            return;
        if (other != NULL && other->verdict > worst)
            worst = other->verdict;
    }
    outcome_report_count_case(sections, one, worst);
}

struct iw_outcome_sections *iw_outcome_sections_new(const struct iw_outcome_run *runs, size_t count) {
    struct iw_outcome_sections *sections = calloc(1, sizeof *sections);

    if (sections == NULL)
        return NULL;
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
        sections->of[i] = outcome_report_section_index(sections, &iw_requirements[i]);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < runs[i].count; j++)
            outcome_report_count_once(sections, runs, count, i, &runs[i].cases[j]);
    return sections;
}
