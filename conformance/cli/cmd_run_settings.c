#include "cmd_run_settings.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>

#include "cmd_option.h"
#include "cmd_run_option.h"
#include "cmd_option.h"
#include "iw_case.h"

enum { JOBS_MAX = 256, REPEATS_MAX = 1000000, BUDGET_SECONDS_MAX = 1000000, EMBEDDED_JOBS = 16 };

/* ---- options, one by one ---- */

static int take_peer(struct cmd_run_settings *settings, enum cmd_run_option option) {
    return cmd_option_address(&cmd_run_usage, (int)option, settings->host, sizeof settings->host,
        &settings->run.target.port, &settings->run.target.host);
}

static int settings_token(struct cmd_run_settings *settings, enum cmd_run_option option) {
    (void)option;
    return cmd_agent_token(&cmd_run_usage, &settings->agent, optarg);
}

static int take_profile(struct cmd_run_settings *settings, enum cmd_run_option option) {
    char error[512];

    (void)option;
    if (iw_profile_load(&settings->profile, optarg, error, sizeof error) != IW_OK)
        return iw_option_error(&cmd_run_usage, "--profile: %s", error);
    settings->run.claims.profile = &settings->profile;
    return 0;
}

static int take_without(struct cmd_run_settings *settings, enum cmd_run_option option) {
    (void)option;
    if (settings->run.claims.without_count == CMD_RUN_WITHOUT_MAX)
        return iw_option_error(&cmd_run_usage, "too many --without options");
    settings->without[settings->run.claims.without_count++] = optarg;
    return 0;
}

static int take_without_danger(struct cmd_run_settings *settings, enum cmd_run_option option) {
    enum iw_case_danger danger;

    (void)option;
    if (!iw_case_danger_find(optarg, &danger))
        return iw_option_error(
            &cmd_run_usage, "--without-danger must be \"memory\" or \"connection\", not \"%s\"", optarg);
    settings->run.selection.without_dangers |= danger;
    return 0;
}

static int settings_change(struct cmd_run_settings *settings, enum cmd_run_option option) {
    const char *name = cmd_run_usage.options[option].name;

    settings->run.target.defect = option == CMD_RUN_DEFECT ? iw_defect_find(optarg) : iw_variant_find(optarg);
    return settings->run.target.defect ? 0
                                       : iw_option_error(&cmd_run_usage,
                                             "unknown %s %s (see warpcheck list %ss)", name, optarg, name);
}

static int take_pattern(struct cmd_run_settings *settings, enum cmd_run_option option) {
    return cmd_option_pattern(&cmd_run_usage, cmd_run_usage.options[option].name,
        option == CMD_RUN_ONLY ? &settings->only : &settings->skip);
}

static int settings_sctp(struct cmd_run_settings *settings, enum cmd_run_option option) {
    (void)option;
    return cmd_option_sctp(
        &cmd_run_usage, &settings->run.target.sctp, settings->sctp_host, sizeof settings->sctp_host, false);
}

static int take_tier(struct cmd_run_settings *settings, enum cmd_run_option option) {
    enum iw_case_tier tier;

    if (!iw_case_tier_find(optarg, &tier))
        return cmd_option_not_listed(&cmd_run_usage, (int)option);
    settings->run.selection.tiers |= 1u << tier;
    return 0;
}

static int take_no_out(struct cmd_run_settings *settings, enum cmd_run_option option) {
    (void)option;
    settings->out = NULL;
    return 0;
}

static int settings_count(struct cmd_run_settings *settings, enum cmd_run_option option) {
    bool jobs = option == CMD_RUN_JOBS;
    unsigned long number = 0;
    int code = cmd_option_number(
        &cmd_run_usage, cmd_run_usage.options[option].name, 1, jobs ? JOBS_MAX : REPEATS_MAX, &number);

    *(jobs ? &settings->run.jobs : &settings->run.limits.repeats) = (unsigned)number;
    return code;
}

static int take_shard(struct cmd_run_settings *settings, enum cmd_run_option option) {
    (void)option;
    return iw_shard_read(optarg, &settings->shard)
               ? 0
               : iw_option_error(&cmd_run_usage, "--shard takes I/N, I from 1 to N, not %s", optarg);
}

static int settings_format(struct cmd_run_settings *settings, enum cmd_run_option option) {
    settings->format_given = true;
    return iw_listing_format_find(optarg, &settings->format)
               ? 0
               : cmd_option_not_listed(&cmd_run_usage, (int)option);
}

static int take_budget(struct cmd_run_settings *settings, enum cmd_run_option option) {
    (void)option;
    return iw_option_seconds(optarg, BUDGET_SECONDS_MAX, &settings->run.limits.budget_ms)
               ? 0
               : iw_option_error(&cmd_run_usage, "--budget takes seconds up to %d, not %s",
                     (int)BUDGET_SECONDS_MAX, optarg);
}

