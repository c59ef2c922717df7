#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "cmd_agent.h"
#include "cmd_cases.h"
#include "cmd_expect.h"
#include "cmd_resume.h"
#include "cmd_run_file.h"
#include "cmd_run_option.h"
#include "cmd_starter.h"
#include "cmd_sweep.h"
#include "iw_case.h"
#include "iw_listing_suite.h"
#include "iw_option.h"
#include "iw_reasons.h"
#include "iw_results.h"
#include "iw_run.h"
#include "iw_shard.h"
#include "iw_violations.h"

enum { WITHOUT_MAX = 16 };

struct settings {
    struct iw_run_config run;
    struct iw_pattern *only, *skip;
    const char *without[WITHOUT_MAX];
    struct iw_profile profile;
    char host[256];
    struct cmd_agent agent;
    struct cmd_starter starter;
    const char *cases;
    struct iw_shard shard;
    struct cmd_sweep sweep;
    bool list;
    bool format_given;
    enum iw_listing_format format;
    unsigned given; /* options */
    json_t *words;  /* of the command line, as far as they say what is run */
    struct cmd_resume resume;
    struct cmd_run_file file;
    struct cmd_expect expect;
    struct iw_reasons reasons; /* of cases that do not apply: told at the end, by how many */
    struct iw_violations violations;
    bool ended; /* the results are whole, as far as cases were run */
};

static int take_peer(struct settings *settings) {
    if (!iw_option_address(optarg, settings->host, sizeof settings->host, &settings->run.port))
        return iw_option_error(&cmd_run_usage, "--peer takes HOST:PORT, not %s", optarg);
    settings->run.host = settings->host;
    return 0;
}

static int take_profile(struct settings *settings) {
    char error[512];

    if (iw_profile_load(&settings->profile, optarg, error, sizeof error) != IW_OK)
        return iw_option_error(&cmd_run_usage, "--profile: %s", error);
    settings->run.profile = &settings->profile;
    return 0;
}

static int take_defect(struct settings *settings) {
    settings->run.defect = iw_defect_find(optarg);
    return settings->run.defect
               ? 0
               : iw_option_error(&cmd_run_usage, "unknown defect %s (see warpcheck list defects)", optarg);
}

static int take_variant(struct settings *settings) {
    settings->run.defect = iw_variant_find(optarg);
    return settings->run.defect
               ? 0
               : iw_option_error(&cmd_run_usage, "unknown variant %s (see warpcheck list variants)", optarg);
}

static int take_shard(struct settings *settings) {
    return iw_shard_read(optarg, &settings->shard)
               ? 0
               : iw_option_error(&cmd_run_usage, "--shard takes I/N, I from 1 to N, not %s", optarg);
}

static int take_format(struct settings *settings) {
    settings->format_given = true;
    return iw_listing_format_find(optarg, &settings->format)
               ? 0
               : iw_option_error(&cmd_run_usage, "--format takes text, jsonl or markdown, not %s", optarg);
}

static int take_count(const char *name, unsigned long most, unsigned *count) {
    unsigned long number = 0;
    int code = cmd_cases_number(&cmd_run_usage, name, 1, most, &number);

    *count = (unsigned)number;
    return code;
}

