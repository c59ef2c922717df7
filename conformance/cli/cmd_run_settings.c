#include "cmd_run_settings.h"

#include "cmd.h"
#include "cmd_run_file.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum { SETTINGS_EMBEDDED_JOBS = 16 };

static int settings_find_shard(struct cmd_run_settings *settings) {
    struct iw_shard other = {0}, *shard = &settings->options.shard;
    char error[128];

    if (!settings->resume.prior.run && !iw_shard_of_environment(&other, error, sizeof error))
        return iw_option_error(&cmd_run_usage, "%s", error);
    if (other.count > 0 && shard->count > 0)
        return iw_option_error(&cmd_run_usage, "both --shard and TEST_TOTAL_SHARDS are set");
    if (other.count > 0)
        *shard = other;
    if (shard->count > 0) {
        snprintf(error, sizeof error, "%u/%u", shard->number, shard->count);
        json_array_append_new(settings->words, json_string("--shard"));
        json_array_append_new(settings->words, json_string(error));
    }
    return 0;
}

/* Rejects a claim of --without that no profile can make: it is misspelt. */
static int settings_check_claims(const struct cmd_run_settings *settings) {
    const struct iw_profile profile = iw_profile_default();
    char claims[512] = "";

    for (size_t i = 0, length = 0; iw_profile_claim(i) && length < sizeof claims; i++)
        length += (size_t)snprintf(
            claims + length, sizeof claims - length, "%s%s", i > 0 ? ", " : "", iw_profile_claim(i));
    for (size_t i = 0; i < settings->run.claims.without_count; i++) {
        bool known;

        iw_profile_claims(&profile, settings->run.claims.without[i], &known);
        if (!known)
            return iw_option_error(
                &cmd_run_usage, "unknown claim %s (known: %s)", settings->run.claims.without[i], claims);
    }
    return 0;
}

static int settings_check(const struct cmd_run_settings *settings) {
    const struct iw_run_config *run = &settings->run;

    if (settings->format_given && !settings->list)
        return iw_option_error(&cmd_run_usage, "--format goes with --list");
    if (run->target.host && (run->target.defect || run->simulated))
        return iw_option_error(&cmd_run_usage, "--%s is for the embedded peer, not for a --peer",
            run->target.defect ? iw_defect_kind(run->target.defect) : "simulate");
    if (run->network && (run->target.host || run->simulated))
        return iw_option_error(&cmd_run_usage, "--network is for the embedded peer%s",
            run->simulated ? ", without --simulate" : ": a private network does not reach a --peer");
    if (((run->before || run->target.sctp.host) && !run->target.host) ||
        (run->rping && run->target.port == 0 && !settings->without_peer))
        return iw_option_error(&cmd_run_usage, "--%s goes with --peer",
            run->rping    ? "rping"
            : run->before ? "before"
                          : "sctp");
    if (run->target.rping_octets > 0 && run->target.host && !run->rping)
        return iw_option_error(&cmd_run_usage, "--rping-size goes with --rping");
    if ((run->health || settings->console) && (!run->target.host || run->jobs > 1))
        return iw_option_error(&cmd_run_usage, "--%s goes with %s", run->health ? "health" : "console",
            run->target.host
                ? "--jobs 1: with several cases at a time, it is unknown which one made the device fail"
                : "--peer");
    if (settings->console_pattern && !settings->console)
        return iw_option_error(&cmd_run_usage, "--console-pattern goes with --console");
    if (!settings->out && (settings->expect.file || settings->expect.write))
        return iw_option_error(&cmd_run_usage, "--%s needs results: omit --no-out",
            settings->expect.file ? "expect" : "write-expect");
    return settings_check_claims(settings);
}

static int settings_open_console(struct cmd_run_settings *settings) {
    char error[512];

    if (!settings->console || settings->list)
        return 0;
    settings->run.console = iw_console_new(settings->console, settings->console_pattern, error, sizeof error);
    return settings->run.console ? 0 : iw_option_error(&cmd_run_usage, "--console: %s", error);
}

