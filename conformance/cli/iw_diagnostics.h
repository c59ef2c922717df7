#ifndef IW_DIAGNOSTICS_H
#define IW_DIAGNOSTICS_H

#include <stdbool.h>
#include <stdio.h>

#include "iw_text.h"

/* Lines about what is wrong with files, gathered to be told on stderr, "warpcheck: " before each. */

struct iw_diagnostics {
    FILE *out; /* NULL: no memory, which is told */
    struct iw_text text;
};

void iw_diagnostics_open(struct iw_diagnostics *diagnostics);

/* Tells them and ends. False if there was no memory for them. */
bool iw_diagnostics_tell(struct iw_diagnostics *diagnostics);

#endif
