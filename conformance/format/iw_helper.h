#pragma once

#include <stdbool.h>

#include <sys/types.h>

/* A process that does the last work on files for this one: when ordered to, or when this process ends in any
 * way. This process can then give up the right to do it itself (iw_confine). */
struct iw_helper {
    pid_t process; /* 0: none */
    int orders;    /* to the helper, and its answer */
};

/* Starts the process. It calls `work` once, with the argument of iw_helper_order, or with false if this
 * process has ended; `work` returns 0, or an errno. Call it before any other thread exists. Returns 0, or an
 * errno. */
int iw_helper_start(struct iw_helper *helper, int (*work)(void *user, bool complete), void *user);

/* Lets the helper work, and waits for its end. Returns what `work` returned; EPIPE if the helper was
 * killed. */
int iw_helper_order(struct iw_helper *helper, bool complete);
