#ifndef IW_COMPLAINTS_H
#define IW_COMPLAINTS_H

#include <stdbool.h>
#include <stdio.h>

#include "iw_text.h"

/* Lines about what is wrong with files, gathered to be told on stderr, "warpcheck: " before each. */

struct iw_complaints {
    FILE *out; /* NULL: no memory, which is told */
    struct iw_text text;
};

void iw_complaints_open(struct iw_complaints *complaints);

/* Tells them and ends. False if there was no memory for them. */
bool iw_complaints_tell(struct iw_complaints *complaints);

#endif
