#define PCRE2_CODE_UNIT_WIDTH 8

#include "iw_lua_match.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcre2.h>

#include "iw_hex.h"
#include "iw_lua_member.h"

static const char any_name[] = "iw.any";
static const char match_name[] = "iw.match";

enum {
    PATTERN_MAX = 65536,   /* octets */
    EFFORT_MAX = 1000000,  /* match limit of PCRE2 */
    SHOWN_DEPTH_MAX = 8,   /* levels of nested tables that are described */
    STACK_SLOTS_MAX = 200, /* Lua stack slots during a match */
    SHOWN_OCTETS_MAX = 48, /* octets of a string that are described */
};

struct pattern {
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *context;
};

/* match"pattern" */
static int new_match(lua_State *lua) {
    size_t length;
    const char *text = luaL_checklstring(lua, 1, &length);
    int reason;
    PCRE2_SIZE at;

    luaL_argcheck(lua, length <= PATTERN_MAX, 1, "pattern too long");
    struct pattern *pattern = lua_newuserdatauv(lua, sizeof *pattern, 1);
    *pattern = (struct pattern){0};
    luaL_setmetatable(lua, match_name);
    lua_pushvalue(lua, 1);
    lua_setiuservalue(lua, -2, 1);
    pattern->code = pcre2_compile((PCRE2_SPTR)text, length, 0, &reason, &at, NULL);
    if (pattern->code == NULL) {
        char why[128];
        pcre2_get_error_message(reason, (PCRE2_UCHAR *)why, sizeof why);
        return luaL_error(lua, "match: %s at octet %d of the pattern", why, (int)at + 1);
    }
    pattern->data = pcre2_match_data_create_from_pattern(pattern->code, NULL);
    pattern->context = pcre2_match_context_create(NULL);
    if (pattern->data == NULL || pattern->context == NULL)
        return luaL_error(lua, "not enough memory");
    pcre2_set_match_limit(pattern->context, EFFORT_MAX);
    return 1;
}

static int free_match(lua_State *lua) {
    struct pattern *pattern = luaL_checkudata(lua, 1, match_name);

    pcre2_match_context_free(pattern->context);
    pcre2_match_data_free(pattern->data);
    pcre2_code_free(pattern->code);
    *pattern = (struct pattern){0};
    return 0;
}

static bool pattern_matches(lua_State *lua, const struct pattern *pattern, int actual) {
    size_t length;

    if (lua_type(lua, actual) != LUA_TSTRING || pattern->code == NULL)
        return false;
    const char *text = lua_tolstring(lua, actual, &length);
    int outcome = pcre2_match(pattern->code, (PCRE2_SPTR)text, length, 0, 0, pattern->data, pattern->context);
    if (outcome < 0 && outcome != PCRE2_ERROR_NOMATCH)
        luaL_error(lua, "match: the pattern takes too long");
    return outcome >= 0;
}

/* any{...} */
static int match_new_any(lua_State *lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_Integer count = luaL_len(lua, 1);
    luaL_argcheck(lua, count > 0, 1, "at least one value is needed");
    luaL_checkstack(lua, 2, NULL);
    lua_createtable(lua, count < 1024 ? (int)count : 1024, 0);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_geti(lua, 1, i);
        lua_rawseti(lua, -2, i);
    }
    luaL_setmetatable(lua, any_name);
    return 1;
}

static bool one_matches(lua_State *lua, int actual, int any) {
    lua_Unsigned count = lua_rawlen(lua, any);
    bool matches = false;

    for (lua_Unsigned i = 1; i <= count && !matches; i++) {
        lua_rawgeti(lua, any, (lua_Integer)i);
        matches = iw_lua_match_value(lua, actual, lua_gettop(lua));
        lua_pop(lua, 1);
    }
    return matches;
}

static bool members_match(lua_State *lua, int actual, int expected) {
    if (!lua_istable(lua, actual))
        return false;
    lua_pushnil(lua);
    while (lua_next(lua, expected) != 0) {
        lua_pushvalue(lua, -2);
        lua_rawget(lua, actual);
        bool matches = iw_lua_match_value(lua, lua_gettop(lua), lua_gettop(lua) - 1);
        lua_pop(lua, 2);
        if (!matches) {
            lua_pop(lua, 1);
            return false;
        }
    }
    return true;
}

