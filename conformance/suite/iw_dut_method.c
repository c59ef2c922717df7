#include "iw_dut_state.h"

/* Methods of `dut` that send one request each: the fields are the options. */

static int method_push_post(lua_State *lua, const json_t *answer) {
    iw_dut_need_integer(lua, answer, "post");
    return 1;
}

static bool method_has_option(lua_State *lua, const char *name) {
    lua_getfield(lua, 2, name);
    return lua_toboolean(lua, -1);
}

/* The device closes only its half, if the case needs that. */
static void method_check_close(lua_State *lua, json_t *request) {
    (void)request;
    if (method_has_option(lua, "half"))
        iw_dut_require(lua, "half_close");
}

static void method_add_settings(lua_State *lua, json_t *request) {
    json_object_update(iw_dut_self(lua)->requests.settings, request);
}

static void method_add_send(lua_State *lua, json_t *request) {
    static const char *const names[2][2] = {{"send", "send_inv"}, {"send_se", "send_se_inv"}};

    iw_dut_set_text(
        request, "message", names[method_has_option(lua, "se")][method_has_option(lua, "invalidate")]);
}

static void method_add_immediate(lua_State *lua, json_t *request) {
    iw_dut_set_text(request, "message", method_has_option(lua, "se") ? "immediate_se" : "immediate");
}

static void method_add_sink(lua_State *lua, json_t *request) {
    lua_getfield(lua, 2, "sink");
    luaL_argcheck(lua, lua_istable(lua, -1), 2, "read has no sink");
    lua_getfield(lua, -1, "stag");
    luaL_argcheck(lua, lua_isinteger(lua, -1), 2, "sink is not what dut:region{...} gives");
    iw_dut_set_integer(request, "sink_stag", lua_tointeger(lua, -1));
}

static int method_push_region(lua_State *lua, const json_t *answer) {
    lua_createtable(lua, 0, 3);
    iw_dut_need_integer(lua, answer, "stag");
    lua_setfield(lua, -2, "stag");
    iw_dut_need_wide(lua, answer, "to");
    lua_setfield(lua, -2, "to");
    iw_dut_need_integer(lua, answer, "size");
    lua_setfield(lua, -2, "size");
    return 1;
}

static void method_add_right(json_t *request, const char *right) {
    if (!json_object_get(request, "rights"))
        json_object_set_new(request, "rights", json_pack("[ss]", "read", "write"));
    json_array_append_new(json_object_get(request, "rights"), json_string(right));
}

/* An agent that does not say what its device can do may not know the right. */
static void method_add_right_to_invalidate(lua_State *lua, json_t *request) {
    const struct iw_dut *dut = iw_dut_self(lua);

    iw_dut_require(lua, "invalidate");
    if (dut->embedded.agent || json_object_get(dut->hello, "abilities"))
        method_add_right(request, "invalidate");
}

/* A region with a hash algorithm also gets the right to verify. */
static void method_add_region(lua_State *lua, json_t *request) {
    if (json_object_get(request, "hash"))
        method_add_right(request, "verify");
    if (method_has_option(lua, "invalidate"))
        method_add_right_to_invalidate(lua, request);
    if (method_has_option(lua, "elsewhere"))
        iw_dut_set_text(request, "stream", "other");
}

