#ifndef IW_TRIAL_H
#define IW_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_loop.h"
#include "iw_run.h"

/* One run of a case against a device, on its own connections, monitored and recorded. */

struct iw_trial;

/* The path of the log that belongs to a capture: ID.log for ID.pcapng. */
void iw_trial_log_path(const char *capture, char *log, size_t octets);

struct iw_trial_config {
    const struct iw_case *one;
    struct iw_loop *loop;
    const struct iw_run_config *run; /* of the device */
    bool healthy;        /* run->health has succeeded since the last case: not run before this one */
    uint64_t startup_us; /* see iw_timeouts_of */
    const char *capture; /* path of the capture to write; NULL: no capture */
    /* The trial has ended, and is freed afterwards. Called from the loop. */
    void (*done)(void *user, const struct iw_trial_result *result);
    void *user;
};

/* Starts the trial. Returns NULL, without a callback, if out of memory; other failures are a result.
 * `config` is copied; its pointers are borrowed. */
struct iw_trial *iw_trial_start(const struct iw_trial_config *config);

/* Call when the loop is idle: ends a trial that waits for an event that cannot occur. */
void iw_trial_stall(struct iw_trial *trial);

/* Interrupts the trial: it becomes inconclusive, unless its script has ended already. */
void iw_trial_interrupt(struct iw_trial *trial);

#endif
