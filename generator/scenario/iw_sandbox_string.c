#include "iw_sandbox.h"

#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

#include "iw_lua_pattern.h"

/* Converts `init`, from 1 or (negative) from the end, to an offset from 0; length + 1: beyond the end. */
static size_t string_start_offset(lua_Integer init, size_t length) {
    if (init > 0)
        return (size_t)init <= length ? (size_t)init - 1
                                      : (init == (lua_Integer)length + 1 ? length : length + 1);
    if (init == 0 || init < -(lua_Integer)length)
        return 0;
    return length - (size_t)-init;
}

static bool string_pattern_is_plain(const char *pattern, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (memchr("^$*+?.([%-", pattern[i], 10) != NULL)
            return false;
    return true;
}

static const char *string_find_plain(
    lua_State *lua, const char *subject, size_t length, const char *pattern, size_t wanted) {
    const char *end = subject + length;

    if (wanted == 0)
        return subject;
    while ((size_t)(end - subject) >= wanted) {
        const char *first = memchr(subject, *pattern, (size_t)(end - subject) - wanted + 1);

        iw_sandbox_charge(lua, 1 + ((first == NULL ? length : (size_t)(first - subject)) + wanted) / 16);
        if (first == NULL || memcmp(first, pattern, wanted) == 0)
            return first;
        subject = first + 1;
    }
    return NULL;
}

static int string_push_found(lua_State *lua, const char *subject, const char *begin, const char *end) {
    lua_pushinteger(lua, begin - subject + 1);
    lua_pushinteger(lua, end - subject);
    return 2;
}

static int string_find_or_match(lua_State *lua, bool string_find) {
    size_t length, pattern_length;
    const char *subject = luaL_checklstring(lua, 1, &length);
    const char *pattern = luaL_checklstring(lua, 2, &pattern_length);
    size_t from = string_start_offset(luaL_optinteger(lua, 3, 1), length);
    struct iw_lua_pattern search;

    bool plain = string_find && (lua_toboolean(lua, 4) || string_pattern_is_plain(pattern, pattern_length));
    if (plain && from <= length) {
        const char *found = string_find_plain(lua, subject + from, length - from, pattern, pattern_length);
        if (found != NULL)
            return string_push_found(lua, subject, found, found + pattern_length);
    }
    bool anchored = *pattern == '^';
    iw_lua_pattern_init(&search, lua, subject, length, pattern, pattern_length);
    for (const char *at = subject + from; at <= search.subject_end && !plain; at++) {
        const char *end = iw_lua_pattern_at(&search, at, pattern + anchored);
        if (end != NULL && string_find)
            return string_push_found(lua, subject, at, end) + iw_lua_pattern_push_all(&search, NULL, NULL);
        if (end != NULL)
            return iw_lua_pattern_push_all(&search, at, end);
        if (anchored)
            break;
    }
    lua_pushnil(lua);
    return 1;
}

static int string_find(lua_State *lua) {
    return string_find_or_match(lua, true);
}

static int string_match(lua_State *lua) {
    return string_find_or_match(lua, false);
}

/* Upvalues: subject, pattern, next position (from 1), and end of the last match (from 1; 0: none). */
static int string_gmatch_next(lua_State *lua) {
    size_t length, pattern_length;
    const char *subject = lua_tolstring(lua, lua_upvalueindex(1), &length);
    const char *pattern = lua_tolstring(lua, lua_upvalueindex(2), &pattern_length);
    const char *at = subject + lua_tointeger(lua, lua_upvalueindex(3)) - 1;
    const char *last = subject + lua_tointeger(lua, lua_upvalueindex(4)) - 1;
    struct iw_lua_pattern search;

    iw_lua_pattern_init(&search, lua, subject, length, pattern, pattern_length);
    for (; at <= search.subject_end; at++) {
        const char *end = iw_lua_pattern_at(&search, at, pattern);
        if (end == NULL || end == last)
            continue;
        lua_pushinteger(lua, end - subject + 1);
        lua_copy(lua, -1, lua_upvalueindex(3));
        lua_replace(lua, lua_upvalueindex(4));
        return iw_lua_pattern_push_all(&search, at, end);
    }
    return 0;
}

