#pragma once

#include <stdio.h>

#include "iw_compare.h"
#include "iw_expect.h"
#include "iw_grade.h"
#include "iw_interop.h"
#include "iw_outcome.h"
#include "iw_root.h"

/* Writes the output of `warpcheck report` in one of several formats. */

struct iw_rfc_texts;

struct iw_outcome_report {
    FILE *out;
    const struct iw_outcome_run *runs;
    size_t count;
    const struct iw_expect *expect;       /* after iw_expect_use for all runs; or NULL */
    const struct iw_grade_policy *policy; /* NULL: none */
    const struct iw_grade *grades;        /* by the policy, by run; NULL: it has no level */
    const struct iw_interop *interop;     /* by the policy; NULL: it needs no partners */
    const struct iw_compare *compare;     /* of the first two runs; NULL: they are not compared */
    const struct iw_rfc_texts *rfc_texts; /* shown by the form `rfc`; NULL: none given */
    bool *incomplete;                     /* set to true if memory ran out and a part is missing; or NULL */
};

typedef void iw_outcome_put(const struct iw_outcome_report *report);

/* Declares the function of each format: iw_outcome_put_text and so on. */
#define IW_FORMAT_OF_RUNS(name) iw_outcome_put iw_outcome_put_##name;
#include "iw_format.def"

/* Prints only new, regressed, better and fixed cases, and unused lines. Needs an expectation file. */
iw_outcome_put iw_outcome_put_states;

/* Print what changed between the two runs; need `compare`. */
iw_outcome_put iw_outcome_put_compare;
iw_outcome_put iw_outcome_put_compare_jsonl;

/* Prints the roots of the failures of each run. */
iw_outcome_put iw_outcome_put_triage;

/* Returns the function that --format NAME selects; NULL if the name is unknown. */
iw_outcome_put *iw_outcome_form_find(const char *name);

/* Returns the exit code of all runs together. */
enum iw_exit iw_outcome_report_exit(const struct iw_outcome_report *report);

/* ---- functions shared by the formats ---- */

/* Sets *incomplete: memory ran out, and a part of the report is missing. */
void iw_outcome_report_set_incomplete(const struct iw_outcome_report *report);

/* Calls `put` and replaces control characters in its output by '?': results are untrusted, and a terminal
 * would interpret these characters. */
void iw_outcome_put_shown(const struct iw_outcome_report *report, iw_outcome_put *put);

/* Returns the state of the case (PASS without an expectation file). Sets *line to its line, or to NULL. */
enum iw_expect_state iw_outcome_state(const struct iw_outcome_report *report,
    const struct iw_outcome_case *one, const struct iw_expect_line **line);

/* Counts the cases of all runs by state. Returns the number of unused lines. Needs an expectation file. */
uint64_t iw_outcome_count_states(const struct iw_outcome_report *report, uint64_t counts[IW_EXPECT_STATES]);

/* Prints the counts. Example: "442 cases: 440 pass, 2 fail; 1 wrong close; cut short". */
void iw_outcome_put_counts(FILE *out, const struct iw_outcome_run *run);

/* Prints the coverage of the run, as iw_coverage_print does. */
void iw_outcome_put_coverage(FILE *out, const struct iw_outcome_run *run);

/* Prints that as a line, then the requirements by state, as iw_coverage_print_states does. */
void iw_outcome_put_coverage_states(FILE *out, const struct iw_outcome_run *run);

/* Describes one of `other_objects` in a line without newline, which the caller frees. Example: "flake
 * mpa-crc-001: pass 3, fail 1". If memory runs out, returns NULL and sets *incomplete. */
char *iw_outcome_object_line(const struct iw_outcome_report *report, const json_t *object);

/* A row for each case and repeat of all runs, in the order of the runs. Omits a repeat if its result equals
 * the first repeat in every run that has it. */
struct iw_outcome_row {
    const struct iw_outcome_case *one;    /* result of the case in the first run that has the case */
    const struct iw_outcome_case **cells; /* result of the case by run; NULL: the run lacks the case */
};

struct iw_outcome_table {
    struct iw_outcome_row *rows;
    size_t count;
    size_t alike; /* number of omitted repeats */
    const struct iw_outcome_case **cells;
};

/* Makes the rows. Returns false if memory runs out. */
bool iw_outcome_table_init(struct iw_outcome_table *table, const struct iw_outcome_report *report);
void iw_outcome_table_clear(struct iw_outcome_table *table);

/* Returns the worst verdict of the row. */
enum iw_verdict iw_outcome_row_verdict(const struct iw_outcome_row *row, size_t runs);

/* Returns whether the runs have different verdicts in the row, or not all of them have the case. */
bool iw_outcome_row_differs(const struct iw_outcome_row *row, size_t runs);

/* Returns the length of A if the run is named A/B, for initiator A and responder B; otherwise 0. */
size_t iw_outcome_pair(const struct iw_outcome_run *run);

bool iw_outcome_has_pairs(const struct iw_outcome_report *report);

/* Returns whether the run is the first run with its initiator or, if `responder`, with its responder. */
bool iw_outcome_pair_first(const struct iw_outcome_report *report, size_t run, bool responder);

/* The cases with a requirement in one section of a document. */
struct iw_outcome_section {
    const char *document, *section;
    uint64_t cases;
    uint64_t counts[IW_VERDICT_COUNT]; /* cases by verdict */
};

struct iw_outcome_sections {
    struct iw_outcome_section list[IW_REQUIREMENT_COUNT];
    size_t count;
    size_t of[IW_REQUIREMENT_COUNT];                               /* by requirement: index of its section */
    uint64_t requirements[IW_REQUIREMENT_COUNT][IW_VERDICT_COUNT]; /* cases by requirement and verdict */
};

/* Counts the cases of the runs. A case that several runs have counts once, with its worst verdict: counts are
 * never summed over runs. The caller frees the result. Returns NULL if memory runs out. */
struct iw_outcome_sections *iw_outcome_sections_new(const struct iw_outcome_run *runs, size_t count);
