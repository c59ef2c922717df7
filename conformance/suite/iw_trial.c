#include "iw_trial.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_command.h"
#include "iw_evidence.h"
#include "iw_timeouts.h"
#include "iw_recorder.h"
#include "iw_scenario.h"
#include "iw_show.h"
#include "iw_whole_file.h"

enum { BEFORE_S = 600, HEALTH_S = 30, LINGER_MS = 500 };

struct iw_trial {
    struct iw_trial_config config;
    struct trial_command {
        struct iw_command *command; /* running command of --before or --health; NULL: none */
        struct iw_timer timer;
        int limit_s;
        void (*ended)(struct iw_trial *trial, bool good, const char *text);
    } command;
    struct iw_sctp_stack *sctp; /* NULL: the case does not use SCTP */
    struct iw_dut *dut;
    struct iw_recorder *recorder;
    char log[512];               /* path of the log, if there is a capture */
    struct iw_evidence evidence; /* `out` NULL: no log */
    struct iw_scenario *scenario;
    struct iw_timer failed; /* ends the trial after a failed start or an interrupt */
    bool begun;             /* the commands before the case have succeeded */
    bool checking;          /* the health command runs after the case */
    bool interrupted;
    char broken[IW_RECORDER_TEXT_OCTETS]; /* why capture or log cannot be written; "": they can */
    uint64_t started_ns;
    uint64_t request_sent_ns;    /* time of the last Request of the case; 0: none since its last Reply */
    unsigned request_connection; /* connection of that Request */
    struct iw_trial_result result;
};

/* ---- events of the case ---- */

static void trial_measure_startup(
    struct iw_trial *trial, unsigned connection, bool own, const struct iw_startup *frame) {
    uint64_t now_ns = iw_loop_time_ns(trial->config.loop), took_us;

    if (own) {
        trial->request_sent_ns = frame->key == IW_STARTUP_REQUEST ? now_ns : 0;
        trial->request_connection = connection;
        return;
    }
    if (trial->request_sent_ns == 0 || trial->request_connection != connection ||
        frame->key != IW_STARTUP_REPLY)
        return;
    took_us = (now_ns - trial->request_sent_ns) / 1000;
    if (took_us > trial->result.startup_us)
        trial->result.startup_us = took_us;
}

static void trial_event(void *user, struct iw_scenario *scenario, unsigned connection, const bool own[2],
    const struct iw_monitor_event *event) {
    struct iw_trial *trial = user;
    enum iw_side side = event->llp->side;

    (void)scenario;
    if (trial->evidence.out)
        iw_evidence_event(&trial->evidence, connection, own, event);
    for (size_t i = 0; trial->recorder && i < event->finding_count; i++)
        iw_recorder_keep(trial->recorder, event->findings[i].frame);
    iw_trial_result_event(&trial->result, connection, own, event);
    if (event->llp->kind == IW_LLP_STARTUP)
        trial_measure_startup(trial, connection, own[side], event->llp->startup);
    if (!own[side])
        iw_claims_check(
            &trial->config.run->claims, &trial->result.contradictions, iw_dut_settings(trial->dut), event);
}

static void trial_step(void *user, struct iw_scenario *scenario, const char *text) {
    struct iw_trial *trial = user;

    (void)scenario;
    if (trial->evidence.out)
        iw_evidence_step(&trial->evidence, text);
}

/* ---- verdict and log ---- */

/* Explains that the device did not connect: most likely an address is wrong. No clause is violated. */
static void trial_explain_absence(struct iw_trial *trial) {
    const char *text = iw_dut_unconnected(trial->dut);
    const char *host = "the address that its agent sees (--own-host sets a different one)";
    char message[sizeof trial->result.reason.message];

    if (trial->config.run->target.starter)
        host = trial->config.run->target.starter->host;
    else if (trial->config.run->target.agent && trial->config.run->target.agent->own_host)
        host = trial->config.run->target.agent->own_host;
    snprintf(message, sizeof message, "the device did not connect%s%.80s: does it reach this host by %.80s?",
        text ? ": " : "", text ? text : "", host);
    iw_show_line(trial->result.reason.message, sizeof trial->result.reason.message, message);
}

