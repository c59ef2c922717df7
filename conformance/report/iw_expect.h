#pragma once

#include <stdio.h>

#include "iw_fault.h"
#include "iw_outcome.h"
#include "iw_waiver.h"

/* What is known to fail. A line of the file is about cases,
 *
 *     rdma-send-001 verdict=fail clause="RFC 5040 5.3" reason="firmware 3, mended in 4" owner=bob
 *
 * or, without `verdict`, about a requirement, like a waiver (iw_waiver.h): it expects the findings about this
 * requirement in all cases, and the failures of checks that follow from these findings (iw_root.h). So one
 * file serves `check --waive`, too.
 *
 * The id of a case may be a shell pattern; a line with the very id precedes those with patterns, of which the
 * first applies. `verdict` (with _ for a blank), `clause` (document and section, or the document alone, of
 * one of the case's requirements) and `reason` are required. If the behaviour of the device varies, give
 * several verdicts: pass|fail. `owner` and `issue` are for people. After the day of `until`, such as
 * 2027-01-31, a line does not apply.
 *
 * terminate, close, violates, crash and step (iw_fault.h) state the fault; a line with any of them expects
 * only this fault, and "none" for those that it omits. Several texts may be separated by '|'. */

struct iw_expect_line {
    char *id; /* or a pattern */
    char *clause, *reason;
    char *owner, *issue, *until; /* NULL: not given */
    char *fault[IW_FAULT_PARTS]; /* by enum iw_fault_part; NULL: not given */
    enum iw_verdict verdict;     /* the worst expected verdict */
    unsigned verdicts;           /* all expected verdicts, as bits 1 << verdict */
    unsigned line;               /* number of the line in the file */
    uint64_t used;               /* number of cases to which this line applied */
};

struct iw_expect {
    const char *path; /* path of the file; the caller's */
    struct iw_expect_line *list;
    size_t count;
    json_t *places;            /* maps the id of a case to the index of its line */
    struct iw_waivers waivers; /* the lines about requirements */
};

/* Reads the file at `path`, like iw_waivers_read. */
enum iw_status iw_expect_read(struct iw_expect *expect, const char *path, FILE *diagnostics);
void iw_expect_clear(struct iw_expect *expect);

/* Prints all verdicts of the line, the best first, with the texts of `name`. Example: "pass|fail". */
void iw_expect_put_verdicts(
    FILE *out, const struct iw_expect_line *line, const char *(*name)(enum iw_verdict));

/* Compares a case with its line in the file. */
enum iw_expect_state {
    IW_EXPECT_PASS,           /* a pass, and no line applies */
    IW_EXPECT_NOT_APPLICABLE, /* not applicable, and no line applies: the profile says so */
    IW_EXPECT_KNOWN,          /* an expected verdict */
    IW_EXPECT_NEW,            /* no line applies; or an expected verdict, but a different fault */
    IW_EXPECT_REGRESSED,      /* worse than expected */
    IW_EXPECT_BETTER,         /* better than expected, but no pass */
    IW_EXPECT_FIXED,          /* a pass that the line does not expect */
    IW_EXPECT_NOT_TESTED,     /* not tested, whatever the file says: that needs no line */
    IW_EXPECT_STATES,
};

/* Returns the line about the requirement of a finding of the case; NULL: none applies. */
const struct iw_waiver *iw_expect_waiver(
    const struct iw_expect *expect, const struct iw_outcome_case *one, const json_t *finding);

/* Returns whether the case fails only by findings that lines about requirements expect, and by what follows
 * from them. */
bool iw_expect_is_waived(const struct iw_expect *expect, const struct iw_outcome_case *one);

/* Returns the reason in `line` or, if that is NULL, in the line about the requirement of the case's root
 * finding; "": no line applies. */
const char *iw_expect_reason(
    const struct iw_expect *expect, const struct iw_outcome_case *one, const struct iw_expect_line *line);

/* If the case has an expected verdict, describes how its fault differs from the fault in the line; otherwise,
 * or if it does not differ, *text is empty. Example: "close fin, expected terminate+fin". */
enum { IW_EXPECT_DIFFERENCE_OCTETS = 4 * IW_FAULT_OCTETS };
void iw_expect_difference(const struct iw_expect *expect, const struct iw_expect_line *line,
    const struct iw_outcome_case *one, char text[IW_EXPECT_DIFFERENCE_OCTETS]);

const char *iw_expect_state_name(enum iw_expect_state state); /* Example: "regressed" */

/* Returns the state of the case. Sets *line to the line that applies to it, or to NULL; a case that
 * iw_expect_is_waived needs no line. */
enum iw_expect_state iw_expect_judge(
    const struct iw_expect *expect, const struct iw_outcome_case *one, const struct iw_expect_line **line);

/* Adds the cases of the run, or their findings, to which a line applies to `used` of the line. */
void iw_expect_use(struct iw_expect *expect, const struct iw_outcome_run *run);

/* Returns the exit code of the run. Of its cases only those in state IW_EXPECT_NEW or IW_EXPECT_REGRESSED
 * count; flaky cases, contradicted claims, crashes and an incomplete run count as well. */
enum iw_exit iw_expect_exit(const struct iw_expect *expect, const struct iw_outcome_run *run);

/* ---- for iw_expect_write.c ---- */

/* Returns the line with this very id, or NULL. `expect` may be NULL. */
const struct iw_expect_line *iw_expect_find(const struct iw_expect *expect, const char *id);

bool iw_expect_has(const struct iw_expect_line *line, enum iw_verdict verdict);
bool iw_expect_states_fault(const struct iw_expect_line *line);

/* Writes a part of the fault of the case, without the findings that lines about requirements expect. `expect`
 * may be NULL. */
void iw_expect_fault_text(const struct iw_expect *expect, const struct iw_outcome_case *one,
    enum iw_fault_part part, char text[IW_FAULT_OCTETS]);

/* Writes an expectation file for the results of the runs: a line for each requirement whose violations fail
 * cases, alone or with what follows from them; then a line for each other case that did not pass. Cases that
 * do not apply or were not tested need no line. Takes
 * reasons and owners from `known`, which may be NULL; other reasons say what happened. If a case had
 * different faults, its line has all of them. Returns false if memory runs out. */
bool iw_expect_write(
    FILE *out, const struct iw_outcome_run *runs, size_t count, const struct iw_expect *known);
