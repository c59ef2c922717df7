#include "iw_dut_state.h"

#include "iw_agent_field.h"

/* Methods of `dut` for the memory of the device. */

/* Creates a request with the STag of the region, a table at index 2. */
static json_t *dut_memory_begin_region_request(lua_State *lua, const struct iw_dut_question *question) {
    json_t *request = iw_dut_begin(iw_dut_with_agent(lua), question);

    luaL_checktype(lua, 2, LUA_TTABLE);
    lua_getfield(lua, 2, "stag");
    luaL_argcheck(lua, lua_isinteger(lua, -1), 2, "not what dut:region{...} gives");
    iw_dut_set_integer(request, "stag", lua_tointeger(lua, -1));
    lua_pop(lua, 1);
    return request;
}

static int dut_memory_push_data(lua_State *lua, const json_t *answer) {
    iw_dut_need_octets(lua, answer, "data");
    return 1;
}

static int dut_memory_push_hash(lua_State *lua, const json_t *answer) {
    iw_dut_need_octets(lua, answer, "hash");
    return 1;
}

static int read_octets(lua_State *lua, bool medium) {
    static const struct iw_dut_question question = {.op = "read", .finish = dut_memory_push_data};
    json_t *request = dut_memory_begin_region_request(lua, &question);

    iw_dut_set_integer(request, "offset", luaL_checkinteger(lua, 3));
    iw_dut_set_integer(request, "size", luaL_checkinteger(lua, 4));
    if (medium)
        json_object_set_new(request, "medium", json_true());
    return iw_dut_ask(lua, &question);
}

static int read_memory(lua_State *lua) {
    return read_octets(lua, false);
}

static int dut_memory_read_medium(lua_State *lua) {
    return read_octets(lua, true);
}

static int write_memory(lua_State *lua) {
    static const struct iw_dut_question question = {.op = "write"};
    json_t *request = dut_memory_begin_region_request(lua, &question);
    size_t octets;
    const char *data = luaL_checklstring(lua, 4, &octets);

    iw_dut_set_integer(request, "offset", luaL_checkinteger(lua, 3));
    json_object_set_new(request, "data", iw_agent_octets_json((const uint8_t *)data, octets));
    return iw_dut_ask(lua, &question);
}

static int hash_memory(lua_State *lua) {
    static const struct iw_dut_question question = {.op = "hash", .finish = dut_memory_push_hash};
    json_t *request = dut_memory_begin_region_request(lua, &question);

    iw_dut_set_text(request, "hash", luaL_checkstring(lua, 3));
    if (!lua_isnoneornil(lua, 4))
        iw_dut_set_integer(request, "offset", luaL_checkinteger(lua, 4));
    if (!lua_isnoneornil(lua, 5))
        iw_dut_set_integer(request, "size", luaL_checkinteger(lua, 5));
    return iw_dut_ask(lua, &question);
}

static int dut_memory_invalidate_region(lua_State *lua) {
    static const struct iw_dut_question question = {.op = "invalidate"};

    dut_memory_begin_region_request(lua, &question);
    return iw_dut_ask(lua, &question);
}

static int dut_memory_deregister_region(lua_State *lua) {
    static const struct iw_dut_question question = {.op = "deregister"};

    dut_memory_begin_region_request(lua, &question);
    return iw_dut_ask(lua, &question);
}

const luaL_Reg iw_dut_memory_methods[] = {{"memory", read_memory}, {"kept", dut_memory_read_medium},
    {"write_memory", write_memory}, {"hash", hash_memory}, {"invalidate", dut_memory_invalidate_region},
    {"deregister", dut_memory_deregister_region}, {NULL, NULL}};
