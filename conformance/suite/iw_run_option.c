#include "iw_run_option.h"

#include <stdio.h>
#include <string.h>

#include "iw_case.h"
#include "iw_cover.h"
#include "iw_evidence.h"
#include "iw_option.h"

enum { RUN_OPTION_SEEDS_MAX = 1000000, RUN_OPTION_REPEATS_MAX = 1000000, RUN_OPTION_EVIDENCE_MAX = 1 << 20 };

/* Sets *at. Returns false if the argument is invalid, maybe with a line in `error`. */
typedef bool run_option_read(
    const struct iw_run_option *option, const char *argument, void *at, char *error, size_t error_octets);

struct iw_run_option {
    const char *name;
    run_option_read *read;
    size_t at;               /* offset of the member to set */
    const char *takes;       /* valid arguments, for messages; NULL: numbers from `low` to `high` */
    unsigned long low, high; /* smallest and largest valid number */
};

/* ---- values ---- */

#define RUN_OPTION_READ(name)                                                                                \
    static bool run_option_##name(const struct iw_run_option *option, const char *argument, void *at,        \
        char *error, size_t error_octets)

RUN_OPTION_READ(flag) {
    (void)option, (void)argument, (void)error, (void)error_octets;
    *(bool *)at = true;
    return true;
}

RUN_OPTION_READ(text) {
    (void)option, (void)error, (void)error_octets;
    *(const char **)at = argument;
    return true;
}

RUN_OPTION_READ(number) {
    unsigned long number;

    (void)error, (void)error_octets;
    if (!iw_option_read_number(argument, option->low, option->high, &number))
        return false;
    *(unsigned *)at = (unsigned)number;
    return true;
}

RUN_OPTION_READ(seed) {
    unsigned long number;

    (void)error, (void)error_octets;
    if (!iw_option_read_number(argument, option->low, option->high, &number))
        return false;
    *(uint64_t *)at = number;
    return true;
}

RUN_OPTION_READ(seconds) {
    (void)option, (void)error, (void)error_octets;
    return iw_option_read_seconds(argument, IW_RUN_OPTION_SECONDS_MAX, at);
}

RUN_OPTION_READ(shard) {
    (void)option, (void)error, (void)error_octets;
    return iw_shard_read(argument, at);
}

RUN_OPTION_READ(pattern) {
    struct iw_pattern **pattern = at;
    int length = snprintf(error, error_octets, "--%s: ", option->name);

    iw_pattern_free(*pattern);
    *pattern = iw_pattern_new(argument, error + length, error_octets - (size_t)length);
    return *pattern != NULL;
}

RUN_OPTION_READ(network) {
    int length = snprintf(error, error_octets, "--%s: ", option->name);

    return iw_network_profile_read(argument, at, error + length, error_octets - (size_t)length);
}

RUN_OPTION_READ(tier) {
    enum iw_case_tier tier;

    (void)option, (void)error, (void)error_octets;
    if (!iw_case_tier_find(argument, &tier) || tier == IW_CASE_TIER_RELAY) /* --relay selects those */
        return false;
    *(unsigned *)at |= 1u << tier;
    return true;
}

RUN_OPTION_READ(danger) {
    enum iw_case_danger danger;

    (void)option, (void)error, (void)error_octets;
    if (!iw_case_danger_find(argument, &danger))
        return false;
    *(unsigned *)at |= danger;
    return true;
}

/* Only one danger needs permission. */
RUN_OPTION_READ(allowed_danger) {
    return strcmp(argument, iw_case_dangers[2]) == 0 &&
           run_option_danger(option, argument, at, error, error_octets);
}

static bool run_option_add_without(
    struct iw_run_options *options, const char *claim, char *error, size_t error_octets) {
    if (options->without_count == IW_RUN_OPTION_CLAIMS_MAX) {
        snprintf(error, error_octets, "too many --without options");
        return false;
    }
    options->without[options->without_count++] = claim;
    return true;
}

RUN_OPTION_READ(without) {
    (void)option;
    return run_option_add_without(at, argument, error, error_octets);
}

/* A role that the device lacks is a claim that it does not make. */
RUN_OPTION_READ(role) {
    const char *lacks = strcmp(argument, "responder") == 0   ? "initiator"
                        : strcmp(argument, "initiator") == 0 ? "responder"
                                                             : NULL;

    (void)option;
    return lacks != NULL ? run_option_add_without(at, lacks, error, error_octets)
                         : strcmp(argument, "both") == 0;
}

/* ---- the options ---- */

