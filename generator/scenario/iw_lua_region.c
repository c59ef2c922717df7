#include "iw_lua_connection.h"

#include <errno.h>
#include <string.h>

#include "iw_lua_member.h"
#include "iw_lua_names.h"

static const char region_name[] = "iw.region";

/* In octets: the limits of one region and of all regions of a scenario, and the default size of a region. */
enum { REGION_MAX = 64 << 20, REGIONS_MAX = 256 << 20, DEFAULT_SIZE = 65536 };

static struct iw_region *region_at(lua_State *lua, int index) {
    return iw_scenario_check(lua, index, region_name);
}

struct iw_region *iw_lua_region_option(lua_State *lua, const char *name) {
    if (luaL_testudata(lua, -1, region_name) == NULL)
        luaL_error(lua, "%s takes what region{...} gives, not a %s", name, luaL_typename(lua, -1));
    return region_at(lua, -1);
}

static unsigned region_rights_of(lua_State *lua) {
    const char *text = lua_isnil(lua, -1) ? "rw" : lua_tostring(lua, -1);
    unsigned rights;

    if (text == NULL)
        luaL_error(lua, "rights takes letters of \"" IW_RIGHT_LETTERS "\", not a %s", luaL_typename(lua, -1));
    if (!iw_rights_read(text, &rights))
        luaL_error(lua, "rights takes letters of \"" IW_RIGHT_LETTERS "\", not \"%s\"", text);
    return rights;
}

/* Fills the region from the value on top of the stack: a repeated string, or one octet as a number. */
static void region_fill(lua_State *lua, struct iw_region *region) {
    size_t length = 1;
    uint8_t octet = 0;
    const char *octets = (const char *)&octet;
    bool fits = true;

    if (lua_type(lua, -1) == LUA_TNUMBER) {
        int exact;
        lua_Integer value = lua_tointegerx(lua, -1, &exact);
        fits = exact && value >= 0 && value <= UINT8_MAX;
        octet = (uint8_t)value;
    } else {
        octets = lua_tolstring(lua, -1, &length);
    }
    if (!fits || octets == NULL)
        luaL_error(lua, "fill takes octets, or one as an integer from 0 to 255");
    iw_region_fill(region, (const uint8_t *)octets, length);
}

static lua_Integer region_integer_option(lua_State *lua, const char *name, lua_Integer otherwise) {
    int exact = 1;

    lua_getfield(lua, 1, name);
    lua_Integer value = lua_isnil(lua, -1) ? otherwise : lua_tointegerx(lua, -1, &exact);
    if (!exact)
        luaL_error(lua, "region: %s takes an integer", name);
    lua_pop(lua, 1);
    return value;
}

static const char *const region_options[] = {"size", "rights", "fill", "stag", "to", "verify", "persistent",
    "file", "over", "at", "stream", "domain", NULL};

static uint64_t region_size_option(lua_State *lua, const struct iw_registration *registration) {
    lua_Integer otherwise = DEFAULT_SIZE;

    if (registration->over != NULL)
        otherwise = (lua_Integer)(registration->over->size - registration->at);
    lua_Integer size = region_integer_option(lua, "size", otherwise);
    if (size < 0 || size > REGION_MAX)
        luaL_error(lua, "region: size is 0 to %d octets", (int)REGION_MAX);
    return (uint64_t)size;
}

static uint32_t region_uint32_option(lua_State *lua, const char *name) {
    lua_Integer value = region_integer_option(lua, name, 0);

    if (value < 0 || value > UINT32_MAX)
        luaL_error(lua, "region: %s has 32 bits", name);
    return (uint32_t)value;
}

/* Reads which memory to register: new memory, that of the region `over` from its octet `at` on, or a file,
 * which only a trusted script (--trust) may use. */
static void region_read_memory(lua_State *lua, struct iw_registration *registration) {
    if (lua_getfield(lua, 1, "over") != LUA_TNIL)
        registration->over = iw_lua_region_option(lua, "over");
    registration->at = (uint64_t)region_integer_option(lua, "at", 0);
    if (registration->over != NULL && registration->at > registration->over->size)
        luaL_error(lua, "region: at is outside of the region that it is over");
    registration->size = region_size_option(lua, registration);
    registration->persistent = iw_lua_member_flag(lua, 1, "persistent", false);
    if (lua_getfield(lua, 1, "file") == LUA_TNIL)
        return;
    if (!iw_sandbox_of(lua)->config.trust)
        luaL_error(lua, "region: file is for scripts that are trusted (--trust)");
    registration->file = lua_tostring(lua, -1);
    if (registration->file == NULL)
        luaL_error(lua, "file takes the name of a file, not a %s", luaL_typename(lua, -1));
}

static enum iw_hash region_check_hash(lua_State *lua, int index) {
    const char *name = luaL_checkstring(lua, index);
    enum iw_hash found = iw_hash_find(name);

    if (found == IW_HASH_NONE)
        luaL_error(lua, "a hash algorithm is \"crc32c\", \"sha256\" or \"sha512\", not \"%s\"", name);
    return found;
}

