#ifndef IW_OUTCOME_REPORT_H
#define IW_OUTCOME_REPORT_H

#include <stdio.h>

#include "iw_expect.h"
#include "iw_outcome.h"

/* What `warpcheck report` prints of one run or several, in one of several forms. */

struct iw_outcome_report {
    FILE *out;
    const struct iw_outcome_run *runs;
    size_t count;
    const struct iw_expect *expect; /* NULL: none; its lines have been counted */
    bool *incomplete; /* set to true if memory ran out and a part is missing; NULL if the caller does not need
                         it */
};

typedef void iw_outcome_put(const struct iw_outcome_report *report);

iw_outcome_put iw_outcome_put_text;   /* for people: by section, then what did not pass */
iw_outcome_put iw_outcome_put_jsonl;  /* the lines of results.jsonl, each with its "run" */
iw_outcome_put iw_outcome_put_junit;  /* for continuous integration: a suite per run */
iw_outcome_put iw_outcome_put_matrix; /* for people: cases by runs, and initiators by responders */
iw_outcome_put iw_outcome_put_html;   /* for people: one page that needs no network */

/* What is new, regressed, better, fixed and stale alone; with an expectation file. */
iw_outcome_put iw_outcome_put_states;

/* The form that --format knows by that name, or NULL. */
iw_outcome_put *iw_outcome_form_find(const char *name);

/* What all runs together end with. */
enum iw_exit iw_outcome_report_exit(const struct iw_outcome_report *report);

/* ---- for the forms ---- */

/* Sets *incomplete: memory ran out, and a part of the report is missing. */
void iw_outcome_report_lose(const struct iw_outcome_report *report);

/* Prints what `put` prints with control characters shown as '?': the texts of results may be anybody's, and a
 * terminal would obey them. */
void iw_outcome_put_shown(const struct iw_outcome_report *report, iw_outcome_put *put);

/* The state of the case, PASS without an expectation file, and what was expected, or NULL. */
enum iw_expect_state iw_outcome_state(const struct iw_outcome_report *report,
    const struct iw_outcome_case *one, const struct iw_expect_line **line);

/* "442 cases: 440 pass, 2 fail; 1 wrong close; cut short" */
void iw_outcome_put_counts(FILE *out, const struct iw_outcome_run *run);

/* What a line says that belongs to no case, in one line of text without its end: "flake mpa-crc-001: pass 3,
 * fail 1". For the caller to free; NULL: no memory. */
char *iw_outcome_other(const json_t *object);

/* The cases of all runs, each id and repeat once, in the order of the runs; without repeats that ended like
 * the first one in each of them, as they tell no more. */
struct iw_outcome_row {
    const struct iw_outcome_case *one;    /* of the first run that has it */
    const struct iw_outcome_case **cells; /* of each run; NULL where it has none */
};

struct iw_outcome_table {
    struct iw_outcome_row *rows;
    size_t count;
    size_t alike; /* rows that it would have beside, of such repeats */
    const struct iw_outcome_case **cells;
};

/* False: no memory. */
bool iw_outcome_table_init(struct iw_outcome_table *table, const struct iw_outcome_report *report);
void iw_outcome_table_clear(struct iw_outcome_table *table);

/* The worst verdict of the row. */
enum iw_verdict iw_outcome_row_verdict(const struct iw_outcome_row *row, size_t runs);

/* If the run is called A/B, of an initiator A and a responder B, the octets of A; otherwise 0. */
size_t iw_outcome_pair(const struct iw_outcome_run *run);

/* Whether it is a pair and no run before it has the same initiator, or the same responder. */
bool iw_outcome_pair_first(const struct iw_outcome_report *report, size_t run, bool responder);

/* Where requirements stand, in the order of their table. */
struct iw_outcome_section {
    const char *document, *section;
    uint64_t cases;
    uint64_t counts[IW_VERDICT_COUNT]; /* cases of all runs that have a requirement there */
};

struct iw_outcome_sections {
    struct iw_outcome_section list[IW_REQUIREMENT_COUNT];
    size_t count;
    uint64_t requirements[IW_REQUIREMENT_COUNT][IW_VERDICT_COUNT]; /* cases of each */
};

/* NULL: no memory. To be freed. */
struct iw_outcome_sections *iw_outcome_sections_new(const struct iw_outcome_report *report);

/* The section that the requirement stands in. */
const struct iw_outcome_section *iw_outcome_section_of(
    const struct iw_outcome_sections *sections, const struct iw_requirement *requirement);

#endif