static void trial_judge_script(
    struct iw_trial *trial, const struct iw_verdict_rules *rules, const struct iw_scenario_result *script) {
    iw_trial_result_script(&trial->result, rules, script);
    /* A resumed run repeats the case; the agent may then be back. */
    if (script->outcome == IW_SCENARIO_ENVIRONMENT && rules->foreign && iw_dut_is_lost(trial->dut))
        trial->result.end = IW_TRIAL_UNFINISHED;
    trial->result.no_command = script->outcome == IW_SCENARIO_ENVIRONMENT && iw_dut_lacks_command(trial->dut);
    if (trial->result.no_command)
        trial->result.end = IW_TRIAL_UNREACHED;
    if (script->outcome == IW_SCENARIO_ABSENT && rules->foreign)
        trial_explain_absence(trial);
}

/* Notes that the evidence cannot be written. Only the first reason counts: the others follow from it. */
static void trial_break(struct iw_trial *trial, const char *why) {
    if (trial->broken[0] == '\0')
        snprintf(trial->broken, sizeof trial->broken, "%s", why);
}

/* Makes a trial without evidence the end of the run: a verdict without evidence proves nothing. */
static void trial_judge_evidence(struct iw_trial *trial) {
    if (trial->broken[0] == '\0')
        return;
    iw_trial_result_set(&trial->result, IW_VERDICT_INCONCLUSIVE, trial->broken);
    trial->result.checks = (struct iw_trial_checks){.verdict = IW_VERDICT_PASS};
    trial->result.end = IW_TRIAL_BROKEN;
}

/* Writes the end of the log. */
static void trial_close_evidence(struct iw_trial *trial, bool crashed) {
    FILE *out = trial->evidence.out;
    char text[IW_RECORDER_TEXT_OCTETS];
    int error = 0;

    if (!out)
        return;
    if (crashed)
        iw_console_put_excerpt(out, trial->config.run->console);
    iw_evidence_verdict(&trial->evidence, &trial->result);
    error = iw_whole_file_flush(out);
    if (fclose(out) != 0 && error == 0)
        error = errno;
    trial->evidence.out = NULL;
    snprintf(text, sizeof text, "%.400s: %s", trial->log, strerror(error));
    if (error != 0)
        trial_break(trial, text);
}

/* ---- commands of --before and --health ---- */

static void trial_end_command(struct iw_trial *trial) {
    iw_timer_stop(&trial->command.timer);
    iw_command_free(trial->command.command);
    trial->command.command = NULL;
}

static void trial_command_ended(void *user, enum iw_command_end end, const char *text) {
    struct iw_trial *trial = user;

    iw_timer_stop(&trial->command.timer);
    trial->command.ended(trial, end == IW_COMMAND_SUCCEEDED, text);
}

static void trial_command_timed_out(void *user) {
    struct iw_trial *trial = user;
    char text[IW_COMMAND_TEXT_OCTETS];

    snprintf(text, sizeof text, "timeout after %d s", trial->command.limit_s);
    trial->command.ended(trial, false, text);
}

/* Runs the command, and calls `ended` from the loop at its end or timeout; at once if it cannot start. */
static void trial_run_command(struct iw_trial *trial, const char *command, int limit_s,
    void (*ended)(struct iw_trial *trial, bool good, const char *text)) {
    char text[IW_COMMAND_TEXT_OCTETS];

    trial_end_command(trial);
    trial->command.limit_s = limit_s;
    trial->command.ended = ended;
    trial->command.command = iw_command_new(trial->config.loop, command, trial_command_ended, trial, text);
    if (trial->command.command)
        iw_timer_start(&trial->command.timer, trial->config.loop, (uint64_t)limit_s * 1000000,
            trial_command_timed_out, trial);
    else
        ended(trial, false, text);
}

/* ---- end of the trial ---- */

/* Ends the trial: reads the console, judges the device, closes the log, reports the result and frees the
 * trial. Called after the health command, if any, because console lines until then belong to this case. */
static void trial_conclude(void *user) {
    struct iw_trial *trial = user;
    struct iw_trial_result *result = &trial->result;
    bool crashed = trial->config.run->console && trial->begun &&
                   iw_console_read(trial->config.run->console, result->device.crash);

    trial_end_command(trial);
    iw_timer_stop(&trial->failed);
    iw_trial_result_judge_device(result);
    trial_close_evidence(trial, crashed);
    trial_judge_evidence(trial);
    trial->config.done(trial->config.user, result);
    free(trial);
}