const struct iw_dut_method iw_dut_methods[] = {
    {"configure", {"configure", NULL, false}, method_add_settings,
        {{"rev", IW_DUT_OPTION_INTEGER, NULL}, {"enhanced", IW_DUT_OPTION_FLAG, NULL},
            {"crc", IW_DUT_OPTION_FLAG, NULL}, {"markers", IW_DUT_OPTION_FLAG, NULL},
            {"ird", IW_DUT_OPTION_INTEGER, NULL}, {"ord", IW_DUT_OPTION_INTEGER, NULL},
            {"peer_to_peer", IW_DUT_OPTION_FLAG, NULL}, {"rtr", IW_DUT_OPTION_LIST, NULL},
            {"mulpdu", IW_DUT_OPTION_INTEGER, NULL}, {"reject", IW_DUT_OPTION_FLAG, NULL},
            {"hold", IW_DUT_OPTION_FLAG, NULL}, {"private_data", IW_DUT_OPTION_OCTETS, NULL},
            {"extensions", IW_DUT_OPTION_LIST, NULL}}},
    {"answer", {"answer", NULL, false}, NULL,
        {{"connection", IW_DUT_OPTION_INTEGER, NULL}, {"reject", IW_DUT_OPTION_FLAG, NULL}}},
    {"local_error", {"local_error", NULL, false}, NULL, {{0}}},
    {"close", {"close", NULL, false}, method_check_close, {{"half", IW_DUT_OPTION_OTHER, NULL}}},
    {"abort", {"abort", NULL, false}, NULL, {{0}}},
    {"region", {"register", method_push_region, false}, method_add_region,
        {{"size", IW_DUT_OPTION_INTEGER, NULL}, {"to", IW_DUT_OPTION_WIDE, NULL},
            {"stag", IW_DUT_OPTION_INTEGER, NULL}, {"rights", IW_DUT_OPTION_RIGHTS, NULL},
            {"verify", IW_DUT_OPTION_TEXT, "hash"}, {"persistent", IW_DUT_OPTION_FLAG, NULL},
            {"fill", IW_DUT_OPTION_OCTETS, NULL}, {"elsewhere", IW_DUT_OPTION_OTHER, NULL},
            {"domain", IW_DUT_OPTION_TEXT, NULL}, {"connection", IW_DUT_OPTION_INTEGER, NULL},
            {"invalidate", IW_DUT_OPTION_OTHER, NULL}}},
    {"post", {"receives", NULL, false}, NULL,
        {{"count", IW_DUT_OPTION_INTEGER, NULL}, {"size", IW_DUT_OPTION_INTEGER, NULL}}},
    {"send", {"post", method_push_post, false}, method_add_send,
        {{"data", IW_DUT_OPTION_OCTETS, NULL}, {"se", IW_DUT_OPTION_OTHER, NULL},
            {"invalidate", IW_DUT_OPTION_INTEGER, NULL}}},
    {"immediate", {"post", method_push_post, false}, method_add_immediate,
        {{"data", IW_DUT_OPTION_OCTETS, NULL}, {"se", IW_DUT_OPTION_OTHER, NULL}}},
    {"write", {"post", method_push_post, false}, NULL,
        {{"data", IW_DUT_OPTION_OCTETS, NULL}, {"stag", IW_DUT_OPTION_INTEGER, NULL},
            {"to", IW_DUT_OPTION_WIDE, NULL}}},
    {"read", {"post", method_push_post, false}, method_add_sink,
        {{"sink", IW_DUT_OPTION_OTHER, NULL}, {"source_stag", IW_DUT_OPTION_INTEGER, NULL},
            {"source_to", IW_DUT_OPTION_WIDE, NULL}, {"size", IW_DUT_OPTION_INTEGER, NULL}}},
    {"fetch_add", {"post", method_push_post, false}, NULL,
        {{"stag", IW_DUT_OPTION_INTEGER, NULL}, {"to", IW_DUT_OPTION_WIDE, NULL},
            {"add", IW_DUT_OPTION_WIDE, NULL}, {"add_mask", IW_DUT_OPTION_WIDE, NULL}}},
    {"cmp_swap", {"post", method_push_post, false}, NULL,
        {{"stag", IW_DUT_OPTION_INTEGER, NULL}, {"to", IW_DUT_OPTION_WIDE, NULL},
            {"compare", IW_DUT_OPTION_WIDE, NULL}, {"compare_mask", IW_DUT_OPTION_WIDE, NULL},
            {"swap", IW_DUT_OPTION_WIDE, NULL}, {"swap_mask", IW_DUT_OPTION_WIDE, NULL}}},
    {"swap", {"post", method_push_post, false}, NULL,
        {{"stag", IW_DUT_OPTION_INTEGER, NULL}, {"to", IW_DUT_OPTION_WIDE, NULL},
            {"swap", IW_DUT_OPTION_WIDE, NULL}}},
    {"flush", {"post", method_push_post, false}, NULL,
        {{"stag", IW_DUT_OPTION_INTEGER, NULL}, {"to", IW_DUT_OPTION_WIDE, NULL},
            {"length", IW_DUT_OPTION_INTEGER, "size"}, {"p", IW_DUT_OPTION_FLAG, "persist"},
            {"g", IW_DUT_OPTION_FLAG, "expose"}}},
    {"verify", {"post", method_push_post, false}, NULL,
        {{"stag", IW_DUT_OPTION_INTEGER, NULL}, {"to", IW_DUT_OPTION_WIDE, NULL},
            {"length", IW_DUT_OPTION_INTEGER, "size"}, {"hash", IW_DUT_OPTION_OCTETS, "data"}}},
    {"atomic_write", {"post", method_push_post, false}, NULL,
        {{"stag", IW_DUT_OPTION_INTEGER, NULL}, {"to", IW_DUT_OPTION_WIDE, NULL},
            {"data", IW_DUT_OPTION_WIDE, "value"}}},
    {0},
};

int iw_dut_request(lua_State *lua) {
    const struct iw_dut_method *method = lua_touserdata(lua, lua_upvalueindex(2));
    json_t *request = iw_dut_begin(iw_dut_with_agent(lua), &method->question);

    iw_dut_option_take(lua, method->name, method->options, request);
    if (method->add)
        method->add(lua, request);
    if (method->question.finish == method_push_post && !json_object_get(request, "message"))
        iw_dut_set_text(request, "message", method->name);
    return iw_dut_ask(lua, &method->question);
}
