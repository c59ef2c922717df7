#ifndef IW_EXPECT_H
#define IW_EXPECT_H

#include <stdio.h>

#include "iw_outcome.h"
#include "iw_waiver.h"

/* Cases that are known not to pass: a file like that of waivers (iw_waiver.h), with a case a line,
 *
 *     rdma-send-001 verdict=fail clause="RFC 5040 5.3" reason="firmware 3, mended in 4" owner=bob
 *
 * `verdict` (with _ for a blank), `clause` (document and section, or the document alone, of one of the case's
 * requirements) and `reason` are needed. A device that does something by chance has several verdicts,
 * pass|fail. */

struct iw_expect_line {
    char *id;
    char *clause, *reason, *owner; /* the owner may be NULL */
    enum iw_verdict verdict;       /* the worst of */
    unsigned verdicts;             /* those that are expected: 1 << verdict, or-ed */
    unsigned line;                 /* of the file */
    uint64_t used;                 /* cases that it was about */
};

struct iw_expect {
    const char *path; /* the caller's */
    struct iw_expect_line *list;
    size_t count, capacity;
    json_t *places; /* of each line, by the id of its case */
};

/* Reads the file at `path`; as iw_waivers_read. */
enum iw_status iw_expect_read(struct iw_expect *expect, const char *path, FILE *diagnostics);
void iw_expect_clear(struct iw_expect *expect);

bool iw_expect_has(const struct iw_expect_line *line, enum iw_verdict verdict);
/* All verdicts of the line, the gentlest first, by these names: "pass|fail". */
void iw_expect_put_verdicts(
    FILE *out, const struct iw_expect_line *line, const char *(*name)(enum iw_verdict));

/* What a case is in the light of the file. */
enum iw_expect_state {
    IW_EXPECT_PASS,      /* it passes, and nothing else was expected */
    IW_EXPECT_KNOWN,     /* as expected */
    IW_EXPECT_NEW,       /* it does not pass, and nothing was known of it */
    IW_EXPECT_REGRESSED, /* its verdict is worse than what is expected, */
    IW_EXPECT_BETTER,    /* or gentler, */
    IW_EXPECT_FIXED,     /* or a pass */
    IW_EXPECT_STATES,
};

const char *iw_expect_state_name(enum iw_expect_state state); /* "regressed" */

/* `line` becomes what the file says of the case, or NULL. */
enum iw_expect_state iw_expect_judge(
    const struct iw_expect *expect, const struct iw_outcome_case *one, const struct iw_expect_line **line);

/* Counts for each line the cases of the run that it is about. */
void iw_expect_use(struct iw_expect *expect, const struct iw_outcome_run *run);

/* What the run ends with if only what is new or regressed counts. */
enum iw_exit iw_expect_exit(const struct iw_expect *expect, const struct iw_outcome_run *run);

/* Writes a file that expects what the runs hold, with the reasons and owners that `known`, or NULL, has of a
 * case; a new one's reason is to be filled in: without it the file is refused. */
void iw_expect_write(
    FILE *out, const struct iw_outcome_run *runs, size_t count, const struct iw_expect *known);

#endif
