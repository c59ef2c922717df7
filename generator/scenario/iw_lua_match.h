#pragma once

#include <stdbool.h>

#include <lua.h>

/* Whether the value at `actual` matches the expectation at `expected`:
 * - any{a, b, ...}: matches one of them;
 * - match"pattern": a string that contains the pattern (PCRE2);
 * - a function: it returns true for the value;
 * - a table: a table whose members match those of `expected`;
 * - a boolean: the same truth value, where the integer 0 is false;
 * - otherwise: equal; the integers 1 and 0 equal true and false.
 * Raises an error if a pattern takes too long or a function fails. */
bool iw_lua_match_value(lua_State *lua, int actual, int expected);

/* Pushes a description of the value at `index`: numbers in decimal, from 10 on also in hexadecimal; strings
 * as text if printable, else in hexadecimal; tables with sorted keys; the arguments of any{} and match"". */
void iw_lua_match_describe(lua_State *lua, int index);

/* Registers the globals any, match, hex and tohex. */
void iw_lua_match_open(lua_State *lua);
