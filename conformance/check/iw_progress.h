#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Shows the progress of a long read in one line of a terminal, updated in place. */

struct iw_progress {
    FILE *out;         /* the terminal; NULL: show nothing */
    const char *what;  /* name of the input */
    uint64_t total;    /* size of the input in octets; 0: unknown */
    uint64_t shown_ns; /* time of the last update */
    bool visible;
};

/* Updates the line, at most five times a second. `now_ns` is the time of any monotonic clock. */
void iw_progress_show(struct iw_progress *progress, uint64_t frames, uint64_t octets, uint64_t now_ns);

/* Erases the line. Call this function before other output. */
void iw_progress_clear(struct iw_progress *progress);
