#ifndef IW_TRIAL_H
#define IW_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_case.h"
#include "iw_claim.h"
#include "iw_defect.h"
#include "iw_dut.h"
#include "iw_loop.h"
#include "iw_trial_result.h"

/* One case run once against a device, over connections of its own, watched by the monitor and recorded. */

struct iw_trial;

/* The log stands beside the capture: ID.log beside ID.pcapng. */
void iw_trial_log_path(const char *capture, char *log, size_t octets);

struct iw_trial_config {
    const struct iw_case *one;
    struct iw_loop *loop;
    const char *host; /* of the device under test; NULL: use the embedded reference */
    uint16_t port;
    struct iw_sctp_where sctp;            /* where the foreign device takes associations, or host NULL */
    const struct iw_dut_agent *agent;     /* beside the foreign device, or NULL */
    const struct iw_dut_starter *starter; /* makes that connect, or NULL */
    const char *before;                   /* a command for sh, at whose end the case begins, or NULL */
    struct iw_claims claims;              /* of the device */
    const struct iw_defect *defect;       /* of the embedded reference, or NULL */
    uint64_t startup_us;                  /* as iw_timeouts_of takes it */
    bool strict;                          /* a warning is a failure */
    const char *capture;                  /* path of the capture to be written, or NULL: none */
    /* It is over. Called from the loop; the trial is gone afterwards. */
    void (*done)(void *user, const struct iw_trial_result *result);
    void *user;
};

/* Starts it. NULL, with nothing to come, if there is no memory; other trouble is a result. `config` is
 * copied, what it points to borrowed. */
struct iw_trial *iw_trial_start(const struct iw_trial_config *config);

/* The loop has nothing left to do: the trial waits for what cannot come, and ends. */
void iw_trial_stall(struct iw_trial *trial);

/* Ends it as soon as its connections are closed: it is inconclusive. */
void iw_trial_interrupt(struct iw_trial *trial);

#endif
