#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_requirement.h"
#include "iw_trial_result.h"

/* Counts, over the cases of a run, how often the device violated each requirement: many failed cases can
 * share one violation. Only findings that the result of a case keeps are counted. */

enum { IW_VIOLATION_ID_OCTETS = 128 };

struct iw_violations {
    unsigned cases; /* number of results added so far, each repeat separately */
    struct iw_violation {
        unsigned cases;                     /* number of cases that show the violation */
        unsigned frames;                    /* number of frames in their captures that show it */
        char first[IW_VIOLATION_ID_OCTETS]; /* id of the first of these cases */
        uint64_t frame;                     /* first frame that shows it in that case; 0: no capture */
        unsigned last_case;                 /* value of the outer `cases` at the last counted case */
        uint64_t last_frame;                /* last counted frame of that case */
    } of[IW_REQUIREMENT_COUNT];
};

/* Adds the findings of a case. Counts each requirement once for the case. */
void iw_violations_add(struct iw_violations *violations, const struct iw_trial_result *result);

/* Adds one object of results.jsonl: pass each object of type "case", then the "finding" objects that follow
 * it. Ignores other objects. The file may be from an untrusted source. */
void iw_violations_take(struct iw_violations *violations, const json_t *object);

/* Sets order[] to the violated requirements, those with the most cases first. Returns their number. */
size_t iw_violations_order(
    const struct iw_violations *violations, const struct iw_requirement *order[IW_REQUIREMENT_COUNT]);

/* Returns the counts of the requirement. */
const struct iw_violation *iw_violations_of(
    const struct iw_violations *violations, const struct iw_requirement *requirement);

/* Prints the ten requirements with the most cases, two lines each. */
void iw_violations_print(FILE *out, const struct iw_violations *violations);

/* Returns a new JSON object {"type":"violation"} with the counts of the requirement. */
json_t *iw_violations_json(const struct iw_violations *violations, const struct iw_requirement *requirement);