static void trial_checked_after(struct iw_trial *trial, bool good, const char *text) {
    struct iw_trial_device *device = &trial->result.device;

    device->healthy = good;
    if (!good)
        iw_show_line(device->unresponsive, sizeof device->unresponsive, text);
    trial_conclude(trial);
}

/* Judges the case, then runs the health command, if any. Freeing the device can still add findings. */
static void trial_finish(void *user) {
    struct iw_trial *trial = user;
    const struct iw_network_profile *network = trial->config.run->network;
    const struct iw_verdict_rules rules = {.foreign = trial->config.run->target.host != NULL,
        .strict = trial->config.run->strict,
        .lossy = network && iw_network_profile_loses(network)};
    struct iw_trial_result *result = &trial->result;
    char text[IW_RECORDER_TEXT_OCTETS];

    iw_timer_stop(&trial->failed);
    if (trial->scenario)
        trial_judge_script(trial, &rules, iw_scenario_result(trial->scenario));
    iw_scenario_free(trial->scenario);
    trial->scenario = NULL;
    if (trial->dut)
        result->names = *iw_dut_names(trial->dut);
    iw_dut_free(trial->dut);
    trial->dut = NULL;
    iw_sctp_stack_free(trial->sctp);
    iw_trial_result_judge(result, &rules);
    if (trial->recorder)
        iw_recorder_left_out(trial->recorder, &result->evidence.shortened, &result->evidence.missing);
    result->evidence.left_out = trial->evidence.left_out;
    if (iw_recorder_close(trial->recorder, text) != IW_OK)
        trial_break(trial, text);
    result->duration_ms = (iw_loop_time_ns(trial->config.loop) - trial->started_ns) / 1000000;
    trial->checking = trial->config.run->health && trial->begun && !trial->interrupted;
    if (trial->checking)
        trial_run_command(trial, trial->config.run->health, HEALTH_S, trial_checked_after);
    else
        trial_conclude(trial);
}

static void trial_end_scenario(void *user, struct iw_scenario *scenario) {
    (void)scenario;
    trial_finish(user);
}

/* ---- start ---- */

static void trial_end_early(struct iw_trial *trial, enum iw_verdict verdict, const char *message) {
    iw_trial_result_set(&trial->result, verdict, message);
    iw_timer_start(&trial->failed, trial->config.loop, 0, trial_finish, trial);
}

static void trial_request_unsupported(void *user, const json_t *request, const char *words) {
    struct iw_trial *trial = user;

    iw_claims_refused(&trial->config.run->claims, &trial->result.contradictions, request, words);
}

void iw_trial_log_path(const char *capture, char *log, size_t octets) {
    const char *dot = strrchr(capture, '.');
    ptrdiff_t length = dot ? dot - capture : (ptrdiff_t)strlen(capture);

    snprintf(log, octets, "%.*s.log", (int)length, capture);
}

static bool trial_open_evidence(struct iw_trial *trial, char *text) {
    FILE *out;

    iw_trial_log_path(trial->config.capture, trial->log, sizeof trial->log);
    out = fopen(trial->log, "w");
    if (!out) {
        snprintf(text, IW_RECORDER_TEXT_OCTETS, "%.400s: %s", trial->log, strerror(errno));
        return false;
    }
    iw_evidence_begin(&trial->evidence, out, trial->config.one);
    iw_evidence_limit(&trial->evidence, trial->config.run->evidence_octets);
    return true;
}

static void trial_end_recording(void *user) {
    struct iw_trial *trial = user;

    if (trial->scenario)
        iw_scenario_interrupt(trial->scenario);
}

/* The capture cannot grow: ends the case from the loop, because the scenario is the caller. */
static void trial_recording_stopped(void *user, const char *text) {
    struct iw_trial *trial = user;

    trial_break(trial, text);
    if (trial->scenario)
        iw_timer_start(&trial->failed, trial->config.loop, 0, trial_end_recording, trial);
}

static void trial_watch_recording(struct iw_trial *trial) {
    iw_recorder_tell(trial->recorder, trial_recording_stopped, trial);
    iw_recorder_limit(trial->recorder, trial->config.run->evidence_octets);
}

