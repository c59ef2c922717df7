#include "iw_trial_script.h"

#include <stdio.h>
#include <stdlib.h>

#include "iw_scenario.h"
#include "iw_show.h"
#include "iw_timeouts.h"

enum { LINGER_MS = 500 };

struct script {
    struct iw_trial *trial;
    const struct iw_case *one;
    const struct iw_run_config *run;
    struct iw_loop *loop;
    struct iw_trial_result *result;
    struct iw_trial_record *record;
    struct iw_sctp_stack *sctp; /* NULL: the case does not use SCTP */
    struct iw_dut *dut;
    struct iw_scenario *scenario;
    uint64_t request_sent_ns;    /* time of the last Request of the case; 0: none since its last Reply */
    unsigned request_connection; /* connection of that Request */
};

/* ---- events of the case ---- */

static void script_measure_startup(
    struct script *script, unsigned connection, bool own, const struct iw_startup *frame) {
    uint64_t now_ns = iw_loop_time_ns(script->loop), took_us;

    if (own) {
        script->request_sent_ns = frame->key == IW_STARTUP_REQUEST ? now_ns : 0;
        script->request_connection = connection;
        return;
    }
    if (script->request_sent_ns == 0 || script->request_connection != connection ||
        frame->key != IW_STARTUP_REPLY)
        return;
    took_us = (now_ns - script->request_sent_ns) / 1000;
    if (took_us > script->result->startup_us)
        script->result->startup_us = took_us;
}

static void script_event(void *user, struct iw_scenario *scenario, unsigned connection, const bool own[2],
    const struct iw_monitor_event *event) {
    struct script *script = user;
    enum iw_side side = event->llp->side;

    (void)scenario;
    iw_trial_record_event(script->record, connection, own, event);
    iw_trial_result_event(script->result, connection, own, event);
    if (event->llp->kind == IW_LLP_STARTUP)
        script_measure_startup(script, connection, own[side], event->llp->startup);
    if (!own[side])
        iw_claims_check(
            &script->run->claims, &script->result->contradictions, iw_dut_settings(script->dut), event);
}

static void script_step(void *user, struct iw_scenario *scenario, const char *text) {
    struct script *script = user;

    (void)scenario;
    iw_trial_record_step(script->record, text);
}

/* ---- verdict ---- */

/* Explains that the device did not connect: most likely an address is wrong. No clause is violated. */
static void script_explain_absence(struct script *script) {
    const struct iw_dut_target *target = &script->run->target;
    const char *text = iw_dut_unconnected(script->dut);
    const char *host = "the address that its agent sees (--own-host sets a different one)";
    char message[sizeof script->result->reason.message];

    if (target->starter)
        host = target->starter->host;
    else if (target->agent && target->agent->own_host)
        host = target->agent->own_host;
    snprintf(message, sizeof message, "the device did not connect%s%.80s: does it reach this host by %.80s?",
        text ? ": " : "", text ? text : "", host);
    iw_show_line(script->result->reason.message, sizeof script->result->reason.message, message);
}

static void script_judge(struct script *script, const struct iw_scenario_result *outcome) {
    const struct iw_verdict_rules rules = iw_trial_rules(script->trial);
    struct iw_trial_result *result = script->result;

    iw_trial_result_script(result, &rules, outcome);
    /* A resumed run repeats the case; the agent may then be back. */
    if (outcome->outcome == IW_SCENARIO_ENVIRONMENT && rules.foreign && iw_dut_is_lost(script->dut))
        result->end = IW_TRIAL_UNFINISHED;
    result->no_command = outcome->outcome == IW_SCENARIO_ENVIRONMENT && iw_dut_lacks_command(script->dut);
    if (result->no_command)
        result->end = IW_TRIAL_UNREACHED;
    if (outcome->outcome == IW_SCENARIO_ABSENT && rules.foreign)
        script_explain_absence(script);
}

/* ---- end ---- */

static void script_scenario_ended(void *user, struct iw_scenario *scenario) {
    struct script *script = user;

    (void)scenario;
    iw_trial_end(script->trial);
}

static void script_end(void *conversation) {
    struct script *script = conversation;

    if (script->scenario)
        script_judge(script, iw_scenario_result(script->scenario));
    iw_scenario_free(script->scenario);
    if (script->dut)
        script->result->names = *iw_dut_names(script->dut);
    iw_dut_free(script->dut);
    iw_sctp_stack_free(script->sctp);
    free(script);
}

static bool script_interrupt(void *conversation) {
    struct script *script = conversation;

    if (script->scenario)
        iw_scenario_interrupt(script->scenario);
    return script->scenario != NULL;
}

static void script_stall(void *conversation) {
    struct script *script = conversation;

    if (script->scenario)
        iw_scenario_stall(script->scenario);
}

/* ---- start ---- */

static void script_fail(struct script *script, const char *text) {
    iw_trial_end_early(script->trial, IW_TRIAL_FINISHED, IW_VERDICT_ERROR, text);
}

