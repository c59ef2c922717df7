#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <lua.h>

/* Names that a table may use. A misspelt name is an error instead of being ignored. */

enum { IW_LUA_NAMES_MAX = 192 };

struct iw_lua_names {
    const char *names[IW_LUA_NAMES_MAX];
    size_t count;
};

/* Adds the names of `list`, which ends with NULL. The texts are borrowed. */
void iw_lua_names_add(struct iw_lua_names *names, const char *const *list);
void iw_lua_names_add_one(struct iw_lua_names *names, const char *name);

bool iw_lua_names_have(const struct iw_lua_names *names, const char *name);

/* Pushes and returns the end of a message about the unknown name `name`: "", or the name that it resembles,
 * as in " (did you mean 'mulpdu'?)". */
const char *iw_lua_names_hint(lua_State *lua, const struct iw_lua_names *names, const char *name);

/* Raises an error for a key of the table at `table` that is not among `names`. With `list`, number keys are
 * allowed. Example, `of` is "connect": "connect has no 'mulpud' (did you mean 'mulpdu'?)". */
void iw_lua_names_check(
    lua_State *lua, int table, const struct iw_lua_names *names, const char *of, bool list);

/* As iw_lua_names_check without `list`, for the names in `allowed`, which ends with NULL. */
void iw_lua_names_allow(lua_State *lua, int table, const char *const *allowed, const char *of);

/* Makes `index` the top of the stack, and replaces nil there by an empty table. Raises an error for any other
 * value than a table. */
void iw_lua_names_table(lua_State *lua, int index);
