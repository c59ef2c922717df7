#include "iw_dut_state.h"

#include <string.h>

#include <lauxlib.h>

#include "iw_agent_field.h"
#include "iw_dut_option.h"
#include "iw_lua_failure.h"

/* The methods of `dut`: most of them make a request of their options, and a value of the answer. */

static void set_integer(json_t *request, const char *field, lua_Integer value) {
    json_object_set_new(request, field, json_integer(value));
}

static void set_text(json_t *request, const char *field, const char *text) {
    json_object_set_new(request, field, json_string(text));
}

/* Of a message or an answer: nil if it is not there. */
static void push_octets(lua_State *lua, const json_t *object, const char *field) {
    const char *text = json_string_value(json_object_get(object, field));
    size_t octets = text ? json_string_length(json_object_get(object, field)) / 2 : 0;
    luaL_Buffer buffer;
    char *to = luaL_buffinitsize(lua, &buffer, octets);

    if (text && !iw_agent_octets_read(text, (uint8_t *)to, octets, &octets))
        luaL_error(lua, "the agent's %s is not hexadecimal", field);
    luaL_pushresultsize(&buffer, octets);
    if (text)
        return;
    lua_pop(lua, 1);
    lua_pushnil(lua);
}

static void push_wide(lua_State *lua, const json_t *object, const char *field) {
    uint64_t value;

    if (iw_agent_wide_read(json_string_value(json_object_get(object, field)), &value))
        lua_pushinteger(lua, (lua_Integer)value);
    else
        lua_pushnil(lua);
}

static void push_integer(lua_State *lua, const json_t *object, const char *field) {
    lua_pushinteger(lua, json_integer_value(json_object_get(object, field)));
}

/* ---- connections ---- */

/* These are in C because a script's error is told with the line of the innermost Lua function, which is to be
 * the case's. */
static int leave_result(lua_State *lua, int status, lua_KContext context) {
    (void)lua;
    (void)status;
    (void)context;
    return 1;
}

/* Calls the global function with the options at index 2 and the device's address. */
static int open_to_device(lua_State *lua, const char *function) {
    const struct iw_dut *dut = iw_dut_self(lua);

    lua_settop(lua, 2);
    lua_getglobal(lua, function);
    lua_newtable(lua);
    if (!lua_isnil(lua, 2)) {
        luaL_checktype(lua, 2, LUA_TTABLE);
        for (lua_pushnil(lua); lua_next(lua, 2);) {
            lua_pushvalue(lua, -2);
            lua_insert(lua, -2);
            lua_settable(lua, 4);
        }
    }
    lua_pushstring(lua, dut->config.host);
    lua_setfield(lua, 4, "host");
    lua_pushinteger(lua, dut->port);
    lua_setfield(lua, 4, "port");
    lua_callk(lua, 1, 1, 0, leave_result);
    return 1;
}

static int connect_to_device(lua_State *lua) {
    return open_to_device(lua, "connect");
}

static int tcp_to_device(lua_State *lua) {
    return open_to_device(lua, "tcp");
}

/* The address to listen at, and in `told` the one that the device is to connect to. */
static const char *own_address(const struct iw_dut *dut, char told[256]) {
    const char *given = dut->config.agent ? dut->config.agent->own_host : NULL;

    if (!dut->client)
        snprintf(told, 256, "127.0.0.1");
    else if (given)
        snprintf(told, 256, "%s", given);
    else
        iw_agent_client_own_host(dut->client, told);
    if (given)
        return strchr(given, ':') ? "::" : "0.0.0.0";
    return dut->client ? told : NULL;
}

/* Stack: dut, options, listener, name of its method, id. */
static int accept_connection(lua_State *lua, const json_t *answer) {
    (void)answer;
    lua_settop(lua, 4);
    lua_gettable(lua, 3);
    lua_pushvalue(lua, 3);
    lua_pushvalue(lua, 2);
    lua_callk(lua, 2, 1, 0, leave_result);
    return 1;
}

/* Makes the device connect to a listener of the script, and calls that method of it with the options at
 * index 2. */
