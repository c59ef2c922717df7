#ifndef IW_REASONS_H
#define IW_REASONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Why cases do not apply: each reason once, with how many cases have it, in the order in which they came. A
 * device without an agent beside it has a thousand cases of one reason. */

struct iw_reasons {
    struct iw_reason {
        char *text;
        unsigned cases;
    } * list;
    size_t count;
};

/* One case more. False without memory: it is not counted then. */
bool iw_reasons_add(struct iw_reasons *reasons, const char *text);

/* A line for each: "n/a       3 cases: needs an agent beside the device". */
void iw_reasons_print(FILE *out, const struct iw_reasons *reasons);

void iw_reasons_dispose(struct iw_reasons *reasons);

#endif