/* For a run that goes on with this one. The shard may be of the environment. */
static void note_option(struct settings *settings, int option) {
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

static int take_tier(struct settings *settings) {
    enum iw_case_tier tier;

    if (!iw_case_tier_find(optarg, &tier))
        return iw_option_error(&cmd_run_usage, "--tier takes none, rping or agent, not %s", optarg);
    settings->run.tiers |= 1u << tier;
    return 0;
}

static int take_option(void *user, int option) {
    struct settings *settings = user;

    note_option(settings, option);

    switch (option) {
    case CMD_RUN_PEER:
        return take_peer(settings);
    case CMD_RUN_AGENT:
        settings->agent.text = optarg;
        return 0;
    case CMD_RUN_TOKEN_FILE:
        return cmd_agent_token(&cmd_run_usage, &settings->agent, optarg);
    case CMD_RUN_OWN_HOST:
        settings->agent.agent.own_host = optarg;
        return 0;
    case CMD_RUN_RPING:
        settings->run.rping = true;
        return 0;
    case CMD_RUN_INITIATOR:
        settings->starter.starter.command = optarg;
        return 0;
    case CMD_RUN_BEFORE:
        settings->run.before = optarg;
        return 0;
    case CMD_RUN_DEFECT:
        return take_defect(settings);
    case CMD_RUN_VARIANT:
        return take_variant(settings);
    case CMD_RUN_ONLY:
        return cmd_cases_pattern(&cmd_run_usage, "only", &settings->only);
    case CMD_RUN_SKIP:
        return cmd_cases_pattern(&cmd_run_usage, "skip", &settings->skip);
    case CMD_RUN_TIER:
        return take_tier(settings);
    case CMD_RUN_PROFILE:
        return take_profile(settings);
    case CMD_RUN_WITHOUT:
        if (settings->run.without_count == WITHOUT_MAX)
            return iw_option_error(&cmd_run_usage, "--without is given too often");
        settings->without[settings->run.without_count++] = optarg;
        return 0;
    case CMD_RUN_OUT:
        settings->file.folder = optarg;
        return 0;
    case CMD_RUN_NO_OUT:
        settings->file.folder = NULL;
        return 0;
    case CMD_RUN_JOBS:
        return take_count("jobs", 256, &settings->run.jobs);
    case CMD_RUN_REPEAT:
        return take_count("repeat", 1000000, &settings->run.repeats);
    case CMD_RUN_UNTIL_FAILURE:
        settings->run.until_failure = true;
        return 0;
    case CMD_RUN_RESUME:
        settings->resume.folder = optarg;
        return 0;
    case CMD_RUN_SIMULATE:
        settings->run.simulated = true;
        return 0;
    case CMD_RUN_SHARD:
        return take_shard(settings);
    case CMD_RUN_LIST:
        settings->list = true;
        return 0;
    case CMD_RUN_FORMAT:
        return take_format(settings);
    case CMD_RUN_BUDGET:
        return iw_option_seconds(optarg, 1000000, &settings->run.budget_ms) && settings->run.budget_ms > 0
                   ? 0
                   : iw_option_error(&cmd_run_usage, "--budget takes seconds up to 1000000, not %s", optarg);
    case CMD_RUN_STRENGTH:
    case CMD_RUN_RANDOM:
    case CMD_RUN_SEED:
    case CMD_RUN_COMBINATION:
        return cmd_sweep_option(&cmd_run_usage, &settings->sweep, cmd_run_usage.options[option].name);
    case CMD_RUN_STRICT:
        settings->run.strict = true;
        return 0;
    case CMD_RUN_EXPECT:
        settings->expect.file = optarg;
        return 0;
    case CMD_RUN_WRITE_EXPECT:
        settings->expect.write = optarg;
        return 0;
    default:
        settings->cases = optarg;
        return 0;
    }
}

static int find_shard(struct settings *settings) {
    struct iw_shard other = {0};
    char error[128];

    if (!settings->resume.past.run && !iw_shard_of_environment(&other, error, sizeof error))
        return iw_option_error(&cmd_run_usage, "%s", error);
    if (other.count > 0 && settings->shard.count > 0)
        return iw_option_error(
            &cmd_run_usage, "--shard is given, and TEST_TOTAL_SHARDS in the environment too");
    if (other.count > 0)
        settings->shard = other;
    settings->run.shard = settings->shard.number;
    settings->run.shards = settings->shard.count;
    if (settings->shard.count > 0) {
        snprintf(error, sizeof error, "%u/%u", settings->shard.number, settings->shard.count);
        json_array_append_new(settings->words, json_string("--shard"));
        json_array_append_new(settings->words, json_string(error));
    }
    return 0;
}

static int check_settings(struct settings *settings) {
    struct iw_run_config *run = &settings->run;
    int code = find_shard(settings);

    if (code != 0)
        return code;
    if (settings->format_given && !settings->list)
        return iw_option_error(&cmd_run_usage, "--format goes with --list");

    if (run->host && (run->defect || run->simulated))
        return iw_option_error(&cmd_run_usage, "--%s is for the embedded reference, not for a --peer",
            run->defect ? iw_defect_kind(run->defect) : "simulate");
    if (run->jobs == 0)
        run->jobs = run->host ? 1 : 16;
    if (!settings->file.folder && (settings->expect.file || settings->expect.write))
        return iw_option_error(&cmd_run_usage, "--no-out leaves --%s nothing to look at",
            settings->expect.file ? "expect" : "write-expect");
    if (!cmd_expect_read(&settings->expect))
        return IW_EXIT_ENVIRONMENT;
    run->only = settings->only;
    run->skip = settings->skip;
    run->without = settings->without;
    run->folder = settings->file.folder;
    run->endless = run->until_failure && run->repeats == 0;
    code = cmd_agent_find(
        &cmd_run_usage, &settings->agent, run->host, settings->starter.starter.command != NULL, &run->agent);
    if (code != 0)
        return code;
    if ((run->rping || run->before) && !run->host)
        return iw_option_error(&cmd_run_usage, "--%s goes with --peer", run->rping ? "rping" : "before");
    return cmd_starter_find(
        &cmd_run_usage, &settings->starter, run->host, settings->agent.agent.own_host, &run->starter);
}

static void begin_file(void *user, const struct iw_run_begin *begin) {
    struct settings *settings = user;
    const struct iw_results_head head = {
        .version = WARPCHECK_VERSION, .config = &settings->run, .begin = begin, .options = settings->words};

    cmd_run_file_begin(&settings->file, &head, &settings->resume.past);
}

static void take_result(void *user, const struct iw_trial_result *result) {
    struct settings *settings = user;

    cmd_sweep_take(&settings->sweep, result);
    iw_violations_add(&settings->violations, result);
    if (result->verdict != IW_VERDICT_NOT_APPLICABLE || !iw_reasons_add(&settings->reasons, result->message))
        iw_results_print(stdout, result);
    if (settings->file.out) {
        iw_results_json(settings->file.out, result);
        fflush(settings->file.out);
    }
}

static void take_contradiction(
    void *user, const struct iw_case *one, const struct iw_contradiction *contradiction) {
    struct settings *settings = user;

    iw_results_print_claim(stdout, one, contradiction);
    if (settings->file.out)
        iw_results_json_claim(settings->file.out, one, contradiction);
}

static void take_flake(void *user, const struct iw_case *one, const unsigned *verdicts) {
    struct settings *settings = user;

    iw_results_print_flake(stdout, one, verdicts);
    if (settings->file.out)
        iw_results_json_flake(settings->file.out, one, verdicts);
}

static int report(struct settings *settings, const struct iw_run_counts *counts) {
    enum iw_exit code = iw_run_exit(counts);

    if (counts->selected == 0)
        return iw_option_error(&cmd_run_usage, "no case selected");
    cmd_sweep_minimise(&settings->sweep, &settings->run);
    iw_reasons_print(stdout, &settings->reasons);
    iw_violations_print(stdout, &settings->violations);
    iw_results_print_minimise(stdout, &settings->sweep.minimise);
    iw_results_print_summary(stdout, counts);
    if (settings->file.out)
        iw_results_json_minimise(settings->file.out, &settings->sweep.minimise);
    if (settings->file.out)
        iw_results_json_summary(settings->file.out, counts, code);
    settings->ended = settings->file.out != NULL;
    return (int)code;
}

/* A claim that no profile makes is misspelt. */
static int check_claims(const struct settings *settings) {
    const struct iw_profile profile = iw_profile_default();
    char claims[512] = "";

    for (size_t i = 0, length = 0; iw_profile_claim(i) && length < sizeof claims; i++)
        length += (size_t)snprintf(
            claims + length, sizeof claims - length, "%s%s", i > 0 ? ", " : "", iw_profile_claim(i));
    for (size_t i = 0; i < settings->run.without_count; i++) {
        bool known;

        iw_profile_claims(&profile, settings->run.without[i], &known);
        if (!known)
            return iw_option_error(
                &cmd_run_usage, "unknown claim %s (there are %s)", settings->run.without[i], claims);
    }
    return 0;
}

static int list_cases(const struct settings *settings) {
    int selected = iw_listing_run(&settings->run, settings->format, stdout);

    if (selected < 0)
        fprintf(stderr, "warpcheck: out of memory\n");
    if (selected == 0)
        return iw_option_error(&cmd_run_usage, "no case selected");
    return selected > 0 ? IW_EXIT_CONFORMS : IW_EXIT_ENVIRONMENT;
}

static int run_cases(struct settings *settings) {
    struct iw_run_counts counts;
    char error[512];
    int code = cmd_run_file_prepare(&settings->file);

    if (code == 0 && settings->resume.folder)
        code = cmd_resume_count(&cmd_run_usage, &settings->resume, &settings->run, &settings->sweep);
    if (code != 0)
        return code;
    settings->run.begin = begin_file;
    settings->run.result = take_result;
    settings->run.contradiction = take_contradiction;
    settings->run.flake = take_flake;
    settings->run.user = settings;
    if (iw_run(&settings->run, &counts, error, sizeof error) == IW_OK)
        return report(settings, &counts);
    fprintf(stderr, "warpcheck: %s\n", error);
    return IW_EXIT_ENVIRONMENT;
}

static int run_suite(struct settings *settings) {
    struct iw_catalogue catalogue;
    char error[512];
    int code;

    if (iw_catalogue_init(&catalogue, settings->cases, error, sizeof error) != IW_OK) {
        fprintf(stderr, "warpcheck: %s\n", error);
        return IW_EXIT_ENVIRONMENT;
    }
    settings->run.catalogue = &catalogue;
    code = check_claims(settings);
    if (code == 0)
        code = cmd_sweep_choose(&cmd_run_usage, &settings->sweep, &settings->run);
    if (code == 0)
        code = settings->list ? list_cases(settings) : run_cases(settings);
    iw_catalogue_dispose(&catalogue);
    return code;
}

static int close_settings(struct settings *settings, int code) {
    if (!cmd_run_file_close(&settings->file))
        code = (int)iw_exit_join((enum iw_exit)code, IW_EXIT_ENVIRONMENT);
    else if (settings->ended)
        code = (int)cmd_expect_run(&settings->expect, settings->file.folder, (enum iw_exit)code);
    cmd_expect_clear(&settings->expect);
    iw_pattern_free(settings->only);
    iw_pattern_free(settings->skip);
    cmd_sweep_dispose(&settings->sweep);
    iw_reasons_dispose(&settings->reasons);
    json_decref(settings->words);
    cmd_resume_dispose(&settings->resume);
    return code;
}

/* Takes the options of the earlier run. */
static int take_up(struct settings *settings) {
    char *argv[CMD_RESUME_WORDS_MAX + 2];
    int argc, code;

    if (settings->given > 1)
        return iw_option_error(&cmd_run_usage, "--resume goes alone: the options are those of the run");
    settings->file.folder = settings->resume.folder;
    code = cmd_resume_read(&cmd_run_usage, &settings->resume, &argc, argv);
    optind = 0; /* getopt begins anew */
    return code == 0 ? iw_option_all(&cmd_run_usage, argc, argv, take_option, settings) : code;
}

int cmd_run(int argc, char **argv) {
    struct settings settings = {.file.folder = "results", .words = json_array(), .sweep.seed = 1};
    int code = iw_option_all(&cmd_run_usage, argc, argv, take_option, &settings);

    if (code == IW_OPTION_DONE && settings.resume.folder)
        code = take_up(&settings);
    if (code == IW_OPTION_DONE && (code = check_settings(&settings)) == 0)
        code = run_suite(&settings);
    return close_settings(&settings, code);
}
