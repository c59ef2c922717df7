#include "iw_trial_command.h"

#include <stdio.h>

void iw_trial_command_end(struct iw_trial_command *run) {
    iw_timer_stop(&run->timer);
    iw_command_free(run->command);
    run->command = NULL;
}

static void trial_command_ended(void *user, enum iw_command_end end, const char *text) {
    struct iw_trial_command *run = user;

    iw_timer_stop(&run->timer);
    run->ended(run->user, end == IW_COMMAND_SUCCEEDED, text);
}

static void trial_command_timed_out(void *user) {
    struct iw_trial_command *run = user;
    char text[IW_COMMAND_TEXT_OCTETS];

    snprintf(text, sizeof text, "timeout after %d s", run->limit_s);
    run->ended(run->user, false, text);
}

void iw_trial_command_run(struct iw_trial_command *run, struct iw_loop *loop, const char *command,
    int limit_s, void (*ended)(void *user, bool good, const char *text), void *user) {
    char text[IW_COMMAND_TEXT_OCTETS];

    iw_trial_command_end(run);
    run->limit_s = limit_s;
    run->ended = ended;
    run->user = user;
    run->command = iw_command_new(loop, command, trial_command_ended, run, text);
    if (run->command)
        iw_timer_start(
            &run->timer, loop, (uint64_t)limit_s * UINT64_C(1000000), trial_command_timed_out, run);
    else
        ended(user, false, text);
}