/* How much later octets may arrive because of the network, in ms. */
static uint32_t trial_network_ms(const struct iw_trial *trial) {
    const struct iw_network_profile *network = trial->config.run->network;

    return network ? network->wait_ms : 0;
}

static bool trial_create_scenario(struct iw_trial *trial, char *text) {
    const struct iw_case *one = trial->config.one;
    const struct iw_profile *profile = trial->config.run->claims.profile;
    const struct iw_timeouts timeouts = iw_timeouts_of(trial->config.startup_us,
        profile ? profile->startup_timeout_s : IW_PROFILE_STARTUP_TIMEOUT_S, trial_network_ms(trial));
    struct iw_scenario_config config = {.script = one->script,
        .loop = trial->config.loop,
        .name = one->id,
        .timeout_ms = timeouts.answer_ms,
        .least_timeout_ms = timeouts.silence_ms,
        .deadline_ms = timeouts.deadline_ms,
        .linger_ms = LINGER_MS + trial_network_ms(trial),
        /* RFC 7306 5.2.1 reserves AOpCode 1; draft-ietf-storm-rdmap-ext-01 uses it for Swap. */
        .unlawful = profile && !profile->swap ? IW_EXT_STORM : 0,
        .hooks = {.step = trial_step, .event = trial_event, .done = trial_end_scenario, .user = trial}};

    if (trial->config.capture) {
        trial->recorder = iw_recorder_open(trial->config.capture, NULL, text);
        if (trial->recorder)
            trial_watch_recording(trial);
        if (!trial->recorder || !trial_open_evidence(trial, text)) {
            trial_break(trial, text);
            return false;
        }
        snprintf(trial->result.capture, sizeof trial->result.capture, "%s", trial->config.capture);
    }
    config.recorder = trial->recorder;
    trial->scenario = iw_scenario_new(&config);
    return trial->scenario != NULL;
}

/* Lua function; argument: struct iw_trial. Returns the case's function and its arguments: dut, choice. */
static int trial_push_run(lua_State *lua) {
    struct iw_trial *trial = lua_touserdata(lua, 1);

    lua_rawgeti(lua, LUA_REGISTRYINDEX, trial->config.one->run);
    iw_dut_push(lua, trial->dut);
    if (trial->config.one->factors)
        iw_factors_push(lua, trial->config.one->factors, &trial->config.one->choice);
    else
        lua_pushnil(lua);
    return 3;
}

static bool trial_start_case(struct iw_trial *trial) {
    lua_State *lua = iw_script_lua(trial->config.one->script);

    lua_pushcfunction(lua, trial_push_run);
    lua_pushlightuserdata(lua, trial);
    if (lua_pcall(lua, 1, 3, 0) != LUA_OK) {
        lua_pop(lua, 1);
        return false;
    }
    return iw_scenario_start(trial->scenario, 2) == IW_OK;
}

/* Called when the agent is ready, or at once without an agent. */
static void trial_start_scenario(void *user) {
    struct iw_trial *trial = user;
    char text[IW_RECORDER_TEXT_OCTETS] = "not enough memory";

    if (trial_create_scenario(trial, text) && trial_start_case(trial))
        return;
    iw_scenario_free(trial->scenario);
    trial->scenario = NULL;
    trial_end_early(trial, IW_VERDICT_ERROR, text);
}

static void trial_agent_missing(struct iw_trial *trial, const char *text) {
    trial->result.end = IW_TRIAL_UNREACHED;
    trial->result.no_agent = true;
    trial_end_early(trial, IW_VERDICT_INCONCLUSIVE, text);
}

/* Ends a trial whose case has not started. A started case gets an error at its next request or wait. */
static void trial_device_failed(void *user, const char *text) {
    struct iw_trial *trial = user;

    if (trial->scenario || iw_timer_runs(&trial->failed))
        return;
    trial_agent_missing(trial, text);
}

/* Notes the first crash that the console shows before the case. */
static void trial_read_console_before(struct iw_trial *trial) {
    char line[IW_CONSOLE_LINE_OCTETS], *crash = trial->result.device.crash_before;

    if (trial->config.run->console && iw_console_read(trial->config.run->console, line) && !crash[0])
        memcpy(crash, line, sizeof line);
}

