#include "iw_trial.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "iw_command.h"
#include "iw_evidence.h"
#include "iw_patience.h"
#include "iw_recorder.h"
#include "iw_scenario.h"

enum { BEFORE_US = 120 * 1000000, LINGER_MS = 500 };

struct iw_trial {
    struct iw_trial_config config;
    struct iw_command *before;
    struct iw_timer patience; /* for it */
    struct iw_dut *dut;
    struct iw_recorder *recorder;
    char log[512];               /* path, where there is a capture */
    struct iw_evidence evidence; /* its `out` NULL: none */
    struct iw_scenario *scenario;
    struct iw_timer failed; /* it could not start: the result is handed over from the loop all the same */
    uint64_t started_ns;
    uint64_t asked_ns; /* when the last Request was sent, or 0 */
    unsigned asked;    /* on that connection */
    bool ended_ok;     /* the script did */
    struct iw_trial_result result;
};

const char *iw_verdict_name(enum iw_verdict verdict) {
    static const char *const names[] = {
        "pass", "fail", "warning", "note", "inconclusive", "not applicable", "error"};

    return names[verdict];
}

bool iw_verdict_find(const char *name, enum iw_verdict *verdict) {
    for (*verdict = IW_VERDICT_PASS; *verdict <= IW_VERDICT_ERROR; ++*verdict)
        if (strcmp(iw_verdict_name(*verdict), name) == 0)
            return true;
    return false;
}

const char *iw_verdict_key(enum iw_verdict verdict) {
    return verdict == IW_VERDICT_NOT_APPLICABLE ? "not_applicable" : iw_verdict_name(verdict);
}

const char *iw_close_verdict_name(enum iw_close_verdict verdict) {
    static const char *const names[] = {"not judged", "right", "tolerated", "wrong"};

    return names[verdict];
}

/* As much of the text as there is room for. */
static void set_text(char *to, size_t octets, const char *from) {
    size_t length = from ? strnlen(from, octets - 1) : 0;

    if (length > 0)
        memcpy(to, from, length);
    to[length] = '\0';
}

/* ---- what the device does ---- */

static void take_close(struct iw_trial_result *result, const struct iw_mpa_event *mpa) {
    static const char *const manner[] = {
        [IW_MPA_CLOSE_FIN] = "fin", [IW_MPA_CLOSE_RST] = "rst", [IW_MPA_CLOSE_INPUT] = "open"};

    if (mpa->close == IW_MPA_CLOSE_INPUT && result->close[0] && strcmp(result->close, "open") != 0)
        return; /* of an earlier connection it is known */
    snprintf(result->close, sizeof result->close, "%s%s", result->terminate[0] ? "terminate+" : "",
        manner[mpa->close]);
}

static void take_terminate(struct iw_trial_result *result, const struct iw_terminate *control) {
    iw_error_text(iw_terminate_error(control), result->terminate);
}

static void keep_finding(
    struct iw_trial_result *result, unsigned connection, const struct iw_finding *finding) {
    enum iw_severity severity = iw_requirement_severity(finding->requirement);
    unsigned at = result->kept_count;

    result->findings[severity]++;
    if (at == IW_TRIAL_FINDINGS_MAX) /* in place of one that weighs less */
        while (at > 0 && iw_requirement_severity(result->kept[at - 1].requirement) >= severity)
            at--;
    else
        at = ++result->kept_count;
    if (at == 0)
        return;
    result->kept_connection[at - 1] = connection;
    result->kept[at - 1] = *finding;
}

static void measure_startup(
    struct iw_trial *trial, unsigned connection, bool own, const struct iw_startup *frame) {
    uint64_t now_ns = iw_loop_time_ns(trial->config.loop), took_us;

    if (own) {
        trial->asked_ns = frame->key == IW_STARTUP_REQUEST ? now_ns : 0;
        trial->asked = connection;
        return;
    }
    if (trial->asked_ns == 0 || trial->asked != connection || frame->key != IW_STARTUP_REPLY)
        return;
    took_us = (now_ns - trial->asked_ns) / 1000;
    if (took_us > trial->result.startup_us)
        trial->result.startup_us = took_us;
}

