#ifndef IW_VIOLATIONS_H
#define IW_VIOLATIONS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_requirement.h"
#include "iw_trial_result.h"

/* The requirements that the device violated in all cases of a run. Hundreds of failed cases can share one
 * violation, though most test something else. Of each case, only the findings that its result kept count. */

enum { IW_VIOLATION_ID_OCTETS = 128 };

struct iw_violations {
    unsigned cases; /* that were added, each repeat for itself */
    struct iw_violation {
        unsigned cases;                     /* that showed it; 0: none */
        unsigned frames;                    /* of their captures, in which it ended */
        char first[IW_VIOLATION_ID_OCTETS]; /* id of the case that showed it first, */
        uint64_t frame;                     /* and where in its capture; 0: it has none */
        unsigned last_case;                 /* number of the case that it was counted for last, from 1, */
        uint64_t last_frame;                /* and the frame */
    } of[IW_REQUIREMENT_COUNT];
};

/* Each requirement counts once for a case. */
void iw_violations_add(struct iw_violations *violations, const struct iw_trial_result *result);

/* The same of a run that has been written down: takes a line of its results.jsonl, of which those of type
 * "case" count, and the "finding"s behind each. They may be anybody's. */
void iw_violations_take(struct iw_violations *violations, const json_t *object);

/* Puts the requirements that were violated into `order`, those with the most cases first, and gives how many
 * there are. */
size_t iw_violations_order(
    const struct iw_violations *violations, const struct iw_requirement *order[IW_REQUIREMENT_COUNT]);

const struct iw_violation *iw_violations_of(
    const struct iw_violations *violations, const struct iw_requirement *requirement);

/* The first ten of them, two lines each; nothing without any. */
void iw_violations_print(FILE *out, const struct iw_violations *violations);

/* {"type":"violation"}: one line for each, a new object. */
json_t *iw_violations_json(const struct iw_violations *violations, const struct iw_requirement *requirement);

#endif
