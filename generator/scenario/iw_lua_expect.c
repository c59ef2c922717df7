#include "iw_lua_expect.h"

#include <string.h>

#include <lauxlib.h>

#include "iw_lua_event.h"
#include "iw_lua_failure.h"
#include "iw_lua_match.h"
#include "iw_scenario.h"

/* The kind of the object at index 1, which is the upvalue of the running method. */
static const struct iw_lua_expect_kind *lua_expect_kind_of(lua_State *lua) {
    return lua_touserdata(lua, lua_upvalueindex(1));
}

static struct iw_lua_queue *lua_expect_queue_of(lua_State *lua) {
    return lua_expect_kind_of(lua)->queue(lua, 1);
}

/* Whether the event on top ends the stream: a close, or a message that the endpoint rejects. After a
 * Terminate nothing more is sent on the stream (RFC 5040 5.4). */
static bool lua_expect_ends_stream(lua_State *lua) {
    bool rejected = lua_getfield(lua, -1, "error") != LUA_TNIL;

    lua_getfield(lua, -2, "kind");
    bool closed = lua_type(lua, -1) == LUA_TSTRING && strcmp(lua_tostring(lua, -1), "close") == 0;
    lua_pop(lua, 2);
    return rejected || closed;
}

/* Whether the event on top is a RST: nothing repeats a lost one, and one that overtakes data destroys it. */
static bool lua_expect_is_reset(lua_State *lua) {
    lua_getfield(lua, -1, "how");
    bool reset = lua_type(lua, -1) == LUA_TSTRING && strcmp(lua_tostring(lua, -1), "rst") == 0;
    lua_pop(lua, 1);
    return reset;
}

/* Pushes the next event, or "silence" after the timeout or the queue's end. Returns false if it must wait. */
static bool lua_expect_next_event(lua_State *lua, struct iw_lua_queue *queue) {
    struct iw_task *task = iw_task_current(lua);

    luaL_checkstack(lua, 4, NULL);
    if (iw_lua_queue_take(lua, queue)) {
        task->stream_ended = lua_expect_ends_stream(lua);
        task->loss_explains = lua_expect_is_reset(lua);
        return true;
    }
    if (!queue->closed && !task->timed_out)
        return false;
    iw_lua_event_new(lua, "silence", iw_loop_time_ns(iw_scenario_config(task->scenario)->loop));
    return true;
}

static int lua_expect_receive_again(lua_State *lua, int status, lua_KContext context) {
    struct iw_lua_queue *queue = lua_expect_queue_of(lua);

    (void)status;
    if (!lua_expect_next_event(lua, queue))
        return iw_task_wait(lua, &queue->arrivals, context, lua_expect_receive_again);
    iw_task_timeout(iw_task_current(lua), 0);
    return 1;
}

static int receive(lua_State *lua) {
    lua_expect_queue_of(lua);
    iw_task_begin_wait(lua, "receive");
    return lua_expect_receive_again(lua, LUA_OK, 0);
}

static void lua_expect_check_kind(lua_State *lua) {
    const struct iw_lua_names *kinds = lua_expect_kind_of(lua)->kinds();

    if (lua_type(lua, -1) != LUA_TSTRING || iw_lua_names_have(kinds, lua_tostring(lua, -1)))
        return;
    const char *kind = lua_tostring(lua, -1);
    luaL_error(lua, "expect: there is no kind '%s'%s", kind, iw_lua_names_hint(lua, kinds, kind));
}

/* Checks the outcomes at index 2; leaves the ignore option at index 3: a list, or nil. */
static void lua_expect_take_outcomes(lua_State *lua) {
    static const struct iw_lua_names options = {{"timeout", "ignore"}, 2};

    lua_settop(lua, 2);
    luaL_checktype(lua, 2, LUA_TTABLE);
    size_t count = lua_rawlen(lua, 2);
    if (count == 0 && lua_getfield(lua, 2, "kind") != LUA_TNIL)
        luaL_error(lua, "expect takes outcomes, and an outcome is a table: expect{{kind = ...}}");
    iw_lua_names_check(lua, 2, &options, "expect", true);
    if (count == 0)
        luaL_error(lua, "expect needs at least one outcome");
    for (size_t i = 1; i <= count; i++) {
        lua_rawgeti(lua, 2, (lua_Integer)i);
        if (!lua_istable(lua, -1))
            luaL_error(lua, "expect: outcome %d is not a table but a %s", (int)i, luaL_typename(lua, -1));
        iw_lua_names_check(lua, -1, lua_expect_kind_of(lua)->names(), "an event", false);
        lua_getfield(lua, -1, "kind");
        lua_expect_check_kind(lua);
        lua_pop(lua, 2);
    }
    if (lua_getfield(lua, 2, "ignore") == LUA_TSTRING) {
        lua_createtable(lua, 1, 0);
        lua_insert(lua, -2);
        lua_rawseti(lua, -2, 1);
    }
    if (!lua_isnil(lua, -1) && !lua_istable(lua, -1))
        luaL_error(lua, "expect: ignore takes a list of kinds");
    for (size_t i = 1; lua_istable(lua, -1) && i <= lua_rawlen(lua, -1); i++) {
        lua_rawgeti(lua, -1, (lua_Integer)i);
        lua_expect_check_kind(lua);
        lua_pop(lua, 1);
    }
}

