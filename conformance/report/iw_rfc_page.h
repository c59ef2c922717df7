#pragma once

#include "iw_catalogue.h"
#include "iw_coverage.h"
#include "iw_outcome_report.h"
#include "iw_rfc_section.h"

/* The page of `warpcheck report --format rfc`: rfc_page/page.html in the frame shared by all pages. It goes
 * through the sections of each document, with the requirements, what judges them, and what runs showed. */

extern const char iw_rfc_page_template[];

/* What the page says about a requirement. Without a run: how it can be judged. */
enum iw_rfc_state {
    IW_RFC_FAILED,
    IW_RFC_PASSED,
    IW_RFC_INCONCLUSIVE,
    IW_RFC_NOT_TESTED,
    IW_RFC_NOT_CLAIMED,
    IW_RFC_NO_CASE,
    IW_RFC_WIRE,
    IW_RFC_ACTIVE,
    IW_RFC_NOT_TESTABLE,
    IW_RFC_STATE_COUNT,
};

struct iw_rfc_page {
    FILE *out;
    const struct iw_outcome_report *report; /* may have no run */
    struct iw_catalogue catalogue;
    struct iw_coverage *coverages; /* by run */
};

/* ---- iw_rfc_state.c ---- */

/* Names for readers, such as "not tested", and for the filter, such as "not-tested". */
const char *iw_rfc_state_name(enum iw_rfc_state state);
const char *iw_rfc_state_key(enum iw_rfc_state state);

/* The class of the style sheet for a coloured word, and for a part of a bar; the latter is NULL for a part
 * that stays empty. */
const char *iw_rfc_state_class(enum iw_rfc_state state);
const char *iw_rfc_state_bar(enum iw_rfc_state state);

/* Returns the state in a run; without a run, `run` is 0. */
enum iw_rfc_state iw_rfc_state_of(const struct iw_rfc_page *page, size_t run, size_t requirement);

/* Returns the worst state in all runs. */
enum iw_rfc_state iw_rfc_state_worst(const struct iw_rfc_page *page, size_t requirement);

/* Returns whether the page has states of this kind: of runs, or of the catalogue. */
bool iw_rfc_state_is_used(const struct iw_rfc_page *page, enum iw_rfc_state state);

/* Counts the requirements of the document, or of all documents if NULL, by state. Returns their number. */
unsigned iw_rfc_state_count(
    const struct iw_rfc_page *page, size_t run, const char *document, unsigned counts[IW_RFC_STATE_COUNT]);

/* ---- iw_rfc_page_document.c ---- */

/* Prints the anchor of a document: its name without blanks. */
void iw_rfc_page_put_anchor(const struct iw_rfc_page *page, const char *document);

/* Prints the section of the page about a document. */
void iw_rfc_page_put_document(const struct iw_rfc_page *page, size_t document);

/* Prints the bar of a document in a run. */
void iw_rfc_page_put_bar(const struct iw_rfc_page *page, size_t run, const char *document);

/* ---- iw_rfc_page_requirement.c ---- */

void iw_rfc_page_put_requirement(const struct iw_rfc_page *page, size_t requirement);
