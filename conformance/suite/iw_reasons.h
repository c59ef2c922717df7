#ifndef IW_REASONS_H
#define IW_REASONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Why cases do not apply: each distinct reason with its number of cases, in order of appearance. Without
 * an agent, a thousand cases have the same reason. */

struct iw_reasons {
    struct iw_reason {
        char *text;
        unsigned cases;
    } * list;
    size_t count;
};

/* Counts one case. Returns false if memory runs out: the case is then not counted. */
bool iw_reasons_add(struct iw_reasons *reasons, const char *text);

/* Prints a line for each: "n/a       3 cases: needs an agent on the device (--agent)". */
void iw_reasons_print(FILE *out, const struct iw_reasons *reasons);

void iw_reasons_dispose(struct iw_reasons *reasons);

#endif