static void script_request_unsupported(void *user, const json_t *request, const char *words) {
    struct script *script = user;

    iw_claims_refused(&script->run->claims, &script->result->contradictions, request, words);
}

/* How much later octets may arrive because of the network, in ms. */
static uint32_t script_network_ms(const struct script *script) {
    const struct iw_network_profile *network = script->run->network;

    return network ? network->wait_ms : 0;
}

static bool script_create_scenario(struct script *script) {
    const struct iw_profile *profile = script->run->claims.profile;
    const struct iw_timeouts timeouts = iw_timeouts_of(iw_trial_settings(script->trial)->startup_us,
        profile ? profile->startup_timeout_s : IW_PROFILE_STARTUP_TIMEOUT_S, script_network_ms(script));
    struct iw_scenario_config config = {.script = script->one->script,
        .loop = script->loop,
        .name = script->one->id,
        .recorder = script->record->recorder,
        .timeout_ms = timeouts.answer_ms,
        .least_timeout_ms = timeouts.silence_ms,
        .deadline_ms = timeouts.deadline_ms,
        .linger_ms = LINGER_MS + script_network_ms(script),
        /* RFC 7306 5.2.1 reserves AOpCode 1; draft-ietf-storm-rdmap-ext-01 uses it for Swap. */
        .unlawful = profile && !profile->swap ? IW_EXT_STORM : 0,
        .hooks = {.step = script_step, .event = script_event, .done = script_scenario_ended, .user = script}};

    script->scenario = iw_scenario_new(&config);
    return script->scenario != NULL;
}

/* Lua function; argument: struct script. Returns the case's function and its arguments: dut, choice. */
static int script_push_run(lua_State *lua) {
    struct script *script = lua_touserdata(lua, 1);

    lua_rawgeti(lua, LUA_REGISTRYINDEX, script->one->run);
    iw_dut_push(lua, script->dut);
    if (script->one->factors)
        iw_factors_push(lua, script->one->factors, &script->one->choice);
    else
        lua_pushnil(lua);
    return 3;
}

static bool script_start_case(struct script *script) {
    lua_State *lua = iw_script_lua(script->one->script);

    lua_pushcfunction(lua, script_push_run);
    lua_pushlightuserdata(lua, script);
    if (lua_pcall(lua, 1, 3, 0) != LUA_OK) {
        lua_pop(lua, 1);
        return false;
    }
    return iw_scenario_start(script->scenario, 2) == IW_OK;
}

/* Called when the agent is ready, or at once without an agent. */
static void script_start_scenario(void *user) {
    struct script *script = user;

    if (!iw_trial_open_records(script->trial))
        return;
    if (script_create_scenario(script) && script_start_case(script))
        return;
    iw_scenario_free(script->scenario);
    script->scenario = NULL;
    script_fail(script, "not enough memory");
}

static void script_agent_missing(struct script *script, const char *text) {
    script->result->no_agent = true;
    iw_trial_end_early(script->trial, IW_TRIAL_UNREACHED, IW_VERDICT_INCONCLUSIVE, text);
}

/* Ends a trial whose case has not started. A started case gets an error at its next request or wait. */
static void script_device_failed(void *user, const char *text) {
    struct script *script = user;

    if (!script->scenario && !iw_trial_is_ending(script->trial))
        script_agent_missing(script, text);
}

static void script_start_device(struct script *script) {
    bool over_sctp = iw_case_claims(script->one, "sctp");
    char text[IW_RECORDER_TEXT_OCTETS] = "not enough memory";
    struct iw_dut_config config = {.loop = script->loop,
        .target = script->run->target,
        .profile = script->run->claims.profile,
        .rping = script->one->tier == IW_CASE_TIER_RPING,
        .initiator = script->one->initiator,
        .network_ms = script_network_ms(script),
        .ready = script_start_scenario,
        .failed = script_device_failed,
        .refused = script_request_unsupported,
        .user = script};

    if (over_sctp)
        config.stack = script->sctp = iw_sctp_stack_new(script->loop);
    if (!over_sctp || script->sctp)
        script->dut = iw_dut_new(&config, text);
    if (!script->dut && config.target.host && config.target.agent)
        script_agent_missing(script, text); /* its name cannot be resolved */
    else if (!script->dut)
        script_fail(script, text);
    else if (iw_dut_ready(script->dut))
        script_start_scenario(script);
}

static void *script_start(void *user, struct iw_trial *trial) {
    const struct iw_trial_config *config = iw_trial_settings(trial);
    struct script *script = calloc(1, sizeof *script);

    (void)user;
    if (!script)
        return NULL;
    *script = (struct script){.trial = trial,
        .one = config->cases[0],
        .run = config->run,
        .loop = config->loop,
        .result = iw_trial_result_of(trial, 0),
        .record = iw_trial_record_of(trial, 0)};
    script_start_device(script);
    return script;
}

const struct iw_trial_way iw_trial_script = {
    .start = script_start, .interrupt = script_interrupt, .stall = script_stall, .end = script_end};