#define AT(member) .at = offsetof(struct iw_run_options, member)
static const struct iw_run_option run_options[] = {
    {"only", run_option_pattern, AT(only)},
    {"skip", run_option_pattern, AT(skip)},
    {"tier", run_option_tier, AT(tiers), .takes = "none, rping or agent"},
    {"without-danger", run_option_danger, AT(without_dangers), .takes = "memory, connection or host"},
    {"allow-danger", run_option_allowed_danger, AT(allowed_dangers), .takes = "host"},
    {"profile", run_option_text, AT(profile)},
    {.name = "without", .read = run_option_without},
    {.name = "role", .read = run_option_role, .takes = "responder, initiator or both"},
    {"no-preflight", run_option_flag, AT(no_preflight)},
    {"rping", run_option_flag, AT(rping)},
    {"simulate", run_option_flag, AT(simulated)},
    {"strict", run_option_flag, AT(strict)},
    {"accept-untested", run_option_flag, AT(accept_untested)},
    {"network", run_option_network, AT(network)},
    {"cases", run_option_text, AT(cases)},
    {"strength", run_option_number, AT(strength), .low = 1, .high = IW_COVER_STRENGTH_MAX},
    {"random", run_option_number, AT(seeds), .low = 1, .high = RUN_OPTION_SEEDS_MAX},
    {"seed", run_option_seed, AT(seed), .high = INT64_MAX},
    {"combination", run_option_text, AT(combination)},
    {"repeat", run_option_number, AT(repeats), .low = 1, .high = RUN_OPTION_REPEATS_MAX},
    {"until-failure", run_option_flag, AT(until_failure)},
    {"budget", run_option_seconds, AT(budget_ms), .takes = "seconds up to 1000000"},
    {"evidence-limit", run_option_number, AT(evidence_mib), .high = RUN_OPTION_EVIDENCE_MAX},
    {"shard", run_option_shard, AT(shard), .takes = "I/N, I from 1 to N"},
};
#undef AT

const struct iw_run_option *iw_run_option_find(const char *name) {
    for (size_t i = 0; i < sizeof run_options / sizeof *run_options; i++)
        if (strcmp(run_options[i].name, name) == 0)
            return &run_options[i];
    return NULL;
}

bool iw_run_option_has_argument(const struct iw_run_option *option) {
    return option->read != run_option_flag;
}

bool iw_run_option_read(const struct iw_run_option *option, const char *argument,
    struct iw_run_options *options, char *error, size_t error_octets) {
    error[0] = '\0';
    if (option->read(option, argument, (char *)options + option->at, error, error_octets))
        return true;
    if (error[0] == '\0' && option->takes != NULL)
        snprintf(error, error_octets, "--%s takes %s, not %s", option->name, option->takes, argument);
    else if (error[0] == '\0')
        snprintf(error, error_octets, "--%s takes a number from %lu to %lu, not %s", option->name,
            option->low, option->high, argument);
    return false;
}

struct iw_run_options iw_run_options_default(void) {
    return (struct iw_run_options){.seed = 1, .evidence_mib = IW_EVIDENCE_LIMIT_MIB};
}

void iw_run_options_dispose(struct iw_run_options *options) {
    iw_pattern_free(options->only);
    iw_pattern_free(options->skip);
    *options = iw_run_options_default();
}

void iw_run_options_apply(const struct iw_run_options *options, struct iw_run_config *run) {
    run->selection = (struct iw_run_selection){.only = options->only,
        .skip = options->skip,
        .tiers = options->tiers,
        .without_dangers = options->without_dangers,
        .allowed_dangers = options->allowed_dangers,
        .shard = options->shard.number,
        .shards = options->shard.count};
    run->claims.without = options->without;
    run->claims.without_count = options->without_count;
    run->rping = options->rping;
    run->simulated = options->simulated;
    run->network = options->network.name[0] != '\0' ? &options->network : NULL;
    run->strict = options->strict;
    run->accept_untested = options->accept_untested;
    run->limits = (struct iw_run_limits){.repeats = options->repeats,
        .until_failure = options->until_failure,
        .endless = options->until_failure && options->repeats == 0,
        .budget_ms = options->budget_ms};
    run->evidence_octets = (uint64_t)options->evidence_mib << 20;
}

bool iw_run_options_probe(const struct iw_run_options *options) {
    return options->profile != NULL && strcmp(options->profile, "probe") == 0;
}

bool iw_run_options_infer(const struct iw_run_options *options, bool foreign) {
    return iw_run_options_probe(options) || (options->profile == NULL && foreign && !options->no_preflight);
}
