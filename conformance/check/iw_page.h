#ifndef IW_PAGE_H
#define IW_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_check_report.h"

/* The page of `warpcheck check --format html`: page/page.html in page/frame.html, whose places {{name}} are
 * filled by the functions below. Everything is HTML already, so that it reads without the script, which only
 * filters. */

extern const char iw_page_template[];

/* What the page has room for; what is beyond is counted on it. */
enum {
    IW_PAGE_ROWS = 2000,          /* connections in the table of connections, */
    IW_PAGE_DETAILS = 200,        /* and described one by one */
    IW_PAGE_CLAUSE_FINDINGS = 50, /* findings of one requirement, without those that follow from them */
    IW_PAGE_LOG = 40,             /* events without findings in the wire log of a connection */
    IW_PAGE_LOG_LINES = 4000,     /* lines of all wire logs together */
};

/* A connection as the page has it, by its place among those of the result. */
struct iw_page_connection {
    bool listed;   /* in the table */
    bool detailed; /* described: it has the anchor "c" and its place */
    bool logged;   /* its wire log is there, with anchors "l", its place, "-", and that of the line */
};

/* How often a requirement was violated, over all connections. */
struct iw_page_clause {
    uint64_t findings; /* waived ones among them */
    uint64_t waived;
    uint64_t connections; /* that have such a finding */
    uint64_t roots;       /* of those kept, so many follow from none that was kept */
};

struct iw_page {
    FILE *out;
    const struct iw_check_report *report;
    struct iw_page_connection *connections; /* as many as the result has */
    struct iw_page_clause clauses[IW_REQUIREMENT_COUNT];
    size_t log_lines; /* of all wire logs on the page */
};

/* The connection at that place. */
static inline const struct iw_check_connection *iw_page_connection(const struct iw_page *page, size_t place) {
    return page->report->result.connections[place];
}

static inline size_t iw_page_connection_count(const struct iw_page *page) {
    return page->report->result.connection_count;
}

/* "connection 0 of a.pcap", the file only if there are several. */
void iw_page_put_connection_name(const struct iw_page *page, const struct iw_check_connection *connection);

/* The same as a link, if the page describes the connection. */
void iw_page_put_connection(const struct iw_page *page, size_t place);

/* " of b.pcap" where a frame is in another file than `known`, in which the reader would look for it. */
void iw_page_put_other_file(const struct iw_page *page, const char *file, const char *known);

/* "initiator", or "side A" where nobody knows. */
const char *iw_page_role(const struct iw_check_connection *connection, enum iw_side side);

/* A word for the classes of the style: "error", "conforms", ... of a severity and of a verdict. */
void iw_page_put_severity(const struct iw_page *page, enum iw_severity severity);
void iw_page_put_verdict(const struct iw_page *page, const struct iw_totals *tally);

/* Octets in hexadecimal, the marked ones marked. `field` is what they are, or NULL. */
void iw_page_put_octets(
    const struct iw_page *page, const struct iw_check_octets *octets, const struct iw_field *field);

/* A requirement by its place in the order of the page, from 0: what was violated worst first, then the order
 * of the table; NULL beyond the last one violated. */
const struct iw_requirement *iw_page_clause(const struct iw_page *page, size_t place);

/* The places of the page. */
void iw_page_masthead(const struct iw_page *page);
void iw_page_overview(const struct iw_page *page);
void iw_page_connections(const struct iw_page *page);
void iw_page_findings(const struct iw_page *page);
void iw_page_log(const struct iw_page *page);

#endif