static int string_gmatch(lua_State *lua) {
    size_t length;

    luaL_checklstring(lua, 1, &length);
    luaL_checkstring(lua, 2);
    size_t from = string_start_offset(luaL_optinteger(lua, 3, 1), length);
    lua_settop(lua, 2);
    lua_pushinteger(lua, (lua_Integer)(from > length ? length + 1 : from) + 1);
    lua_pushinteger(lua, 0);
    lua_pushcclosure(lua, string_gmatch_next, 4);
    return 1;
}

/* Appends the replacement text, with %0 to %9 and %%. */
static void string_gsub_add_text(
    struct iw_lua_pattern *search, luaL_Buffer *result, const char *begin, const char *end) {
    lua_State *lua = search->lua;
    size_t length;
    const char *text = lua_tolstring(lua, 3, &length);

    for (size_t i = 0; i < length; i++) {
        if (text[i] != '%') {
            luaL_addchar(result, text[i]);
            continue;
        }
        char kind = ++i < length ? text[i] : '\0';
        if (kind == '%') {
            luaL_addchar(result, '%');
        } else if (kind == '0') {
            luaL_addlstring(result, begin, (size_t)(end - begin));
        } else if (kind >= '1' && kind <= '9') {
            iw_lua_pattern_push(search, kind - '1', begin, end);
            luaL_tolstring(lua, -1, NULL);
            lua_remove(lua, -2);
            luaL_addvalue(result);
        } else {
            luaL_error(lua, "invalid use of '%%' in replacement string");
        }
    }
}

/* Appends what the table or function returns for the match; false and nil keep the match. */
static void string_gsub_add_value(
    struct iw_lua_pattern *search, luaL_Buffer *result, const char *begin, const char *end) {
    lua_State *lua = search->lua;

    if (lua_type(lua, 3) == LUA_TFUNCTION) {
        lua_pushvalue(lua, 3);
        lua_call(lua, iw_lua_pattern_push_all(search, begin, end), 1);
    } else {
        iw_lua_pattern_push(search, 0, begin, end);
        lua_gettable(lua, 3);
    }
    if (!lua_toboolean(lua, -1)) {
        lua_pop(lua, 1);
        luaL_addlstring(result, begin, (size_t)(end - begin));
        return;
    }
    if (!lua_isstring(lua, -1))
        luaL_error(lua, "invalid replacement value (a %s)", luaL_typename(lua, -1));
    luaL_addvalue(result);
}

static void string_gsub_add(
    struct iw_lua_pattern *search, luaL_Buffer *result, const char *begin, const char *end) {
    int type = lua_type(search->lua, 3);

    if (type == LUA_TSTRING || type == LUA_TNUMBER)
        string_gsub_add_text(search, result, begin, end);
    else
        string_gsub_add_value(search, result, begin, end);
}

static int string_gsub(lua_State *lua) {
    size_t length, pattern_length;
    const char *subject = luaL_checklstring(lua, 1, &length);
    const char *pattern = luaL_checklstring(lua, 2, &pattern_length);
    int type = lua_type(lua, 3);
    lua_Integer most = luaL_optinteger(lua, 4, (lua_Integer)length + 1), count = 0;
    const char *at = subject, *last = NULL;
    bool anchored = *pattern == '^';
    struct iw_lua_pattern search;
    luaL_Buffer result;

    luaL_argexpected(lua,
        type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TTABLE || type == LUA_TFUNCTION, 3,
        "string/function/table");
    if (type == LUA_TNUMBER)
        lua_tostring(lua, 3);
    luaL_buffinit(lua, &result);
    iw_lua_pattern_init(&search, lua, subject, length, pattern, pattern_length);
    while (count < most) {
        const char *end = iw_lua_pattern_at(&search, at, pattern + anchored);
        if (end != NULL && end != last) {
            count++;
            string_gsub_add(&search, &result, at, end);
            at = last = end;
        } else if (at < search.subject_end) {
            luaL_addchar(&result, *at);
            at++;
        } else {
            break;
        }
        if (anchored)
            break;
    }
    luaL_addlstring(&result, at, (size_t)(search.subject_end - at));
    luaL_pushresult(&result);
    lua_pushinteger(lua, count);
    return 2;
}

/* Calls the original function (first upvalue) without a new frame: errors name the replacement. */
static int string_call_original(lua_State *lua) {
    return lua_tocfunction(lua, lua_upvalueindex(1))(lua);
}

