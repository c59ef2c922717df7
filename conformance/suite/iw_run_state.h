#pragma once

#include <sys/queue.h>

#include "iw_order.h"
#include "iw_run.h"
#include "iw_trial.h"

/* The state of a run. */

enum { RUN_CLAIMS_MAX = 32 };

/* A case that is running, or has finished and is not reported yet: results are reported in order. */
struct run_slot {
    const struct iw_case *one;
    unsigned repeat;
    bool over;
    struct iw_trial_result result; /* valid when `over`; before, only `capture` is set */
    STAILQ_ENTRY(run_slot) others;
};

/* A running trial. */
struct run_trial {
    struct run *run;
    struct iw_trial *trial;
    struct run_slot *slots[IW_TRIAL_CASES_MAX]; /* of its cases */
    size_t count;                               /* 0: the measure of the way */
    TAILQ_ENTRY(run_trial) others;
};

struct run {
    const struct iw_run_config *config;
    struct iw_run_counts *counts;
    struct iw_loop *loop;
    struct iw_order order;
    STAILQ_HEAD(run_slots, run_slot) slots;   /* in the order of their start */
    TAILQ_HEAD(run_trials, run_trial) trials; /* in the order of their start */
    unsigned running;                         /* trials */
    bool begun;                               /* the first result has been reported */
    bool stopped;                             /* start no more cases */
    bool over;                                /* all cases have ended, and the device was reached */
    bool reached;                             /* a connection to the device succeeded */
    bool unreachable;                         /* the first cases could not connect, so the run ends */
    bool no_memory;
    bool crashed;                 /* the device has failed in a case: the lack of an agent is its fault */
    uint64_t begun_ms;            /* time of the start; real time, even with a virtual loop */
    char unreachable_reason[600]; /* why the device is unreachable */
    char broken[512];             /* why the run is broken, or "" */
    uint64_t startup_us;          /* recent time until the Reply of the device */
    struct iw_dut_names names;    /* from the hello of the agent */
    const char *contradicted[RUN_CLAIMS_MAX]; /* claims with a reported contradiction */
    const struct iw_case *last;               /* the last case that ran; NULL: none yet */
    bool healthy;                             /* the health command succeeded after the last trial */
    bool failed; /* the device crashed or became unresponsive in the last trial, or was not ready for it */
    /* Consecutive trials that could not connect; after 3, no more cases are run. */
    unsigned unreached;
};

/* Starts no more cases, and interrupts the running ones. */
void run_stop(struct run *run);

/* Ends the run: what the suite itself needs has failed, so more results would say nothing about the device.
 * Only the first reason counts. */
void run_break(struct run *run, const char *why);

/* ---- iw_run_report.c: results, in the order of the start of their cases ---- */

/* Counts what an earlier run has finished. */
void run_count_earlier(struct run *run);

/* Calls the handler `begin`, once. */
void run_report_begin(struct run *run);

/* Whether results may be reported. The first result waits until the device is reached, because an unreachable
 * device gets no results; and for the name of the agent, while a running case may still receive it. */
bool run_may_report(const struct run *run);

/* Reports the results of the first slots, as far as they are over. */
void run_report_finished(struct run *run);

/* The slot is over, with this result. */
void run_end_slot(struct run *run, struct run_slot *slot, const struct iw_trial_result *result);

/* Reports a crash after the case `one` that no result tells. */
void run_report_crash(struct run *run, const struct iw_case *one, const char *line);
