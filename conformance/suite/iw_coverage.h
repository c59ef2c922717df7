#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "iw_requirement.h"
#include "iw_verdict.h"

/* What the cases of a run tested, by requirement: what was not tested must not look like a pass. */

struct iw_trial_result;

/* What is known about a requirement, from the strongest statement to the weakest. */
enum iw_coverage_state {
    IW_COVERAGE_FAILED,       /* the monitor found a violation, or the checks of a case about it failed */
    IW_COVERAGE_PASSED,       /* the checks of a case about it succeeded, and nothing shows a failure */
    IW_COVERAGE_INCONCLUSIVE, /* cases ran, but none shows how the device behaves */
    IW_COVERAGE_NOT_TESTED,   /* the suite had no means to run its cases */
    IW_COVERAGE_NOT_CLAIMED,  /* the device does not claim, or does not have, what its cases are about */
    IW_COVERAGE_ABSENT,       /* no case of the run is about it */
    IW_COVERAGE_COUNT,
};

enum { IW_COVERAGE_REASON_OCTETS = 96, IW_COVERAGE_ID_OCTETS = 101 };

struct iw_coverage {
    unsigned cases[IW_VERDICT_COUNT]; /* cases with each verdict; a case that is repeated counts once */
    /* What the run selected, whether or not a case has a result yet; all 0 if that is not known. */
    bool selected[IW_REQUIREMENT_COUNT];                      /* selected cases are about this requirement */
    unsigned selected_cases;                                  /* of this shard */
    unsigned available_cases;                                 /* of the suite */
    unsigned of[IW_REQUIREMENT_COUNT][IW_VERDICT_COUNT];      /* results of cases about each requirement */
    unsigned findings[IW_REQUIREMENT_COUNT];                  /* about the device, in any case */
    unsigned unfailed[IW_REQUIREMENT_COUNT];                  /* cases failed, but not by their own checks */
    char failed[IW_REQUIREMENT_COUNT][IW_COVERAGE_ID_OCTETS]; /* the first case that shows a failure, or "" */
    /* Why its first such case was not tested or is not applicable; "": there is no such case. */
    char reason[IW_REQUIREMENT_COUNT][IW_COVERAGE_REASON_OCTETS];
};

/* The result of a case. A case fails by its own checks, which are about its requirements; or only by what the
 * monitor found, which may be about any requirement. */
struct iw_coverage_result {
    const char *id;
    const struct iw_requirement *const *requirements; /* NULL among them: unknown */
    size_t count;
    enum iw_verdict verdict; /* of its checks, if it has one of theirs (struct iw_trial_checks) */
    bool checks_failed;      /* its own checks failed, or the device crashed */
    bool should;             /* what failed is a SHOULD: this says nothing about a MUST */
    unsigned repeat;         /* number of the repeat, or 0 */
    const char *reason;      /* why it was not tested or is not applicable */
};

void iw_coverage_add(struct iw_coverage *coverage, const struct iw_coverage_result *result);

/* Adds the result of a case that has just run, and its findings. */
void iw_coverage_add_trial(struct iw_coverage *coverage, const struct iw_trial_result *trial);

/* Returns whether this object of type "case" of results.jsonl says that the checks of the case itself failed,
 * or that the device crashed. */
bool iw_coverage_checks_failed(const json_t *object);

/* Adds a finding about the device in the case `id`. */
void iw_coverage_add_finding(
    struct iw_coverage *coverage, const struct iw_requirement *requirement, const char *id);

/* Adds an object of type "case" or "finding" of results.jsonl; ignores other objects. The file may be from an
 * untrusted source. */
void iw_coverage_take(struct iw_coverage *coverage, const json_t *object);

/* Returns the number of selected cases without a result. */
unsigned iw_coverage_not_run(const struct iw_coverage *coverage);

/* Returns why the requirement is not tested or not claimed; "" if it is neither, or if the reason is unknown.
 */
const char *iw_coverage_reason(const struct iw_coverage *coverage, const struct iw_requirement *requirement);

/* Name for people and programs, such as "not tested". */
const char *iw_coverage_state_name(enum iw_coverage_state state);

enum iw_coverage_state iw_coverage_state(
    const struct iw_coverage *coverage, const struct iw_requirement *requirement);

/* Returns whether a case about the requirement that applies has not shown how the device behaves. */
bool iw_coverage_lacks_case(const struct iw_coverage *coverage, const struct iw_requirement *requirement);

/* Counts the requirements with each state. */
void iw_coverage_count(const struct iw_coverage *coverage, unsigned counts[IW_COVERAGE_COUNT]);

/* Prints "requirements: 131 of 229 tested, 131 pass; cases: 116 of 1063 that apply tested". The requirements
 * are those that selected cases are about, without those that the device does not claim. Adds "; 9 of 1237
 * cases selected" if the run left out others. */
void iw_coverage_print(FILE *out, const struct iw_coverage *coverage);

/* Prints the number of requirements with each state; of those not tested or not claimed, for each reason. */
void iw_coverage_print_states(FILE *out, const struct iw_coverage *coverage);

/* Returns a new JSON object {"type":"coverage"} with these numbers. */
json_t *iw_coverage_json(const struct iw_coverage *coverage);

/* Returns a new JSON object {"type":"requirement"} with state, number of results and reason. */
json_t *iw_coverage_requirement_json(
    const struct iw_coverage *coverage, const struct iw_requirement *requirement);
