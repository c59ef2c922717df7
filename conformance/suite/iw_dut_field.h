#ifndef IW_DUT_FIELD_H
#define IW_DUT_FIELD_H

#include <lua.h>

#include <jansson.h>

/* The fields of requests to an agent as the methods of `dut` set them, and those of its answers and events as
 * values of Lua. */

void iw_dut_set_integer(json_t *request, const char *field, lua_Integer value);
void iw_dut_set_text(json_t *request, const char *field, const char *text);

/* Each pushes one value. One that is not of its kind, or not there, is the agent's mistake, which is raised.
 */
void iw_dut_need_octets(lua_State *lua, const json_t *object, const char *field);
void iw_dut_need_wide(lua_State *lua, const json_t *object, const char *field);
void iw_dut_need_integer(lua_State *lua, const json_t *object, const char *field);

/* The same, but of what may be left out: octets and a wide integer are nil then, another integer is 0. */
void iw_dut_push_octets(lua_State *lua, const json_t *object, const char *field);
void iw_dut_push_wide(lua_State *lua, const json_t *object, const char *field);
void iw_dut_push_integer(lua_State *lua, const json_t *object, const char *field);

#endif
