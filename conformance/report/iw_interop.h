#pragma once

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "iw_grade.h"

/* Interoperation by a policy: does each device conform with enough partners? The runs are named A/B, after
 * initiator A and responder B. All forms of report show this one computation. */

/* All runs between a device and one other. */
struct iw_interop_partner {
    char *name;
    unsigned runs;
    enum iw_exit exit; /* of all these runs */
    /* By requirement, in the run that shows the least: FAILED; MISSING: a case about it that applies did not
     * show how the pair behaves; MET; NOT_NEEDED: no case that applies is about it. */
    enum iw_grade_state states[IW_REQUIREMENT_COUNT];
};

struct iw_interop_device {
    char *name;
    struct iw_interop_partner *partners; /* in the order of the runs */
    size_t count;
    unsigned conforming; /* partners with which all runs conform */
    enum iw_exit exit;   /* CONFORMS: met; VIOLATIONS: not met; UNJUDGED: not shown */
};

struct iw_interop {
    const struct iw_grade_policy *policy;
    struct iw_interop_device *devices; /* in the order of the runs; of each, the initiator first */
    size_t count;
    enum iw_exit exit; /* of all devices; ENVIRONMENT: no run is named A/B */
};

/* Grades the devices of the runs by the partners that the policy needs. Returns false if memory runs out.
 * Clear `interop` in any case. */
bool iw_interop_init(struct iw_interop *interop, const struct iw_grade_policy *policy,
    const struct iw_outcome_run *runs, size_t count);
void iw_interop_clear(struct iw_interop *interop);

/* Returns what the runs with the partner show: "conforms", "fails" or "not judged". */
const char *iw_interop_partner_verdict(const struct iw_interop_partner *partner);

/* Why no device is graded: no run is named A/B. */
extern const char iw_interop_no_pairs[];

/* Prints each device in a line, then its partners; for each the requirements that failed or are missing. */
void iw_interop_put(FILE *out, const struct iw_interop *interop);

/* Returns a new JSON object {"type":"interop"} of the device; without a device, of NULL, the reason. */
json_t *iw_interop_json(const struct iw_interop *interop, const struct iw_interop_device *device);
