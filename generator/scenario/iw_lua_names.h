#ifndef IW_LUA_NAMES_H
#define IW_LUA_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include <lua.h>

#include "iw_layout.h"

/* Names that a table may use, so that a misspelt one is an error instead of nothing. */

enum { IW_LUA_NAMES_MAX = 192 };

struct iw_lua_names {
    const char *names[IW_LUA_NAMES_MAX];
    size_t count;
};

/* Adds `names`, which ends with NULL. The texts are borrowed. */
void iw_lua_names_add(struct iw_lua_names *names, const char *const *list);
void iw_lua_names_add_one(struct iw_lua_names *names, const char *name);

bool iw_lua_names_have(const struct iw_lua_names *names, const char *name);

/* The one that `name` was most likely meant to be, or NULL if none is near. */
const char *iw_lua_names_nearest(const struct iw_lua_names *names, const char *name);

/* Raises an error unless every key of the table at `table` is among `names`: "connect has no option 'mulpud'
 * (did you mean 'mulpdu'?)". Keys that are numbers pass if `list` is true. */
void iw_lua_names_check(
    lua_State *lua, int table, const struct iw_lua_names *names, const char *of, bool list);

#endif