static void take_event(void *user, struct iw_scenario *scenario, unsigned connection, const bool own[2],
    const struct iw_monitor_event *event) {
    struct iw_trial *trial = user;
    struct iw_trial_result *result = &trial->result;

    (void)scenario;
    if (trial->evidence.out)
        iw_evidence_event(&trial->evidence, connection, own, event);
    for (size_t i = 0; i < event->finding_count; i++)
        if (!own[event->findings[i].side])
            keep_finding(result, connection, &event->findings[i]);
    if (event->mpa->kind == IW_MPA_STARTUP)
        measure_startup(trial, connection, own[event->mpa->side], event->mpa->startup);
    if (own[event->mpa->side])
        return;
    iw_tally_event(&result->said, event);
    iw_claims_see(&trial->config.claims, &result->contradictions, iw_dut_settings(trial->dut), event);
    if (event->terminate)
        take_terminate(result, &event->terminate->control);
    if (event->mpa->kind == IW_MPA_CLOSE)
        take_close(result, event->mpa);
}

static void take_step(void *user, struct iw_scenario *scenario, const char *text) {
    struct iw_trial *trial = user;

    (void)scenario;
    if (trial->evidence.out)
        iw_evidence_step(&trial->evidence, text);
}

/* ---- verdict ---- */

/* Of a device that does not do what weighs so much. */
static enum iw_verdict failure_of(const struct iw_trial *trial, enum iw_severity severity) {
    switch (severity) {
    case IW_SEVERITY_NOTE:
        return IW_VERDICT_NOTE;
    case IW_SEVERITY_WARNING:
        return trial->config.strict ? IW_VERDICT_FAIL : IW_VERDICT_WARNING;
    default:
        return IW_VERDICT_FAIL;
    }
}

/* A foreign device that is not there any more may have good reasons; the embedded one has none. */
static enum iw_verdict verdict_of(const struct iw_trial *trial, enum iw_scenario_outcome outcome) {
    switch (outcome) {
    case IW_SCENARIO_OK:
        return IW_VERDICT_PASS;
    case IW_SCENARIO_FAILED:
        return failure_of(trial, trial->result.severity);
    case IW_SCENARIO_DEADLINE:
    case IW_SCENARIO_INTERRUPTED:
        return IW_VERDICT_INCONCLUSIVE;
    case IW_SCENARIO_UNSUPPORTED:
        return IW_VERDICT_NOT_APPLICABLE;
    case IW_SCENARIO_ABSENT:
        return trial->config.host ? IW_VERDICT_INCONCLUSIVE : failure_of(trial, trial->result.severity);
    case IW_SCENARIO_ENVIRONMENT:
    case IW_SCENARIO_UNREACHED:
        return trial->config.host ? IW_VERDICT_INCONCLUSIVE : IW_VERDICT_ERROR;
    default:
        return IW_VERDICT_ERROR;
    }
}

/* No clause has a device open TCP connections: that it does not is most likely a matter of addresses. */
static void explain_absence(struct iw_trial *trial) {
    const char *text = iw_dut_unconnected(trial->dut);
    const char *host = "the address that its agent sees (--own-host says another)";

    if (trial->config.starter)
        host = trial->config.starter->host;
    else if (trial->config.agent && trial->config.agent->own_host)
        host = trial->config.agent->own_host;
    snprintf(trial->result.message, sizeof trial->result.message,
        "the device did not connect%s%.80s: does it reach this host by %.80s?", text ? ": " : "",
        text ? text : "", host);
}

