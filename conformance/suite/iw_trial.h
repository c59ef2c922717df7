#ifndef IW_TRIAL_H
#define IW_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_case.h"
#include "iw_claim.h"
#include "iw_dut.h"
#include "iw_loop.h"
#include "iw_trial_result.h"

/* One run of a case against a device, on its own connections, monitored and recorded. */

struct iw_trial;

/* The path of the log that belongs to a capture: ID.log for ID.pcapng. */
void iw_trial_log_path(const char *capture, char *log, size_t octets);

struct iw_trial_config {
    const struct iw_case *one;
    struct iw_loop *loop;
    struct iw_dut_target target;
    struct iw_claims claims;    /* of the device */
    const char *before;         /* a command for sh that must end before the case starts; NULL: none */
    const char *health;         /* a command for sh that fails if the device is unhealthy; NULL: none */
    bool healthy;               /* that command has succeeded since the last case: not run before this one */
    struct iw_console *console; /* of the device; NULL: none */
    uint64_t startup_us;        /* see iw_timeouts_of */
    bool strict;                /* a warning is a failure */
    const char *capture;        /* path of the capture to write; NULL: no capture */
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
