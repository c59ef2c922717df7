#pragma once

#include "iw_check.h"
#include "iw_upper.h"

struct iw_waiver;

/* What reports show of the protocol above a connection: a copy of the state of struct iw_upper at the end. */

enum iw_check_upper_mode {
    IW_CHECK_UPPER_OFF,   /* not read */
    IW_CHECK_UPPER_WARN,  /* reported, without effect on verdict and exit code */
    IW_CHECK_UPPER_JUDGE, /* findings count as those of iWARP do */
};

enum { IW_CHECK_UPPER_CALLS = 16 }; /* calls without a reply that are named, oldest first */

struct iw_check_upper_finding {
    struct iw_upper_finding
        finding;            /* its frame numbers count from the first file until iw_check_upper_place */
    const char *file;       /* file of finding.frame; NULL until iw_check_upper_place */
    const char *about_file; /* file of finding.about_frame */
};

struct iw_check_upper_call {
    struct iw_upper_call call;
    const char *file;
    char name[IW_UPPER_TEXT_OCTETS];
};

/* Counts the findings against one side for one rule. */
struct iw_check_upper_breach {
    const struct iw_upper_rule *rule;
    enum iw_side side;
    const struct iw_waiver *waiver; /* NULL: not waived */
    uint64_t count;                 /* number of all findings */
    uint64_t kept;                  /* number of findings that are kept */
};

struct iw_check_upper {
    enum iw_check_upper_mode mode;
    enum iw_ulp_protocol protocol;
    bool complete; /* iw_upper_complete */
    struct iw_upper_counts counts;
    struct iw_upper_credits credits[2];     /* by caller */
    struct iw_check_upper_breach *breaches; /* in the order of iw_upper_rule.def */
    size_t breach_count;
    uint64_t
        counted[IW_SEVERITY_ERROR + 1]; /* findings that are not waived; valid after iw_check_upper_total */
    uint64_t waived;                    /* the others */
    struct iw_check_upper_finding *findings;
    size_t finding_count;
    struct iw_check_upper_call calls[IW_CHECK_UPPER_CALLS];
    size_t call_count; /* of all calls without a reply */
};

/* Ends `upper` and copies it. Returns NULL if memory runs out. iw_check_upper_free accepts NULL. */
struct iw_check_upper *iw_check_upper_new(struct iw_upper *upper, enum iw_check_upper_mode mode);
void iw_check_upper_free(struct iw_check_upper *upper);

/* Sums up the findings. Before, the caller sets the waivers of `breaches`. */
void iw_check_upper_total(struct iw_check_upper *upper);

/* Returns the waiver of the finding; NULL: not waived. */
const struct iw_waiver *iw_check_upper_waiver(
    const struct iw_check_upper *upper, const struct iw_upper_finding *finding);

/* Replaces each frame number in the whole capture by a file and the number in that file. */
void iw_check_upper_place(const struct iw_check_chain *chain, struct iw_check_upper *upper);