static void region_read_rights(lua_State *lua, struct iw_registration *registration) {
    lua_getfield(lua, 1, "rights");
    registration->rights = region_rights_of(lua);
    if (lua_getfield(lua, 1, "verify") != LUA_TNIL) {
        registration->hash = region_check_hash(lua, -1);
        registration->rights |= IW_RIGHT_VERIFY;
    }
    if (lua_getfield(lua, 1, "stream") != LUA_TNIL)
        registration->stream = iw_endpoint_number(iw_lua_connection_option(lua, "stream")->endpoint);
    registration->domain = region_uint32_option(lua, "domain");
    registration->stag = region_uint32_option(lua, "stag");
    registration->base = (uint64_t)region_integer_option(lua, "to", 0);
}

static int lua_new_region(lua_State *lua) {
    struct iw_scenario *scenario = iw_scenario_current(lua);
    struct iw_memory *memory = iw_scenario_memory(scenario);
    struct iw_registration registration = {0};
    enum iw_refusal refusal;

    iw_lua_names_table(lua, 1);
    iw_lua_names_allow(lua, 1, region_options, "region");
    region_read_memory(lua, &registration);
    region_read_rights(lua, &registration);
    if (registration.over == NULL && iw_memory_octets(memory) + registration.size > REGIONS_MAX)
        return luaL_error(lua, "region: all regions together take at most %d octets", (int)REGIONS_MAX);
    struct iw_region *region = iw_memory_offer(memory, &registration, &refusal);
    if (refusal == IW_REFUSAL_FILE)
        return luaL_error(lua, "region: %s: %s", registration.file, strerror(errno));
    if (region == NULL)
        return luaL_error(lua, "region: %s", iw_refusal_text(refusal));
    lua_getfield(lua, 1, "fill");
    if (!lua_isnil(lua, -1))
        region_fill(lua, region);
    iw_scenario_push(lua, scenario, region, region_name);
    return 1;
}

static uint64_t region_check_offset(lua_State *lua, const struct iw_region *region, int argument) {
    lua_Integer offset = luaL_optinteger(lua, argument, 0);

    luaL_argcheck(lua, offset >= 0 && (uint64_t)offset <= region->size, argument, "outside of the region");
    return (uint64_t)offset;
}

/* The length at index 3, by default up to the region's end. Raises an error if it exceeds the region. */
static size_t region_check_length(lua_State *lua, const struct iw_region *region, uint64_t offset) {
    lua_Integer length = luaL_optinteger(lua, 3, (lua_Integer)(region->size - offset));

    luaL_argcheck(
        lua, length >= 0 && (uint64_t)length <= region->size - offset, 3, "beyond the end of the region");
    return (size_t)length;
}

static int region_get(lua_State *lua) {
    struct iw_region *region = region_at(lua, 1);
    uint64_t offset = region_check_offset(lua, region, 2);
    size_t length = region_check_length(lua, region, offset);

    lua_pushlstring(lua, length == 0 ? "" : (const char *)region->octets + offset, length);
    return 1;
}

static int region_kept(lua_State *lua) {
    struct iw_region *region = region_at(lua, 1);
    uint64_t offset = region_check_offset(lua, region, 2);
    size_t length = region_check_length(lua, region, offset);
    luaL_Buffer buffer;

    if (region->backing->medium == IW_MEDIUM_NONE)
        return luaL_error(lua, "this region is volatile: it has no medium");
    char *octets = luaL_buffinitsize(lua, &buffer, length);
    if (!iw_backing_read(region->backing, iw_region_at(region) + offset, (uint8_t *)octets, length))
        return luaL_error(lua, "the medium of this region cannot be read");
    luaL_pushresultsize(&buffer, length);
    return 1;
}

static int region_set(lua_State *lua) {
    struct iw_region *region = region_at(lua, 1);
    uint64_t offset = region_check_offset(lua, region, 2);
    size_t length;
    const char *octets = luaL_checklstring(lua, 3, &length);

    luaL_argcheck(lua, length <= region->size - offset, 3, "beyond the end of the region");
    if (length > 0)
        memcpy(region->octets + offset, octets, length);
    return 0;
}

static int region_invalidate(lua_State *lua) {
    region_at(lua, 1)->valid = false;
    return 0;
}

static int index_region(lua_State *lua) {
    struct iw_region *region = region_at(lua, 1);
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

/* hash(algorithm, octets): what a Verify of those octets returns. */
static int lua_hash(lua_State *lua) {
    enum iw_hash algorithm = region_check_hash(lua, 1);
    size_t length;
    const char *octets = luaL_checklstring(lua, 2, &length);
    uint8_t value[IW_HASH_OCTETS_MAX];

    if (!iw_hash_compute(algorithm, (const uint8_t *)octets, length, value))
        return luaL_error(lua, "%s cannot be computed", iw_hash_name(algorithm));
    lua_pushlstring(lua, (const char *)value, iw_hash_octets(algorithm));
    return 1;
}

void iw_lua_region_open(lua_State *lua) {
    static const luaL_Reg members[] = {{"get", region_get}, {"set", region_set}, {"kept", region_kept},
        {"invalidate", region_invalidate}, {"__index", index_region}, {NULL, NULL}};

    iw_lua_member_metatable(lua, region_name, members);
    lua_pop(lua, 1);
    lua_register(lua, "region", lua_new_region);
    lua_register(lua, "hash", lua_hash);
}
