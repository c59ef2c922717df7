#include "iw_lua_option.h"

#include "iw_lua_event.h"
#include "iw_lua_failure.h"
#include "iw_lua_member.h"

static bool is_tagged(lua_State *lua, uint8_t opcode) {
    bool tagged = opcode < IW_RDMAP_OP_COUNT && iw_opcodes[opcode].tagged;

    if (lua_getfield(lua, 2, "t") != LUA_TNIL)
        tagged = lua_isinteger(lua, -1) ? lua_tointeger(lua, -1) != 0 : lua_toboolean(lua, -1);
    lua_pop(lua, 1);
    return tagged;
}

void iw_lua_option_override(lua_State *lua, const char *method, uint8_t opcode, const char *const *options,
    struct iw_lua_override *override) {
    struct iw_lua_layouts layouts;

    iw_lua_override_layouts(opcode, is_tagged(lua, opcode), &layouts);
    iw_lua_override_options(lua, 2, method, options, &layouts, override);
}

void iw_lua_option_needs_stag(lua_State *lua, const char *method, const struct iw_lua_override *override,
    const struct iw_field *field) {
    /* A script that sets T chooses another DDP header. */
    if (lua_getfield(lua, 2, "t") == LUA_TNIL && iw_lua_value_find(&override->values, field) == NULL)
        luaL_error(lua, "%s needs %s of a region of the peer", method, field->name);
    lua_pop(lua, 1);
}

int iw_lua_option_status(lua_State *lua, enum iw_status status) {
    if (status == IW_OK)
        return 0;
    return iw_lua_failure_raise(lua, IW_LUA_FAILURE_ENVIRONMENT,
        status == IW_ERR_NOMEM ? "not enough memory" : "the message cannot be sent", NULL, NULL);
}

uint8_t iw_lua_option_kind(lua_State *lua, const char *method) {
    if (lua_getfield(lua, 2, "kind") == LUA_TNIL) {
        lua_pop(lua, 1);
        return (uint8_t)iw_lua_member_integer(lua, 2, "opcode", IW_RDMAP_OP_SEND, 0, UINT8_MAX);
    }
    if (lua_type(lua, -1) != LUA_TSTRING)
        luaL_error(lua, "kind takes the name of a message, not a %s", luaL_typename(lua, -1));
    const char *kind = lua_tostring(lua, -1);
    int opcode = iw_lua_event_opcode(kind);
    if (opcode < 0)
        luaL_error(lua, "%s: '%s' is not a message%s", method, kind,
            iw_lua_names_hint(lua, iw_lua_event_kinds(), kind));
    lua_pop(lua, 1);
    return (uint8_t)opcode;
}
