#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "iw_verdict.h"

/* Cases grouped by verdict and reason, each reason with its number of cases, in order of first appearance: a
 * thousand cases may not apply, or not be tested, for one reason. */

struct iw_reasons {
    struct iw_reason {
        char *text;
        enum iw_verdict verdict;
        unsigned cases;
        const char *first; /* id of the first case; the caller's */
    } * list;
    size_t count;
};

/* Counts a case with this reason. Returns false, and counts nothing, if memory runs out. */
bool iw_reasons_add(struct iw_reasons *reasons, enum iw_verdict verdict, const char *text, const char *id);

/* Prints the reasons of cases that are not applicable or not tested, one line for each reason: "untested  3
 * cases: needs an agent on the device (--agent)". */
void iw_reasons_print(FILE *out, const struct iw_reasons *reasons);

void iw_reasons_dispose(struct iw_reasons *reasons);