static int settings_make_run(struct cmd_run_settings *settings) {
    struct iw_run_config *run = &settings->run;
    int code;

    if (run->jobs == 0)
        run->jobs = run->target.host ? 1 : SETTINGS_EMBEDDED_JOBS;
    run->folder = settings->out;
    code = cmd_agent_find(&cmd_run_usage, &settings->agent, run->target.host,
        settings->starter.starter.command != NULL, &run->target.agent);
    if (code == 0)
        code = cmd_starter_find(&cmd_run_usage, &settings->starter, run->target.host,
            settings->agent.agent.own_host, &run->target.starter);
    if (code == 0)
        code = settings_open_console(settings);
    if (code == 0 && !cmd_expect_read(&settings->expect))
        code = IW_EXIT_ENVIRONMENT;
    return code;
}

/* Sets the device under test. One that only connects has no address of its own: that of this host then names
 * it, with port 0. */
static void settings_find_target(struct cmd_run_settings *settings) {
    struct iw_dut_target *target = &settings->run.target;
    bool connects = false; /* --role initiator */

    for (size_t i = 0; i < settings->run.claims.without_count; i++)
        connects |= strcmp(settings->run.claims.without[i], "responder") == 0;
    target->host = settings->peer.host ? settings->peer.host : cmd_agent_host(&settings->agent);
    target->port = settings->peer.port;
    target->sctp = settings->sctp.where;
    settings->run.lacks_sctp = !iw_sctp_stack_available();
    if (!target->host && settings->starter.starter.command && connects) {
        target->host = settings->agent.agent.own_host;
        settings->without_peer = target->host != NULL;
    }
}

static int settings_resume(struct cmd_run_settings *settings) {
    char *argv[CMD_RESUME_WORDS_MAX + 2];
    int argc, code;

    if (settings->given > 1)
        return iw_option_error(&cmd_run_usage, "--resume takes no other options: it uses those of the run");
    settings->out = settings->resume.folder;
    code = cmd_resume_read(&cmd_run_usage, &settings->resume, &argc, argv);
    optind = 0; /* restarts getopt for the options of the earlier run */
    return code == 0 ? iw_option_all(&cmd_run_usage, argc, argv, settings) : code;
}

int cmd_run_settings_read(struct cmd_run_settings *settings, int argc, char **argv) {
    int code;

    *settings = (struct cmd_run_settings){.out = cmd_run_file_default,
        .options = iw_run_options_default(),
        .words = json_array(),
        .relay.wait_ms = CMD_RUN_RELAY_WAIT_MS};
    code = iw_option_all(&cmd_run_usage, argc, argv, settings);
    if (code == IW_OPTION_DONE && settings->resume.folder)
        code = settings_resume(settings);
    if (code != IW_OPTION_DONE)
        return code;
    code = settings_find_shard(settings);
    iw_run_options_apply(&settings->options, &settings->run);
    settings_find_target(settings);
    if (code == 0)
        code = cmd_run_relay_settle(settings);
    if (code == 0)
        code = settings_check(settings);
    if (code == 0)
        code = settings_make_run(settings);
    return code == 0 ? IW_OPTION_DONE : code;
}

int cmd_run_settings_make_network(struct cmd_run_settings *settings) {
    char error[IW_NETWORK_TEXT_OCTETS];

    if (!settings->run.network)
        return 0;
    settings->network = iw_network_new(settings->run.network, error);
    settings->run.target.network = settings->network;
    return settings->network ? 0 : cmd_fail(IW_EXIT_ENVIRONMENT, "--network: %s", error);
}

void cmd_run_settings_dispose(struct cmd_run_settings *settings) {
    iw_network_free(settings->network);
    cmd_agent_dispose(&settings->agent);
    iw_expect_clear(&settings->expect.expect);
    iw_run_options_dispose(&settings->options);
    iw_console_free(settings->run.console);
    iw_pattern_free(settings->console_pattern);
    cmd_sweep_dispose(&settings->sweep);
    json_decref(settings->words);
    iw_prior_run_dispose(&settings->resume.prior);
}
