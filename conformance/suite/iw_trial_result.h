#ifndef IW_TRIAL_RESULT_H
#define IW_TRIAL_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_case.h"
#include "iw_claim.h"
#include "iw_monitor.h"
#include "iw_result.h"
#include "iw_sent_summary.h"
#include "iw_verdict.h"

/* What the device did in a trial, and how it is judged by that: by the script, by what the monitor found, and
 * by the manner of the close. */

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
    char outstanding[512];                /* requests without a response when the connection closed, or "" */
    char message[256];                    /* why it is no pass */
    char expected[512];
    char actual[512];
    char script[128]; /* where in the script */
    int line;
    char step[128];
    char capture[512];           /* path, or "" */
    char agent[128];             /* what the agent calls itself, or "" */
    struct iw_sent_summary said; /* what the device has sent */
    uint64_t duration_ms;
    uint64_t
        startup_us; /* how long the device's Reply took, the longest if there were several; 0: none came */
    uint64_t findings[IW_SEVERITY_ERROR + 1]; /* about the device */
    struct iw_finding kept[IW_TRIAL_FINDINGS_MAX];
    unsigned kept_connection[IW_TRIAL_FINDINGS_MAX]; /* of each, from 1 */
    unsigned kept_count;
    struct iw_contradictions contradictions;
};

/* Takes what the monitor of the connection saw; `own` are the sides that the case itself plays. */
void iw_trial_result_event(struct iw_trial_result *result, unsigned connection, const bool own[2],
    const struct iw_monitor_event *event);

/* The verdict, and why; as much of the text as there is room for. */
void iw_trial_result_set(struct iw_trial_result *result, enum iw_verdict verdict, const char *message);

struct iw_trial_law {
    bool foreign; /* the device is not the embedded reference: that it is not there may have good reasons */
    bool strict;  /* a warning is a failure */
};

/* What the script came to. */
void iw_trial_result_script(
    struct iw_trial_result *result, const struct iw_trial_law *law, const struct iw_scenario_result *script);

/* After that, when nothing more comes from the device: the monitor may be less content than the script; and
 * the manner of the close. */
void iw_trial_result_judge(struct iw_trial_result *result, const struct iw_trial_law *law);

#endif
