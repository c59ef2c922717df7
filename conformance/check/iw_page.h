#ifndef IW_PAGE_H
#define IW_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_check_report.h"

/* The page of `warpcheck check --format html`: page/page.html in format/page/frame.html; the functions below
 * fill the places {{name}}. The HTML is complete without the script, which only filters. */

extern const char iw_page_template[];

/* The limits of the page; it counts what exceeds them. */
enum {
    IW_PAGE_ROWS = 2000,          /* connections in the table */
    IW_PAGE_DETAILS = 200,        /* connections described in detail */
    IW_PAGE_CLAUSE_FINDINGS = 50, /* findings of a requirement, not counting consequences of other findings */
    IW_PAGE_LOG = 40,             /* as `log` of struct iw_check_report_form */
    IW_PAGE_LOG_LINES = 4000,     /* lines of all wire logs together */
};

/* What the page shows of a connection, by its index in the result. */
struct iw_page_connection {
    bool listed;   /* the table has a row for it */
    bool detailed; /* described in detail, with the anchor "c" INDEX */
    bool logged;   /* its wire log is shown, with the anchors "l" INDEX "-" LINE */
};

/* How often a requirement was violated, over all connections. */
struct iw_page_clause {
    uint64_t findings; /* including waived ones */
    uint64_t waived;
    uint64_t connections; /* number of connections with such a finding */
    uint64_t roots;       /* kept findings for which iw_check_is_root is true */
};

struct iw_page {
    FILE *out;
    const struct iw_check_report *report;
    const struct iw_check_result *result;
    struct iw_page_connection *connections; /* one per connection of the result */
    struct iw_page_clause clauses[IW_REQUIREMENT_COUNT];
    size_t log_lines; /* of all wire logs on the page */
};

/* Prints "connection 0 of a.pcap"; without the file if there is only one. */
void iw_page_put_connection_name(const struct iw_page *page, const struct iw_check_connection *connection);

/* Prints " of b.pcap" if `file` is not `known`, the file that the reader expects. */
void iw_page_put_other_file(const struct iw_page *page, const char *file, const char *known);

/* Prints a tag with a CSS class: "error", "conforms", ... */
void iw_page_put_severity(const struct iw_page *page, enum iw_severity severity);
void iw_page_put_verdict(const struct iw_page *page, const struct iw_totals *totals);

/* The CSS class of a finding: its severity, or "waived". */
const char *iw_page_class(const struct iw_check_finding *finding);

/* Prints octets in hexadecimal, with their marks. `field` names the marked octets; NULL: no name. */
void iw_page_put_octets(
    const struct iw_page *page, const struct iw_check_octets *octets, const struct iw_field *field);

/* The violated requirement with index `place` on the page, worst severity first; NULL after the last. */
const struct iw_requirement *iw_page_clause(const struct iw_page *page, size_t place);

/* Each prints what replaces {{name}} in the template, where `name` is the end of the function's name. */
void iw_page_masthead(const struct iw_page *page);
void iw_page_overview(const struct iw_page *page);
void iw_page_connections(const struct iw_page *page);
void iw_page_findings(const struct iw_page *page);
void iw_page_log(const struct iw_page *page);

#endif
