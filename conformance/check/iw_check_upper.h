#pragma once

#include "iw_check.h"
#include "iw_upper.h"

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

struct iw_check_upper {
    enum iw_check_upper_mode mode;
    enum iw_ulp_protocol protocol;
    bool complete; /* iw_upper_complete */
    struct iw_upper_counts counts;
    uint64_t rules[IW_UPPER_RULE_COUNT]; /* findings, by rule */
    struct iw_upper_credits credits[2];  /* by caller */
    struct iw_check_upper_finding *findings;
    size_t finding_count;
    struct iw_check_upper_call calls[IW_CHECK_UPPER_CALLS];
    size_t call_count; /* of all calls without a reply */
};

/* Ends `upper` and copies it. Returns NULL if memory runs out. iw_check_upper_free accepts NULL. */
struct iw_check_upper *iw_check_upper_new(struct iw_upper *upper, enum iw_check_upper_mode mode);
void iw_check_upper_free(struct iw_check_upper *upper);

/* Replaces each frame number in the whole capture by a file and the number in that file. */
void iw_check_upper_place(const struct iw_check_chain *chain, struct iw_check_upper *upper);

/* Returns how many of the findings of the rule that were counted were kept, too. */
uint64_t iw_check_upper_kept(const struct iw_check_upper *upper, const struct iw_upper_rule *rule);
