#include "iw_dut_state.h"

#include "iw_agent_field.h"
#include "iw_lua_names.h"
#include "iw_memory.h"

void iw_dut_option_check(lua_State *lua, const char *method, const struct iw_dut_option *options) {
    struct iw_lua_names known = {0};

    iw_lua_names_table(lua, 2);
    for (; options->name; options++)
        iw_lua_names_add_one(&known, options->name);
    iw_lua_names_check(lua, 2, &known, method, false);
}

/* ---- conversion of the value on top of the stack ---- */

static lua_Integer option_integer(lua_State *lua, const char *name) {
    int exact;
    lua_Integer value = lua_tointegerx(lua, -1, &exact);

    if (!exact)
        luaL_error(lua, "%s takes an integer, not a %s", name, luaL_typename(lua, -1));
    return value;
}

static const char *option_text(lua_State *lua, const char *name, const char *what, size_t *octets) {
    if (lua_type(lua, -1) != LUA_TSTRING)
        luaL_error(lua, "%s takes %s, not a %s", name, what, luaL_typename(lua, -1));
    return lua_tolstring(lua, -1, octets);
}

/* Checks all values before creating the list, because a Lua error would leak the list. */
static json_t *option_list(lua_State *lua, const char *name) {
    json_t *texts;
    lua_Unsigned count;

    if (!lua_istable(lua, -1))
        luaL_error(lua, "%s takes a list of texts, not a %s", name, luaL_typename(lua, -1));
    count = lua_rawlen(lua, -1);
    for (lua_Unsigned i = 1; i <= count; i++) {
        lua_rawgeti(lua, -1, (lua_Integer)i);
        option_text(lua, name, "a list of texts", NULL);
        lua_pop(lua, 1);
    }
    texts = json_array();
    for (lua_Unsigned i = 1; i <= count; i++) {
        lua_rawgeti(lua, -1, (lua_Integer)i);
        json_array_append_new(texts, json_string(lua_tostring(lua, -1)));
        lua_pop(lua, 1);
    }
    return texts;
}

/* Converts letters to a list of rights. The right to verify has no letter, but the option `verify`. */
static json_t *option_rights(lua_State *lua, const char *name) {
    const char *text = option_text(lua, name, "letters of \"" IW_RIGHT_LETTERS "\"", NULL);
    unsigned set;

    if (!iw_rights_read(text, &set))
        luaL_error(lua, "%s takes letters of \"" IW_RIGHT_LETTERS "\", not \"%s\"", name, text);
    return iw_agent_set_json(iw_right_names, set);
}

static json_t *option_value(lua_State *lua, const struct iw_dut_option *option) {
    size_t octets;
    const char *text;

    switch (option->type) {
    case IW_DUT_OPTION_INTEGER:
        return json_integer(option_integer(lua, option->name));
    case IW_DUT_OPTION_WIDE:
        return iw_agent_wide_json((uint64_t)option_integer(lua, option->name));
    case IW_DUT_OPTION_FLAG:
        return json_boolean(lua_toboolean(lua, -1));
    case IW_DUT_OPTION_TEXT:
        return json_string(option_text(lua, option->name, "a text", NULL));
    case IW_DUT_OPTION_OCTETS:
        text = option_text(lua, option->name, "octets (a string)", &octets);
        return iw_agent_octets_json((const uint8_t *)text, octets);
    case IW_DUT_OPTION_LIST:
        return option_list(lua, option->name);
    case IW_DUT_OPTION_RIGHTS:
        return option_rights(lua, option->name);
    case IW_DUT_OPTION_OTHER:
        break;
    }
    return NULL;
}

void iw_dut_option_take(
    lua_State *lua, const char *method, const struct iw_dut_option *options, json_t *request) {
    iw_dut_option_check(lua, method, options);
    for (; options->name; options++) {
        if (lua_getfield(lua, 2, options->name) != LUA_TNIL && options->type != IW_DUT_OPTION_OTHER)
            json_object_set_new(
                request, options->field ? options->field : options->name, option_value(lua, options));
        lua_pop(lua, 1);
    }
}
