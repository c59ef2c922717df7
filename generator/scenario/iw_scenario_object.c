#include "iw_scenario_state.h"

#include <lauxlib.h>

enum { OBJECTS_MAX = 4096 }; /* connections, associations and listeners */

/* A script's value (userdata) for an object. */
struct handle {
    uint64_t scenario; /* serial number of its scenario */
    void *object;
};

bool iw_scenario_add(struct iw_scenario *scenario, struct iw_scenario_object *object) {
    object->next = scenario->objects;
    scenario->objects = object;
    return ++scenario->object_count <= OBJECTS_MAX;
}

struct iw_scenario_object *iw_scenario_objects(struct iw_scenario *scenario) {
    return scenario->objects;
}

void iw_scenario_push(lua_State *lua, struct iw_scenario *scenario, void *object, const char *name) {
    struct handle *handle = lua_newuserdatauv(lua, sizeof *handle, 0);

    *handle = (struct handle){.scenario = scenario->serial, .object = object};
    luaL_setmetatable(lua, name);
}

void *iw_scenario_check(lua_State *lua, int index, const char *name) {
    struct handle *handle = luaL_checkudata(lua, index, name);

    if (handle->scenario != iw_scenario_current(lua)->serial)
        luaL_argerror(lua, index, "it belongs to a scenario that is over");
    return handle->object;
}

unsigned iw_scenario_connection(struct iw_scenario *scenario) {
    return ++scenario->connections;
}

struct iw_sctp_stack *iw_scenario_sctp(struct iw_scenario *scenario) {
    if (scenario->sctp == NULL)
        scenario->sctp = iw_sctp_stack_new(scenario->config.loop);
    return scenario->sctp;
}

bool iw_scenario_in_memory(const struct iw_scenario *scenario) {
    return iw_loop_kind(scenario->config.loop) == IW_LOOP_VIRTUAL;
}

void iw_scenario_observe(struct iw_scenario *scenario, unsigned connection, const bool own[2],
    const struct iw_monitor_event *event) {
    const struct iw_scenario_hooks *hooks = &scenario->config.hooks;

    for (size_t i = 0; i < event->finding_count; i++) {
        const struct iw_finding *finding = &event->findings[i];
        scenario->findings[own[finding->side]][iw_requirement_severity(finding->requirement)]++;
    }
    if (hooks->event != NULL)
        hooks->event(hooks->user, scenario, connection, own, event);
}

struct iw_task *iw_scenario_task(struct iw_scenario *scenario) {
    return scenario->running;
}

const struct iw_scenario_result *iw_scenario_result(const struct iw_scenario *scenario) {
    return &scenario->result.result;
}

const uint64_t *iw_scenario_findings(const struct iw_scenario *scenario, bool own) {
    return scenario->findings[own];
}

struct iw_memory *iw_scenario_memory(struct iw_scenario *scenario) {
    return scenario->memory;
}

const struct iw_scenario_config *iw_scenario_config(const struct iw_scenario *scenario) {
    return &scenario->config;
}
