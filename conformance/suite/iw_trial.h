#ifndef IW_TRIAL_H
#define IW_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_case.h"
#include "iw_claim.h"
#include "iw_defect.h"
#include "iw_dut.h"
#include "iw_loop.h"
#include "iw_monitor.h"
#include "iw_tally.h"

/* One case run once against a device, over connections of its own, watched by the monitor and recorded. */

enum iw_verdict {
    IW_VERDICT_PASS,
    IW_VERDICT_FAIL,
    IW_VERDICT_WARNING,        /* what the device fails is a SHOULD, and the run is not strict */
    IW_VERDICT_NOTE,           /* what it fails is a MAY */
    IW_VERDICT_INCONCLUSIVE,   /* it could not be seen whether the device conforms */
    IW_VERDICT_NOT_APPLICABLE, /* the device does not claim what the case needs, or cannot be asked for it */
    IW_VERDICT_ERROR,          /* the suite's own fault, or the environment's */
};

const char *iw_verdict_name(enum iw_verdict verdict);             /* "not applicable" */
bool iw_verdict_find(const char *name, enum iw_verdict *verdict); /* by that; false if there is none */
const char *iw_verdict_key(enum iw_verdict verdict);              /* for programs: "not_applicable" */

/* Whether the device ended the connection in one of the ways the case takes. */
enum iw_close_verdict {
    IW_CLOSE_NOT_JUDGED, /* the case says nothing of it */
    IW_CLOSE_RIGHT,      /* the best way */
    IW_CLOSE_TOLERATED,  /* another that is allowed */
    IW_CLOSE_WRONG,
};

const char *iw_close_verdict_name(enum iw_close_verdict verdict); /* "tolerated" */

enum { IW_TRIAL_FINDINGS_MAX = 16 };

struct iw_trial_result {
    const struct iw_case *one;
    enum iw_verdict verdict;
    enum iw_severity severity; /* of what the verdict is about: the case or, if that made it, the finding */
    unsigned repeat;           /* from 1; 0: the run has no repeats */
    bool unfinished;           /* for a reason outside of the case; it is inconclusive, and to be run again */
    bool unreached;            /* no connection to the device, or its agent, could be had */
    enum iw_close_verdict close_verdict;
    char close[32];                       /* "terminate+fin", "rst", "open", ...; "" without a connection */
    char terminate[IW_ERROR_TEXT_OCTETS]; /* "2/0/02": the Terminate that the device sent, or "" */
    char message[256];                    /* why it is no pass */
    char expected[512];
    char actual[512];
    char script[128]; /* where in the script */
    int line;
    char step[128];
    char capture[512];    /* path, or "" */
    char agent[128];      /* what the agent calls itself, or "" */
    struct iw_tally said; /* what the device has sent */
    uint64_t duration_ms;
    uint64_t
        startup_us; /* how long the device's Reply took, the longest if there were several; 0: none came */
    uint64_t findings[IW_SEVERITY_ERROR + 1]; /* about the device */
    struct iw_finding kept[IW_TRIAL_FINDINGS_MAX];
    unsigned kept_connection[IW_TRIAL_FINDINGS_MAX]; /* of each, from 1 */
    unsigned kept_count;
    struct iw_contradictions contradictions;
};

struct iw_trial;

/* The log stands beside the capture: ID.log beside ID.pcapng. */
void iw_trial_log_path(const char *capture, char *log, size_t octets);

struct iw_trial_config {
    const struct iw_case *one;
    struct iw_loop *loop;
    const char *host; /* of a foreign device, or NULL: the embedded reference */
    uint16_t port;
    const struct iw_dut_agent *agent;     /* beside the foreign device, or NULL */
    const struct iw_dut_starter *starter; /* makes that connect, or NULL */
    const char *before;                   /* a command for sh, at whose end the case begins, or NULL */
    const struct iw_profile *profile;     /* what the device claims, or NULL: everything */
    struct iw_claims claims;
    const struct iw_defect *defect; /* of the embedded reference, or NULL */
    uint64_t startup_us;            /* as iw_patience_of takes it */
    bool strict;                    /* a warning is a failure */
    const char *capture;            /* path of the capture to be written, or NULL: none */
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
