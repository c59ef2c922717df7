#include "iw_script.h"

#include <stdlib.h>

#include "iw_lua_association.h"
#include "iw_lua_connection.h"
#include "iw_lua_failure.h"
#include "iw_lua_match.h"
#include "iw_lua_member.h"
#include "iw_lua_open.h"
#include "iw_task.h"

struct iw_script {
    struct iw_sandbox sandbox;
    struct iw_scenario *running;
    int main_chunk;
};

static int script_open_vocabulary(lua_State *lua) {
    iw_lua_failure_open(lua);
    iw_lua_match_open(lua);
    iw_task_open(lua);
    iw_lua_region_open(lua);
    iw_lua_connection_open(lua);
    iw_lua_open_register(lua);
    iw_lua_association_open(lua);
    iw_lua_associate_open(lua);
    lua_newtable(lua);
    lua_setglobal(lua, "args");
    return 0;
}

struct iw_script *iw_script_new(const struct iw_sandbox_config *config) {
    struct iw_script *script = calloc(1, sizeof *script);

    if (script == NULL)
        return NULL;
    script->main_chunk = LUA_NOREF;
    if (iw_sandbox_init(&script->sandbox, config) != IW_OK) {
        free(script);
        return NULL;
    }
    script->sandbox.user = script;
    if (!iw_sandbox_call(script->sandbox.lua, script_open_vocabulary, NULL)) {
        iw_script_free(script);
        return NULL;
    }
    return script;
}

void iw_script_free(struct iw_script *script) {
    if (script == NULL)
        return;
    iw_sandbox_dispose(&script->sandbox);
    free(script);
}

lua_State *iw_script_lua(struct iw_script *script) {
    return script->sandbox.lua;
}

struct iw_scenario *iw_script_running(lua_State *lua) {
    struct iw_script *script = iw_sandbox_of(lua)->user;

    return script == NULL ? NULL : script->running;
}

void iw_script_set_running(struct iw_script *script, struct iw_scenario *scenario) {
    script->running = scenario;
}

struct peer {
    const char *host;
    uint16_t port;
};

static int script_set_peer_global(lua_State *lua) {
    const struct peer *peer = lua_touserdata(lua, 1);

    lua_newtable(lua);
    iw_lua_member_set_string(lua, "host", peer->host);
    iw_lua_member_set_integer(lua, "port", peer->port);
    lua_setglobal(lua, "peer");
    return 0;
}

struct arguments {
    const struct iw_script_argument *arguments;
    size_t count;
};

static int script_set_arguments(lua_State *lua) {
    const struct arguments *arguments = lua_touserdata(lua, 1);

    lua_newtable(lua);
    for (size_t i = 0; i < arguments->count; i++) {
        const struct iw_script_argument *argument = &arguments->arguments[i];
        if (lua_stringtonumber(lua, argument->value) == 0)
            lua_pushstring(lua, argument->value);
        lua_setfield(lua, -2, argument->name);
    }
    lua_setglobal(lua, "args");
    return 0;
}

enum iw_status iw_script_set_peer(struct iw_script *script, const char *host, uint16_t port) {
    struct peer peer = {.host = host, .port = port};

    return iw_sandbox_call(script->sandbox.lua, script_set_peer_global, &peer) ? IW_OK : IW_ERR_NOMEM;
}

enum iw_status iw_script_set_arguments(
    struct iw_script *script, const struct iw_script_argument *arguments, size_t count) {
    struct arguments all = {.arguments = arguments, .count = count};

    return iw_sandbox_call(script->sandbox.lua, script_set_arguments, &all) ? IW_OK : IW_ERR_NOMEM;
}

enum iw_status iw_script_load(struct iw_script *script, const char *path, char *error, size_t capacity) {
    lua_State *lua = script->sandbox.lua;

    iw_sandbox_refill(&script->sandbox, lua);
    enum iw_status status = iw_sandbox_load(&script->sandbox, path, error, capacity);
    if (status != IW_OK)
        return status;
    luaL_unref(lua, LUA_REGISTRYINDEX, script->main_chunk);
    script->main_chunk = luaL_ref(lua, LUA_REGISTRYINDEX);
    return IW_OK;
}

void iw_script_push_main(struct iw_script *script) {
    lua_rawgeti(script->sandbox.lua, LUA_REGISTRYINDEX, script->main_chunk);
}
