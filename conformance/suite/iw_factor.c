#include "iw_factor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "iw_lua_member.h"

#include "iw_plural.h"

/* Reads the optional member `claims` of the factor, whose table is on top of the stack. */
static void factor_read_claims(lua_State *lua, const char *id, struct iw_factor *factor) {
    if (lua_getfield(lua, -1, "claims") == LUA_TNIL) {
        lua_pop(lua, 1);
        return;
    }
    luaL_argexpected(lua, lua_istable(lua, -1), 1, "a table of claims");
    for (size_t i = 0; i < factor->value_count; i++) {
        int type = lua_rawgeti(lua, -1, (lua_Integer)i + 1);

        if (type != LUA_TNIL && type != LUA_TSTRING)
            luaL_error(lua, "case %s: claims of the factor %s are texts", id, factor->name);
        factor->claims[i] = lua_tostring(lua, -1);
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
}

static void factor_read(lua_State *lua, const char *id, struct iw_factor *factor) {
    if (!lua_istable(lua, -1) || lua_getfield(lua, -1, "name") != LUA_TSTRING)
        luaL_error(lua, "case %s: a factor is a table with a name", id);
    factor->name = lua_tostring(lua, -1);
    lua_pop(lua, 1);
    if (lua_getfield(lua, -1, "values") != LUA_TTABLE || lua_rawlen(lua, -1) < 1 ||
        lua_rawlen(lua, -1) > IW_FACTOR_VALUES_MAX)
        luaL_error(lua, "case %s: the factor %s takes a list of 1 to %d values", id, factor->name,
            (int)IW_FACTOR_VALUES_MAX);
    factor->value_count = lua_rawlen(lua, -1);
    lua_pop(lua, 1);
    factor_read_claims(lua, id, factor);
}

void iw_factors_read(lua_State *lua, int table, const char *id, struct iw_factors *factors) {
    memset(factors, 0, sizeof *factors);
    if (lua_getfield(lua, table, "factors") == LUA_TNIL) {
        lua_pop(lua, 1);
        return;
    }
    factors->seeded = lua_type(lua, -1) == LUA_TSTRING && strcmp(lua_tostring(lua, -1), "seed") == 0;
    if (factors->seeded) {
        lua_pop(lua, 1);
        return;
    }
    if (!lua_istable(lua, -1) || lua_rawlen(lua, -1) > IW_FACTORS_MAX)
        luaL_error(
            lua, "case %s: factors takes \"seed\" or a list of at most %d tables", id, (int)IW_FACTORS_MAX);
    factors->count = lua_rawlen(lua, -1);
    for (size_t i = 0; i < factors->count; i++) {
        lua_rawgeti(lua, -1, (lua_Integer)i + 1);
        factor_read(lua, id, &factors->list[i]);
        lua_pop(lua, 1);
    }
    factors->values = luaL_ref(lua, LUA_REGISTRYINDEX);
}

void iw_factors_push(lua_State *lua, const struct iw_factors *factors, const struct iw_choice *choice) {
    lua_createtable(lua, 0, (int)factors->count + 1);
    if (factors->seeded) {
        iw_lua_member_set_integer(lua, "seed", choice->seed);
        if (choice->limit > 0)
            iw_lua_member_set_integer(lua, "limit", choice->limit);
        return;
    }
    lua_rawgeti(lua, LUA_REGISTRYINDEX, factors->values);
    for (size_t i = 0; i < factors->count; i++) {
        lua_rawgeti(lua, -1, (lua_Integer)i + 1);
        lua_getfield(lua, -1, "values");
        lua_rawgeti(lua, -1, (lua_Integer)choice->levels[i] + 1);
        lua_setfield(lua, -5, factors->list[i].name);
        lua_pop(lua, 2);
    }
    lua_pop(lua, 1);
}

/* Parses the number between `digits` and `end`. Returns false if it exceeds `most` or is not decimal. */
static bool factor_parse_number(const char *digits, const char *end, uint64_t most, uint64_t *number) {
    if (digits == end || digits + strspn(digits, "0123456789") < end)
        return false;
    errno = 0;
    *number = strtoull(digits, NULL, 10);
    return errno == 0 && *number <= most;
}

static bool factor_parse_seed(const char *digits, struct iw_choice *choice) {
    const char *end = digits + strlen(digits), *dash = strchr(digits, '-');
    uint64_t limit = 0;

    if (dash && (!factor_parse_number(dash + 1, end, IW_CHOICE_LIMIT_MAX, &limit) || limit == 0))
        return false;
    choice->limit = (unsigned)limit;
    return factor_parse_number(digits, dash ? dash : end, INT64_MAX, &choice->seed);
}

bool iw_factors_parse(const struct iw_factors *factors, const char *digits, struct iw_choice *choice) {
    memset(choice, 0, sizeof *choice);
    if (factors->seeded)
        return factor_parse_seed(digits, choice);
    if (strlen(digits) != factors->count)
        return false;
    for (size_t i = 0; i < factors->count; i++) {
        if (digits[i] < '0' || (size_t)(digits[i] - '0') >= factors->list[i].value_count)
            return false;
        choice->levels[i] = (uint8_t)(digits[i] - '0');
    }
    return true;
}

void iw_factors_format(
    const struct iw_factors *factors, const struct iw_choice *choice, char text[IW_CHOICE_TEXT_OCTETS]) {
    if (factors->seeded) {
        if (choice->limit > 0)
            snprintf(text, IW_CHOICE_TEXT_OCTETS, "%" PRIu64 "-%u", choice->seed, choice->limit);
        else
            snprintf(text, IW_CHOICE_TEXT_OCTETS, "%" PRIu64, choice->seed);
        return;
    }
    for (size_t i = 0; i < factors->count; i++)
        text[i] = (char)('0' + choice->levels[i]);
    text[factors->count] = '\0';
}

/* Argument of factor_write_words. That function runs in protected mode, because it allocates Lua memory. */
struct words {
    const struct iw_factors *factors;
    const struct iw_choice *choice;
    char *text;
    size_t octets;
};

static int factor_write_words(lua_State *lua) {
    const struct words *words = lua_touserdata(lua, 1);
    size_t length = 0;

    lua_rawgeti(lua, LUA_REGISTRYINDEX, words->factors->values);
    for (size_t i = 0; i < words->factors->count && length < words->octets; i++) {
        if (words->choice->levels[i] == 0)
            continue;
        lua_rawgeti(lua, -1, (lua_Integer)i + 1);
        lua_getfield(lua, -1, "values");
        lua_rawgeti(lua, -1, (lua_Integer)words->choice->levels[i] + 1);
        length += (size_t)snprintf(words->text + length, words->octets - length, "%s%s=%s",
            length > 0 ? " " : "", words->factors->list[i].name, luaL_tolstring(lua, -1, NULL));
        lua_pop(lua, 4);
    }
    return 0;
}

void iw_factors_words(lua_State *lua, const struct iw_factors *factors, const struct iw_choice *choice,
    char *text, size_t octets) {
    struct words words = {factors, choice, text, octets};

    text[0] = '\0';
    if (factors->seeded && choice->limit > 0)
        snprintf(text, octets, "the first %u step%s", choice->limit, iw_plural(choice->limit));
    if (factors->seeded)
        return;
    lua_pushcfunction(lua, factor_write_words);
    lua_pushlightuserdata(lua, &words);
    if (lua_pcall(lua, 1, 0, 0) != LUA_OK)
        lua_pop(lua, 1);
}
