#include "iw_dut_option.h"

#include <stdbool.h>
#include <string.h>

#include <lauxlib.h>

#include "iw_agent_field.h"
#include "iw_lua_names.h"
#include "iw_memory.h"

void iw_dut_option_check(lua_State *lua, const char *method, const struct iw_dut_option *options) {
    struct iw_lua_names known = {0};

    lua_settop(lua, 2);
    if (lua_isnil(lua, 2)) {
        lua_newtable(lua);
        lua_replace(lua, 2);
    }
    luaL_checktype(lua, 2, LUA_TTABLE);
    for (; options->name; options++)
        iw_lua_names_add_one(&known, options->name);
    iw_lua_names_check(lua, 2, &known, method, false);
}

static json_t *list(lua_State *lua, const char *name) {
    json_t *texts = json_array();

    if (!lua_istable(lua, -1)) {
        json_decref(texts);
        luaL_error(lua, "%s takes a list of texts", name);
    }
    for (lua_Integer i = 1; lua_geti(lua, -1, i) != LUA_TNIL; i++) {
        json_array_append_new(texts, json_string(lua_tostring(lua, -1)));
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
    return texts;
}

/* As of region{} in scripts; the right to verify comes with the hash. */
static json_t *rights(lua_State *lua) {
    const char *text = luaL_checkstring(lua, -1);
    unsigned set;

    if (!iw_rights_read(text, &set))
        luaL_error(lua, "rights takes letters of \"" IW_RIGHT_LETTERS "\", not \"%s\"", text);
    return iw_agent_set_json(iw_right_names, set);
}

/* Of the value on top of the stack. */
static json_t *value(lua_State *lua, const struct iw_dut_option *option) {
    size_t octets;
    const char *text;

    switch (option->type) {
    case IW_DUT_OPTION_INTEGER:
        return json_integer(luaL_checkinteger(lua, -1));
    case IW_DUT_OPTION_WIDE:
        return iw_agent_wide_json((uint64_t)luaL_checkinteger(lua, -1));
    case IW_DUT_OPTION_FLAG:
        return json_boolean(lua_toboolean(lua, -1));
    case IW_DUT_OPTION_TEXT:
        return json_string(luaL_checkstring(lua, -1));
    case IW_DUT_OPTION_OCTETS:
        text = luaL_checklstring(lua, -1, &octets);
        return iw_agent_octets_json((const uint8_t *)text, octets);
    case IW_DUT_OPTION_LIST:
        return list(lua, option->name);
    case IW_DUT_OPTION_RIGHTS:
        return rights(lua);
    default:
        return NULL;
    }
}

void iw_dut_option_take(
    lua_State *lua, const char *method, const struct iw_dut_option *options, json_t *request) {
    iw_dut_option_check(lua, method, options);
    for (; options->name; options++) {
        if (lua_getfield(lua, 2, options->name) != LUA_TNIL && options->type != IW_DUT_OPTION_OTHER)
            json_object_set_new(
                request, options->field ? options->field : options->name, value(lua, options));
        lua_pop(lua, 1);
    }
}
