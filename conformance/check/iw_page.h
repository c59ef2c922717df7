#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_check_report.h"

/* The page of `warpcheck check --format html`: page/page.html in format/page/frame.html. The functions below
 * replace each {{name}} there. The HTML is complete without the script, which only filters. */

extern const char iw_page_template[];

/* Limits of the page. The page shows how many items exceed them. */
enum {
    IW_PAGE_ROWS = 2000,          /* connections in the table */
    IW_PAGE_DETAILS = 200,        /* connections described in detail */
    IW_PAGE_CLAUSE_FINDINGS = 50, /* findings per requirement, without consequences */
    IW_PAGE_LOG = 40,             /* `log` of struct iw_check_report_form */
    IW_PAGE_LOG_LINES = 4000,     /* lines in all wire logs together */
};

/* The parts of the page that show a connection. INDEX is the index of the connection in the result. */
struct iw_page_connection {
    bool listed;
    bool detailed; /* with the anchor "c" INDEX */
    bool logged;   /* with the anchors "l" INDEX "-" LINE */
};

/* How often a requirement was violated, over all connections. */
struct iw_page_clause {
    uint64_t findings; /* including waived findings */
    uint64_t waived;
    uint64_t connections; /* number of connections with a finding of the requirement */
    uint64_t roots;       /* kept findings for which iw_check_is_root is true */
};

struct iw_page {
    FILE *out;
    const struct iw_check_report *report;
    const struct iw_check_result *result;
    struct iw_page_connection *connections; /* by connection of the result */
    struct iw_page_clause clauses[IW_REQUIREMENT_COUNT];
    size_t log_lines; /* lines in all wire logs on the page */
};

/* Prints "connection NUMBER", and " of FILE" if there are several files. */
void iw_page_put_connection_name(const struct iw_page *page, const struct iw_check_connection *connection);

/* Prints " of FILE" if `file` differs from `known`, the file that the reader expects. */
void iw_page_put_other_file(const struct iw_page *page, const char *file, const char *known);

/* Print the severity or the verdict as a word with a CSS class, such as "error" or "conforms". */
void iw_page_put_severity(const struct iw_page *page, enum iw_severity severity);
void iw_page_put_verdict(const struct iw_page *page, const struct iw_totals *totals);

/* Prints why a finding is waived; nothing if `waiver` is NULL. */
void iw_page_put_waiver(const struct iw_page *page, const struct iw_waiver *waiver);

/* Returns the CSS class of a finding: its severity, or "waived". */
const char *iw_page_class(const struct iw_check_finding *finding);

/* Prints octets in hexadecimal, the marked ones highlighted. If any are marked, prints the label of `field`
 * after the octets, unless it is NULL. */
void iw_page_put_octets(
    const struct iw_page *page, const struct iw_check_octets *octets, const struct iw_field *field);

/* Returns violated requirement number `place` (from 0), worst severity first; NULL after the last. */
const struct iw_requirement *iw_page_clause(const struct iw_page *page, size_t place);

/* Each function prints the text for {{name}} in the template; `name` is the end of the function's name. */
void iw_page_masthead(const struct iw_page *page);
void iw_page_overview(const struct iw_page *page);
void iw_page_connections(const struct iw_page *page);
void iw_page_findings(const struct iw_page *page);
void iw_page_log(const struct iw_page *page);

/* ---- iw_page_upper.c ---- */

/* Prints the findings about the protocols above, by rule, after those of iWARP; nothing without findings. */
void iw_page_put_upper(const struct iw_page *page);