static int take_sweep(struct cmd_run_settings *settings, enum cmd_run_option option) {
    return cmd_sweep_option(&cmd_run_usage, &settings->sweep, cmd_run_usage.options[option].name);
}

#define AT(member) offsetof(struct cmd_run_settings, member)
/* The effect of each option: call `take`, store a text, or set a flag. */
static const struct target {
    enum { TAKEN, TEXT, TRUTH } kind;
    size_t at; /* in the settings */
    int (*take)(struct cmd_run_settings *settings, enum cmd_run_option option);
} targets[] = {
    [CMD_RUN_PEER] = {.take = take_peer},
    [CMD_RUN_SCTP] = {.take = settings_sctp},
    [CMD_RUN_AGENT] = {TEXT, AT(agent.text), NULL},
    [CMD_RUN_TOKEN_FILE] = {.take = settings_token},
    [CMD_RUN_OWN_HOST] = {TEXT, AT(agent.agent.own_host), NULL},
    [CMD_RUN_RPING] = {TRUTH, AT(run.rping), NULL},
    [CMD_RUN_INITIATOR] = {TEXT, AT(starter.starter.command), NULL},
    [CMD_RUN_BEFORE] = {TEXT, AT(run.before), NULL},
    [CMD_RUN_DEFECT] = {.take = settings_change},
    [CMD_RUN_VARIANT] = {.take = settings_change},
    [CMD_RUN_ONLY] = {.take = take_pattern},
    [CMD_RUN_SKIP] = {.take = take_pattern},
    [CMD_RUN_TIER] = {.take = take_tier},
    [CMD_RUN_PROFILE] = {.take = take_profile},
    [CMD_RUN_WITHOUT] = {.take = take_without},
    [CMD_RUN_WITHOUT_DANGER] = {.take = take_without_danger},
    [CMD_RUN_OUT] = {TEXT, AT(out), NULL},
    [CMD_RUN_NO_OUT] = {.take = take_no_out},
    [CMD_RUN_JOBS] = {.take = settings_count},
    [CMD_RUN_SIMULATE] = {TRUTH, AT(run.simulated), NULL},
    [CMD_RUN_CASES] = {TEXT, AT(cases), NULL},
    [CMD_RUN_STRICT] = {TRUTH, AT(run.strict), NULL},
    [CMD_RUN_SHARD] = {.take = take_shard},
    [CMD_RUN_LIST] = {TRUTH, AT(list), NULL},
    [CMD_RUN_FORMAT] = {.take = settings_format},
    [CMD_RUN_STRENGTH] = {.take = take_sweep},
    [CMD_RUN_RANDOM] = {.take = take_sweep},
    [CMD_RUN_SEED] = {.take = take_sweep},
    [CMD_RUN_COMBINATION] = {.take = take_sweep},
    [CMD_RUN_BUDGET] = {.take = take_budget},
    [CMD_RUN_REPEAT] = {.take = settings_count},
    [CMD_RUN_UNTIL_FAILURE] = {TRUTH, AT(run.limits.until_failure), NULL},
    [CMD_RUN_RESUME] = {TEXT, AT(resume.folder), NULL},
    [CMD_RUN_EXPECT] = {TEXT, AT(expect.file), NULL},
    [CMD_RUN_WRITE_EXPECT] = {TEXT, AT(expect.write), NULL},
};

/* Records the option for a run that resumes this one. The shard may come from the environment. */
static void note_option(struct cmd_run_settings *settings, int option) {
    char word[64];

    settings->given++;
    if (option == CMD_RUN_OUT || option == CMD_RUN_NO_OUT || option == CMD_RUN_SHARD ||
        option == CMD_RUN_RESUME)
        return;
    snprintf(word, sizeof word, "--%s", cmd_run_usage.options[option].name);
    json_array_append_new(settings->words, json_string(word));
    if (cmd_run_usage.options[option].argument)
        json_array_append_new(settings->words, json_string(optarg));
}

static int settings_option(void *user, int option) {
    struct cmd_run_settings *settings = user;
    const struct target *target = &targets[option];
    void *at = (char *)user + target->at;

    note_option(settings, option);
    if (target->kind == TEXT)
        *(const char **)at = optarg;
    else if (target->kind == TRUTH)
        *(bool *)at = true;
    else
        return target->take(settings, (enum cmd_run_option)option);
    return 0;
}

/* ---- combinations of options ---- */

