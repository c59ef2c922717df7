#ifndef IW_LUA_NAMES_H
#define IW_LUA_NAMES_H

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

/* Pushes the end of a message about the unknown name `name`, and returns it: " (did you mean 'mulpdu'?)", or
 * "" if it resembles none. */
const char *iw_lua_names_hint(lua_State *lua, const struct iw_lua_names *names, const char *name);

/* Raises an error for a key of the table at `table` that is not among `names`: "connect has no option
 * 'mulpud' (did you mean 'mulpdu'?)". With `list`, number keys are allowed. */
void iw_lua_names_check(
    lua_State *lua, int table, const struct iw_lua_names *names, const char *of, bool list);

/* The same with the names of `allowed`, which ends with NULL, and without number keys. */
void iw_lua_names_allow(lua_State *lua, int table, const char *const *allowed, const char *of);

/* Leaves the options at `index`, or an empty table, on top of the stack. Any other type is an error. */
void iw_lua_names_table(lua_State *lua, int index);

#endif
