#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "iw_case.h"
#include "iw_claim.h"
#include "iw_console.h"
#include "iw_dut_names.h"
#include "iw_monitor.h"
#include "iw_result.h"
#include "iw_sent_summary.h"
#include "iw_verdict.h"

/* The result of a trial: what the device did, and the verdict from the script and from the findings of the
 * monitor. The close of the connection has its own verdict. */

enum { IW_TRIAL_FINDINGS_MAX = 16 };

enum iw_trial_end {
    IW_TRIAL_FINISHED,
    IW_TRIAL_UNFINISHED, /* ended for an outside reason; --resume runs the case again */
    IW_TRIAL_UNREACHED,  /* like UNFINISHED; device or agent unreachable, or a command failed */
    IW_TRIAL_BROKEN,     /* like UNFINISHED; capture or log cannot be written, so the run ends */
};

/* Why the case did not pass. */
struct iw_trial_reason {
    char message[512];
    char expected[512];
    char actual[512];
    char script[128]; /* file and line of the failure in the script */
    int line;
    char step[128];
    bool reaction; /* of a case of tier relay: the reaction of the device is wrong, whatever was found */
};

/* What became of the checks of a case without a verdict on the device (not applicable, not tested,
 * inconclusive), if a finding gives it one: the finding says nothing about the requirements of the case. */
struct iw_trial_checks {
    enum iw_verdict verdict; /* PASS: nothing; the verdict of the case is that of its checks */
    char message[512];
};

/* How the device closed the connection. */
struct iw_trial_close {
    enum iw_close_verdict verdict;
    char how[32];                         /* such as "terminate+fin", "rst" or "open"; "": no connection */
    char terminate[IW_ERROR_TEXT_OCTETS]; /* error in its Terminate, such as "2/0/02"; "": none */
    char outstanding[512];                /* requests without a response at the close, or "" */
};

/* The state of the device, from its console and the command of --health. */
struct iw_trial_device {
    char crash_before[IW_CONSOLE_LINE_OCTETS]; /* console line of a crash before this case, or "" */
    char crash[IW_CONSOLE_LINE_OCTETS];        /* console line of a crash during this case, or "" */
    char unresponsive[256]; /* result of the health command if it failed after the case, or "" */
    bool healthy;           /* the health command succeeded after the case */
    bool not_ready; /* the command of --before, or --health before the case, failed: no case was run */
};

/* The findings about the device. If there are too many to keep, the severest are kept. */
struct iw_trial_findings {
    uint64_t counts[IW_SEVERITY_ERROR + 1]; /* number of all findings, by severity */
    struct iw_finding kept[IW_TRIAL_FINDINGS_MAX];
    unsigned connections[IW_TRIAL_FINDINGS_MAX]; /* connection of each kept finding, from 1 */
    unsigned kept_count;
    uint64_t answered; /* number of the finding that the suite has answered with a Terminate; 0: none */
    uint64_t cut;      /* number of the finding that the device closed its stream within an FPDU; 0: none */
    uint64_t follows;  /* number of the finding from which the failure of the checks follows; 0: none */
};

/* What --evidence-limit has left out. */
struct iw_trial_evidence {
    uint64_t shortened; /* frames of which only the headers are in the capture */
    uint64_t missing;   /* last frames, which are not in the capture */
    uint64_t left_out;  /* steps and events that are not in the log */
};

enum { IW_TRIAL_EVIDENCE_OCTETS = 160 };

/* Writes what was left out, for people; "" if nothing. */
void iw_trial_evidence_words(const struct iw_trial_evidence *evidence, char *text, size_t octets);

struct iw_trial_result {
    const struct iw_case *one;
    unsigned repeat; /* from 1; 0: no repeats */
    enum iw_trial_end end;
    enum iw_verdict verdict;
    enum iw_severity severity; /* severity of the case, or of the finding or crash that decided the verdict */
    struct iw_trial_reason reason;
    struct iw_trial_checks checks;
    struct iw_trial_close close;
    struct iw_trial_device device;
    char capture[512]; /* path, or "" */
    struct iw_trial_evidence evidence;
    struct iw_dut_names names;   /* from the hello of the agent */
    struct iw_sent_summary sent; /* messages that the device sent */
    bool no_agent;               /* UNREACHED because the agent gave no session */
    bool no_command;             /* UNREACHED because the command of --initiator cannot be run */
    uint64_t duration_ms;
    uint64_t startup_us;  /* longest time until a Reply of the device; 0: no Reply */
    unsigned connections; /* number of the last connection that had an event */
    struct iw_trial_findings findings;
    struct iw_contradictions contradictions;
};

/* Returns the number of the finding that ended the stream: the suite answered it with a Terminate, or the
 * device closed within an FPDU; 0: none did, or there were several connections, of which another may have
 * ended. */
uint64_t iw_trial_result_stream_end(const struct iw_trial_result *result);

/* Adds an event from the monitor of the connection. own[side] is true if the suite plays that side. */
void iw_trial_result_event(struct iw_trial_result *result, unsigned connection, const bool own[2],
    const struct iw_monitor_event *event);

/* Sets the verdict and the message of its reason, truncated to the buffer. */
void iw_trial_result_set(struct iw_trial_result *result, enum iw_verdict verdict, const char *message);

struct iw_verdict_rules {
    bool foreign; /* not the embedded peer: an unreachable device is inconclusive */
    bool strict;  /* a failed SHOULD gives verdict fail instead of warning */
    bool lossy;   /* the network loses or reorders packets: a RST, or that nothing arrived, proves nothing */
};

/* Returns the verdict of a case that fails something of this severity. */
enum iw_verdict iw_trial_result_failure_verdict(
    const struct iw_verdict_rules *rules, enum iw_severity severity);

/* Sets the end, the verdict and the reason from the outcome of the script. */
void iw_trial_result_script(struct iw_trial_result *result, const struct iw_verdict_rules *rules,
    const struct iw_scenario_result *script);

/* Call after iw_trial_result_script and the last event. Findings can worsen the verdict, also of a case whose
 * script gave none on the device; judges the close. */
void iw_trial_result_judge(struct iw_trial_result *result, const struct iw_verdict_rules *rules);

/* Call last. If the device crashed or is unresponsive, the verdict becomes fail, unless it is error. */
void iw_trial_result_judge_device(struct iw_trial_result *result);
