#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "iw_loop.h"
#include "iw_run.h"

/* A trial: one run of a case against a device, on its own connections, monitored and recorded. */

struct iw_trial;

/* Writes the path of the log of a capture: ID.log for ID.pcapng. */
void iw_trial_log_path(const char *capture, char *log, size_t octets);

struct iw_trial_config {
    const struct iw_case *one;
    struct iw_loop *loop;
    const struct iw_run_config *run; /* the settings of the run */
    bool healthy;        /* run->health has succeeded after the last case, so it is not run before this one */
    uint64_t startup_us; /* recent time of the device to answer a Request (iw_timeouts.h) */
    const char *capture; /* path of the capture to write; NULL: no capture */
    /* Called when the trial has ended; afterwards the trial is freed. */
    void (*done)(void *user, const struct iw_trial_result *result);
    void *user;
};

/* Starts the trial. Returns NULL, and does not call `done`, if memory runs out; any other failure is a
 * result. `config` is copied; its pointers are borrowed. */
struct iw_trial *iw_trial_start(const struct iw_trial_config *config);

/* Call when the loop has nothing left to do: the trial waits for an event that cannot occur, and ends. */
void iw_trial_stall(struct iw_trial *trial);

/* Ends the trial as inconclusive, unless its script has ended already. */
void iw_trial_interrupt(struct iw_trial *trial);