static int find_shard(struct cmd_run_settings *settings) {
    struct iw_shard other = {0};
    char error[128];

    if (!settings->resume.prior.run && !iw_shard_of_environment(&other, error, sizeof error))
        return iw_option_error(&cmd_run_usage, "%s", error);
    if (other.count > 0 && settings->shard.count > 0)
        return iw_option_error(&cmd_run_usage, "both --shard and TEST_TOTAL_SHARDS are set");
    if (other.count > 0)
        settings->shard = other;
    settings->run.selection.shard = settings->shard.number;
    settings->run.selection.shards = settings->shard.count;
    if (settings->shard.count > 0) {
        snprintf(error, sizeof error, "%u/%u", settings->shard.number, settings->shard.count);
        json_array_append_new(settings->words, json_string("--shard"));
        json_array_append_new(settings->words, json_string(error));
    }
    return 0;
}

/* A claim that no profile knows is a spelling mistake. */
static int check_claims(const struct cmd_run_settings *settings) {
    const struct iw_profile profile = iw_profile_default();
    char claims[512] = "";

    for (size_t i = 0, length = 0; iw_profile_claim(i) && length < sizeof claims; i++)
        length += (size_t)snprintf(
            claims + length, sizeof claims - length, "%s%s", i > 0 ? ", " : "", iw_profile_claim(i));
    for (size_t i = 0; i < settings->run.claims.without_count; i++) {
        bool known;

        iw_profile_claims(&profile, settings->without[i], &known);
        if (!known)
            return iw_option_error(
                &cmd_run_usage, "unknown claim %s (known: %s)", settings->without[i], claims);
    }
    return 0;
}

static int settings_check(const struct cmd_run_settings *settings) {
    const struct iw_run_config *run = &settings->run;

    if (settings->format_given && !settings->list)
        return iw_option_error(&cmd_run_usage, "--format goes with --list");
    if (run->target.host && (run->target.defect || run->simulated))
        return iw_option_error(&cmd_run_usage, "--%s is for the embedded reference, not for a --peer",
            run->target.defect ? iw_defect_kind(run->target.defect) : "simulate");
    if ((run->rping || run->before || run->target.sctp.host) && !run->target.host)
        return iw_option_error(&cmd_run_usage, "--%s goes with --peer",
            run->rping    ? "rping"
            : run->before ? "before"
                          : "sctp");
    if (!settings->out && (settings->expect.file || settings->expect.write))
        return iw_option_error(&cmd_run_usage, "--%s needs results: omit --no-out",
            settings->expect.file ? "expect" : "write-expect");
    return check_claims(settings);
}

static int make_run(struct cmd_run_settings *settings) {
    struct iw_run_config *run = &settings->run;
    int code;

    if (run->jobs == 0)
        run->jobs = run->target.host ? 1 : EMBEDDED_JOBS;
    run->selection.only = settings->only;
    run->selection.skip = settings->skip;
    run->claims.without = settings->without;
    run->folder = settings->out;
    run->limits.endless = run->limits.until_failure && run->limits.repeats == 0;
    code = cmd_agent_find(&cmd_run_usage, &settings->agent, run->target.host,
        settings->starter.starter.command != NULL, &run->target.agent);
    if (code == 0)
        code = cmd_starter_find(&cmd_run_usage, &settings->starter, run->target.host,
            settings->agent.agent.own_host, &run->target.starter);
    if (code == 0 && !cmd_expect_read(&settings->expect))
        code = IW_EXIT_ENVIRONMENT;
    return code;
}

/* Takes the options of the earlier run. */
static int take_up(struct cmd_run_settings *settings) {
    char *argv[CMD_RESUME_WORDS_MAX + 2];
    int argc, code;

    if (settings->given > 1)
        return iw_option_error(&cmd_run_usage, "--resume takes no other options: it uses those of the run");
    settings->out = settings->resume.folder;
    code = cmd_resume_read(&cmd_run_usage, &settings->resume, &argc, argv);
    optind = 0; /* restarts getopt */
    return code == 0 ? iw_option_all(&cmd_run_usage, argc, argv, settings_option, settings) : code;
}

int cmd_run_settings_read(struct cmd_run_settings *settings, int argc, char **argv) {
    int code;

    *settings = (struct cmd_run_settings){.out = "results", .words = json_array(), .sweep.seed = 1};
    code = iw_option_all(&cmd_run_usage, argc, argv, settings_option, settings);
    if (code == IW_OPTION_DONE && settings->resume.folder)
        code = take_up(settings);
    if (code != IW_OPTION_DONE)
        return code;
    code = find_shard(settings);
    if (code == 0)
        code = settings_check(settings);
    if (code == 0)
        code = make_run(settings);
    return code == 0 ? IW_OPTION_DONE : code;
}

void cmd_run_settings_dispose(struct cmd_run_settings *settings) {
    cmd_expect_clear(&settings->expect);
    iw_pattern_free(settings->only);
    iw_pattern_free(settings->skip);
    cmd_sweep_dispose(&settings->sweep);
    json_decref(settings->words);
    cmd_resume_dispose(&settings->resume);
}