static bool match_holds_for(lua_State *lua, int actual, int function) {
    lua_pushvalue(lua, function);
    lua_pushvalue(lua, actual);
    lua_call(lua, 1, 1);
    bool holds = lua_toboolean(lua, -1);
    lua_pop(lua, 1);
    return holds;
}

static bool match_as_boolean(lua_State *lua, int index) {
    return lua_toboolean(lua, index) && !(lua_isinteger(lua, index) && lua_tointeger(lua, index) == 0);
}

bool iw_lua_match_value(lua_State *lua, int actual, int expected) {
    actual = lua_absindex(lua, actual);
    expected = lua_absindex(lua, expected);
    luaL_checkstack(lua, 8, NULL);
    if (lua_gettop(lua) > STACK_SLOTS_MAX)
        luaL_error(lua, "expectation too deep");
    if (iw_lua_member_is(lua, expected, any_name))
        return one_matches(lua, actual, expected);
    if (iw_lua_member_is(lua, expected, match_name))
        return pattern_matches(lua, lua_touserdata(lua, expected), actual);
    if (lua_isfunction(lua, expected))
        return match_holds_for(lua, actual, expected);
    if (lua_istable(lua, expected))
        return members_match(lua, actual, expected);
    if (lua_isboolean(lua, expected))
        return match_as_boolean(lua, actual) == lua_toboolean(lua, expected);
    if (lua_isboolean(lua, actual) && lua_isinteger(lua, expected))
        return lua_tointeger(lua, expected) == lua_toboolean(lua, actual);
    return lua_compare(lua, actual, expected, LUA_OPEQ);
}

/* Pushes the octets in hexadecimal, as in "0001 02ff"; octets after the first `limit` are only counted. */
static void match_push_hex(lua_State *lua, const char *octets, size_t length, size_t limit) {
    luaL_Buffer buffer;

    luaL_buffinit(lua, &buffer);
    for (size_t i = 0; i < length && i < limit; i++) {
        char digits[8];
        snprintf(digits, sizeof digits, "%s%02x", i > 0 && i % 2 == 0 ? " " : "", (unsigned char)octets[i]);
        luaL_addstring(&buffer, digits);
    }
    if (length > limit) {
        char rest[48];
        snprintf(rest, sizeof rest, " and %zu octets more", length - limit);
        luaL_addstring(&buffer, rest);
    }
    luaL_pushresult(&buffer);
}

static void match_describe_string(lua_State *lua, int index) {
    size_t length;
    const char *text = lua_tolstring(lua, index, &length);
    bool printable = length <= SHOWN_OCTETS_MAX;

    for (size_t i = 0; i < length && printable; i++)
        printable = isprint((unsigned char)text[i]);
    if (printable) {
        lua_pushfstring(lua, "\"%s\"", text);
        return;
    }
    match_push_hex(lua, text, length, SHOWN_OCTETS_MAX);
    lua_pushfstring(lua, "octets %s", lua_tostring(lua, -1));
    lua_remove(lua, -2);
}

static void describe_lua_number(lua_State *lua, int index) {
    char text[64];

    if (!lua_isinteger(lua, index)) {
        snprintf(text, sizeof text, "%g", lua_tonumber(lua, index));
    } else {
        long long number = lua_tointeger(lua, index);
        if (number >= 0 && number < 10)
            snprintf(text, sizeof text, "%lld", number);
        else
            snprintf(text, sizeof text, "%lld (0x%llx)", number, (unsigned long long)number);
    }
    lua_pushstring(lua, text);
}

static void match_describe_value(lua_State *lua, int index, int depth);

static void match_describe_any(lua_State *lua, int index, int depth) {
    lua_Unsigned count = lua_rawlen(lua, index);

    lua_pushliteral(lua, "");
    for (lua_Unsigned i = 1; i <= count; i++) {
        lua_pushstring(lua, i == 1 ? "" : i == count ? " or " : ", ");
        lua_rawgeti(lua, index, (lua_Integer)i);
        match_describe_value(lua, lua_gettop(lua), depth + 1);
        lua_remove(lua, -2);
        lua_concat(lua, 3);
    }
}

static int match_compare_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Fills `keys` with the string keys, sorted; the table owns the texts. */
static size_t match_sorted_keys(lua_State *lua, int table, const char **keys, size_t capacity) {
    size_t count = 0;

    lua_pushnil(lua);
    while (lua_next(lua, table) != 0) {
        lua_pop(lua, 1);
        if (lua_type(lua, -1) == LUA_TSTRING && count < capacity)
            keys[count++] = lua_tostring(lua, -1);
    }
    qsort(keys, count, sizeof *keys, match_compare_text);
    return count;
}

