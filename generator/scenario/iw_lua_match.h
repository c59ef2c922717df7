#ifndef IW_LUA_MATCH_H
#define IW_LUA_MATCH_H

#include <stdbool.h>

#include <lua.h>

/* What a value is expected to be, and values as text for people. */

/* Whether the value at `actual` is as the one at `expected` demands:
 * - any{a, b, ...}: as one of them demands;
 * - match"pattern": a string in which the pattern (PCRE2) is found;
 * - a function: it returns true for the value;
 * - a table: a table whose members are as those of `expected` demand;
 * - a boolean: true or a number other than 0, or else;
 * - otherwise: equal.
 * Raises an error if a pattern takes too long or a function fails. */
bool iw_lua_match_value(lua_State *lua, int actual, int expected);

/* Pushes the text of the value at `index`: numbers in decimal and from 10 on in hexadecimal too, octets in
 * hexadecimal unless all are printable, what any{} and match"" take, tables with their keys sorted. */
void iw_lua_match_describe(lua_State *lua, int index);

/* Globals any, match, hex and tohex. */
void iw_lua_match_open(lua_State *lua);

#endif
