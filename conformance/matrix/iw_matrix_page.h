#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "iw_matrix_results.h"

/* The results of a matrix as a page of HTML: initiators by responders, each scenario with its verdict; what
 * has changed since the run before; all cells with their findings and evidence; the runs. */

extern const char iw_matrix_page_template[];

/* Writes the page. Links lead to the files of the cells, beside it. Returns false if memory runs out. */
bool iw_matrix_page_put(FILE *out, const json_t *results);

/* ---- parts, of iw_matrix_page_cell.c ---- */

struct iw_matrix_page {
    FILE *out;
    const json_t *results, *cells;
    bool whole; /* memory has sufficed */
};

/* Prints the scenarios of a pair as links to their cells. */
void iw_matrix_page_put_pair(const struct iw_matrix_page *page, const char *initiator, const char *responder);

void iw_matrix_page_put_verdict(const struct iw_matrix_page *page, const json_t *cell);
void iw_matrix_page_put_changes(struct iw_matrix_page *page);
void iw_matrix_page_put_findings(struct iw_matrix_page *page);
void iw_matrix_page_put_cells(struct iw_matrix_page *page);
