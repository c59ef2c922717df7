#pragma once

#include "iw_explain.h"

/* The page of `warpcheck explain --format html`: one file without a network, complete without scripts. */

extern const char iw_explain_page_template[];

/* Prints the story of a connection with its diagrams: the latest DDP segments, the outstanding requests over
 * time, and a histogram for each kind of request and call. */
void iw_explain_page_story(FILE *out, const struct iw_explained *explained);

void iw_explain_page_capture(FILE *out, const struct iw_explain_captured *captured);

/* Prints the line of a story in the list of them, a link to it. */
void iw_explain_page_entry(FILE *out, const struct iw_explained *explained);
void iw_explain_page_capture_entry(FILE *out, const struct iw_explain_captured *captured);

/* Prints the page. `stories`, `list`: what the functions above printed; NULL: memory ran out. */
void iw_explain_page(FILE *out, const struct iw_explain *explain, const char *stories, const char *list);

/* ---- iw_explain_diagram.c ---- */

void iw_explain_diagram(FILE *out, const struct iw_explained *explained);

/* ---- iw_explain_chart.c ---- */

void iw_explain_outstanding(FILE *out, const struct iw_explained *explained);
void iw_explain_histogram(FILE *out, const struct iw_latency *latency, const char *title);
