#ifndef IW_OUTCOME_PAGE_H
#define IW_OUTCOME_PAGE_H

#include "iw_outcome_report.h"

/* The page of `warpcheck report --format html`: page/page.html in the frame that it has in common with that
 * of `warpcheck check`, whose places {{name}} are filled by the functions below. Everything is HTML already,
 * so that it reads without the script, which only filters. */

extern const char iw_outcome_page_template[];

/* What the page has room for; what is beyond is told on it. */
enum {
    IW_OUTCOME_PAGE_LINKS = 40,            /* cases of a requirement that are named there */
    IW_OUTCOME_PAGE_LOG_OCTETS = 16 << 20, /* of all wire logs: the worst verdicts go first */
};

struct iw_outcome_page {
    FILE *out;
    const struct iw_outcome_report *report;
    struct iw_outcome_table table; /* the row at place N has the anchor "cN", its cell of run R "dR-N" */
    struct iw_outcome_sections *sections;
    bool *logged; /* by row and run as the cells of the table: its wire log is on the page */
};

/* The verdict as a word with a colour. */
void iw_outcome_page_put_verdict(const struct iw_outcome_page *page, enum iw_verdict verdict);

/* What the filter looks at: the documents and verdicts of the row, and whether its runs differ. */
void iw_outcome_page_put_row_data(const struct iw_outcome_page *page, size_t place);

/* How many requirements it has violations of. */
uint64_t iw_outcome_page_violated(const struct iw_outcome_page *page);

/* The places of the page. */
void iw_outcome_page_overview(const struct iw_outcome_page *page);
void iw_outcome_page_violations(const struct iw_outcome_page *page); /* nothing without any */
void iw_outcome_page_pairs(const struct iw_outcome_page *page);
void iw_outcome_page_sections(const struct iw_outcome_page *page);
void iw_outcome_page_cases(const struct iw_outcome_page *page);
void iw_outcome_page_details(const struct iw_outcome_page *page);

#endif
