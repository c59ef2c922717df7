#pragma once

#include "iw_outcome_report.h"

/* The page of `warpcheck report --format html`: page/page.html in the frame shared with `warpcheck check`.
 * The functions below replace each {{name}} there. The HTML is complete without the script, which only
 * filters. */

extern const char iw_outcome_page_template[];

/* Limits of the page. The page reports what it omits. */
enum {
    IW_OUTCOME_PAGE_LINKS = 40,            /* linked cases per requirement */
    IW_OUTCOME_PAGE_ROOTS = 30,            /* roots of the failures of a run */
    IW_OUTCOME_PAGE_LOG_OCTETS = 16 << 20, /* in all wire logs; the worst verdicts come first */
};

struct iw_outcome_page {
    FILE *out;
    const struct iw_outcome_report *report;
    struct iw_outcome_table table; /* row N has the anchor "cN", its cell for run R "dR-N" */
    struct iw_outcome_sections *sections;
    bool *logged; /* by cell: its wire log is shown */
};

/* Prints the verdict as a coloured word. */
void iw_outcome_page_put_verdict(const struct iw_outcome_page *page, enum iw_verdict verdict);

/* Prints the attributes of a row for the filter: its documents and verdicts, and whether its runs differ. */
void iw_outcome_page_put_row_data(const struct iw_outcome_page *page, size_t place);

/* Prints the id of a case, as a link if the page shows the case. */
void iw_outcome_page_put_link(const struct iw_outcome_page *page, const char *id);

/* Prints what was tested in the run, by document, why cases did not pass, and what was not tested. */
void iw_outcome_page_put_summary(const struct iw_outcome_page *page, const struct iw_outcome_run *run);

/* Prints the verdict of the run by the policy, and the requirements that failed or are missing. */
void iw_outcome_page_put_grade(const struct iw_outcome_page *page, const struct iw_outcome_run *run);

/* Prints the grade of each device by its partners, from the report's `interop`. */
void iw_outcome_page_put_interop(const struct iw_outcome_page *page);

/* Prints what changed between the two runs of the report's comparison. */
void iw_outcome_page_put_compare(const struct iw_outcome_page *page);

/* Draws the wire log of a case as a sequence diagram. Leaves `log` as it was. */
void iw_outcome_page_put_diagram(
    const struct iw_outcome_page *page, const struct iw_outcome_case *one, char *log);

/* Returns the number of violated requirements in all runs. */
uint64_t iw_outcome_page_violated(const struct iw_outcome_page *page);

/* Each function prints the text for one {{name}} of the page. */
void iw_outcome_page_overview(const struct iw_outcome_page *page);
void iw_outcome_page_violations(const struct iw_outcome_page *page); /* prints nothing without violations */
void iw_outcome_page_pairs(const struct iw_outcome_page *page);
void iw_outcome_page_sections(const struct iw_outcome_page *page);
void iw_outcome_page_cases(const struct iw_outcome_page *page);
void iw_outcome_page_details(const struct iw_outcome_page *page);