static void take_script(struct iw_trial *trial, const struct iw_scenario_result *script) {
    struct iw_trial_result *result = &trial->result;

    result->verdict = verdict_of(trial, script->outcome);
    result->unreached = script->outcome == IW_SCENARIO_UNREACHED;
    result->unfinished = result->unreached || script->outcome == IW_SCENARIO_INTERRUPTED;
    set_text(result->message, sizeof result->message, script->message);
    if (script->outcome == IW_SCENARIO_ABSENT && trial->config.host)
        explain_absence(trial);
    set_text(result->expected, sizeof result->expected, script->expected);
    set_text(result->actual, sizeof result->actual, script->actual);
    set_text(result->script, sizeof result->script, script->script);
    set_text(result->step, sizeof result->step, script->step);
    result->line = script->line;
}

/* Without a capture there are no frames. */
static void explain_finding(struct iw_trial_result *result, const struct iw_finding *finding) {
    char frame[40] = "";

    if (finding->frame > 0)
        snprintf(frame, sizeof frame, " in frame %llu", (unsigned long long)finding->frame);
    snprintf(result->message, sizeof result->message, "%s%s: %s", finding->requirement->id, frame,
        finding->message);
}

/* The first of those that weigh most, or NULL. */
static const struct iw_finding *worst_finding(const struct iw_trial_result *result) {
    const struct iw_finding *worst = NULL;

    for (unsigned i = 0; i < result->kept_count; i++)
        if (!worst || iw_requirement_severity(result->kept[i].requirement) >
                          iw_requirement_severity(worst->requirement))
            worst = &result->kept[i];
    return worst;
}

/* The monitor may be less content than the script. */
static void take_findings(struct iw_trial *trial) {
    struct iw_trial_result *result = &trial->result;
    const struct iw_finding *finding = worst_finding(result);
    enum iw_severity severity;

    if (!finding || result->verdict > IW_VERDICT_NOTE)
        return;
    severity = iw_requirement_severity(finding->requirement);
    if (result->verdict != IW_VERDICT_PASS && severity <= result->severity)
        return;
    result->verdict = failure_of(trial, severity);
    result->severity = severity;
    explain_finding(result, finding);
    set_text(result->expected, sizeof result->expected,
        finding->expected[0] ? finding->expected : finding->requirement->words);
    set_text(result->actual, sizeof result->actual, finding->actual[0] ? finding->actual : finding->message);
}

static void judge_close(struct iw_trial_result *result) {
    const struct iw_case *one = result->one;

    if (one->close_count == 0 || !result->close[0] || result->unfinished)
        return;
    result->close_verdict = IW_CLOSE_WRONG;
    for (size_t i = 0; i < one->close_count; i++)
        if (strcmp(one->closes[i], result->close) == 0)
            result->close_verdict = i == 0 ? IW_CLOSE_RIGHT : IW_CLOSE_TOLERATED;
}

static void close_recorder(struct iw_trial *trial) {
    char text[IW_RECORDER_TEXT_OCTETS];

    if (iw_recorder_close(trial->recorder, text) == IW_OK || trial->result.verdict == IW_VERDICT_ERROR)
        return;
    trial->result.verdict = IW_VERDICT_ERROR;
    set_text(trial->result.message, sizeof trial->result.message, text);
}

/* A log that is not whole is worse than none would be. */
static void close_evidence(struct iw_trial *trial) {
    struct iw_trial_result *result = &trial->result;
    bool broken;

    if (!trial->evidence.out)
        return;
    iw_evidence_verdict(&trial->evidence, result);
    broken = ferror(trial->evidence.out) != 0;
    broken |= fclose(trial->evidence.out) != 0;
    trial->evidence.out = NULL;
    if (!broken || result->verdict == IW_VERDICT_ERROR)
        return;
    result->verdict = IW_VERDICT_ERROR;
    snprintf(result->message, sizeof result->message, "%.200s: cannot be written", trial->log);
}

