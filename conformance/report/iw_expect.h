#ifndef IW_EXPECT_H
#define IW_EXPECT_H

#include <stdio.h>

#include "iw_fault.h"
#include "iw_outcome.h"
#include "iw_waiver.h"

/* Cases that are known not to pass: a file like that of waivers (iw_waiver.h), with one case per line,
 *
 *     rdma-send-001 verdict=fail clause="RFC 5040 5.3" reason="firmware 3, mended in 4" owner=bob
 *
 * `verdict` (with _ for a blank), `clause` (document and section, or the document alone, of one of the case's
 * requirements) and `reason` are required. If the behaviour of the device varies, give several verdicts:
 * pass|fail.
 *
 * terminate, close, violates, crash and step (iw_fault.h) state the fault; a line with any of them expects
 * only this fault, and "none" for those that it omits. Several texts may be separated by '|'. */

struct iw_expect_line {
    char *id;
    char *clause, *reason, *owner; /* `owner` may be NULL */
    char *fault[IW_FAULT_PARTS];   /* NULL: not given */
    enum iw_verdict verdict;       /* the worst of `verdicts` */
    unsigned verdicts;             /* expected verdicts: 1 << verdict, or-ed */
    unsigned line;                 /* number of the line in the file */
    uint64_t used;                 /* number of cases to which the line applied */
};

struct iw_expect {
    const char *path; /* the caller's */
    struct iw_expect_line *list;
    size_t count;
    json_t *places; /* id of the case to index of its line */
};

/* Reads the file at `path`, like iw_waivers_read. */
enum iw_status iw_expect_read(struct iw_expect *expect, const char *path, FILE *diagnostics);
void iw_expect_clear(struct iw_expect *expect);

bool iw_expect_has(const struct iw_expect_line *line, enum iw_verdict verdict);
/* Prints all verdicts of the line, the best first, as `name` names them: "pass|fail". */
void iw_expect_put_verdicts(
    FILE *out, const struct iw_expect_line *line, const char *(*name)(enum iw_verdict));

/* The state of a case according to the file. */
enum iw_expect_state {
    IW_EXPECT_PASS,      /* pass; no line applies */
    IW_EXPECT_KNOWN,     /* one of the expected verdicts */
    IW_EXPECT_NEW,       /* not a pass; no line applies, or the line states a different fault */
    IW_EXPECT_REGRESSED, /* worse than expected */
    IW_EXPECT_BETTER,    /* better than expected, but no pass */
    IW_EXPECT_FIXED,     /* a pass, which the line does not expect */
    IW_EXPECT_STATES,
};

/* Describes how the fault of a case with an expected verdict differs from that in the line: "close fin,
 * expected terminate+fin". "" if it does not differ. */
enum { IW_EXPECT_DIFFERENCE_OCTETS = 4 * IW_FAULT_OCTETS };
void iw_expect_difference(const struct iw_expect_line *line, const struct iw_outcome_case *one,
    char text[IW_EXPECT_DIFFERENCE_OCTETS]);

const char *iw_expect_state_name(enum iw_expect_state state); /* "regressed" */

/* Sets *line to the line that applies to the case, or to NULL. */
enum iw_expect_state iw_expect_judge(
    const struct iw_expect *expect, const struct iw_outcome_case *one, const struct iw_expect_line **line);

/* Counts, for each line, the cases of the run to which it applies. */
void iw_expect_use(struct iw_expect *expect, const struct iw_outcome_run *run);

/* The exit code of the run; among the cases, only new and regressed ones count. */
enum iw_exit iw_expect_exit(const struct iw_expect *expect, const struct iw_outcome_run *run);

/* Writes a file that expects the results of the runs, with the reasons and owners in `known`, which may be
 * NULL. If the results of a case have different faults, the line has all of them. The reason of a new case or
 * fault is empty unless the case is not applicable; fill it in before the file can be read. */
void iw_expect_write(
    FILE *out, const struct iw_outcome_run *runs, size_t count, const struct iw_expect *known);

#endif
