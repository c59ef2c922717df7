#pragma once

#include <stdio.h>

#include <jansson.h>

#include "iw_catalogue.h"
#include "iw_coverage.h"
#include "iw_outcome.h"
#include "iw_grade_policy.h"

/* The grade of a run: does the device meet a policy? */

enum iw_grade_state {
    IW_GRADE_FAILED,
    IW_GRADE_MISSING, /* demanded, but not tested, or not by every case */
    IW_GRADE_MET,
    IW_GRADE_NOT_NEEDED, /* below the level, excepted, not claimed, or tested by no case of the suite */
    IW_GRADE_COUNT,
};

const char *iw_grade_state_name(enum iw_grade_state state); /* Example: "not needed" */

/* Returns "met", "not met" or "not shown" for CONFORMS, VIOLATIONS and any other code. */
const char *iw_grade_verdict(enum iw_exit exit);

/* A run by a policy. */
struct iw_grade {
    struct iw_coverage coverage; /* of the run; cases without a result in it count as not tested */
    enum iw_grade_state states[IW_REQUIREMENT_COUNT];
    unsigned counts[IW_GRADE_COUNT]; /* requirements by state */
    unsigned contradictions;         /* claims that the device contradicted */
    unsigned crashes;                /* between cases */
    bool other_catalogue; /* the cases are not those of `catalogue`: those without a result are unknown */
    enum iw_exit exit;    /* CONFORMS: met; VIOLATIONS: not met; UNJUDGED: something is missing */
};

/* Grades the run by the level of the policy. `catalogue` is that of this program. */
void iw_grade_run(const struct iw_grade_policy *policy, const struct iw_outcome_run *run,
    const struct iw_catalogue *catalogue, struct iw_grade *grade);

/* Prints the verdict in a line, then the requirements that failed or are missing, and the claims that the
 * device does not make. */
void iw_grade_put(FILE *out, const struct iw_grade_policy *policy, const struct iw_outcome_run *run,
    const struct iw_grade *grade);

/* Returns a new JSON object {"type":"policy"} with the verdict, and the ids of the requirements that failed
 * or are missing. */
json_t *iw_grade_json(const struct iw_grade_policy *policy, const struct iw_grade *grade);

/* Returns a new JSON array of the ids of the requirements in this state. */
json_t *iw_grade_ids(const enum iw_grade_state states[IW_REQUIREMENT_COUNT], enum iw_grade_state state);
