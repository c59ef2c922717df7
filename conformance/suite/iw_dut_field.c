#include "iw_dut_field.h"

#include <lauxlib.h>

#include "iw_agent_field.h"

void iw_dut_set_integer(json_t *request, const char *field, lua_Integer value) {
    json_object_set_new(request, field, json_integer(value));
}

void iw_dut_set_text(json_t *request, const char *field, const char *text) {
    json_object_set_new(request, field, json_string(text));
}

void iw_dut_push_octets(lua_State *lua, const json_t *object, const char *field) {
    const char *text = json_string_value(json_object_get(object, field));
    size_t octets = text ? json_string_length(json_object_get(object, field)) / 2 : 0;
    luaL_Buffer buffer;
    char *to = luaL_buffinitsize(lua, &buffer, octets);

    if (text && !iw_agent_octets_read(text, (uint8_t *)to, octets, &octets))
        luaL_error(lua, "the agent's %s is not hexadecimal", field);
    luaL_pushresultsize(&buffer, octets);
    if (text)
        return;
    lua_pop(lua, 1);
    lua_pushnil(lua);
}

void iw_dut_push_wide(lua_State *lua, const json_t *object, const char *field) {
    uint64_t value;

    if (iw_agent_wide_read(json_string_value(json_object_get(object, field)), &value))
        lua_pushinteger(lua, (lua_Integer)value);
    else
        lua_pushnil(lua);
}

void iw_dut_push_integer(lua_State *lua, const json_t *object, const char *field) {
    lua_pushinteger(lua, json_integer_value(json_object_get(object, field)));
}
