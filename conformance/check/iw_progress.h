#ifndef IW_PROGRESS_H
#define IW_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* How far a long reading is, as one line on a terminal that is written over again and again. */

struct iw_progress {
    FILE *out;         /* the terminal; NULL: nobody is to be told */
    const char *what;  /* is being read */
    uint64_t total;    /* octets of it; 0 if that is not known */
    uint64_t shown_ns; /* when it was last shown */
    bool visible;
};

/* Shows it, five times a second at the most; `now_ns` is any clock that never goes back. */
void iw_progress_show(struct iw_progress *progress, uint64_t frames, uint64_t octets, uint64_t now_ns);

/* Takes the line away, for others to write. */
void iw_progress_clear(struct iw_progress *progress);

#endif
