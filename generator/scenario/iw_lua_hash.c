#include "iw_lua_hash.h"

#include <lauxlib.h>

enum iw_hash iw_lua_hash_check(lua_State *lua, int index) {
    const char *name = luaL_checkstring(lua, index);
    enum iw_hash found = iw_hash_find(name);

    if (found == IW_HASH_NONE)
        luaL_error(lua, "a hash algorithm is \"crc32c\", \"sha256\" or \"sha512\", not \"%s\"", name);
    return found;
}

static int lua_hash(lua_State *lua) {
    enum iw_hash algorithm = iw_lua_hash_check(lua, 1);
    size_t length;
    const char *octets = luaL_checklstring(lua, 2, &length);
    uint8_t value[IW_HASH_OCTETS_MAX];

    if (!iw_hash_compute(algorithm, (const uint8_t *)octets, length, value))
        return luaL_error(lua, "%s cannot be computed", iw_hash_name(algorithm));
    lua_pushlstring(lua, (const char *)value, iw_hash_octets(algorithm));
    return 1;
}

void iw_lua_hash_open(lua_State *lua) {
    lua_register(lua, "hash", lua_hash);
}
