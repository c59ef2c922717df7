#include "iw_dut_state.h"

#include <string.h>

#include "iw_agent_field.h"
#include "iw_lua_failure.h"

void iw_dut_set_integer(json_t *request, const char *field, lua_Integer value) {
    json_object_set_new(request, field, json_integer(value));
}

void iw_dut_set_text(json_t *request, const char *field, const char *text) {
    json_object_set_new(request, field, json_string(text));
}

/* Raises an error of the environment: a faulty agent does not show a fault of the device. */
static void dut_field_raise_missing(lua_State *lua, const char *field, const char *what) {
    lua_pushfstring(lua, "the agent reports no %s that is %s", field, what);
    iw_lua_failure_raise(lua, IW_SCENARIO_ENVIRONMENT, lua_tostring(lua, -1), NULL, NULL);
}

void iw_dut_need_octets(lua_State *lua, const json_t *object, const char *field) {
    const json_t *value = json_object_get(object, field);
    const char *text = json_string_value(value);
    size_t octets = text ? json_string_length(value) / 2 : 0;
    luaL_Buffer buffer;
    char *to = luaL_buffinitsize(lua, &buffer, octets);

    if (!text || !iw_agent_octets_read(text, (uint8_t *)to, octets, &octets))
        dut_field_raise_missing(lua, field, "two hexadecimal digits for each octet");
    luaL_pushresultsize(&buffer, octets);
}

void iw_dut_need_wide(lua_State *lua, const json_t *object, const char *field) {
    uint64_t value;

    if (!iw_agent_wide_read(json_string_value(json_object_get(object, field)), &value))
        dut_field_raise_missing(lua, field, "0x and hexadecimal digits");
    lua_pushinteger(lua, (lua_Integer)value);
}

void iw_dut_need_integer(lua_State *lua, const json_t *object, const char *field) {
    if (!json_is_integer(json_object_get(object, field)))
        dut_field_raise_missing(lua, field, "an integer");
    lua_pushinteger(lua, json_integer_value(json_object_get(object, field)));
}

bool iw_dut_lists(const struct iw_dut *dut, const char *list, const char *name) {
    const json_t *names = json_object_get(dut->hello, list);
    const json_t *item;
    size_t i;

    json_array_foreach((json_t *)names, i, item) {
        if (json_is_string(item) && strcmp(json_string_value(item), name) == 0)
            return true;
    }
    return !json_is_array(names);
}

void iw_dut_require(lua_State *lua, const char *ability) {
    if (iw_dut_lists(iw_dut_self(lua), "abilities", ability))
        return;
    lua_pushfstring(lua, "the device lacks the ability \"%s\"", ability);
    iw_lua_failure_raise(lua, IW_SCENARIO_UNSUPPORTED, lua_tostring(lua, -1), NULL, NULL);
}
