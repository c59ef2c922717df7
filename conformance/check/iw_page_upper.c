#include <inttypes.h>

#include "iw_html.h"
#include "iw_page.h"
#include "iw_plural.h"

/* Findings about the protocols above iWARP, by rule. */

/* Of all connections. Returns the number of findings of the rule, and sets *waived to that of the waived
 * ones.
 */
static uint64_t page_upper_count(
    const struct iw_page *page, const struct iw_upper_rule *rule, uint64_t *waived) {
    uint64_t count = 0;

    *waived = 0;
    for (size_t i = 0; i < page->result->connection_count; i++) {
        const struct iw_check_upper *upper = page->result->connections[i]->upper;

        for (size_t k = 0; upper != NULL && k < upper->breach_count; k++) {
            if (upper->breaches[k].rule != rule)
                continue;
            count += upper->breaches[k].count;
            *waived += upper->breaches[k].waiver != NULL ? upper->breaches[k].count : 0;
        }
    }
    return count;
}

static void page_upper_put_value(const struct iw_page *page, const char *name, const char *value) {
    if (value[0] != '\0')
        iw_html_print(page->out, "<div><dt>%s</dt><dd><code>%s</code></dd></div>\n", name, value);
}

static void page_upper_put_finding(
    const struct iw_page *page, size_t place, const struct iw_check_upper_finding *placed) {
    const struct iw_check_connection *connection = page->result->connections[place];
    const struct iw_upper_finding *finding = &placed->finding;
    const struct iw_waiver *waiver = iw_check_upper_waiver(connection->upper, finding);
    const char *severity =
        waiver != NULL ? "waived" : iw_severity_name(iw_upper_rule_severity(finding->rule));

    iw_html_print(page->out,
        "<li class=\"finding %s\" data-severity=\"%s\" data-clause=\"%s\" data-connection=\"%zu\">\n"
        "<p class=\"message\">%s</p>\n<p class=\"place\">frame %" PRIu64,
        severity, severity, finding->rule->id, place, finding->message, finding->frame);
    iw_page_put_other_file(page, placed->file, connection->file);
    iw_html_print(page->out, ", <b>%s</b>, ", iw_check_side_name(connection, finding->side));
    iw_page_put_connection_name(page, connection);
    if (finding->about_frame != 0) {
        iw_html_print(page->out, ", see also frame %" PRIu64, finding->about_frame);
        iw_page_put_other_file(page, placed->about_file, placed->file);
    }
    iw_html_print(page->out, "</p>\n");
    iw_page_put_waiver(page, waiver);
    iw_html_print(page->out, "<dl class=\"values\">\n");
    page_upper_put_value(page, "expected", finding->expected);
    page_upper_put_value(page, "actual", finding->actual);
    iw_html_print(page->out, "</dl>\n</li>\n");
}

/* Prints findings of the rule, at most IW_PAGE_CLAUSE_FINDINGS. Returns how many. */
static uint64_t page_upper_put_findings(const struct iw_page *page, const struct iw_upper_rule *rule) {
    uint64_t put = 0;

    for (size_t i = 0; i < page->result->connection_count; i++) {
        const struct iw_check_upper *upper = page->result->connections[i]->upper;

        for (size_t k = 0; upper != NULL && k < upper->finding_count; k++) {
            if (upper->findings[k].finding.rule != rule)
                continue;
            if (put == IW_PAGE_CLAUSE_FINDINGS)
                return put;
            page_upper_put_finding(page, i, &upper->findings[k]);
            put++;
        }
    }
    return put;
}

static void page_upper_put_rule(const struct iw_page *page, const struct iw_upper_rule *rule) {
    uint64_t put, waived, count = page_upper_count(page, rule, &waived);

    if (count == 0)
        return;
    iw_html_print(page->out, "<section class=\"clause\" id=\"%s\" aria-label=\"%s\">\n<header>\n<h3>",
        rule->id, rule->id);
    iw_page_put_severity(page, iw_upper_rule_severity(rule));
    iw_html_print(page->out,
        " %s <span class=\"aside\">%s %s</span></h3>\n<p class=\"words\"><b>%s</b>: %s.</p>\n"
        "<p class=\"aside\">%" PRIu64 " finding%s about a protocol above iWARP%s",
        rule->id, rule->document, rule->section, iw_level_name(rule->level), rule->words, count,
        iw_plural(count), page->report->upper == IW_CHECK_UPPER_JUDGE ? "" : ", not counted");
    if (waived > 0)
        iw_html_print(page->out, ", %" PRIu64 " waived", waived);
    iw_html_print(page->out, "</p>\n</header>\n<ol class=\"findings\">\n");
    put = page_upper_put_findings(page, rule);
    iw_html_print(page->out, "</ol>\n");
    if (put < count)
        iw_html_print(
            page->out, "<p class=\"beyond\">%" PRIu64 " of the %" PRIu64 " here.</p>\n", put, count);
    iw_html_print(page->out, "</section>\n");
}

void iw_page_put_upper(const struct iw_page *page) {
    if (page->report->upper == IW_CHECK_UPPER_OFF)
        return;
    for (size_t i = 0; i < IW_UPPER_RULE_COUNT; i++)
        page_upper_put_rule(page, &iw_upper_rules[i]);
}
