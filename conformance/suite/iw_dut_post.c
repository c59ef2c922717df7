#include "iw_dut_state.h"

#include "iw_dut_field.h"
#include "iw_dut_option.h"

/* Methods of `dut` that post receives and operations. */

static int post_receives(lua_State *lua) {
    static const struct iw_dut_option options[] = {
        {"count", IW_DUT_OPTION_INTEGER, NULL}, {"size", IW_DUT_OPTION_INTEGER, NULL}, {0}};
    static const struct iw_dut_question question = {.op = "receives"};

    iw_dut_option_take(lua, "post", options, iw_dut_begin(iw_dut_with_agent(lua), &question));
    return iw_dut_ask(lua, &question);
}

static int push_post(lua_State *lua, const json_t *answer) {
    iw_dut_need_integer(lua, answer, "post");
    return 1;
}

static const struct iw_dut_question post_question = {.op = "post", .finish = push_post};

static json_t *begin_post(lua_State *lua, const char *method, const struct iw_dut_option *options) {
    json_t *request = iw_dut_begin(iw_dut_with_agent(lua), &post_question);

    iw_dut_option_take(lua, method, options, request);
    return request;
}

static int ask_post(lua_State *lua, json_t *request, const char *message) {
    iw_dut_set_text(request, "message", message);
    return iw_dut_ask(lua, &post_question);
}

static bool has_option(lua_State *lua, const char *name) {
    bool true_or_more = lua_getfield(lua, 2, name) != LUA_TNIL && lua_toboolean(lua, -1);

    lua_pop(lua, 1);
    return true_or_more;
}

static int post_send(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"data", IW_DUT_OPTION_OCTETS, NULL},
        {"se", IW_DUT_OPTION_OTHER, NULL}, {"invalidate", IW_DUT_OPTION_INTEGER, NULL}, {0}};
    static const char *const names[2][2] = {{"send", "send_inv"}, {"send_se", "send_se_inv"}};
    json_t *request = begin_post(lua, "send", options);

    return ask_post(lua, request, names[has_option(lua, "se")][has_option(lua, "invalidate")]);
}

static int post_immediate(lua_State *lua) {
    static const struct iw_dut_option options[] = {
        {"data", IW_DUT_OPTION_OCTETS, NULL}, {"se", IW_DUT_OPTION_OTHER, NULL}, {0}};
    json_t *request = begin_post(lua, "immediate", options);

    return ask_post(lua, request, has_option(lua, "se") ? "immediate_se" : "immediate");
}

static int post_write(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"data", IW_DUT_OPTION_OCTETS, NULL},
        {"stag", IW_DUT_OPTION_INTEGER, NULL}, {"to", IW_DUT_OPTION_WIDE, NULL}, {0}};

    return ask_post(lua, begin_post(lua, "write", options), "write");
}

static int post_read(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"sink", IW_DUT_OPTION_OTHER, NULL},
        {"source_stag", IW_DUT_OPTION_INTEGER, NULL}, {"source_to", IW_DUT_OPTION_WIDE, NULL},
        {"size", IW_DUT_OPTION_INTEGER, NULL}, {0}};
    json_t *request = begin_post(lua, "read", options);

    lua_getfield(lua, 2, "sink");
    luaL_argcheck(lua, lua_istable(lua, -1), 2, "read has no sink");
    lua_getfield(lua, -1, "stag");
    luaL_argcheck(lua, lua_isinteger(lua, -1), 2, "sink is not what dut:region{...} gives");
    iw_dut_set_integer(request, "sink_stag", lua_tointeger(lua, -1));
    return ask_post(lua, request, "read");
}

static int post_fetch_add(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"stag", IW_DUT_OPTION_INTEGER, NULL},
        {"to", IW_DUT_OPTION_WIDE, NULL}, {"add", IW_DUT_OPTION_WIDE, NULL},
        {"add_mask", IW_DUT_OPTION_WIDE, NULL}, {0}};

    return ask_post(lua, begin_post(lua, "fetch_add", options), "fetch_add");
}

static int post_cmp_swap(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"stag", IW_DUT_OPTION_INTEGER, NULL},
        {"to", IW_DUT_OPTION_WIDE, NULL}, {"compare", IW_DUT_OPTION_WIDE, NULL},
        {"compare_mask", IW_DUT_OPTION_WIDE, NULL}, {"swap", IW_DUT_OPTION_WIDE, NULL},
        {"swap_mask", IW_DUT_OPTION_WIDE, NULL}, {0}};

    return ask_post(lua, begin_post(lua, "cmp_swap", options), "cmp_swap");
}

static int post_swap(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"stag", IW_DUT_OPTION_INTEGER, NULL},
        {"to", IW_DUT_OPTION_WIDE, NULL}, {"swap", IW_DUT_OPTION_WIDE, NULL}, {0}};

    return ask_post(lua, begin_post(lua, "swap", options), "swap");
}

static int post_flush(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"stag", IW_DUT_OPTION_INTEGER, NULL},
        {"to", IW_DUT_OPTION_WIDE, NULL}, {"length", IW_DUT_OPTION_INTEGER, "size"},
        {"p", IW_DUT_OPTION_FLAG, "persist"}, {"g", IW_DUT_OPTION_FLAG, "expose"}, {0}};

    return ask_post(lua, begin_post(lua, "flush", options), "flush");
}

static int post_verify(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"stag", IW_DUT_OPTION_INTEGER, NULL},
        {"to", IW_DUT_OPTION_WIDE, NULL}, {"length", IW_DUT_OPTION_INTEGER, "size"},
        {"hash", IW_DUT_OPTION_OCTETS, "data"}, {0}};

    return ask_post(lua, begin_post(lua, "verify", options), "verify");
}

static int post_atomic_write(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"stag", IW_DUT_OPTION_INTEGER, NULL},
        {"to", IW_DUT_OPTION_WIDE, NULL}, {"data", IW_DUT_OPTION_WIDE, "value"}, {0}};

    return ask_post(lua, begin_post(lua, "atomic_write", options), "atomic_write");
}

const luaL_Reg iw_dut_post_methods[] = {{"post", post_receives}, {"send", post_send},
    {"immediate", post_immediate}, {"write", post_write}, {"read", post_read}, {"fetch_add", post_fetch_add},
    {"cmp_swap", post_cmp_swap}, {"swap", post_swap}, {"flush", post_flush}, {"verify", post_verify},
    {"atomic_write", post_atomic_write}, {NULL, NULL}};
