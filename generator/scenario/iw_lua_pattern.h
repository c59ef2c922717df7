#pragma once

#include <stddef.h>

#include <lua.h>

/* Matches Lua patterns (Lua manual 6.4.1). Each comparison uses up a step of the sandbox; Lua's own library
 * could run for ever within one instruction. */

enum { IW_LUA_CAPTURES_MAX = 32 };

struct iw_lua_capture {
    const char *begin;
    ptrdiff_t length; /* or one of enum iw_lua_capture_kind */
};

enum iw_lua_capture_kind { IW_LUA_CAPTURE_OPEN = -1, IW_LUA_CAPTURE_PLACE = -2 };

struct iw_lua_pattern {
    lua_State *lua;
    const char *subject, *subject_end;
    const char *pattern_end;
    int depth; /* remaining recursion depth of the match */
    int level; /* number of captures, including open captures */
    struct iw_lua_capture captures[IW_LUA_CAPTURES_MAX];
};

/* Borrows both texts. */
void iw_lua_pattern_init(struct iw_lua_pattern *search, lua_State *lua, const char *subject,
    size_t subject_octets, const char *pattern, size_t pattern_octets);

/* Matches the pattern (without "^") at `at` of the subject. Returns the end of the match, or NULL. Raises
 * an error if the pattern is malformed or the steps are used up. */
const char *iw_lua_pattern_at(struct iw_lua_pattern *search, const char *at, const char *pattern);

/* Pushes capture `index`, from 0; index 0 without captures: the whole match, `begin` to `end`. */
void iw_lua_pattern_push(struct iw_lua_pattern *search, int index, const char *begin, const char *end);

/* Pushes all captures and returns their number. For a pattern without captures pushes the whole match, or
 * nothing if `begin` is NULL. */
int iw_lua_pattern_push_all(struct iw_lua_pattern *search, const char *begin, const char *end);