/* Everything of the trial ends; what that makes known still counts. */
static void finish(struct iw_trial *trial) {
    struct iw_trial_result *result = &trial->result;

    iw_timer_stop(&trial->failed);
    if (trial->scenario)
        take_script(trial, iw_scenario_result(trial->scenario));
    iw_scenario_free(trial->scenario);
    set_text(result->agent, sizeof result->agent, trial->dut ? iw_dut_agent_name(trial->dut) : NULL);
    iw_timer_stop(&trial->patience);
    iw_command_free(trial->before);
    iw_dut_free(trial->dut);
    take_findings(trial);
    judge_close(result);
    close_recorder(trial);
    close_evidence(trial);
    result->duration_ms = (iw_loop_time_ns(trial->config.loop) - trial->started_ns) / 1000000;
    trial->config.done(trial->config.user, result);
    free(trial);
}

static void end_scenario(void *user, struct iw_scenario *scenario) {
    (void)scenario;
    finish(user);
}

static void end_failed(void *user) {
    finish(user);
}

/* ---- the start ---- */

static void give_up(struct iw_trial *trial, enum iw_verdict verdict, const char *message) {
    trial->result.verdict = verdict;
    set_text(trial->result.message, sizeof trial->result.message, message);
    iw_timer_start(&trial->failed, trial->config.loop, 0, end_failed, trial);
}

static void begin_scenario(void *user);
static void lose_device(void *user, const char *text);

static void take_refusal(void *user, const json_t *request, const char *words) {
    struct iw_trial *trial = user;

    iw_claims_refused(&trial->config.claims, &trial->result.contradictions, request, words);
}

static bool make_device(struct iw_trial *trial, char *text) {
    const struct iw_dut_config config = {.loop = trial->config.loop,
        .host = trial->config.host,
        .port = trial->config.port,
        .profile = trial->config.profile,
        .defect = trial->config.defect,
        .agent = trial->config.agent,
        .starter = trial->config.starter,
        .rping = trial->config.one->tier == IW_CASE_TIER_RPING,
        .initiator = trial->config.one->initiator,
        .ready = begin_scenario,
        .failed = lose_device,
        .refused = take_refusal,
        .user = trial};

    trial->dut = iw_dut_new(&config, text);
    return trial->dut != NULL;
}

void iw_trial_log_path(const char *capture, char *log, size_t octets) {
    const char *dot = strrchr(capture, '.');
    ptrdiff_t length = dot ? dot - capture : (ptrdiff_t)strlen(capture);

    snprintf(log, octets, "%.*s.log", (int)length, capture);
}

static bool open_evidence(struct iw_trial *trial, char *text) {
    FILE *out;

    iw_trial_log_path(trial->config.capture, trial->log, sizeof trial->log);
    out = fopen(trial->log, "w");
    if (!out) {
        snprintf(text, IW_RECORDER_TEXT_OCTETS, "%.400s: %s", trial->log, strerror(errno));
        return false;
    }
    iw_evidence_begin(&trial->evidence, out, trial->config.one);
    return true;
}

static bool make_scenario(struct iw_trial *trial, char *text) {
    const struct iw_case *one = trial->config.one;
    const struct iw_patience patience = iw_patience_of(trial->config.startup_us);
    struct iw_scenario_config config = {.script = one->script,
        .loop = trial->config.loop,
        .name = one->id,
        .timeout_ms = patience.answer_ms,
        .least_timeout_ms = patience.silence_ms,
        .deadline_ms = patience.deadline_ms,
        .linger_ms = LINGER_MS,
        .hooks = {.step = take_step, .event = take_event, .done = end_scenario, .user = trial}};

    if (trial->config.capture) {
        trial->recorder = iw_recorder_open(trial->config.capture, text);
        if (!trial->recorder)
            return false;
        set_text(trial->result.capture, sizeof trial->result.capture, trial->config.capture);
        if (!open_evidence(trial, text))
            return false;
    }
    config.recorder = trial->recorder;
    trial->scenario = iw_scenario_new(&config);
    return trial->scenario != NULL;
}

/* With a struct iw_trial: leaves the case's function, its dut, and its factors' values or nil on the stack.
 */
