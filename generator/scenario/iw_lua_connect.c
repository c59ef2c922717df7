#include "iw_lua_connection.h"

#include <string.h>

#include "iw_extensions.h"
#include "iw_lua_member.h"

enum {
    RECEIVE_OCTETS = 64 << 20,        /* the largest Send accepted by default */
    STARTUP_TIMEOUT_MS = 3600 * 1000, /* of the endpoint: longer than the timeouts of scripts */
};

static const char *const connect_options[] = {"host", "port", "timeout", "rev", "enhanced", "crc", "markers",
    "private_data", "ird", "ord", "peer_to_peer", "rtr", "mulpdu", "auto", "startup", "reject", "receives",
    "receive_size", "extensions", "domain", "streaming", NULL};

static uint32_t connect_integer_option(
    lua_State *lua, int table, const char *name, uint32_t otherwise, uint32_t most) {
    return (uint32_t)iw_lua_member_integer(lua, table, name, otherwise, 0, most);
}

/* Reads rtr={"send", "write", "read"}. */
static unsigned lua_connect_rtr_option(lua_State *lua, int table) {
    static const char what[] = "a list of \"send\", \"write\" and \"read\"";
    unsigned rtr = 0;

    if (!iw_lua_member_table(lua, table, "rtr", what))
        return 0;
    for (size_t i = 1; i <= lua_rawlen(lua, -1); i++) {
        lua_rawgeti(lua, -1, (lua_Integer)i);
        const char *type = lua_tostring(lua, -1);
        size_t j = 0;
        while (iw_rtr_names[j] != NULL && (type == NULL || strcmp(iw_rtr_names[j], type) != 0))
            j++;
        if (iw_rtr_names[j] == NULL)
            luaL_error(lua, "rtr takes %s", what);
        rtr |= 1u << j; /* same order as enum iw_rtr */
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
    return rtr;
}

/* Reads extensions="7306,storm", as on the command line. */
static unsigned lua_connect_extensions_option(lua_State *lua, int table, unsigned otherwise) {
    unsigned extensions = otherwise;

    if (lua_getfield(lua, table, "extensions") != LUA_TNIL) {
        const char *text = lua_tostring(lua, -1);
        if (text == NULL || !iw_extensions_parse(text, &extensions))
            luaL_error(lua,
                "extensions takes \"none\", \"default\", \"all\", or \"7306\", \"talpey\", \"storm\" with "
                "commas between them, not %s",
                luaL_tolstring(lua, -1, NULL));
    }
    lua_pop(lua, 1);
    return extensions;
}

static void lua_connect_automatic_option(lua_State *lua, int table, struct iw_automatic *automatic) {
    static const char *const options[] = {"startup", "rtr", "responses", "terminate", "close", NULL};

    if (lua_getfield(lua, table, "auto") == LUA_TBOOLEAN) {
        bool all = lua_toboolean(lua, -1);
        *automatic = (struct iw_automatic){all, all, all, all, all};
        lua_pop(lua, 1);
        return;
    }
    lua_pop(lua, 1);
    if (!iw_lua_member_table(lua, table, "auto", "true, false, or a table of them"))
        return;
    int nested = lua_gettop(lua);
    iw_lua_names_allow(lua, nested, options, "auto");
    bool *const flags[] = {&automatic->startup, &automatic->rtr, &automatic->responses, &automatic->terminate,
        &automatic->close};
    for (size_t i = 0; options[i] != NULL; i++)
        *flags[i] = iw_lua_member_flag(lua, nested, options[i], *flags[i]);
    lua_pop(lua, 1);
}

static void connect_startup_option(lua_State *lua, int table, struct iw_lua_override *override) {
    static const char *const others[] = {NULL};

    memset(override, 0, sizeof *override);
    override->times = 1;
    if (!iw_lua_member_table(lua, table, "startup", "a table of fields of the startup frame"))
        return;
    iw_lua_override_options(lua, -1, "startup", others, &iw_lua_value_startup, override);
    lua_pop(lua, 1);
}

void iw_lua_connect_options(lua_State *lua, int options, const char *method, bool initiator,
    struct iw_lua_connection_config *config) {
    struct iw_endpoint_config *endpoint = &config->endpoint;

    memset(config, 0, sizeof *config);
    *endpoint = iw_endpoint_config_default(initiator);
    endpoint->extensions = iw_scenario_config(iw_scenario_current(lua))->extensions;
    endpoint->timeouts.startup_ms = endpoint->timeouts.close_ms = STARTUP_TIMEOUT_MS;
    endpoint->receives.count = IW_RECEIVES_ENDLESS;
    endpoint->receives.octets = RECEIVE_OCTETS;
    config->startup.times = 1;
    if (lua_isnoneornil(lua, options))
        return;
    luaL_checktype(lua, options, LUA_TTABLE);
    iw_lua_names_allow(lua, options, connect_options, method);
    endpoint->revision = (uint8_t)connect_integer_option(lua, options, "rev", endpoint->revision, UINT8_MAX);
    endpoint->enhanced = iw_lua_member_flag(lua, options, "enhanced", initiator && endpoint->revision >= 2);
    endpoint->no_crc = !iw_lua_member_flag(lua, options, "crc", true);
    endpoint->markers = iw_lua_member_flag(lua, options, "markers", false);
    endpoint->peer_to_peer = iw_lua_member_flag(lua, options, "peer_to_peer", false);
    endpoint->reject = iw_lua_member_flag(lua, options, "reject", false);
    endpoint->streaming = iw_lua_member_flag(lua, options, "streaming", false);
    endpoint->rtr = lua_connect_rtr_option(lua, options);
    endpoint->ird = (uint16_t)connect_integer_option(lua, options, "ird", endpoint->ird, IW_IRD_ORD_NONE);
    endpoint->ord = (uint16_t)connect_integer_option(lua, options, "ord", endpoint->ord, IW_IRD_ORD_NONE);
    endpoint->mulpdu = (uint16_t)connect_integer_option(lua, options, "mulpdu", endpoint->mulpdu, UINT16_MAX);
    endpoint->receives.count =
        connect_integer_option(lua, options, "receives", endpoint->receives.count, IW_RECEIVES_ENDLESS);
    endpoint->receives.octets =
        connect_integer_option(lua, options, "receive_size", endpoint->receives.octets, UINT32_MAX);
    endpoint->extensions = lua_connect_extensions_option(lua, options, endpoint->extensions);
    endpoint->domain = connect_integer_option(lua, options, "domain", 0, UINT32_MAX);
    endpoint->private_data =
        (const uint8_t *)iw_lua_member_octets(lua, options, "private_data", &endpoint->private_octets);
    lua_connect_automatic_option(lua, options, &endpoint->automatic);
    endpoint->automatic.startup = endpoint->automatic.startup && !endpoint->streaming;
    connect_startup_option(lua, options, &config->startup);
}

void iw_lua_connect_peer(lua_State *lua, const char *name) {
    if (lua_istable(lua, 1) && lua_getfield(lua, 1, name) != LUA_TNIL)
        return;
    if (lua_getglobal(lua, "peer") == LUA_TTABLE)
        lua_getfield(lua, -1, name);
    else
        lua_pushnil(lua);
}

const char *iw_lua_connect_host(lua_State *lua, bool peers, const char *otherwise) {
    if (peers)
        iw_lua_connect_peer(lua, "host");
    else
        lua_getfield(lua, 1, "host");
    if (lua_isnil(lua, -1))
        return otherwise;
    if (lua_type(lua, -1) != LUA_TSTRING)
        luaL_error(lua, "host takes a name or an address (a string), not a %s", luaL_typename(lua, -1));
    return lua_tostring(lua, -1);
}
