#include "iw_page.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The limits of the page. iw_page_browser_test.c tests how the page looks and works. */

enum { MANY = 2500 };

/* A connection without a finding, whose initiator's address is "place N". */
static struct iw_check_connection *make_connection(uint64_t number) {
    struct iw_check_connection *connection = calloc(1, sizeof *connection);

    assert_non_null(connection);
    connection->file = connection->last_file = "many.pcap";
    connection->number = number;
    connection->totals.streams = 1;
    snprintf(connection->address[IW_SIDE_A], sizeof connection->address[IW_SIDE_A], "place %" PRIu64, number);
    return connection;
}

/* The page about the connections of the result, for the caller to free. */
static char *print(struct iw_check_report *report) {
    char *html = NULL;
    size_t octets;

    report->out = open_memstream(&html, &octets);
    assert_non_null(report->out);
    iw_check_report_html.end(report, IW_EXIT_CONFORMS);
    assert_int_equal(fclose(report->out), 0);
    return html;
}

static unsigned occurrences(const char *text, const char *of) {
    unsigned count = 0;

    for (; (text = strstr(text, of)) != NULL; text += strlen(of))
        count++;
    return count;
}

static void rows_beyond_the_limits_are_counted(void **state) {
    struct iw_check_report report = {.files = 1};
    static const char *const paths[] = {"many.pcap"};
    const struct iw_check_file_result file = {
        .path = (char[]){"many.pcap"}, .parts = paths, .part_count = 1, .counts = {.frames = 1}};
    char *html;

    (void)state;
    for (uint64_t i = 0; i < MANY; i++)
        iw_check_result_add_connection(&report.result, make_connection(i));
    /* the last connection is listed before those that are fully judged */
    report.result.connections[MANY - 1]->totals.unjudged[IW_UNJUDGED_LOST] = 1;
    iw_check_result_add_file(&report.result, &file);
    html = print(&report);
    assert_int_equal(occurrences(html, "<tr data-connection="), IW_PAGE_ROWS);
    assert_int_equal(occurrences(html, "<details class=\"connection\""), IW_PAGE_DETAILS);
    assert_non_null(strstr(html, "500 more connections are not listed."));
    assert_int_equal(occurrences(html, "<td class=\"address\">place 2499 "), 1);
    assert_non_null(strstr(html, "<a href=\"#c2499\">"));
    assert_int_equal(occurrences(html, "<td class=\"address\">place 1998 "), 1);
    assert_int_equal(occurrences(html, "<td class=\"address\">place 1999 "), 0);
    free(html);
    iw_check_result_clear(&report.result);
}

/* A requirement has no section if all its findings are below their causes, or exceed the limit. */
static void a_requirement_without_a_section_is_not_a_link(void **state) {
    struct iw_check_report report = {.files = 1};
    struct iw_check_connection *connection = make_connection(0);
    char *html;

    (void)state;
    connection->kept.breaches = calloc(1, sizeof *connection->kept.breaches);
    assert_non_null(connection->kept.breaches);
    connection->kept.breaches[0] =
        (struct iw_check_breach){.requirement = &iw_requirements[IW_REQ_RFC5044_4_4_11], .count = 3};
    connection->kept.breach_count = 1;
    iw_check_result_add_connection(&report.result, connection);
    html = print(&report);
    assert_non_null(strstr(
        html, "<th scope=\"row\">RFC5044-4.4-11 <span class=\"aside\">not shown by itself</span></th>"));
    assert_null(strstr(html, "href=\"#RFC5044-4.4-11\""));
    free(html);
    iw_check_result_clear(&report.result);
}

/* Each finding is the cause of the next one. */
static void consequences_of_any_depth_are_listed(void **state) {
    enum { DEPTH = 40 };
    const struct iw_requirement *requirement = &iw_requirements[IW_REQ_RFC5044_4_4_11];
    struct iw_check_report report = {.files = 1};
    struct iw_check_connection *connection = make_connection(0);
    struct iw_check_kept *kept = &connection->kept;
    const struct iw_check_entry entry = {.text = (char[]){"an event"}};
    char *html;

    (void)state;
    kept->breaches = calloc(1, sizeof *kept->breaches);
    kept->findings = calloc(DEPTH, sizeof *kept->findings);
    assert_non_null(kept->breaches);
    assert_non_null(kept->findings);
    kept->breaches[kept->breach_count++] =
        (struct iw_check_breach){.requirement = requirement, .count = DEPTH, .kept = DEPTH};
    for (; kept->finding_count < DEPTH; kept->finding_count++)
        kept->findings[kept->finding_count] =
            (struct iw_check_finding){.finding = {.requirement = requirement,
                                          .number = kept->finding_count + 1,
                                          .cause = kept->finding_count},
                .file = "many.pcap",
                .entry = &entry};
    iw_check_result_add_connection(&report.result, connection);
    html = print(&report);
    assert_int_equal(occurrences(html, "<p class=\"follows\">"), DEPTH - 1);
    assert_int_equal(occurrences(html, "<p class=\"entry\"><code>an event</code></p>"), DEPTH);
    free(html);
    connection->kept.finding_count = 0; /* the findings share an entry that is not theirs to free */
    iw_check_result_clear(&report.result);
}

static void a_page_without_iwarp_is_complete(void **state) {
    struct iw_check_report report = {.files = 0};
    char *html;

    (void)state;
    html = print(&report);
    assert_non_null(strstr(html, "No iWARP connection found."));
    assert_non_null(strstr(html, "<title>nothing judged: "));
    assert_null(strstr(html, "conforms</span>"));
    assert_null(strstr(html, "No capture loss."));
    assert_non_null(strstr(html, "<p>No iWARP connection was found.</p>"));
    assert_non_null(strstr(html, "<p>No events.</p>"));
    assert_null(strstr(html, "a line opens"));
    assert_null(strstr(html, "{{"));
    assert_string_equal(html + strlen(html) - strlen("</html>\n"), "</html>\n");
    free(html);
}

/* A {{name}} of the template that no function fills, or a "{{" in a script, would disappear silently. */
static void every_place_of_the_template_is_known(void **state) {
    (void)state;
    assert_int_equal(occurrences(iw_page_template, "{{"), 10);
    assert_int_equal(occurrences(iw_page_template, "{{"), occurrences(iw_page_template, "}}"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_beyond_the_limits_are_counted),
        cmocka_unit_test(a_requirement_without_a_section_is_not_a_link),
        cmocka_unit_test(consequences_of_any_depth_are_listed),
        cmocka_unit_test(a_page_without_iwarp_is_complete),
        cmocka_unit_test(every_place_of_the_template_is_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
