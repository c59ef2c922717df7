#ifndef IW_TRIAL_RESULT_H
#define IW_TRIAL_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_case.h"
#include "iw_claim.h"
#include "iw_console.h"
#include "iw_monitor.h"
#include "iw_result.h"
#include "iw_sent_summary.h"
#include "iw_verdict.h"

/* What the device did in a trial, and the verdict on it, by the script and by the findings of the monitor.
 * The close of the connection has a verdict of its own. */

enum { IW_TRIAL_FINDINGS_MAX = 16 };

enum iw_trial_end {
    IW_TRIAL_FINISHED,
    IW_TRIAL_UNFINISHED, /* for a reason outside of the case; inconclusive, to be rerun */
    IW_TRIAL_UNREACHED,  /* like UNFINISHED: no connection to the device or its agent, or a command before the
                            case failed */
};

/* Why the case did not pass. */
struct iw_trial_reason {
    char message[512];
    char expected[512];
    char actual[512];
    char script[128]; /* script file of the failure */
    int line;
    char step[128];
};

/* How the device closed the connection. */
struct iw_trial_close {
    enum iw_close_verdict verdict;
    char how[32];                         /* "terminate+fin", "rst", "open", ...; "" without a connection */
    char terminate[IW_ERROR_TEXT_OCTETS]; /* "2/0/02": the error in the device's Terminate, or "" */
    char outstanding[512];                /* requests without a response at the close, or "" */
};

/* The state of the device, by its console and by the command of --health. */
struct iw_trial_device {
    char crash_before[IW_CONSOLE_LINE_OCTETS]; /* console line of a crash since the preceding case, or "" */
    char crash[IW_CONSOLE_LINE_OCTETS];        /* console line of a crash since the case began, or "" */
    char unresponsive[256];                    /* how the health command failed after the case, or "" */
    bool healthy;                              /* the health command succeeded after the case */
};

/* Findings about the device. */
struct iw_trial_findings {
    uint64_t counts[IW_SEVERITY_ERROR + 1]; /* by severity */
    struct iw_finding kept[IW_TRIAL_FINDINGS_MAX];
    unsigned connections[IW_TRIAL_FINDINGS_MAX]; /* of each kept finding, from 1 */
    unsigned kept_count;
};

struct iw_trial_result {
    const struct iw_case *one;
    unsigned repeat; /* from 1; 0: no repeats */
    enum iw_trial_end end;
    enum iw_verdict verdict;
    enum iw_severity severity; /* of what decided the verdict: the case, or a finding */
    struct iw_trial_reason reason;
    struct iw_trial_close close;
    struct iw_trial_device device;
    char capture[512];           /* path, or "" */
    char agent[128];             /* the name that the agent reports, or "" */
    struct iw_sent_summary sent; /* messages that the device sent */
    uint64_t duration_ms;
    uint64_t startup_us; /* time until the device's Reply, the longest of several; 0: no Reply */
    struct iw_trial_findings findings;
    struct iw_contradictions contradictions;
};

/* Takes an event of the connection's monitor; `own` are the sides that the case plays. */
void iw_trial_result_event(struct iw_trial_result *result, unsigned connection, const bool own[2],
    const struct iw_monitor_event *event);

/* Sets the verdict and its reason, truncated to the buffer. */
void iw_trial_result_set(struct iw_trial_result *result, enum iw_verdict verdict, const char *message);

struct iw_verdict_rules {
    bool foreign; /* not the embedded peer; it may be unreachable for good reasons */
    bool strict;  /* a warning is a failure */
};

/* Sets the verdict and its reason by the outcome of the script. */
void iw_trial_result_script(struct iw_trial_result *result, const struct iw_verdict_rules *rules,
    const struct iw_scenario_result *script);

/* Call it after iw_trial_result_script, when the device can send nothing more. The findings of the monitor
 * may worsen the verdict. Also sets the verdict on the close. */
void iw_trial_result_judge(struct iw_trial_result *result, const struct iw_verdict_rules *rules);

/* Call it last: the case fails if the device crashed or became unresponsive, whatever the verdict was. */
void iw_trial_result_judge_device(struct iw_trial_result *result);

#endif