static void match_describe_table(lua_State *lua, int index, int depth) {
    const char *keys[64] = {NULL};
    size_t count = match_sorted_keys(lua, index, keys, sizeof keys / sizeof *keys);

    lua_pushliteral(lua, "{");
    for (size_t i = 0; i < count; i++) {
        lua_pushfstring(lua, "%s%s=", i == 0 ? "" : ", ", keys[i]);
        lua_pushstring(lua, keys[i]);
        lua_rawget(lua, index);
        match_describe_value(lua, lua_gettop(lua), depth + 1);
        lua_remove(lua, -2);
        lua_concat(lua, 3);
    }
    lua_pushliteral(lua, "}");
    lua_concat(lua, 2);
}

static void match_describe_function(lua_State *lua, int index) {
    lua_Debug activation;

    lua_pushvalue(lua, index);
    lua_getinfo(lua, ">S", &activation);
    lua_pushfstring(lua, "a value that the function of line %d accepts",
        activation.linedefined > 0 ? activation.linedefined : 0);
}

static void match_describe_value(lua_State *lua, int index, int depth) {
    luaL_checkstack(lua, 12, NULL);
    if (depth > SHOWN_DEPTH_MAX) {
        lua_pushliteral(lua, "...");
    } else if (iw_lua_member_is(lua, index, any_name)) {
        match_describe_any(lua, index, depth);
    } else if (iw_lua_member_is(lua, index, match_name)) {
        lua_getiuservalue(lua, index, 1);
        lua_pushfstring(lua, "matching \"%s\"", lua_tostring(lua, -1));
        lua_remove(lua, -2);
    } else if (lua_type(lua, index) == LUA_TSTRING) {
        match_describe_string(lua, index);
    } else if (lua_type(lua, index) == LUA_TNUMBER) {
        describe_lua_number(lua, index);
    } else if (lua_istable(lua, index)) {
        match_describe_table(lua, index, depth);
    } else if (lua_isfunction(lua, index)) {
        match_describe_function(lua, index);
    } else if (lua_isnil(lua, index)) {
        lua_pushliteral(lua, "nothing");
    } else if (lua_isboolean(lua, index)) {
        lua_pushstring(lua, lua_toboolean(lua, index) ? "true" : "false");
    } else {
        lua_pushfstring(lua, "a %s", luaL_typename(lua, index));
    }
}

void iw_lua_match_describe(lua_State *lua, int index) {
    match_describe_value(lua, lua_absindex(lua, index), 0);
}

/* hex"0016 c140": white space and colons are allowed between digits. */
static int lua_hex(lua_State *lua) {
    size_t length;
    const char *text = luaL_checklstring(lua, 1, &length);
    luaL_Buffer buffer;
    int high = -1;

    luaL_buffinitsize(lua, &buffer, length / 2 + 1);
    for (size_t i = 0; i < length; i++) {
        int digit = iw_hex_digit(text[i]);
        if (digit < 0) {
            if (!isspace((unsigned char)text[i]) && text[i] != ':')
                return luaL_error(lua, "hex: '%c' is not a hexadecimal digit", text[i]);
        } else if (high < 0) {
            high = digit;
        } else {
            luaL_addchar(&buffer, (char)(high << 4 | digit));
            high = -1;
        }
    }
    if (high >= 0)
        return luaL_error(lua, "hex: half an octet at the end");
    luaL_pushresult(&buffer);
    return 1;
}

static int lua_tohex(lua_State *lua) {
    size_t length;
    const char *octets = luaL_checklstring(lua, 1, &length);

    match_push_hex(lua, octets, length, length);
    return 1;
}

void iw_lua_match_open(lua_State *lua) {
    static const luaL_Reg any_members = {NULL, NULL};
    static const luaL_Reg match_members[] = {{"__gc", free_match}, {NULL, NULL}};

    iw_lua_member_metatable(lua, any_name, &any_members);
    iw_lua_member_metatable(lua, match_name, match_members);
    lua_pop(lua, 2);
    lua_register(lua, "any", match_new_any);
    lua_register(lua, "match", new_match);
    lua_register(lua, "hex", lua_hex);
    lua_register(lua, "tohex", lua_tohex);
}
