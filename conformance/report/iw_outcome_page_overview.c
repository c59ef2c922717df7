#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iw_html.h"
#include "iw_json_member.h"
#include "iw_outcome_fact.h"
#include "iw_outcome_page.h"
#include "iw_plural.h"
#include "iw_text.h"

/* The overview: the totals of each run, its header, and the expectations. */

static void page_overview_put_figures(const struct iw_outcome_page *page, const struct iw_outcome_run *run) {
    static const char *const classes[IW_VERDICT_COUNT] = {
        "plain", "plain", "unjudged", "note", "warning", "unjudged", "error", "error"};

    iw_html_print(page->out,
        "<dl class=\"figures\">\n<div class=\"plain\"><dt>cases</dt><dd>%zu</dd></div>\n", run->count);
    for (int i = 0; i < IW_VERDICT_COUNT; i++)
        iw_html_print(page->out, "<div class=\"%s\"><dt>%s</dt><dd>%" PRIu64 "</dd></div>\n",
            run->counts[i] > 0 ? classes[i] : "nil", iw_verdict_name((enum iw_verdict)i), run->counts[i]);
    iw_html_print(page->out, "<div class=\"%s\"><dt>wrong close%s</dt><dd>%" PRIu64 "</dd></div>\n</dl>\n",
        run->wrong_closes > 0 ? "warning" : "nil", iw_plural(run->wrong_closes), run->wrong_closes);
}

/* The headline: what was not tested must not look like a pass. */
static void page_overview_put_coverage(const struct iw_outcome_page *page, const struct iw_outcome_run *run) {
    struct iw_text text;
    char *line;

    if (iw_text_open(&text))
        iw_outcome_put_coverage(text.out, run);
    line = iw_text_close(&text);
    if (line == NULL)
        iw_outcome_report_set_incomplete(page->report);
    else
        iw_html_print(page->out, "<p class=\"scope\">%s</p>\n", line);
    free(line);
}

/* Who was tested, and by whom. */
static void page_overview_put_device(const struct iw_outcome_page *page, const struct iw_outcome_run *run) {
    static const struct {
        const char *key, *words;
    } parts[] = {{"device", ""}, {"firmware", "firmware "}, {"serial", "serial number "},
        {"started", "tested "}, {"lab", "by "}};
    const json_t *network = json_object_get(run->header, "network");
    const char *between = "<p class=\"scope\">";

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *text = iw_json_member_text(run->header, parts[i].key);

        if (text[0] == '\0')
            continue;
        fputs(between, page->out);
        iw_html_print(page->out, "%s%s", parts[i].words, text);
        between = ", ";
    }
    if (between[0] == ',')
        iw_html_print(page->out, "</p>\n");
    if (strcmp(iw_json_member_text(run->header, "peer"), IW_RESULTS_EMBEDDED) == 0)
        iw_html_print(page->out, "<p class=\"scope\">The embedded peer was tested, not a device.</p>\n");
    if (network != NULL)
        iw_html_print(page->out, "<p class=\"scope\">Network %s: %s.</p>\n",
            iw_json_member_text(network, "profile"), iw_json_member_text(network, "words"));
}

/* Prints a member of the header that is no fact: a text, a number, true, or a list of texts. */
static void page_overview_put_member(
    const struct iw_outcome_page *page, const char *key, const json_t *value) {
    const char *text = json_string_value(value);

    if (strcmp(key, "type") == 0 || strcmp(key, "requirements") == 0 ||
        (text == NULL && !json_is_number(value) && !json_is_true(value) && json_array_size(value) == 0))
        return;
    iw_html_print(page->out, "<div><dt>%s</dt><dd class=\"path\">", key);
    if (text != NULL)
        iw_html_print(page->out, "%s", text);
    else if (json_is_integer(value) && json_integer_value(value) >= 0)
        iw_html_print(page->out, "%" PRIu64, (uint64_t)json_integer_value(value));
    else if (json_is_true(value))
        iw_html_print(page->out, "yes");
    for (size_t i = 0; i < json_array_size(value); i++) {
        text = json_string_value(json_array_get(value, i));
        iw_html_print(page->out, "%s ", text != NULL ? text : "?");
    }
    iw_html_print(page->out, "</dd></div>\n");
}