static int accept_from_device(lua_State *lua, const char *method) {
    static const struct iw_dut_question question = {"connect", accept_connection};
    struct iw_dut *dut = iw_dut_told(lua);
    char told[256];
    const char *host = own_address(dut, told);
    json_t *request;

    lua_settop(lua, 2);
    lua_getglobal(lua, "listen");
    lua_newtable(lua);
    if (host) {
        lua_pushstring(lua, host);
        lua_setfield(lua, -2, "host");
    }
    lua_call(lua, 1, 1);
    request = iw_dut_begin(dut, &question);
    set_text(request, "host", told);
    lua_getfield(lua, 3, "port");
    set_integer(request, "port", lua_tointeger(lua, -1));
    lua_pop(lua, 1);
    lua_pushstring(lua, method);
    return iw_dut_ask(lua, &question);
}

static int accept_startup(lua_State *lua) {
    return accept_from_device(lua, "accept");
}

static int accept_tcp(lua_State *lua) {
    return accept_from_device(lua, "tcp");
}

static int configure(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"rev", IW_DUT_OPTION_INTEGER, NULL},
        {"enhanced", IW_DUT_OPTION_FLAG, NULL}, {"crc", IW_DUT_OPTION_FLAG, NULL},
        {"markers", IW_DUT_OPTION_FLAG, NULL}, {"ird", IW_DUT_OPTION_INTEGER, NULL},
        {"ord", IW_DUT_OPTION_INTEGER, NULL}, {"peer_to_peer", IW_DUT_OPTION_FLAG, NULL},
        {"rtr", IW_DUT_OPTION_LIST, NULL}, {"mulpdu", IW_DUT_OPTION_INTEGER, NULL},
        {"reject", IW_DUT_OPTION_FLAG, NULL}, {"private_data", IW_DUT_OPTION_OCTETS, NULL},
        {"extensions", IW_DUT_OPTION_LIST, NULL}, {0}};
    static const struct iw_dut_question question = {"configure", NULL};

    iw_dut_option_take(lua, "configure", options, iw_dut_begin(iw_dut_told(lua), &question));
    return iw_dut_ask(lua, &question);
}

static int post_receives(lua_State *lua) {
    static const struct iw_dut_option options[] = {
        {"count", IW_DUT_OPTION_INTEGER, NULL}, {"size", IW_DUT_OPTION_INTEGER, NULL}, {0}};
    static const struct iw_dut_question question = {"receives", NULL};

    iw_dut_option_take(lua, "post", options, iw_dut_begin(iw_dut_told(lua), &question));
    return iw_dut_ask(lua, &question);
}

static int close_connection(lua_State *lua) {
    static const struct iw_dut_question question = {"close", NULL};

    iw_dut_begin(iw_dut_told(lua), &question);
    return iw_dut_ask(lua, &question);
}

static int abort_connection(lua_State *lua) {
    static const struct iw_dut_question question = {"abort", NULL};

    iw_dut_begin(iw_dut_told(lua), &question);
    return iw_dut_ask(lua, &question);
}

/* ---- memory ---- */

static int push_region(lua_State *lua, const json_t *answer) {
    lua_createtable(lua, 0, 3);
    push_integer(lua, answer, "stag");
    lua_setfield(lua, -2, "stag");
    push_wide(lua, answer, "to");
    lua_setfield(lua, -2, "to");
    push_integer(lua, answer, "size");
    lua_setfield(lua, -2, "size");
    return 1;
}

/* A hash brings the right to verify with it. */
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
        {"elsewhere", IW_DUT_OPTION_OTHER, NULL}, {"connection", IW_DUT_OPTION_INTEGER, NULL}, {0}};
    static const struct iw_dut_question question = {"register", push_region};
    json_t *request = iw_dut_begin(iw_dut_told(lua), &question);

    iw_dut_option_take(lua, "region", options, request);
    add_verify(request);
    lua_getfield(lua, 2, "elsewhere");
    if (lua_toboolean(lua, -1))
        set_text(request, "stream", "other");
    return iw_dut_ask(lua, &question);
}

/* Begins a request about the region that the table at index 2 tells of. */
static json_t *begin_of_region(lua_State *lua, const struct iw_dut_question *question) {
    json_t *request = iw_dut_begin(iw_dut_told(lua), question);

    luaL_checktype(lua, 2, LUA_TTABLE);
    lua_getfield(lua, 2, "stag");
    set_integer(request, "stag", luaL_checkinteger(lua, -1));
    lua_pop(lua, 1);
    return request;
}

