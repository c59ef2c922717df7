#ifndef IW_RUN_H
#define IW_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_catalogue.h"
#include "iw_defect.h"
#include "iw_exit.h"
#include "iw_pattern.h"
#include "iw_trial.h"

/* Runs the chosen cases of a catalogue against one device, several at a time, and hands over their results in
 * the order of the catalogue. With repeats it does so again and again. */

/* A case that an earlier run has finished. */
struct iw_run_past {
    const struct iw_case *one;
    unsigned repeat; /* from 1 */
    enum iw_verdict verdict;
    bool wrong_close;
};

/* What is known when the first result is. */
struct iw_run_begin {
    unsigned selected; /* cases of all shards */
    const char *agent; /* what the agent calls itself, or "" */
};

struct iw_run_config {
    const struct iw_catalogue *catalogue;
    const struct iw_pattern *only; /* NULL: all */
    const struct iw_pattern *skip; /* NULL: none */
    unsigned tiers;                /* of cases that are run: a set of 1 << enum iw_case_tier; 0: all */
    struct iw_claims claims;       /* of the device; the embedded reference does what the profile claims and
                                      no more */
    unsigned without_dangers;      /* a set of enum iw_case_danger: cases with one of them are left out */
    unsigned shards;               /* of which the run is one; 0: it is whole */
    unsigned shard;                /* from 1 */
    const char *host;              /* of a foreign device, or NULL: the embedded reference */
    unsigned short port;
    struct iw_sctp_where sctp;        /* where the foreign device takes associations; host NULL: unknown */
    const struct iw_dut_agent *agent; /* beside that, or NULL: cases of tier "agent" do not apply */
    bool rping; /* the foreign device's ULP is rping; otherwise cases of that tier do not apply */
    const struct iw_dut_starter *starter; /* makes the foreign device connect, or NULL */
    const char *before; /* a command for sh that makes the foreign device ready for a case, or NULL */
    const struct iw_defect *defect; /* of the embedded reference, or NULL */
    bool strict;                    /* a warning is a failure */
    bool simulated;                 /* with the embedded reference: no network and no waiting */
    unsigned jobs;                  /* cases at a time, at least 1 */
    unsigned repeats;               /* how often each case is run; 0: once */
    bool endless;                   /* more often than that */
    bool until_failure;             /* the first case that fails, or cannot be judged, is the last */
    uint32_t budget_ms; /* after so long, of the clock on the wall, no more cases are begun; 0: no limit */
    const struct iw_run_past *past; /* cases that are not run again, but counted */
    size_t past_count;
    const char *const *past_claims; /* of which it has told already that something contradicts them */
    size_t past_claim_count;
    const char *folder; /* for the captures, ID.pcapng; NULL: none are written. It must be there */
    void (*begin)(void *user, const struct iw_run_begin *begin); /* before the first result; may be NULL */
    void (*result)(void *user, const struct iw_trial_result *result);
    /* The device has shown something that contradicts what it claims, in that case; once for each claim. May
     * be NULL. */
    void (*contradiction)(
        void *user, const struct iw_case *one, const struct iw_contradiction *contradiction);
    /* At the end, for each case that had several verdicts: how often, by enum iw_verdict. May be NULL. */
    void (*flake)(void *user, const struct iw_case *one, const unsigned *verdicts);
    void *user;
};

struct iw_run_counts {
    unsigned selected; /* of all shards */
    unsigned cases;    /* with a verdict */
    unsigned verdicts[IW_VERDICT_COUNT];
    unsigned left;           /* cases that were not begun when the run was interrupted */
    unsigned unbegun;        /* cases for which the budget left no time */
    unsigned contradictions; /* claims of the device that something contradicts */
    unsigned flakes;         /* cases whose verdict was not always the same */
    unsigned wrong_closes; /* cases, of whatever verdict, in which the device closed in a way that is wrong */
};

/* SIGINT and SIGTERM end the cases that are running, which are inconclusive then, and the others are left.
 * IW_ERR_IO with one line in `error` if the device cannot be reached; IW_ERR_NOMEM. */
enum iw_status iw_run(
    const struct iw_run_config *config, struct iw_run_counts *counts, char *error, size_t error_octets);

/* INTERNAL if a case was in error, else VIOLATIONS if one failed or something contradicts what the device
 * claims, else UNJUDGED if one was inconclusive, left, or not always the same; ENVIRONMENT if none was
 * selected. */
enum iw_exit iw_run_exit(const struct iw_run_counts *counts);

#endif
