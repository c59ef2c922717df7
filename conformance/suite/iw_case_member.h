#pragma once

#include <lua.h>
#include <stddef.h>

#include "iw_requirement.h"

/* Members of the Lua table of a case, at the index `table`. They raise a Lua error that names the case `id`
 * and the member if it is invalid. The table keeps the strings, and outlives the case. */

enum { IW_CASE_LIST_MAX = 8 };

const char *iw_case_member_text(lua_State *lua, int table, const char *name, const char *id);

/* Reads a list of texts; a missing one is empty. Returns their number. */
size_t iw_case_member_texts(
    lua_State *lua, int table, const char *name, const char *id, const char *list[IW_CASE_LIST_MAX]);

/* The same for ids of requirements. */
size_t iw_case_member_requirements(lua_State *lua, int table, const char *name, const char *id,
    const struct iw_requirement *list[IW_CASE_LIST_MAX]);