static int push_data(lua_State *lua, const json_t *answer) {
    push_octets(lua, answer, "data");
    return 1;
}

static int push_hash(lua_State *lua, const json_t *answer) {
    push_octets(lua, answer, "hash");
    return 1;
}

static int read_octets(lua_State *lua, bool medium) {
    static const struct iw_dut_question question = {"read", push_data};
    json_t *request = begin_of_region(lua, &question);

    set_integer(request, "offset", luaL_checkinteger(lua, 3));
    set_integer(request, "size", luaL_checkinteger(lua, 4));
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
    static const struct iw_dut_question question = {"write", NULL};
    json_t *request = begin_of_region(lua, &question);
    size_t octets;
    const char *data = luaL_checklstring(lua, 4, &octets);

    set_integer(request, "offset", luaL_checkinteger(lua, 3));
    json_object_set_new(request, "data", iw_agent_octets_json((const uint8_t *)data, octets));
    return iw_dut_ask(lua, &question);
}

static int hash_memory(lua_State *lua) {
    static const struct iw_dut_question question = {"hash", push_hash};
    json_t *request = begin_of_region(lua, &question);

    set_text(request, "hash", luaL_checkstring(lua, 3));
    if (!lua_isnoneornil(lua, 4))
        set_integer(request, "offset", luaL_checkinteger(lua, 4));
    if (!lua_isnoneornil(lua, 5))
        set_integer(request, "size", luaL_checkinteger(lua, 5));
    return iw_dut_ask(lua, &question);
}

static int invalidate(lua_State *lua) {
    static const struct iw_dut_question question = {"invalidate", NULL};

    begin_of_region(lua, &question);
    return iw_dut_ask(lua, &question);
}

static int deregister(lua_State *lua) {
    static const struct iw_dut_question question = {"deregister", NULL};

    begin_of_region(lua, &question);
    return iw_dut_ask(lua, &question);
}

/* ---- what the ULP asks for ---- */

static int push_post(lua_State *lua, const json_t *answer) {
    push_integer(lua, answer, "post");
    return 1;
}

static const struct iw_dut_question post_question = {"post", push_post};

static json_t *begin_post(lua_State *lua, const char *method, const struct iw_dut_option *options) {
    json_t *request = iw_dut_begin(iw_dut_told(lua), &post_question);

    iw_dut_option_take(lua, method, options, request);
    return request;
}

static int ask_post(lua_State *lua, json_t *request, const char *message) {
    set_text(request, "message", message);
    return iw_dut_ask(lua, &post_question);
}

static bool has(lua_State *lua, const char *name) {
    bool true_or_more = lua_getfield(lua, 2, name) != LUA_TNIL && lua_toboolean(lua, -1);

    lua_pop(lua, 1);
    return true_or_more;
}

static int send(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"data", IW_DUT_OPTION_OCTETS, NULL},
        {"se", IW_DUT_OPTION_OTHER, NULL}, {"invalidate", IW_DUT_OPTION_INTEGER, NULL}, {0}};
    static const char *const names[2][2] = {{"send", "send_inv"}, {"send_se", "send_se_inv"}};
    json_t *request = begin_post(lua, "send", options);

    return ask_post(lua, request, names[has(lua, "se")][has(lua, "invalidate")]);
}

static int immediate(lua_State *lua) {
    static const struct iw_dut_option options[] = {
        {"data", IW_DUT_OPTION_OCTETS, NULL}, {"se", IW_DUT_OPTION_OTHER, NULL}, {0}};
    json_t *request = begin_post(lua, "immediate", options);

    return ask_post(lua, request, has(lua, "se") ? "immediate_se" : "immediate");
}

static int write_message(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"data", IW_DUT_OPTION_OCTETS, NULL},
        {"stag", IW_DUT_OPTION_INTEGER, NULL}, {"to", IW_DUT_OPTION_WIDE, NULL}, {0}};

    return ask_post(lua, begin_post(lua, "write", options), "write");
}

