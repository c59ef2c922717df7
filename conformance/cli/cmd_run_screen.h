#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What `warpcheck run` shows only on a terminal: colours on stdout, and a progress line on stderr. */

struct cmd_run_screen {
    bool coloured;    /* stdout is a terminal, and NO_COLOR is not set */
    bool shows;       /* stderr is a terminal */
    bool visible;     /* the progress line is on the screen */
    uint64_t total;   /* cases and repeats of the run; 0: unknown */
    uint64_t done;    /* results so far, with those of the run that this one resumes */
    uint64_t resumed; /* results of that run */
    uint64_t failed;
    uint64_t begun_ms; /* time of the start, and of the last update */
    uint64_t shown_ms;
};

/* Looks at the terminal and the environment (NO_COLOR, TERM). */
void cmd_run_screen_init(struct cmd_run_screen *screen);

/* Begins the progress line: `total` results are expected (0: unknown), of which `resumed` exist. */
void cmd_run_screen_begin(struct cmd_run_screen *screen, uint64_t total, uint64_t resumed);

/* Counts a result, and updates the line, at most five times a second. */
void cmd_run_screen_count(struct cmd_run_screen *screen, bool failed);

/* Erases the line. Call it before other output. */
void cmd_run_screen_clear(struct cmd_run_screen *screen);