/* Whether the kind of the event on top matches an entry of the ignore list at index 3. */
static bool lua_expect_is_ignored(lua_State *lua) {
    bool ignored = false;

    if (!lua_istable(lua, 3))
        return false;
    lua_getfield(lua, -1, "kind");
    for (size_t i = 1; i <= lua_rawlen(lua, 3) && !ignored; i++) {
        lua_rawgeti(lua, 3, (lua_Integer)i);
        ignored = iw_lua_match_value(lua, -2, -1);
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
    return ignored;
}

/* The number of the first outcome that the event on top matches, or 0. */
static size_t lua_expect_outcome_of(lua_State *lua) {
    size_t count = lua_rawlen(lua, 2);

    for (size_t i = 1; i <= count; i++) {
        lua_rawgeti(lua, 2, (lua_Integer)i);
        bool matches = iw_lua_match_value(lua, -2, -1);
        lua_pop(lua, 1);
        if (matches)
            return i;
    }
    return 0;
}

/* Pushes the text of the event at `table`: its kind, and those members that the table at `shown` has, too.
 * Example: "terminate {code=5, etype=0, layer=2}". */
static void lua_expect_describe_event(lua_State *lua, int table, int shown) {
    table = lua_absindex(lua, table);
    shown = lua_absindex(lua, shown);
    if (lua_getfield(lua, table, "kind") == LUA_TNIL) {
        lua_pushliteral(lua, "any event");
        lua_replace(lua, -2);
    } else if (lua_type(lua, -1) != LUA_TSTRING) {
        iw_lua_match_describe(lua, -1);
        lua_replace(lua, -2);
    }
    lua_newtable(lua);
    size_t count = 0;
    lua_pushnil(lua);
    while (lua_next(lua, shown) != 0) {
        lua_pop(lua, 1);
        if (lua_type(lua, -1) != LUA_TSTRING || strcmp(lua_tostring(lua, -1), "kind") == 0)
            continue;
        lua_pushvalue(lua, -1);
        lua_pushvalue(lua, -1);
        if (lua_rawget(lua, table) != LUA_TNIL)
            count++;
        lua_rawset(lua, -4);
    }
    if (count == 0) {
        lua_pop(lua, 1);
        return;
    }
    iw_lua_match_describe(lua, -1);
    lua_pushfstring(lua, "%s %s", lua_tostring(lua, -3), lua_tostring(lua, -1));
    lua_replace(lua, -4);
    lua_pop(lua, 2);
}

static void push_expected(lua_State *lua) {
    size_t count = lua_rawlen(lua, 2);

    lua_pushliteral(lua, "");
    for (size_t i = 1; i <= count; i++) {
        lua_pushstring(lua, i == 1 ? "" : ", or ");
        lua_rawgeti(lua, 2, (lua_Integer)i);
        lua_expect_describe_event(lua, -1, -1);
        lua_remove(lua, -2);
        lua_concat(lua, 3);
    }
}

/* Members of an event that the message of a failure always shows. */
static const char *const shown_always[] = {
    "layer", "etype", "code", "how", "text", "rev", "crc", "opcode", "stag", "to", "size", NULL};

/* Pushes the text of the event at `event` with the members that any outcome mentions, and shown_always. */
static void lua_expect_push_actual(lua_State *lua, int event) {
    size_t count = lua_rawlen(lua, 2);

    lua_newtable(lua);
    for (size_t i = 1; i <= count; i++) {
        lua_rawgeti(lua, 2, (lua_Integer)i);
        lua_pushnil(lua);
        while (lua_next(lua, -2) != 0) {
            lua_pop(lua, 1);
            lua_pushvalue(lua, -1);
            lua_pushboolean(lua, 1);
            lua_rawset(lua, -5);
        }
        lua_pop(lua, 1);
    }
    for (size_t i = 0; shown_always[i] != NULL; i++) {
        lua_pushboolean(lua, 1);
        lua_setfield(lua, -2, shown_always[i]);
    }
    lua_expect_describe_event(lua, event, -1);
    lua_remove(lua, -2);
}

static int expect_again(lua_State *lua, int status, lua_KContext context) {
    struct iw_lua_queue *queue = lua_expect_queue_of(lua);

    (void)status;
    do {
        lua_settop(lua, 3);
        if (!lua_expect_next_event(lua, queue))
            return iw_task_wait(lua, &queue->arrivals, context, expect_again);
    } while (lua_expect_is_ignored(lua));
    iw_task_timeout(iw_task_current(lua), 0);
    size_t outcome = lua_expect_outcome_of(lua);
    if (outcome != 0) {
        lua_pushinteger(lua, (lua_Integer)outcome);
        return 2;
    }
    push_expected(lua);
    lua_expect_push_actual(lua, 4);
    return iw_lua_failure_raise(lua, IW_SCENARIO_FAILED, "the event matches no expected outcome",
        lua_tostring(lua, -2), lua_tostring(lua, -1));
}

static int expect(lua_State *lua) {
    lua_expect_queue_of(lua);
    lua_expect_take_outcomes(lua);
    iw_task_timeout(iw_task_current(lua), iw_task_timeout_option(lua, 2));
    return expect_again(lua, LUA_OK, 0);
}

void iw_lua_expect_open(lua_State *lua, const struct iw_lua_expect_kind *kind) {
    static const luaL_Reg methods[] = {{"receive", receive}, {"expect", expect}, {NULL, NULL}};

    lua_pushlightuserdata(lua, (void *)(uintptr_t)kind);
    luaL_setfuncs(lua, methods, 1);
}