static int read_message(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"sink", IW_DUT_OPTION_OTHER, NULL},
        {"source_stag", IW_DUT_OPTION_INTEGER, NULL}, {"source_to", IW_DUT_OPTION_WIDE, NULL},
        {"size", IW_DUT_OPTION_INTEGER, NULL}, {0}};
    json_t *request = begin_post(lua, "read", options);

    lua_getfield(lua, 2, "sink");
    luaL_argcheck(lua, lua_istable(lua, -1), 2, "read has no sink");
    lua_getfield(lua, -1, "stag");
    set_integer(request, "sink_stag", luaL_checkinteger(lua, -1));
    return ask_post(lua, request, "read");
}

static int fetch_add(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"stag", IW_DUT_OPTION_INTEGER, NULL},
        {"to", IW_DUT_OPTION_WIDE, NULL}, {"add", IW_DUT_OPTION_WIDE, NULL},
        {"add_mask", IW_DUT_OPTION_WIDE, NULL}, {0}};

    return ask_post(lua, begin_post(lua, "fetch_add", options), "fetch_add");
}

static int cmp_swap(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"stag", IW_DUT_OPTION_INTEGER, NULL},
        {"to", IW_DUT_OPTION_WIDE, NULL}, {"compare", IW_DUT_OPTION_WIDE, NULL},
        {"compare_mask", IW_DUT_OPTION_WIDE, NULL}, {"swap", IW_DUT_OPTION_WIDE, NULL},
        {"swap_mask", IW_DUT_OPTION_WIDE, NULL}, {0}};

    return ask_post(lua, begin_post(lua, "cmp_swap", options), "cmp_swap");
}

static int swap(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"stag", IW_DUT_OPTION_INTEGER, NULL},
        {"to", IW_DUT_OPTION_WIDE, NULL}, {"swap", IW_DUT_OPTION_WIDE, NULL}, {0}};

    return ask_post(lua, begin_post(lua, "swap", options), "swap");
}

static int flush(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"stag", IW_DUT_OPTION_INTEGER, NULL},
        {"to", IW_DUT_OPTION_WIDE, NULL}, {"length", IW_DUT_OPTION_INTEGER, "size"},
        {"p", IW_DUT_OPTION_FLAG, "persist"}, {"g", IW_DUT_OPTION_FLAG, "expose"}, {0}};

    return ask_post(lua, begin_post(lua, "flush", options), "flush");
}

static int verify(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"stag", IW_DUT_OPTION_INTEGER, NULL},
        {"to", IW_DUT_OPTION_WIDE, NULL}, {"length", IW_DUT_OPTION_INTEGER, "size"},
        {"hash", IW_DUT_OPTION_OCTETS, "data"}, {0}};

    return ask_post(lua, begin_post(lua, "verify", options), "verify");
}

static int atomic_write(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"stag", IW_DUT_OPTION_INTEGER, NULL},
        {"to", IW_DUT_OPTION_WIDE, NULL}, {"data", IW_DUT_OPTION_WIDE, "value"}, {0}};

    return ask_post(lua, begin_post(lua, "atomic_write", options), "atomic_write");
}

/* ---- what happens ---- */

static const struct iw_dut_option wait_options[] = {{"timeout", IW_DUT_OPTION_OTHER, NULL}, {0}};

/* What the case would look at has to be all that the device delivered: a shorter one is no device's fault,
 * but that of the case, or of the agent. */
static void check_whole(lua_State *lua, const json_t *event) {
    const json_t *data = json_object_get(event, "data");
    const json_t *size = json_object_get(event, "size");

    if (json_is_integer(size) && json_is_string(data) &&
        json_integer_value(size) > (json_int_t)(json_string_length(data) / 2))
        luaL_error(lua, "the agent tells %d octets of a message of %I, of which it can tell at most %d",
            (int)(json_string_length(data) / 2), (LUAI_UACINT)json_integer_value(size),
            (int)IW_AGENT_DATA_MAX);
}

static int push_message(lua_State *lua, const json_t *event) {
    check_whole(lua, event);
    lua_createtable(lua, 0, 4);
    lua_pushstring(lua, json_string_value(json_object_get(event, "message")));
    lua_setfield(lua, -2, "kind");
    push_integer(lua, event, "msn");
    lua_setfield(lua, -2, "msn");
    push_integer(lua, event, "invalidate");
    lua_setfield(lua, -2, "invalidate");
    push_octets(lua, event, "data");
    lua_setfield(lua, -2, "data");
    return 1;
}