/* Returns whether the member has its default value and is omitted: one shard, or one repeat. */
static bool page_overview_is_default(const struct iw_outcome_run *run, const char *key) {
    return (strncmp(key, "shard", strlen("shard")) == 0 && iw_outcome_number(run->header, "shards") == 1) ||
           (strcmp(key, "repeats") == 0 && iw_outcome_number(run->header, key) == 1);
}

static void page_overview_put_fact(void *user, const char *name, const char *value) {
    const struct iw_outcome_page *page = user;

    iw_html_print(page->out, "<div><dt>%s</dt><dd class=\"path\">%s</dd></div>\n", name, value);
}

static void page_overview_put_header(const struct iw_outcome_page *page, const struct iw_outcome_run *run) {
    const json_t *value;
    const char *key;

    iw_html_print(page->out, "<dl class=\"basis\">\n<div><dt>results</dt><dd class=\"path\">%s</dd></div>\n",
        run->path);
    if (!iw_outcome_facts(run, IW_OUTCOME_FACT_ALL, page_overview_put_fact, (void *)(uintptr_t)page))
        iw_outcome_report_set_incomplete(page->report);
    json_object_foreach((json_t *)(uintptr_t)run->header, key, value) {
        if (!iw_outcome_is_fact(key) && !page_overview_is_default(run, key))
            page_overview_put_member(page, key, value);
    }
    iw_html_print(page->out, "</dl>\n");
}

static void page_overview_put_others(const struct iw_outcome_page *page, const struct iw_outcome_run *run) {
    for (size_t i = 0; i < json_array_size(run->other_objects); i++) {
        char *other = iw_outcome_object_line(page->report, json_array_get(run->other_objects, i));

        if (other != NULL)
            iw_html_print(page->out, "<p class=\"path\">%s</p>\n", other);
        free(other);
    }
}

static void page_overview_put_expectations(const struct iw_outcome_page *page) {
    const struct iw_expect *expect = page->report->expect;
    uint64_t counts[IW_EXPECT_STATES] = {0};
    uint64_t stale = iw_outcome_count_states(page->report, counts);

    iw_html_print(page->out, "<p class=\"scope\">Compared with %s:", expect->path);
    for (int i = IW_EXPECT_KNOWN; i < IW_EXPECT_STATES; i++)
        iw_html_print(
            page->out, " %" PRIu64 " %s,", counts[i], iw_expect_state_name((enum iw_expect_state)i));
    iw_html_print(page->out, " %" PRIu64 " stale.</p>\n", stale);
    for (size_t i = 0; i < expect->count; i++)
        if (expect->list[i].used == 0)
            iw_html_print(page->out, "<p>stale: line %u, %s: the results have no such case about %s</p>\n",
                expect->list[i].line, expect->list[i].id, expect->list[i].clause);
}

void iw_outcome_page_overview(const struct iw_outcome_page *page) {
    char early[IW_OUTCOME_ENDED_OCTETS], empty[IW_RUN_EMPTY_SHARD_OCTETS];

    if (page->report->compare != NULL)
        iw_outcome_page_put_compare(page);
    if (page->report->interop != NULL)
        iw_outcome_page_put_interop(page);
    for (size_t i = 0; i < page->report->count; i++) {
        const struct iw_outcome_run *run = &page->report->runs[i];

        if (page->report->count > 1)
            iw_html_print(page->out, "<h3>%s</h3>\n", run->name);
        if (iw_outcome_ended_early(run, early))
            iw_html_print(page->out, "<p class=\"loss\"><b>Incomplete:</b> %s.</p>\n", early);
        if (iw_outcome_is_empty_shard(run, empty))
            iw_html_print(page->out, "<p class=\"loss\"><b>No cases:</b> %s.</p>\n", empty);
        page_overview_put_device(page, run);
        if (page->report->grades != NULL)
            iw_outcome_page_put_grade(page, run);
        page_overview_put_coverage(page, run);
        page_overview_put_figures(page, run);
        iw_outcome_page_put_summary(page, run);
        page_overview_put_header(page, run);
        page_overview_put_others(page, run);
    }
    if (page->report->expect != NULL)
        page_overview_put_expectations(page);
}
