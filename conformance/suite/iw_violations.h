#ifndef IW_VIOLATIONS_H
#define IW_VIOLATIONS_H

#include <stdio.h>

#include "iw_requirement.h"
#include "iw_trial_result.h"

/* What the device was seen to violate in all cases of a run, by requirement: what hundreds of failures have
 * in common, most of which are about something else. */

struct iw_violations {
    struct iw_violation {
        unsigned cases;
        const struct iw_case *first; /* that showed it; borrowed */
        uint64_t frame;              /* of its capture; 0: none */
    } of[IW_REQUIREMENT_COUNT];
};

/* Each requirement counts once for a case. */
void iw_violations_add(struct iw_violations *violations, const struct iw_trial_result *result);

/* Those with the most cases first, ten of them, a line each; nothing without any. */
void iw_violations_print(FILE *out, const struct iw_violations *violations);

#endif
