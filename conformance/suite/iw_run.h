#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_catalogue.h"
#include "iw_claim.h"
#include "iw_dut.h"
#include "iw_exit.h"
#include "iw_network.h"
#include "iw_pattern.h"
#include "iw_trial_result.h"

/* Runs the selected cases of a catalogue against one device, several at a time; then again for each repeat.
 * Reports the results in the order of the catalogue. */

/* A case that an earlier run has finished. */
struct iw_run_prior {
    const struct iw_case *one;
    unsigned repeat; /* from 1 */
    enum iw_verdict verdict;
    bool wrong_close;
};

/* What is known about the run before its first result. */
struct iw_run_begin {
    unsigned selected;                /* number of selected cases of all shards */
    unsigned own;                     /* of this shard */
    const bool *about;                /* by requirement, of all shards: see struct iw_selection */
    const struct iw_dut_names *names; /* from the hello of the agent */
};

/* Which cases of the catalogue to run. */
struct iw_run_selection {
    const struct iw_pattern *only; /* run only cases that match; NULL: all */
    const struct iw_pattern *skip; /* do not run cases that match; NULL: none */
    unsigned tiers;                /* set of 1 << enum iw_case_tier; 0: all tiers */
    unsigned without_dangers; /* set of enum iw_case_danger: cases with one of these dangers are not tested */
    unsigned allowed_dangers; /* set of enum iw_case_danger: the danger host needs it, unless the peer is
                                 embedded */
    unsigned shards;          /* number of shards (parts) of the run; 0: not divided */
    unsigned shard;           /* the shard to run, from 1 */
};

/* How often each case is run, and when the run stops. */
struct iw_run_limits {
    unsigned repeats;   /* how often each case is run; 0: once */
    bool endless;       /* repeat without limit */
    bool until_failure; /* stop after a case with verdict fail, inconclusive or error */
    uint32_t budget_ms; /* start no more cases after this wall-clock time; 0: no limit */
};

/* What the earlier run, which this run resumes, has finished and reported. */
struct iw_run_earlier {
    const struct iw_run_prior *cases; /* finished cases: counted, but not run again */
    size_t case_count;
    const char *const *claims; /* claims whose contradiction is reported already */
    size_t claim_count;
    unsigned crashes; /* crashes of the device between two cases */
};

/* Functions that the run calls; each may be NULL. */
struct iw_run_handlers {
    void (*begin)(void *user, const struct iw_run_begin *begin); /* before the first result */
    void (*result)(void *user, const struct iw_trial_result *result);
    /* The device has contradicted a claim in case `one`; once per claim, not for claims of `earlier`. */
    void (*contradiction)(
        void *user, const struct iw_case *one, const struct iw_contradiction *contradiction);
    /* The console shows a crash after case `one` and before the next case; `line` reports it. */
    void (*crash)(void *user, const struct iw_case *one, const char *line);
    /* At the end, for each case with different verdicts: the number of each enum iw_verdict. */
    void (*flake)(void *user, const struct iw_case *one, const unsigned *verdicts);
    /* Called after `begin` and each `result`. Returns one line if the results cannot be recorded, which ends
     * the run; otherwise NULL. */
    const char *(*broken)(void *user);
    void *user;
};

struct iw_trial_way;

struct iw_run_config {
    const struct iw_catalogue *catalogue;
    struct iw_run_selection selection;
    struct iw_dut_target target;
    struct iw_claims claims; /* claims of the device; the embedded peer is configured by its profile */
    bool rping; /* the ULP of the foreign device is rping; if false, cases of tier rping are not tested */
    const char
        *relay; /* HOST:PORT where the relay listens: cases of tier relay, with two devices; NULL: others */
    const struct iw_trial_way *way; /* to the devices; NULL: a script plays the other side of one device */
    void *way_user;                 /* for the functions of `way` */
    bool lacks_sctp;                /* this build has no SCTP: cases that need it are not tested */
    const char *before; /* shell command that prepares the foreign device for each trial; NULL: none */
    const char *health; /* shell command that fails if the foreign device is unhealthy; NULL: none */
    struct iw_console *console; /* of the foreign device; NULL: none. It and `health` need `jobs` 1 */
    bool initiator_checked; /* with `relay`: `health` and `console` are of the initiator, not the responder */
    bool strict;            /* a failed SHOULD gives verdict fail instead of warning */
    bool accept_untested;   /* cases not tested do not change the exit code */
    bool simulated;         /* only for the embedded peer: in memory, with virtual time */
    /* Only for the embedded peer: the network between it and the suite; NULL: the loopback device. The target
     * has the network itself. */
    const struct iw_network_profile *network;
    unsigned jobs; /* maximum number of concurrent cases, at least 1 */
    struct iw_run_limits limits;
    struct iw_run_earlier earlier;
    const char *folder;       /* existing folder for the captures and logs; NULL: none are written */
    uint64_t evidence_octets; /* about the maximum size of a capture, and of a log; 0: no limit */
    struct iw_run_handlers handlers;
};

struct iw_run_counts {
    unsigned selected;      /* selected cases of all shards */
    unsigned shard, shards; /* as in struct iw_run_selection */
    unsigned cases;         /* results, each repeat of a case separately */
    unsigned verdicts[IW_VERDICT_COUNT];
    unsigned left;           /* cases without result because the run was interrupted or broken */
    unsigned not_started;    /* cases not started because the budget was exceeded */
    unsigned contradictions; /* contradicted claims of the device */
    unsigned crashes;        /* crashes of the device between two cases */
    unsigned flakes;         /* cases with different verdicts */
    unsigned wrong_closes;   /* results with a wrong close, whatever their verdict */
    bool broken;             /* the environment failed after the first result */
};

/* Runs the cases. SIGINT or SIGTERM starts no more cases; running cases become inconclusive. Returns IW_OK;
 * IW_ERR_IO with one line in `error` if the device is unreachable, or if the run is broken: evidence or
 * results cannot be written, or the agent gives no session. Cases that a broken run interrupts have no
 * result, for
 * --resume. Or returns IW_ERR_NOMEM. */
enum iw_status iw_run(
    const struct iw_run_config *config, struct iw_run_counts *counts, char *error, size_t error_octets);

/* ---- iw_run_exit.c ---- */

/* Returns whether no case has a result that tells about the device: such a run does not conform, whatever it
 * accepts. A shard needs none if the cases that it has do not apply, because other shards have the rest. */
bool iw_run_tested_nothing(const struct iw_run_counts *counts);

/* Returns whether other shards have all the selected cases, and writes that as one line: "part 2 of 2 has
 * none of the selected cases: 1 in all". */
enum { IW_RUN_EMPTY_SHARD_OCTETS = 96 };
bool iw_run_is_empty_shard(const struct iw_run_counts *counts, char text[IW_RUN_EMPTY_SHARD_OCTETS]);

/* Returns the exit code of a run, of its report and of its page: the first of these that applies. No case
 * selected: ENVIRONMENT. A verdict error: INTERNAL. A verdict fail, a contradicted claim or a crash:
 * VIOLATIONS. A case inconclusive, interrupted or flaky, nothing tested, and, unless accept_untested, a case
 * not tested: UNJUDGED. Otherwise CONFORMS, also for an empty shard. */
enum iw_exit iw_run_exit(const struct iw_run_counts *counts, bool accept_untested);
