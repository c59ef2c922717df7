#ifndef IW_OUTCOME_REPORT_H
#define IW_OUTCOME_REPORT_H

#include <stdio.h>

#include "iw_expect.h"
#include "iw_outcome.h"

/* The output of `warpcheck report`, in one of several formats. */

struct iw_outcome_report {
    FILE *out;
    const struct iw_outcome_run *runs;
    size_t count;
    const struct iw_expect *expect; /* or NULL; iw_expect_use has been called for all runs */
    bool *incomplete;               /* set to true if memory ran out and a part is missing; may be NULL */
};

typedef void iw_outcome_put(const struct iw_outcome_report *report);

/* Declares the function of each format: iw_outcome_put_text and so on. */
#define IW_FORMAT_OF_RUNS(name) iw_outcome_put iw_outcome_put_##name;
#include "iw_format.def"

/* Prints only new, regressed, better and fixed cases, and stale lines; needs an expectation file. */
iw_outcome_put iw_outcome_put_states;

/* The function that --format NAME selects; NULL if the name is unknown. */
iw_outcome_put *iw_outcome_form_find(const char *name);

/* The exit code of all runs together. */
enum iw_exit iw_outcome_report_exit(const struct iw_outcome_report *report);

/* ---- for the forms ---- */

/* Sets *incomplete: memory ran out, and a part of the report is missing. */
void iw_outcome_report_set_incomplete(const struct iw_outcome_report *report);

/* Calls `put`, and replaces control characters in its output by '?': results are untrusted, and a terminal
 * would interpret control characters. */
void iw_outcome_put_shown(const struct iw_outcome_report *report, iw_outcome_put *put);

/* The state of the case (PASS without an expectation file); sets *line to its line or NULL. */
enum iw_expect_state iw_outcome_state(const struct iw_outcome_report *report,
    const struct iw_outcome_case *one, const struct iw_expect_line **line);

/* Counts the cases by their state. Returns the number of stale lines. Needs an expectation file. */
uint64_t iw_outcome_count_states(const struct iw_outcome_report *report, uint64_t counts[IW_EXPECT_STATES]);

/* "442 cases: 440 pass, 2 fail; 1 wrong close; cut short" */
void iw_outcome_put_counts(FILE *out, const struct iw_outcome_run *run);

/* Describes one of `other_objects` in one line without a newline: "flake mpa-crc-001: pass 3, fail 1". The
 * caller frees it. Returns NULL if memory runs out, which the report notes. */
char *iw_outcome_object_line(const struct iw_outcome_report *report, const json_t *object);

/* The cases of all runs, each id and repeat once, in the order of the runs. Omits a repeat if its result
 * equals that of the first repeat in each run that has it. */
struct iw_outcome_row {
    const struct iw_outcome_case *one;    /* the case in the first run that has it */
    const struct iw_outcome_case **cells; /* per run; NULL if the run lacks the case */
};

struct iw_outcome_table {
    struct iw_outcome_row *rows;
    size_t count;
    size_t alike; /* number of repeats left out */
    const struct iw_outcome_case **cells;
};

/* Returns false if memory runs out. */
bool iw_outcome_table_init(struct iw_outcome_table *table, const struct iw_outcome_report *report);
void iw_outcome_table_clear(struct iw_outcome_table *table);

/* The worst verdict of the row. */
enum iw_verdict iw_outcome_row_verdict(const struct iw_outcome_row *row, size_t runs);

/* For a run named A/B, of initiator A and responder B: the length of A; otherwise 0. */
size_t iw_outcome_pair(const struct iw_outcome_run *run);

bool iw_outcome_has_pairs(const struct iw_outcome_report *report);

/* Whether the run is the first one with its initiator or, if `responder`, with its responder. */
bool iw_outcome_pair_first(const struct iw_outcome_report *report, size_t run, bool responder);

/* A section of a document, in the order of the requirements. */
struct iw_outcome_section {
    const char *document, *section;
    uint64_t cases;
    uint64_t counts[IW_VERDICT_COUNT]; /* cases of all runs with a requirement of the section */
};

struct iw_outcome_sections {
    struct iw_outcome_section list[IW_REQUIREMENT_COUNT];
    size_t count;
    size_t of[IW_REQUIREMENT_COUNT];                               /* index of the section by requirement */
    uint64_t requirements[IW_REQUIREMENT_COUNT][IW_VERDICT_COUNT]; /* cases per requirement and verdict */
};

/* The caller frees it. Returns NULL if memory runs out. */
struct iw_outcome_sections *iw_outcome_sections_new(const struct iw_outcome_report *report);

#endif
