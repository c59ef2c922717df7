#ifndef IW_LUA_PATTERN_H
#define IW_LUA_PATTERN_H

#include <stddef.h>

#include <lua.h>

/* Patterns of Lua (its manual, 6.4.1), matched with a bound: each comparison counts against the steps that
 * the sandbox leaves to the script, where Lua's own library would go on for ever within one instruction. */

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
    int depth; /* how deep the matching may nest yet */
    int level; /* captures, finished or not */
    struct iw_lua_capture captures[IW_LUA_CAPTURES_MAX];
};

void iw_lua_pattern_init(struct iw_lua_pattern *seek, lua_State *lua, const char *subject,
    size_t subject_octets, const char *pattern, size_t pattern_octets);

/* Whether the pattern, "^" apart, matches at `at` of the subject: the end of what it matches, or NULL. Raises
 * an error if it is no pattern, or the steps are used up. */
const char *iw_lua_pattern_at(struct iw_lua_pattern *seek, const char *at, const char *pattern);

/* Pushes capture number `index` from 0; the whole match, from `begin` to `end`, if it is the first and the
 * pattern has none. */
void iw_lua_pattern_push(struct iw_lua_pattern *seek, int index, const char *begin, const char *end);

/* Pushes all of them, and returns how many; without `begin` none stands for the whole match. */
int iw_lua_pattern_push_all(struct iw_lua_pattern *seek, const char *begin, const char *end);

#endif
