#include "iw_probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "iw_builtin_suite.h"
#include "iw_interrupt.h"
#include "iw_lua_member.h"
#include "iw_scenario.h"
#include "iw_text.h"

enum { WAIT_MS = 3000, PROBE_LINGER_MS = 500 };

struct probe {
    struct iw_loop *loop;
    struct iw_sctp_stack *stack;
    struct iw_dut *dut;
    struct iw_script *script;
    struct iw_scenario *scenario;
    const struct iw_probe_config *config;
    struct iw_text text; /* output of the script */
    enum iw_exit exit;
    char error[512];
};

static void probe_fail(struct probe *probe, enum iw_exit exit, const char *text) {
    probe->exit = exit;
    snprintf(probe->error, sizeof probe->error, "%s", text);
    iw_loop_stop(probe->loop);
}

static void probe_add_line(void *user, struct iw_scenario *scenario, const char *text) {
    struct probe *probe = user;

    (void)scenario;
    fprintf(probe->text.out, "%s\n", text);
}

static void probe_scenario_ended(void *user, struct iw_scenario *scenario) {
    const struct iw_scenario_result *result = iw_scenario_result(scenario);
    struct probe *probe = user;

    switch (result->outcome) {
    case IW_SCENARIO_OK:
        iw_loop_stop(probe->loop);
        break;
    case IW_SCENARIO_ENVIRONMENT:
    case IW_SCENARIO_UNREACHED:
    case IW_SCENARIO_UNSUPPORTED:
    case IW_SCENARIO_INAPPLICABLE:
        probe_fail(probe, IW_EXIT_ENVIRONMENT, result->message);
        break;
    case IW_SCENARIO_FAILED:
    case IW_SCENARIO_ABSENT:
    case IW_SCENARIO_DEADLINE:
    case IW_SCENARIO_INTERRUPTED:
        probe_fail(probe, IW_EXIT_UNJUDGED, result->message);
        break;
    case IW_SCENARIO_ERROR:
        probe_fail(probe, IW_EXIT_INTERNAL, result->message);
    }
}

static bool probe_has_agent(const struct iw_dut_target *target) {
    return !target->host || target->agent;
}

/* Pushes a table that says what to try. A device without port and agent only connects. */
static void probe_push_try(lua_State *lua, const struct iw_probe_config *config) {
    const struct iw_dut_target *target = &config->target;
    bool agent = probe_has_agent(target);

    lua_newtable(lua);
    iw_lua_member_set_boolean(lua, "agent", agent);
    iw_lua_member_set_boolean(lua, "responder", agent || target->port != 0);
    iw_lua_member_set_boolean(lua, "initiator", !agent && target->starter);
    iw_lua_member_set_integer(lua, "startup_limit", config->startup_limit_s);
}

/* Pushes a built-in file as a function. */
static void probe_push_file(lua_State *lua, const struct iw_builtin *file) {
    char error[256];

    if (iw_sandbox_load_text(iw_sandbox_of(lua), file->text, file->octets, file->name, error, sizeof error) !=
        IW_OK)
        luaL_error(lua, "%s", error);
}

/* Lua function: converts its argument, a struct probe, to the main function of the script and its arguments:
 * the device, what to try, and a table of all files as functions, by name without ".lua". */
static int probe_push_arguments(lua_State *lua) {
    struct probe *probe = lua_touserdata(lua, 1);

    lua_newtable(lua);
    for (size_t i = 0; i < iw_builtin_probe_count; i++) {
        lua_pushlstring(lua, iw_builtin_probes[i].name, strcspn(iw_builtin_probes[i].name, "."));
        probe_push_file(lua, &iw_builtin_probes[i]);
        lua_rawset(lua, 2);
    }
    lua_getfield(lua, 2, "probe");
    iw_dut_push(lua, probe->dut);
    probe_push_try(lua, probe->config);
    lua_pushvalue(lua, 2);
    return 4;
}

