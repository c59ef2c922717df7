#ifndef IW_VIOLATIONS_H
#define IW_VIOLATIONS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_requirement.h"
#include "iw_trial_result.h"

/* The requirements that the device violated in the cases of a run. Hundreds of failed cases can share
 * one violation, although most test something else. Only findings kept in the result of a case count. */

enum { IW_VIOLATION_ID_OCTETS = 128 };

struct iw_violations {
    unsigned cases; /* number of cases added so far, each repeat separately */
    struct iw_violation {
        unsigned cases;                     /* number of cases that showed it */
        unsigned frames;                    /* frames of their captures that show it */
        char first[IW_VIOLATION_ID_OCTETS]; /* id of the first case that showed it */
        uint64_t frame;      /* first frame that shows it, in the capture of that case; 0: no capture */
        unsigned last_case;  /* number of the last case counted for it, from 1 */
        uint64_t last_frame; /* last frame counted in that case */
    } of[IW_REQUIREMENT_COUNT];
};

/* Adds the findings of a case. Each requirement counts once for a case. */
void iw_violations_add(struct iw_violations *violations, const struct iw_trial_result *result);

/* Adds the findings of a case from results.jsonl, one object per call: an object of type "case", then each
 * "finding" object that follows it. Ignores other objects. The file may be from any source. */
void iw_violations_take(struct iw_violations *violations, const json_t *object);

/* Writes the violated requirements to `order`, those with the most cases first, and returns their
 * number. */
size_t iw_violations_order(
    const struct iw_violations *violations, const struct iw_requirement *order[IW_REQUIREMENT_COUNT]);

/* The counts of that requirement. */
const struct iw_violation *iw_violations_of(
    const struct iw_violations *violations, const struct iw_requirement *requirement);

/* Prints at most the first ten, two lines each. */
void iw_violations_print(FILE *out, const struct iw_violations *violations);

/* A new object {"type":"violation"} for the requirement. */
json_t *iw_violations_json(const struct iw_violations *violations, const struct iw_requirement *requirement);

#endif
