#pragma once

#include "iw_network_profile.h"
#include "iw_run.h"
#include "iw_shard.h"

/* The options of `warpcheck run` that decide which cases it has, how often it runs them and how it judges
 * them. The command line has them, and the header of its results, from which a bundle is verified: both are
 * read here. No file is opened, because a header may be forged. */

enum { IW_RUN_OPTION_CLAIMS_MAX = 16, IW_RUN_OPTION_SECONDS_MAX = 1000000 };

struct iw_run_options {
    struct iw_pattern *only, *skip;
    unsigned tiers;                                /* set of 1 << enum iw_case_tier */
    unsigned without_dangers, allowed_dangers;     /* sets of enum iw_case_danger */
    const char *without[IW_RUN_OPTION_CLAIMS_MAX]; /* claims of --without, and the role that --role denies */
    size_t without_count;
    const char *profile; /* name, file or "probe"; NULL: not given */
    bool no_preflight, rping, simulated, strict, accept_untested, until_failure;
    const char *cases;       /* folder of the cases; NULL: the built-in cases */
    const char *combination; /* id of the only combination to run; NULL: not given */
    unsigned strength;       /* of the combinations; 0: none */
    uint64_t seed;           /* of the combinations, and the first of the random conversations */
    unsigned seeds;          /* number of random conversations of each case; 0: none */
    unsigned repeats;        /* 0: not given */
    uint32_t budget_ms;      /* 0: not given */
    unsigned evidence_mib;   /* size of each capture, and of each log; 0: no limit */
    struct iw_shard shard;
    struct iw_network_profile network; /* name "": not given */
};

/* Returns the options of a run without options. */
struct iw_run_options iw_run_options_default(void);
void iw_run_options_dispose(struct iw_run_options *options);

struct iw_run_option;

/* Finds an option by its name without "--". Returns NULL for all other options of `run`. */
const struct iw_run_option *iw_run_option_find(const char *name);
bool iw_run_option_has_argument(const struct iw_run_option *option);

/* Sets the member of the option. `argument` is not copied. Returns false with one line in `error` if it is
 * invalid. */
bool iw_run_option_read(const struct iw_run_option *option, const char *argument,
    struct iw_run_options *options, char *error, size_t error_octets);

/* Sets the selection, the claims that the device does not make, the limits and the rules of verdicts. `run`
 * then borrows from `options`. */
void iw_run_options_apply(const struct iw_run_options *options, struct iw_run_config *run);

/* Whether the profile is exactly what the probe finds: --profile probe. */
bool iw_run_options_probe(const struct iw_run_options *options);

/* Whether the run infers the profile of its device by probing it. `foreign`: it is not the embedded peer. */
bool iw_run_options_infer(const struct iw_run_options *options, bool foreign);
