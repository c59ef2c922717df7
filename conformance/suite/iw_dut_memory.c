#include "iw_dut_state.h"

#include "iw_agent_field.h"
#include "iw_dut_field.h"
#include "iw_dut_option.h"

/* Methods of `dut` for the device's memory. */

static int push_region(lua_State *lua, const json_t *answer) {
    lua_createtable(lua, 0, 3);
    iw_dut_need_integer(lua, answer, "stag");
    lua_setfield(lua, -2, "stag");
    iw_dut_need_wide(lua, answer, "to");
    lua_setfield(lua, -2, "to");
    iw_dut_need_integer(lua, answer, "size");
    lua_setfield(lua, -2, "size");
    return 1;
}

/* A hash includes the right to verify with it. */
static void add_verify(json_t *request) {
    json_t *rights = json_object_get(request, "rights");

    if (!json_object_get(request, "hash"))
        return;
    if (!rights) {
        rights = json_pack("[ss]", "read", "write");
        json_object_set_new(request, "rights", rights);
    }
    json_array_append_new(rights, json_string("verify"));
}

static int new_region(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"size", IW_DUT_OPTION_INTEGER, NULL},
        {"to", IW_DUT_OPTION_WIDE, NULL}, {"stag", IW_DUT_OPTION_INTEGER, NULL},
        {"rights", IW_DUT_OPTION_RIGHTS, NULL}, {"verify", IW_DUT_OPTION_TEXT, "hash"},
        {"persistent", IW_DUT_OPTION_FLAG, NULL}, {"fill", IW_DUT_OPTION_OCTETS, NULL},
        {"elsewhere", IW_DUT_OPTION_OTHER, NULL}, {"domain", IW_DUT_OPTION_TEXT, NULL},
        {"connection", IW_DUT_OPTION_INTEGER, NULL}, {0}};
    static const struct iw_dut_question question = {.op = "register", .finish = push_region};
    json_t *request = iw_dut_begin(iw_dut_with_agent(lua), &question);

    iw_dut_option_take(lua, "region", options, request);
    add_verify(request);
    lua_getfield(lua, 2, "elsewhere");
    if (lua_toboolean(lua, -1))
        iw_dut_set_text(request, "stream", "other");
    return iw_dut_ask(lua, &question);
}

/* Starts a request about the region in the table at index 2. */
static json_t *begin_region_request(lua_State *lua, const struct iw_dut_question *question) {
    json_t *request = iw_dut_begin(iw_dut_with_agent(lua), question);

    luaL_checktype(lua, 2, LUA_TTABLE);
    lua_getfield(lua, 2, "stag");
    luaL_argcheck(lua, lua_isinteger(lua, -1), 2, "not what dut:region{...} gives");
    iw_dut_set_integer(request, "stag", lua_tointeger(lua, -1));
    lua_pop(lua, 1);
    return request;
}

static int push_data(lua_State *lua, const json_t *answer) {
    iw_dut_need_octets(lua, answer, "data");
    return 1;
}

static int push_hash(lua_State *lua, const json_t *answer) {
    iw_dut_need_octets(lua, answer, "hash");
    return 1;
}

static int read_octets(lua_State *lua, bool medium) {
    static const struct iw_dut_question question = {.op = "read", .finish = push_data};
    json_t *request = begin_region_request(lua, &question);

    iw_dut_set_integer(request, "offset", luaL_checkinteger(lua, 3));
    iw_dut_set_integer(request, "size", luaL_checkinteger(lua, 4));
    if (medium)
        json_object_set_new(request, "medium", json_true());
    return iw_dut_ask(lua, &question);
}

static int read_memory(lua_State *lua) {
    return read_octets(lua, false);
}

static int read_medium(lua_State *lua) {
    return read_octets(lua, true);
}

static int write_memory(lua_State *lua) {
    static const struct iw_dut_question question = {.op = "write"};
    json_t *request = begin_region_request(lua, &question);
    size_t octets;
    const char *data = luaL_checklstring(lua, 4, &octets);

    iw_dut_set_integer(request, "offset", luaL_checkinteger(lua, 3));
    json_object_set_new(request, "data", iw_agent_octets_json((const uint8_t *)data, octets));
    return iw_dut_ask(lua, &question);
}

static int hash_memory(lua_State *lua) {
    static const struct iw_dut_question question = {.op = "hash", .finish = push_hash};
    json_t *request = begin_region_request(lua, &question);

    iw_dut_set_text(request, "hash", luaL_checkstring(lua, 3));
    if (!lua_isnoneornil(lua, 4))
        iw_dut_set_integer(request, "offset", luaL_checkinteger(lua, 4));
    if (!lua_isnoneornil(lua, 5))
        iw_dut_set_integer(request, "size", luaL_checkinteger(lua, 5));
    return iw_dut_ask(lua, &question);
}

static int invalidate_region(lua_State *lua) {
    static const struct iw_dut_question question = {.op = "invalidate"};

    begin_region_request(lua, &question);
    return iw_dut_ask(lua, &question);
}

static int deregister_region(lua_State *lua) {
    static const struct iw_dut_question question = {.op = "deregister"};

    begin_region_request(lua, &question);
    return iw_dut_ask(lua, &question);
}

const luaL_Reg iw_dut_memory_methods[] = {{"region", new_region}, {"memory", read_memory},
    {"kept", read_medium}, {"write_memory", write_memory}, {"hash", hash_memory},
    {"invalidate", invalidate_region}, {"deregister", deregister_region}, {NULL, NULL}};
