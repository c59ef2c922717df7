#ifndef IW_RUN_H
#define IW_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_catalogue.h"
#include "iw_claim.h"
#include "iw_dut.h"
#include "iw_exit.h"
#include "iw_pattern.h"
#include "iw_trial_result.h"

/* Runs the selected cases of a catalogue against one device, several at a time, and reports their
 * results in the order of the catalogue; then again for each repeat. */

/* A case that an earlier run has finished. */
struct iw_run_prior {
    const struct iw_case *one;
    unsigned repeat; /* from 1 */
    enum iw_verdict verdict;
    bool wrong_close;
};

/* Facts known with the first result. */
struct iw_run_begin {
    unsigned selected; /* cases of all shards */
    const char *agent; /* the name that the agent reports, or "" */
};

/* Selects the cases of the catalogue to run. */
struct iw_run_selection {
    const struct iw_pattern *only; /* NULL: all */
    const struct iw_pattern *skip; /* NULL: none */
    unsigned tiers;                /* a set of 1 << enum iw_case_tier; 0: all */
    unsigned without_dangers;      /* set of enum iw_case_danger: cases with one of them are not run */
    unsigned shards;               /* number of shards of the run; 0: not sharded */
    unsigned shard;                /* from 1 */
};

/* How often each case is run, and when the run stops. */
struct iw_run_limits {
    unsigned repeats;   /* runs of each case; 0: one */
    bool endless;       /* unlimited repeats */
    bool until_failure; /* stop after the first case that fails, is inconclusive or has verdict error */
    uint32_t budget_ms; /* wall-clock time after which no further cases are started; 0: no limit */
};

/* What an earlier run has finished and reported. */
struct iw_run_earlier {
    const struct iw_run_prior *cases; /* which are counted but not run */
    size_t case_count;
    const char *const *claims; /* whose contradiction has been reported */
    size_t claim_count;
    unsigned crashes; /* of the device, between cases */
};

/* Each handler may be NULL. */
struct iw_run_handlers {
    void (*begin)(void *user, const struct iw_run_begin *begin); /* before the first result */
    void (*result)(void *user, const struct iw_trial_result *result);
    /* The device has contradicted a claim in that case; called once in the run for each claim, and not for
     * claims of `earlier`. */
    void (*contradiction)(
        void *user, const struct iw_case *one, const struct iw_contradiction *contradiction);
    /* The console has the line of a crash after that case and before the next one. */
    void (*crash)(void *user, const struct iw_case *one, const char *line);
    /* At the end, for each case with different verdicts: the number of each, by enum iw_verdict. */
    void (*flake)(void *user, const struct iw_case *one, const unsigned *verdicts);
    void *user;
};

struct iw_run_config {
    const struct iw_catalogue *catalogue;
    struct iw_run_selection selection;
    struct iw_dut_target target;
    struct iw_claims claims; /* of the device; the embedded peer behaves exactly as its profile claims */
    bool rping;         /* the foreign device's ULP is rping; otherwise cases of that tier do not apply */
    const char *before; /* a command for sh that prepares the foreign device for a case; NULL: none */
    const char *health; /* a command for sh that fails if the foreign device is unhealthy; NULL: none */
    struct iw_console *console; /* of the foreign device; NULL: none; needs, like `health`, one job */
    bool strict;                /* a warning is a failure */
    bool simulated;             /* with the embedded peer: in memory, with virtual time */
    unsigned jobs;              /* concurrent cases, at least 1 */
    struct iw_run_limits limits;
    struct iw_run_earlier earlier;
    const char *folder; /* existing folder for the captures, ID.pcapng; NULL: no captures */
    struct iw_run_handlers handlers;
};

struct iw_run_counts {
    unsigned selected; /* of all shards */
    unsigned cases;    /* with a verdict */
    unsigned verdicts[IW_VERDICT_COUNT];
    unsigned left;           /* cases not started when the run was interrupted */
    unsigned not_started;    /* cases not started within the budget */
    unsigned contradictions; /* contradicted claims of the device */
    unsigned crashes;        /* crashes of the device between two cases */
    unsigned flakes;         /* cases with different verdicts */
    unsigned wrong_closes;   /* cases with a wrong close, whatever their verdict */
};

/* Runs the cases. SIGINT and SIGTERM end the running cases, which become inconclusive; further cases are not
 * started. Returns IW_ERR_IO with one line in `error` if the device is unreachable, and IW_ERR_NOMEM if
 * memory runs out. */
enum iw_status iw_run(
    const struct iw_run_config *config, struct iw_run_counts *counts, char *error, size_t error_octets);

/* ENVIRONMENT if no case was selected; else INTERNAL if a case has verdict error; else VIOLATIONS if one
 * failed, a claim is contradicted or the device crashed; else UNJUDGED if one is inconclusive, interrupted or
 * flaky. */
enum iw_exit iw_run_exit(const struct iw_run_counts *counts);

#endif