static int push_run(lua_State *lua) {
    struct iw_trial *trial = lua_touserdata(lua, 1);

    lua_rawgeti(lua, LUA_REGISTRYINDEX, trial->config.one->run);
    iw_dut_push(lua, trial->dut);
    if (trial->config.one->factors)
        iw_factors_push(lua, trial->config.one->factors, &trial->config.one->choice);
    else
        lua_pushnil(lua);
    return 3;
}

static bool start_script(struct iw_trial *trial) {
    lua_State *lua = iw_script_lua(trial->config.one->script);

    lua_pushcfunction(lua, push_run);
    lua_pushlightuserdata(lua, trial);
    if (lua_pcall(lua, 1, 3, 0) != LUA_OK) {
        lua_pop(lua, 1);
        return false;
    }
    return iw_scenario_start(trial->scenario, 2) == IW_OK;
}

/* The device can be told what to do. */
static void begin_scenario(void *user) {
    struct iw_trial *trial = user;
    char text[IW_RECORDER_TEXT_OCTETS] = "not enough memory";

    if (make_scenario(trial, text) && start_script(trial))
        return;
    iw_scenario_free(trial->scenario);
    trial->scenario = NULL;
    give_up(trial, IW_VERDICT_ERROR, text);
}

/* A case that is running learns of it when it asks for something. */
static void lose_device(void *user, const char *text) {
    struct iw_trial *trial = user;

    if (trial->scenario || iw_timer_runs(&trial->failed))
        return;
    trial->result.unreached = trial->result.unfinished = true;
    give_up(trial, IW_VERDICT_INCONCLUSIVE, text);
}

static void begin_device(struct iw_trial *trial) {
    char text[IW_RECORDER_TEXT_OCTETS] = "not enough memory";

    if (!make_device(trial, text))
        give_up(trial, IW_VERDICT_ERROR, text);
    else if (iw_dut_ready(trial->dut))
        begin_scenario(trial);
}

/* The device is not ready for the case. */
static void miss_device(struct iw_trial *trial, const char *text) {
    char message[IW_COMMAND_TEXT_OCTETS + 64];

    snprintf(message, sizeof message, "the command of --before: %s", text);
    trial->result.unreached = true;
    give_up(trial, IW_VERDICT_INCONCLUSIVE, message);
}

static void take_before(void *user, bool good, const char *text) {
    struct iw_trial *trial = user;

    if (iw_timer_runs(&trial->failed))
        return;
    iw_timer_stop(&trial->patience);
    if (good)
        begin_device(trial);
    else
        miss_device(trial, text);
}

static void lose_patience(void *user) {
    miss_device(user, "it does not end");
}

static void begin_before(struct iw_trial *trial) {
    char text[IW_COMMAND_TEXT_OCTETS];

    trial->before = iw_command_new(trial->config.loop, trial->config.before, take_before, trial, text);
    if (trial->before)
        iw_timer_start(&trial->patience, trial->config.loop, BEFORE_US, lose_patience, trial);
    else
        miss_device(trial, text);
}

struct iw_trial *iw_trial_start(const struct iw_trial_config *config) {
    struct iw_trial *trial = calloc(1, sizeof *trial);

    if (!trial)
        return NULL;
    trial->config = *config;
    trial->result.one = config->one;
    trial->result.severity = iw_case_severity(config->one);
    trial->started_ns = iw_loop_time_ns(config->loop);
    if (config->before)
        begin_before(trial);
    else
        begin_device(trial);
    return trial;
}

void iw_trial_stall(struct iw_trial *trial) {
    if (trial->scenario)
        iw_scenario_stall(trial->scenario);
}

void iw_trial_interrupt(struct iw_trial *trial) {
    if (trial->scenario)
        iw_scenario_interrupt(trial->scenario);
    else if (!iw_timer_runs(&trial->failed)) {
        trial->result.unfinished = true;
        give_up(trial, IW_VERDICT_INCONCLUSIVE, "interrupted");
    }
}