static void trial_start_device(struct iw_trial *trial) {
    const struct iw_case *one = trial->config.one;
    bool over_sctp = iw_case_claims(one, "sctp");
    char text[IW_RECORDER_TEXT_OCTETS] = "not enough memory";
    struct iw_dut_config config = {.loop = trial->config.loop,
        .target = trial->config.run->target,
        .profile = trial->config.run->claims.profile,
        .rping = one->tier == IW_CASE_TIER_RPING,
        .initiator = one->initiator,
        .network_ms = trial_network_ms(trial),
        .ready = trial_start_scenario,
        .failed = trial_device_failed,
        .refused = trial_request_unsupported,
        .user = trial};

    trial->begun = true;
    trial_read_console_before(trial);
    if (over_sctp)
        config.stack = trial->sctp = iw_sctp_stack_new(trial->config.loop);
    if (!over_sctp || trial->sctp)
        trial->dut = iw_dut_new(&config, text);
    if (!trial->dut && config.target.host && config.target.agent)
        trial_agent_missing(trial, text); /* its name cannot be resolved */
    else if (!trial->dut)
        trial_end_early(trial, IW_VERDICT_ERROR, text);
    else if (iw_dut_ready(trial->dut))
        trial_start_scenario(trial);
}

/* Ends the trial because a command before the case failed; from the loop: the command may be the caller. A
 * crash on the console may be the restart by that command, so it is only a part of the reason. */
static void trial_device_not_ready(struct iw_trial *trial, const char *command, const char *text) {
    char message[IW_COMMAND_TEXT_OCTETS + IW_CONSOLE_LINE_OCTETS + 64], line[IW_CONSOLE_LINE_OCTETS];
    bool crashed = false;

    if (iw_timer_runs(&trial->failed))
        return;
    crashed = trial->config.run->console && iw_console_read(trial->config.run->console, line);
    snprintf(message, sizeof message, "the command of --%s: %s%s%s", command, text,
        crashed ? "; on the console: " : "", crashed ? line : "");
    trial->result.device.not_ready = true;
    trial->result.end = IW_TRIAL_UNREACHED;
    trial_end_early(trial, IW_VERDICT_INCONCLUSIVE, message);
}

static void trial_checked_before(struct iw_trial *trial, bool good, const char *text) {
    if (!good)
        trial_device_not_ready(trial, "health", text);
    else if (!iw_timer_runs(&trial->failed))
        trial_start_device(trial);
}

static void trial_check_before(struct iw_trial *trial) {
    if (trial->config.run->health && !trial->config.healthy)
        trial_run_command(trial, trial->config.run->health, HEALTH_S, trial_checked_before);
    else
        trial_start_device(trial);
}

static void trial_before_ended(struct iw_trial *trial, bool good, const char *text) {
    if (!good)
        trial_device_not_ready(trial, "before", text);
    else if (!iw_timer_runs(&trial->failed))
        trial_check_before(trial);
}

struct iw_trial *iw_trial_start(const struct iw_trial_config *config) {
    struct iw_trial *trial = calloc(1, sizeof *trial);

    if (!trial)
        return NULL;
    trial->config = *config;
    trial->result.one = config->one;
    trial->result.severity = iw_case_severity(config->one);
    trial->started_ns = iw_loop_time_ns(config->loop);
    trial_read_console_before(trial); /* a later line may be of a restart by --before */
    if (config->run->before)
        trial_run_command(trial, config->run->before, BEFORE_S, trial_before_ended);
    else
        trial_check_before(trial);
    return trial;
}

void iw_trial_stall(struct iw_trial *trial) {
    if (trial->scenario)
        iw_scenario_stall(trial->scenario);
}

void iw_trial_interrupt(struct iw_trial *trial) {
    trial->interrupted = true;
    if (trial->scenario) {
        iw_scenario_interrupt(trial->scenario);
    } else if (!iw_timer_runs(&trial->failed)) {
        trial->result.end = IW_TRIAL_UNFINISHED;
        iw_trial_result_set(&trial->result, IW_VERDICT_INCONCLUSIVE, "interrupted");
        iw_timer_start(
            &trial->failed, trial->config.loop, 0, trial->checking ? trial_conclude : trial_finish, trial);
    }
}
