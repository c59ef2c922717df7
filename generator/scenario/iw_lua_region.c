#include "iw_lua_region.h"

#include <string.h>

#include <lauxlib.h>

#include "iw_lua_failure.h"
#include "iw_lua_names.h"
#include "iw_scenario.h"
#include "iw_task.h"

static const char region_name[] = "iw.region";

/* Octets: of one region, of all regions of a scenario, and of a region whose size is not given. */
enum { REGION_MAX = 64 << 20, REGIONS_MAX = 256 << 20, DEFAULT_SIZE = 65536 };

struct iw_region *iw_lua_region_check(lua_State *lua, int index) {
    return iw_scenario_check(lua, index, region_name);
}

struct iw_region *iw_lua_region_option(lua_State *lua, const char *name) {
    if (luaL_testudata(lua, -1, region_name) == NULL)
        luaL_error(lua, "%s takes what region{...} gives, not a %s", name, luaL_typename(lua, -1));
    return iw_lua_region_check(lua, -1);
}

static unsigned rights_of(lua_State *lua) {
    const char *text = luaL_optstring(lua, -1, "rw");
    unsigned rights = 0;

    for (const char *c = text; *c != '\0'; c++) {
        if (*c == 'r')
            rights |= IW_RIGHT_READ;
        else if (*c == 'w')
            rights |= IW_RIGHT_WRITE;
        else
            luaL_error(lua, "rights takes \"r\", \"w\", \"rw\" or \"\", not \"%s\"", text);
    }
    return rights;
}

/* The value on top of the stack: octets that repeat, or one octet as a number. */
static void fill(lua_State *lua, struct iw_region *region) {
    size_t length;

    if (lua_isnil(lua, -1))
        return;
    if (lua_type(lua, -1) == LUA_TNUMBER) {
        memset(region->octets, (int)(luaL_checkinteger(lua, -1) & 0xFF), region->size);
        return;
    }
    const char *octets = luaL_checklstring(lua, -1, &length);
    for (uint64_t i = 0; length > 0 && i < region->size; i++)
        region->octets[i] = (uint8_t)octets[i % length];
}

static lua_Integer integer_option(lua_State *lua, const char *name, lua_Integer otherwise) {
    int exact = 1;

    lua_getfield(lua, 1, name);
    lua_Integer value = lua_isnil(lua, -1) ? otherwise : lua_tointegerx(lua, -1, &exact);
    if (!exact)
        luaL_error(lua, "region: %s takes an integer", name);
    lua_pop(lua, 1);
    return value;
}

static uint64_t registered_octets(const struct iw_memory *memory) {
    const struct iw_region *region;
    uint64_t octets = 0;

    for (size_t i = 0; (region = iw_memory_at(memory, i)) != NULL; i++)
        octets += region->size;
    return octets;
}

static int new_region(lua_State *lua) {
    static const char *const options[] = {"size", "rights", "fill", "stag", "to", NULL};
    struct iw_scenario *scenario = iw_scenario_current(lua);
    struct iw_lua_names names = {0};

    if (lua_isnoneornil(lua, 1)) {
        lua_settop(lua, 0);
        lua_newtable(lua);
    }
    luaL_checktype(lua, 1, LUA_TTABLE);
    iw_lua_names_add(&names, options);
    iw_lua_names_check(lua, 1, &names, "region", false);
    lua_Integer size = integer_option(lua, "size", DEFAULT_SIZE);
    lua_Integer stag = integer_option(lua, "stag", 0);
    if (size < 0 || size > REGION_MAX)
        return luaL_error(lua, "region: size is 0 to %d octets", (int)REGION_MAX);
    if (stag < 0 || stag > UINT32_MAX)
        return luaL_error(lua, "region: stag has 32 bits");
    if (registered_octets(iw_scenario_memory(scenario)) + (uint64_t)size > REGIONS_MAX)
        return luaL_error(lua, "region: all regions together take at most %d octets", (int)REGIONS_MAX);
    uint64_t to = (uint64_t)integer_option(lua, "to", 0);
    lua_getfield(lua, 1, "rights");
    unsigned rights = rights_of(lua);
    struct iw_region *region =
        iw_memory_register(iw_scenario_memory(scenario), (uint32_t)stag, to, (uint64_t)size, rights);
    if (region == NULL)
        return luaL_error(lua, "region: the STag is taken, the TO too large, or there is no memory");
    lua_getfield(lua, 1, "fill");
    fill(lua, region);
    iw_scenario_push(lua, scenario, region, region_name);
    return 1;
}

static uint64_t check_offset(lua_State *lua, const struct iw_region *region, int argument) {
    lua_Integer offset = luaL_optinteger(lua, argument, 0);

    luaL_argcheck(lua, offset >= 0 && (uint64_t)offset <= region->size, argument, "outside of the region");
    return (uint64_t)offset;
}

static int get(lua_State *lua) {
    struct iw_region *region = iw_lua_region_check(lua, 1);
    uint64_t offset = check_offset(lua, region, 2);
    lua_Integer length = luaL_optinteger(lua, 3, (lua_Integer)(region->size - offset));

    luaL_argcheck(
        lua, length >= 0 && (uint64_t)length <= region->size - offset, 3, "beyond the end of the region");
    lua_pushlstring(lua, length == 0 ? "" : (const char *)region->octets + offset, (size_t)length);
    return 1;
}

static int set(lua_State *lua) {
    struct iw_region *region = iw_lua_region_check(lua, 1);
    uint64_t offset = check_offset(lua, region, 2);
    size_t length;
    const char *octets = luaL_checklstring(lua, 3, &length);

    luaL_argcheck(lua, length <= region->size - offset, 3, "beyond the end of the region");
    if (length > 0)
        memcpy(region->octets + offset, octets, length);
    return 0;
}

static int invalidate(lua_State *lua) {
    iw_lua_region_check(lua, 1)->valid = false;
    return 0;
}

static int index_region(lua_State *lua) {
    struct iw_region *region = iw_lua_region_check(lua, 1);
    const char *name = luaL_checkstring(lua, 2);

    if (strcmp(name, "stag") == 0)
        lua_pushinteger(lua, region->stag);
    else if (strcmp(name, "to") == 0)
        lua_pushinteger(lua, (lua_Integer)region->base);
    else if (strcmp(name, "size") == 0)
        lua_pushinteger(lua, (lua_Integer)region->size);
    else if (strcmp(name, "valid") == 0)
        lua_pushboolean(lua, region->valid);
    else if (luaL_getmetafield(lua, 1, name) == LUA_TNIL)
        return luaL_error(lua, "a region has no '%s'", name);
    return 1;
}

void iw_lua_region_open(lua_State *lua) {
    static const luaL_Reg members[] = {
        {"get", get}, {"set", set}, {"invalidate", invalidate}, {"__index", index_region}, {NULL, NULL}};

    luaL_newmetatable(lua, region_name);
    luaL_setfuncs(lua, members, 0);
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_pop(lua, 1);
    lua_register(lua, "region", new_region);
}
