#ifndef IW_DUT_FIELD_H
#define IW_DUT_FIELD_H

#include <lua.h>

#include <jansson.h>

/* Sets fields of requests to an agent, and converts fields of answers and events to Lua values. */

void iw_dut_set_integer(json_t *request, const char *field, lua_Integer value);
void iw_dut_set_text(json_t *request, const char *field, const char *text);

/* Each pushes one value. A missing value or a wrong type is an error of the agent, which is raised. */
void iw_dut_need_octets(lua_State *lua, const json_t *object, const char *field);
void iw_dut_need_wide(lua_State *lua, const json_t *object, const char *field);
void iw_dut_need_integer(lua_State *lua, const json_t *object, const char *field);

#endif
