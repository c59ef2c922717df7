#include "iw_lua_names.h"

#include <assert.h>
#include <string.h>

#include <lauxlib.h>

enum { NAME_MAX_OCTETS = 64 };

void iw_lua_names_add_one(struct iw_lua_names *names, const char *name) {
    assert(names->count < IW_LUA_NAMES_MAX);
    names->names[names->count++] = name;
}

void iw_lua_names_add(struct iw_lua_names *names, const char *const *list) {
    for (; *list != NULL; list++)
        iw_lua_names_add_one(names, *list);
}

bool iw_lua_names_have(const struct iw_lua_names *names, const char *name) {
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->names[i], name) == 0)
            return true;
    return false;
}

static size_t names_smaller_of(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Counts the insertions, deletions, substitutions and transpositions between two names. */
static size_t names_edit_distance(const char *a, const char *b) {
    size_t a_length = strlen(a), b_length = strlen(b);
    size_t rows[3][NAME_MAX_OCTETS + 1];

    if (a_length > NAME_MAX_OCTETS || b_length > NAME_MAX_OCTETS)
        return NAME_MAX_OCTETS;
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = names_smaller_of(
                names_smaller_of(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = names_smaller_of(row[j], before[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

const char *iw_lua_names_hint(lua_State *lua, const struct iw_lua_names *names, const char *name) {
    size_t best = 1 + strlen(name) / 3;
    const char *nearest = NULL;

    for (size_t i = 0; i < names->count; i++) {
        size_t far = names_edit_distance(name, names->names[i]);
        if (far < best || (far == best && nearest == NULL)) {
            best = far;
            nearest = names->names[i];
        }
    }
    return nearest == NULL ? lua_pushliteral(lua, "")
                           : lua_pushfstring(lua, " (did you mean '%s'?)", nearest);
}

void iw_lua_names_check(
    lua_State *lua, int table, const struct iw_lua_names *names, const char *of, bool list) {
    table = lua_absindex(lua, table);
    lua_pushnil(lua);
    while (lua_next(lua, table) != 0) {
        lua_pop(lua, 1);
        if (lua_type(lua, -1) == LUA_TNUMBER && list)
            continue;
        if (lua_type(lua, -1) != LUA_TSTRING)
            luaL_error(lua, "%s takes names for its values, not %s", of, luaL_typename(lua, -1));
        const char *name = lua_tostring(lua, -1);
        if (!iw_lua_names_have(names, name))
            luaL_error(lua, "%s has no '%s'%s", of, name, iw_lua_names_hint(lua, names, name));
    }
}

void iw_lua_names_allow(lua_State *lua, int table, const char *const *allowed, const char *of) {
    struct iw_lua_names names = {0};

    iw_lua_names_add(&names, allowed);
    iw_lua_names_check(lua, table, &names, of, false);
}

void iw_lua_names_table(lua_State *lua, int index) {
    lua_settop(lua, index);
    if (lua_isnil(lua, index)) {
        lua_newtable(lua);
        lua_replace(lua, index);
    }
    luaL_checktype(lua, index, LUA_TTABLE);
}
