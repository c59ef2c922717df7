#pragma once

#include "iw_bundle.h"
#include "iw_bundle_plan.h"

/* What the parts of the verification of a bundle share. */

/* Verdicts of a bundle that cannot be recomputed. */
struct iw_bundle_unproven {
    size_t scripted; /* cases whose verdict rests on their script */
    size_t left_out; /* cases that their script, or an agent, ended as not applicable or not tested */
    size_t unsaved;  /* repeats without evidence, as their verdict is that of the first */
    size_t limited;  /* cases whose evidence --evidence-limit has shortened */
    size_t streamed; /* cases whose scripts let other protocols precede MPA, as the logs say */
};

struct iw_bundle_check {
    const struct iw_bundle *bundle;
    const char *cases;         /* folder of the cases; NULL: those of the program */
    FILE *faults;              /* gets a line "PATH: NAME: what" for each fault */
    size_t count;              /* number of faults */
    bool read;                 /* results.jsonl could be read into `run` */
    struct iw_outcome_run run; /* results of the bundle */
    struct iw_bundle_plan plan;
    struct iw_bundle_unproven unproven;
    bool dates_differ, peers_differ; /* a fault has named a case whose packets do not fit the run */
    bool signature_valid;            /* set by the caller: a signature by a key that the user trusts */
};

/* Verifies the open bundle: its files against MANIFEST; the cases against the catalogue
 * (in the folder `cases`; NULL: of the program), the profile and the
 * options of the run; the verdicts against the captures and logs; and all counts. Adds a line to `faults` for
 * each contradiction. Dispose of `check` in any case. */
void iw_bundle_check_init(
    struct iw_bundle_check *check, const struct iw_bundle *bundle, const char *cases, FILE *faults);
void iw_bundle_check_dispose(struct iw_bundle_check *check);

/* Returns whether `run --evidence-limit` has shortened the evidence of the case. */
bool iw_bundle_is_limited(const struct iw_outcome_case *one);

/* Returns whether this evidence is as long as the run keeps it before it shortens the rest. */
bool iw_bundle_limit_fits(const struct iw_bundle_check *check, const struct iw_outcome_case *one);

/* Adds a fault of the file or case `name`. Makes the line printable, because the bundle is untrusted. */
void iw_bundle_fault(struct iw_bundle_check *check, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the exit code of the bundle: ENVIRONMENT with faults; VIOLATIONS if the device fails
 * a case; CONFORMS if it passes, and this program knows the cases of the whole run; otherwise UNJUDGED. */
enum iw_exit iw_bundle_exit(const struct iw_bundle_check *check);

/* Prints what the bundle says: device, versions, run, counts, coverage. */
void iw_bundle_summary_print(FILE *out, const struct iw_bundle_check *check);

/* Prints what could not be recomputed, and the verdict: one line each. */
void iw_bundle_summary_print_verdict(FILE *out, const struct iw_bundle_check *check);

/* ---- parts of iw_bundle_check_init ---- */

/* iw_bundle_verify.c: the files against MANIFEST; the header; capture and log of each case. */
void iw_bundle_verify(struct iw_bundle_check *check);

/* iw_bundle_case.c: the facts of each case against the catalogue; whether it applies. */
void iw_bundle_case_check(struct iw_bundle_check *check);

/* iw_bundle_log.c: the head and the verdict of each log against the results. */
void iw_bundle_log_check(struct iw_bundle_check *check);

/* iw_bundle_judge.c: each capture, judged again, against its log and the results. */
void iw_bundle_judge(struct iw_bundle_check *check);

/* iw_bundle_origin.c: whether the run ended after it began. */
void iw_bundle_origin_check_order(struct iw_bundle_check *check);

/* iw_bundle_total.c: the list of the cases; the counts, and the lines that follow from the cases. */
void iw_bundle_total_check(struct iw_bundle_check *check);