/* A metamethod __len may give one length here and another to the original function, which then never ends. */
static void string_check_list(lua_State *lua) {
    if (!iw_sandbox_of(lua)->config.trust && luaL_getmetafield(lua, 1, "__len") != LUA_TNIL)
        luaL_argerror(lua, 1, "a list with __len");
}

/* table.insert, remove, concat: steps by the length of the list. */
static int string_charge_by_length(lua_State *lua) {
    if (lua_istable(lua, 1)) {
        string_check_list(lua);
        lua_Integer length = luaL_len(lua, 1);
        iw_sandbox_charge(lua, length < 0 ? 0 : (uint64_t)length / 4);
    }
    return string_call_original(lua);
}

/* table.sort: steps by the length of the list; if its longest string has 64 octets or more, also for n log n
 * comparisons of strings of that length. */
static int string_charge_by_comparisons(lua_State *lua) {
    lua_Integer length = 0;
    uint64_t depth = 1, longest = 0;

    if (lua_istable(lua, 1)) {
        string_check_list(lua);
        length = luaL_len(lua, 1);
    }
    if (length > 0)
        iw_sandbox_charge(lua, (uint64_t)length / 4);
    for (lua_Integer i = 1; i <= length; i++) {
        depth += i >> depth != 0;
        if (lua_geti(lua, 1, i) == LUA_TSTRING && lua_rawlen(lua, -1) > longest)
            longest = lua_rawlen(lua, -1);
        lua_pop(lua, 1);
    }
    if (length > 0)
        iw_sandbox_charge(lua, (uint64_t)length * depth * (longest / 64));
    return string_call_original(lua);
}

/* table.move(a1, f, e, t [, a2]): steps by the number of elements, from index f to index e. */
static int string_charge_by_range(lua_State *lua) {
    lua_Integer first = luaL_checkinteger(lua, 2), last = luaL_checkinteger(lua, 3);

    if (last >= first)
        iw_sandbox_charge(lua, (uint64_t)last - (uint64_t)first);
    return string_call_original(lua);
}

/* string.rep(s, n [, separator]): steps by the length of the result, unless Lua rejects it as too long. Lua
 * would copy an empty string n times. */
static int string_charge_by_product(lua_State *lua) {
    size_t length, separator = 0;
    lua_Integer times = luaL_checkinteger(lua, 2);

    luaL_checklstring(lua, 1, &length);
    luaL_optlstring(lua, 3, "", &separator);
    if (length + separator == 0) {
        lua_pushliteral(lua, "");
        return 1;
    }
    uint64_t most = iw_sandbox_of(lua)->config.memory_octets / (length + separator + 1);
    if (times > 0 && (uint64_t)times <= most)
        iw_sandbox_charge(lua, (uint64_t)times * (length + separator) / 64);
    return string_call_original(lua);
}

/* utf8.len and offset: steps by the string's octets. */
static int string_charge_by_octets(lua_State *lua) {
    size_t length;

    luaL_checklstring(lua, 1, &length);
    iw_sandbox_charge(lua, length / 4);
    return string_call_original(lua);
}

void iw_sandbox_string_open(lua_State *lua) {
    static const luaL_Reg functions[] = {{"find", string_find}, {"match", string_match},
        {"gmatch", string_gmatch}, {"gsub", string_gsub}, {NULL, NULL}};

    lua_getglobal(lua, LUA_STRLIBNAME);
    luaL_setfuncs(lua, functions, 0);
    lua_pop(lua, 1);
    iw_sandbox_protect_wrap(lua, LUA_STRLIBNAME, "rep", string_charge_by_product);
    iw_sandbox_protect_wrap(lua, LUA_TABLIBNAME, "insert", string_charge_by_length);
    iw_sandbox_protect_wrap(lua, LUA_TABLIBNAME, "remove", string_charge_by_length);
    iw_sandbox_protect_wrap(lua, LUA_TABLIBNAME, "concat", string_charge_by_length);
    iw_sandbox_protect_wrap(lua, LUA_TABLIBNAME, "sort", string_charge_by_comparisons);
    iw_sandbox_protect_wrap(lua, LUA_TABLIBNAME, "move", string_charge_by_range);
    iw_sandbox_protect_wrap(lua, LUA_UTF8LIBNAME, "len", string_charge_by_octets);
    iw_sandbox_protect_wrap(lua, LUA_UTF8LIBNAME, "offset", string_charge_by_octets);
}
