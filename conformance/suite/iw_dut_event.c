#include "iw_dut_state.h"

#include <string.h>

#include "iw_lua_failure.h"

/* Methods of `dut` that wait for events of the device, or count them. */

static int dut_event_await_next(lua_State *lua, const char *method, const struct iw_dut_wait *wait) {
    static const struct iw_dut_option options[] = {{"timeout", IW_DUT_OPTION_OTHER, NULL}, {0}};

    iw_dut_with_agent(lua);
    iw_dut_option_check(lua, method, options);
    return iw_dut_await(lua, wait);
}

/* Raises an error if the event has only part of the message, because the agent limits its size. */
static void dut_event_check_whole(lua_State *lua, const json_t *event) {
    const json_t *data = json_object_get(event, "data");
    const json_t *size = json_object_get(event, "size");

    if (json_is_integer(size) && json_is_string(data) &&
        json_integer_value(size) > (json_int_t)(json_string_length(data) / 2))
        luaL_error(lua, "the agent reports %d octets of a message of %I; it can report at most %d",
            (int)(json_string_length(data) / 2), (LUAI_UACINT)json_integer_value(size),
            (int)IW_AGENT_DATA_MAX);
}

/* Metamethod __index of a message: raises an error for what the agent does not report. */
static int dut_event_miss_member(lua_State *lua) {
    const char *member = luaL_checkstring(lua, 2);

    if (strcmp(member, "kind") == 0)
        return iw_lua_failure_raise(lua, IW_SCENARIO_UNSUPPORTED,
            "the device cannot tell the kinds of messages that arrive together", NULL, NULL);
    if (strcmp(member, "data") == 0)
        return iw_lua_failure_raise(
            lua, IW_SCENARIO_UNSUPPORTED, "the device cannot tell the octets of this message", NULL, NULL);
    return 0;
}

static int dut_event_push_message(lua_State *lua, const json_t *event) {
    dut_event_check_whole(lua, event);
    lua_createtable(lua, 0, 4);
    lua_createtable(lua, 0, 1);
    lua_pushcfunction(lua, dut_event_miss_member);
    lua_setfield(lua, -2, "__index");
    lua_setmetatable(lua, -2);
    if (json_object_get(event, "message"))
        iw_lua_member_set_string(lua, "kind", json_string_value(json_object_get(event, "message")));
    iw_dut_need_integer(lua, event, "msn");
    lua_setfield(lua, -2, "msn");
    if (json_object_get(event, "invalidate"))
        iw_dut_need_integer(lua, event, "invalidate");
    else
        lua_pushinteger(lua, 0);
    lua_setfield(lua, -2, "invalidate");
    if (!json_object_get(event, "data"))
        return 1;
    iw_dut_need_octets(lua, event, "data");
    lua_setfield(lua, -2, "data");
    return 1;
}

static int dut_event_await_message(lua_State *lua) {
    static const struct iw_dut_wait wait = {"message", "the device delivered no message to its ULP",
        "a message delivered to the ULP", dut_event_push_message};

    return dut_event_await_next(lua, "received", &wait);
}

static int dut_event_push_completion(lua_State *lua, const json_t *event) {
    lua_createtable(lua, 0, 4);
    iw_dut_need_integer(lua, event, "post");
    lua_setfield(lua, -2, "post");
    iw_lua_member_set_string(lua, "status", json_string_value(json_object_get(event, "status")));
    if (json_object_get(event, "original")) {
        iw_dut_need_wide(lua, event, "original");
        lua_setfield(lua, -2, "original");
    }
    if (json_object_get(event, "hash")) {
        iw_dut_need_octets(lua, event, "hash");
        lua_setfield(lua, -2, "hash");
    }
    return 1;
}

static int dut_event_await_completion(lua_State *lua) {
    static const struct iw_dut_wait wait = {
        "completed", "the device completed nothing", "a completion", dut_event_push_completion};

    return dut_event_await_next(lua, "completed", &wait);
}

static int dut_event_push_members(lua_State *lua, const json_t *event) {
    const char *key;
    json_t *value;

    lua_newtable(lua);
    json_object_foreach((json_t *)event, key, value) {
        if (json_is_string(value))
            lua_pushstring(lua, json_string_value(value));
        else if (json_is_integer(value))
            lua_pushinteger(lua, json_integer_value(value));
        else
            lua_pushboolean(lua, json_is_true(value));
        lua_setfield(lua, -2, key);
    }
    return 1;
}

static int dut_event_await_named(lua_State *lua) {
    static const struct iw_dut_option options[] = {
        {"kind", IW_DUT_OPTION_OTHER, NULL}, {"timeout", IW_DUT_OPTION_OTHER, NULL}, {0}};
    static const char *const kinds[] = {
        "requested", "established", "rejected", "terminate", "error", "closed", NULL};
    static const char missed[] = "the device's ULP got no such event";
    static const struct iw_dut_wait waits[] = {
        {"requested", missed, "a Request reported to the ULP", dut_event_push_members},
        {"established", missed, "full operation", dut_event_push_members},
        {"rejected", missed, "a rejection", dut_event_push_members},
        {"terminate", missed, "a Terminate", dut_event_push_members},
        {"error", missed, "an error reported to the ULP", dut_event_push_members},
        {"closed", missed, "the end of the connection", dut_event_push_members}};

    iw_dut_with_agent(lua);
    iw_dut_option_check(lua, "event", options);
    lua_getfield(lua, 2, "kind");
    return iw_dut_await(lua, &waits[luaL_checkoption(lua, -1, NULL, kinds)]);
}

/* Counts the queued messages. All have arrived: the agent sends events before it answers a ping. */
static int dut_event_push_pending(lua_State *lua, const json_t *answer) {
    const struct iw_dut *dut = iw_dut_self(lua);
    lua_Integer count = 0;
    json_t *event;
    size_t i;

    (void)answer;
    json_array_foreach(dut->events.queue, i, event) {
        const char *name = json_string_value(json_object_get(event, "event"));

        count += name && strcmp(name, "message") == 0;
    }
    lua_pushinteger(lua, count);
    return 1;
}

static int dut_event_count_pending(lua_State *lua) {
    static const struct iw_dut_question question = {.op = "ping", .finish = dut_event_push_pending};

    iw_dut_begin(iw_dut_with_agent(lua), &question);
    return iw_dut_ask(lua, &question);
}

const luaL_Reg iw_dut_event_methods[] = {{"received", dut_event_await_message},
    {"completed", dut_event_await_completion}, {"event", dut_event_await_named},
    {"pending", dut_event_count_pending}, {NULL, NULL}};