static bool probe_start_script(struct probe *probe) {
    lua_State *lua = iw_script_lua(probe->script);

    lua_pushcfunction(lua, probe_push_arguments);
    lua_pushlightuserdata(lua, probe);
    if (lua_pcall(lua, 1, 4, 0) == LUA_OK)
        return iw_scenario_start(probe->scenario, 3) == IW_OK;
    snprintf(probe->error, sizeof probe->error, "%s", luaL_tolstring(lua, -1, NULL));
    return false;
}

/* Starts the script. Called when the agent is ready, or at once without an agent. */
static void probe_begin(void *user) {
    struct probe *probe = user;
    struct iw_scenario_config config = {.script = probe->script,
        .loop = probe->loop,
        .name = "probe",
        .timeout_ms = WAIT_MS,
        .linger_ms = PROBE_LINGER_MS,
        .hooks = {.log = probe_add_line, .done = probe_scenario_ended, .user = probe}};

    probe->scenario = iw_scenario_new(&config);
    if (!probe->scenario || !probe_start_script(probe))
        probe_fail(probe, IW_EXIT_INTERNAL, probe->error[0] ? probe->error : "out of memory");
}

static void probe_device_failed(void *user, const char *text) {
    struct probe *probe = user;

    if (!probe->scenario)
        probe_fail(probe, IW_EXIT_ENVIRONMENT, text);
}

static void probe_interrupt(void *user) {
    struct probe *probe = user;

    if (probe->scenario)
        iw_scenario_interrupt(probe->scenario);
    else
        probe_fail(probe, IW_EXIT_UNJUDGED, "interrupted");
}

static void probe_run(struct probe *probe, const struct iw_dut_config *device) {
    struct iw_interrupt *interrupt = iw_interrupt_new(probe->loop, probe_interrupt, probe);
    char text[IW_PORT_TEXT_OCTETS] = "out of memory";

    probe->dut = iw_dut_new(device, text);
    if (!probe->dut)
        probe_fail(probe, IW_EXIT_ENVIRONMENT, text);
    else if (iw_dut_ready(probe->dut))
        probe_begin(probe);
    /* If the virtual loop has nothing left to do, the script waits for an event that cannot occur. */
    while (probe->dut && !iw_loop_run(probe->loop) && probe->scenario && !iw_scenario_over(probe->scenario))
        iw_scenario_stall(probe->scenario);
    iw_interrupt_free(interrupt);
    iw_scenario_free(probe->scenario);
    iw_dut_free(probe->dut);
}

char *iw_probe(const struct iw_probe_config *config, enum iw_exit *exit, char *error, size_t error_octets) {
    struct probe probe = {.loop = iw_loop_new(config->target.host ? IW_LOOP_REAL : IW_LOOP_VIRTUAL),
        .script = iw_script_new(&(struct iw_sandbox_config){0}),
        .config = config,
        .exit = IW_EXIT_CONFORMS,
        .error = "out of memory"};
    struct iw_dut_config device = {.loop = probe.loop,
        .target = config->target,
        .profile = config->profile,
        .ready = probe_begin,
        .failed = probe_device_failed,
        .user = &probe};
    char *text;

    iw_text_open(&probe.text);
    if (probe.loop)
        device.stack = probe.stack = iw_sctp_stack_new(probe.loop);
    if (probe.stack && probe.script && probe.text.out)
        probe_run(&probe, &device);
    else
        probe.exit = IW_EXIT_ENVIRONMENT;
    text = iw_text_close(&probe.text);
    if (!text && probe.exit == IW_EXIT_CONFORMS)
        probe.exit = IW_EXIT_INTERNAL;
    iw_script_free(probe.script);
    iw_sctp_stack_free(probe.stack);
    iw_loop_free(probe.loop);
    *exit = probe.exit;
    if (probe.exit == IW_EXIT_CONFORMS)
        return text;
    snprintf(error, error_octets, "%s", probe.error);
    free(text);
    return NULL;
}
