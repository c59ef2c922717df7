#ifndef IW_DIAGNOSTICS_H
#define IW_DIAGNOSTICS_H

#include <stdbool.h>
#include <stdio.h>

#include "iw_text.h"

/* Collects error lines about files, then prints them on stderr, each after "warpcheck: ". */

struct iw_diagnostics {
    FILE *out; /* NULL: memory ran out, which is reported */
    struct iw_text text;
};

void iw_diagnostics_open(struct iw_diagnostics *diagnostics);

/* Prints the lines and closes. Returns false if memory ran out. */
bool iw_diagnostics_tell(struct iw_diagnostics *diagnostics);

#endif
