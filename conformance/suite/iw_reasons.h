#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "iw_verdict.h"

/* The reasons why cases do not apply or are not tested, each with its number of cases, in order of first
 * appearance. A reason is printed once, because a thousand cases can have the same one. */

struct iw_reasons {
    struct iw_reason {
        char *text;
        enum iw_verdict verdict; /* NOT_APPLICABLE or NOT_TESTED */
        unsigned cases;
    } * list;
    size_t count;
};

/* Counts a case with this reason. Returns false, and counts nothing, if memory runs out. */
bool iw_reasons_add(struct iw_reasons *reasons, enum iw_verdict verdict, const char *text);

/* Prints one line for each reason: "untested  3 cases: needs an agent on the device (--agent)". */
void iw_reasons_print(FILE *out, const struct iw_reasons *reasons);

void iw_reasons_dispose(struct iw_reasons *reasons);
