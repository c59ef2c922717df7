#pragma once

#include "iw_command.h"

/* A command of --before or --health, with a time limit. A zeroed struct is one that does not run. */

struct iw_trial_command {
    struct iw_command *command; /* NULL: none runs */
    struct iw_timer timer;
    int limit_s;
    void (*ended)(void *user, bool good, const char *text);
    void *user;
};

/* Runs the command, after ending another one. Calls `ended` from the loop at its end, or after `limit_s`
 * seconds; at once if it cannot start. `good`: its exit code is 0; otherwise `text` is one line. */
void iw_trial_command_run(struct iw_trial_command *run, struct iw_loop *loop, const char *command,
    int limit_s, void (*ended)(void *user, bool good, const char *text), void *user);

/* Ends the command if it still runs (iw_command_free), and calls nothing. */
void iw_trial_command_end(struct iw_trial_command *run);