static int await_message(lua_State *lua) {
    static const struct iw_dut_wait wait = {"message", "the device delivered no message to its ULP",
        "a message delivered to the ULP", push_message};

    iw_dut_told(lua);
    iw_dut_option_check(lua, "received", wait_options);
    return iw_dut_await(lua, &wait);
}

static int push_completion(lua_State *lua, const json_t *event) {
    lua_createtable(lua, 0, 4);
    push_integer(lua, event, "post");
    lua_setfield(lua, -2, "post");
    lua_pushstring(lua, json_string_value(json_object_get(event, "status")));
    lua_setfield(lua, -2, "status");
    push_wide(lua, event, "original");
    lua_setfield(lua, -2, "original");
    push_octets(lua, event, "hash");
    lua_setfield(lua, -2, "hash");
    return 1;
}

static int await_completion(lua_State *lua) {
    static const struct iw_dut_wait wait = {
        "completed", "the device completed nothing", "a completion", push_completion};

    iw_dut_told(lua);
    iw_dut_option_check(lua, "completed", wait_options);
    return iw_dut_await(lua, &wait);
}

/* Its members as they are. */
static int push_event(lua_State *lua, const json_t *event) {
    const char *key;
    json_t *value;

    lua_newtable(lua);
    json_object_foreach((json_t *)event, key, value) {
        if (json_is_string(value))
            lua_pushstring(lua, json_string_value(value));
        else if (json_is_integer(value))
            lua_pushinteger(lua, json_integer_value(value));
        else
            lua_pushboolean(lua, json_is_true(value));
        lua_setfield(lua, -2, key);
    }
    return 1;
}

static int await_any(lua_State *lua) {
    static const struct iw_dut_option options[] = {
        {"kind", IW_DUT_OPTION_OTHER, NULL}, {"timeout", IW_DUT_OPTION_OTHER, NULL}, {0}};
    static const char *const kinds[] = {"established", "rejected", "terminate", "error", "closed", NULL};
    static const char missed[] = "the device's ULP was told of nothing like it";
    static const struct iw_dut_wait waits[] = {{"established", missed, "full operation", push_event},
        {"rejected", missed, "a rejection", push_event}, {"terminate", missed, "a Terminate", push_event},
        {"error", missed, "an error told to the ULP", push_event},
        {"closed", missed, "the end of the connection", push_event}};

    iw_dut_told(lua);
    iw_dut_option_check(lua, "event", options);
    lua_getfield(lua, 2, "kind");
    return iw_dut_await(lua, &waits[luaL_checkoption(lua, -1, NULL, kinds)]);
}

/* Whatever the device has told before the answer is in the list. */
static int push_pending(lua_State *lua, const json_t *answer) {
    const struct iw_dut *dut = iw_dut_self(lua);
    lua_Integer count = 0;
    json_t *event;
    size_t i;

    (void)answer;
    json_array_foreach(dut->events, i, event) {
        const char *name = json_string_value(json_object_get(event, "event"));

        count += name && strcmp(name, "message") == 0;
    }
    lua_pushinteger(lua, count);
    return 1;
}

static int count_pending(lua_State *lua) {
    static const struct iw_dut_question question = {"ping", push_pending};

    iw_dut_begin(iw_dut_told(lua), &question);
    return iw_dut_ask(lua, &question);
}

void iw_dut_add_methods(lua_State *lua) {
    static const luaL_Reg methods[] = {{"connect", connect_to_device}, {"tcp", tcp_to_device},
        {"accept", accept_startup}, {"accept_tcp", accept_tcp}, {"configure", configure},
        {"post", post_receives}, {"close", close_connection}, {"abort", abort_connection},
        {"region", new_region}, {"memory", read_memory}, {"kept", read_medium},
        {"write_memory", write_memory}, {"hash", hash_memory}, {"invalidate", invalidate},
        {"deregister", deregister}, {"send", send}, {"immediate", immediate}, {"write", write_message},
        {"read", read_message}, {"fetch_add", fetch_add}, {"cmp_swap", cmp_swap}, {"swap", swap},
        {"flush", flush}, {"verify", verify}, {"atomic_write", atomic_write}, {"received", await_message},
        {"completed", await_completion}, {"event", await_any}, {"pending", count_pending}, {NULL, NULL}};

    luaL_setfuncs(lua, methods, 1);
}
