#include "iw_dut.h"

#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "iw_dut_option.h"
#include "iw_lua_event.h"
#include "iw_lua_failure.h"

/* A message that the device has delivered to its ULP. */
struct delivery {
    struct delivery *next;
    uint8_t opcode;
    uint32_t msn;
    size_t octets;
    uint8_t data[];
};

struct iw_dut {
    const char *host;
    uint16_t port;
    struct iw_reference *reference;
    lua_State *lua;
    struct iw_dut **handle; /* what Lua holds */
    int reference_of_handle;
    struct delivery *first, **last;
    unsigned pending;
    struct iw_waitable arrivals;
};

struct iw_dut *iw_dut_new(const char *host, uint16_t port, struct iw_reference *reference) {
    struct iw_dut *dut = calloc(1, sizeof *dut);

    if (!dut)
        return NULL;
    dut->host = host;
    dut->port = port;
    dut->reference = reference;
    dut->last = &dut->first;
    dut->arrivals.what = "the device to deliver a message";
    return dut;
}

void iw_dut_free(struct iw_dut *dut) {
    if (!dut)
        return;
    if (dut->handle) {
        *dut->handle = NULL;
        luaL_unref(dut->lua, LUA_REGISTRYINDEX, dut->reference_of_handle);
    }
    while (dut->first) {
        struct delivery *delivery = dut->first;

        dut->first = delivery->next;
        free(delivery);
    }
    free(dut);
}

void iw_dut_event(struct iw_dut *dut, const struct iw_event *event) {
    struct delivery *delivery;

    if (event->kind != IW_EVENT_MESSAGE)
        return;
    delivery = calloc(1, sizeof *delivery + event->octet_count);
    if (!delivery)
        return;
    delivery->opcode = event->opcode;
    delivery->msn = event->msn;
    delivery->octets = event->octet_count;
    if (event->octet_count > 0)
        memcpy(delivery->data, event->octets, event->octet_count);
    *dut->last = delivery;
    dut->last = &delivery->next;
    dut->pending++;
    iw_waitable_wake(&dut->arrivals);
}

/* ---- Lua ---- */

static struct iw_dut *self(lua_State *lua) {
    struct iw_dut **handle = lua_touserdata(lua, lua_upvalueindex(1));

    if (!*handle)
        luaL_error(lua, "this device belongs to a case that is over");
    return *handle;
}

/* The reference implementation behind the device. */
static struct iw_reference *agent(lua_State *lua) {
    struct iw_dut *dut = self(lua);

    if (!dut->reference)
        luaL_error(lua, "this device has no agent; the case needs tier \"agent\"");
    return dut->reference;
}

static struct iw_endpoint *endpoint(lua_State *lua) {
    struct iw_endpoint *found = iw_reference_endpoint(agent(lua));

    if (!found)
        iw_lua_failure_raise(lua, IW_LUA_FAILURE_EXPECTATION, "the device has no connection",
            "a connection that the device has not given up", "none");
    return found;
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
    const struct iw_dut *dut = self(lua);

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
    lua_pushstring(lua, dut->host);
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

/* Makes the device connect to a listener of the script, and calls that method of it with the options at
 * index 2. */
static int accept_from_device(lua_State *lua, const char *method) {
    struct iw_reference *reference = agent(lua);
    char text[IW_PORT_TEXT_OCTETS];
    lua_Integer port;

    lua_settop(lua, 2);
    lua_getglobal(lua, "listen");
    lua_call(lua, 0, 1);
    lua_getfield(lua, 3, "port");
    port = lua_tointeger(lua, -1);
    lua_pop(lua, 1);
    if (!iw_reference_connect(reference, "127.0.0.1", (uint16_t)port, text))
        return iw_lua_failure_raise(lua, IW_LUA_FAILURE_ENVIRONMENT, text, NULL, NULL);
    lua_getfield(lua, 3, method);
    lua_pushvalue(lua, 3);
    lua_pushvalue(lua, 2);
    lua_callk(lua, 2, 1, 0, leave_result);
    return 1;
}

static int accept_startup(lua_State *lua) {
    return accept_from_device(lua, "accept");
}

static int accept_tcp(lua_State *lua) {
    return accept_from_device(lua, "tcp");
}

static int configure(lua_State *lua) {
    static const char *const names[] = {
        "rev", "enhanced", "crc", "markers", "ird", "ord", "peer_to_peer", "rtr", "mulpdu", "reject", NULL};
    struct iw_endpoint_config *config = iw_reference_settings(agent(lua));

    iw_dut_option_check(lua, "configure", names);
    config->revision = (uint8_t)iw_dut_option_integer(lua, "rev", config->revision);
    config->enhanced = iw_dut_option_flag(lua, "enhanced", config->enhanced);
    config->no_crc = !iw_dut_option_flag(lua, "crc", !config->no_crc);
    config->markers = iw_dut_option_flag(lua, "markers", config->markers);
    config->ird = (uint16_t)iw_dut_option_integer(lua, "ird", config->ird);
    config->ord = (uint16_t)iw_dut_option_integer(lua, "ord", config->ord);
    config->peer_to_peer = iw_dut_option_flag(lua, "peer_to_peer", config->peer_to_peer);
    config->rtr = iw_dut_option_rtr(lua, config->rtr);
    config->mulpdu = (uint16_t)iw_dut_option_integer(lua, "mulpdu", config->mulpdu);
    config->reject = iw_dut_option_flag(lua, "reject", config->reject);
    return 0;
}

/* ---- memory ---- */

static void push_region(lua_State *lua, const struct iw_region *region) {
    lua_createtable(lua, 0, 3);
    lua_pushinteger(lua, region->stag);
    lua_setfield(lua, -2, "stag");
    lua_pushinteger(lua, (lua_Integer)region->base);
    lua_setfield(lua, -2, "to");
    lua_pushinteger(lua, (lua_Integer)region->size);
    lua_setfield(lua, -2, "size");
}

enum { REGION_MAX = 16 << 20 };

static int new_region(lua_State *lua) {
    static const char *const names[] = {"size", "rights", "fill", "to", "elsewhere", NULL};
    static const char other_stream;
    struct iw_memory *memory = iw_reference_memory(agent(lua));
    struct iw_region *region;
    const char *fill;
    uint64_t size;
    size_t octets;

    iw_dut_option_check(lua, "region", names);
    size = iw_dut_option_integer(lua, "size", 4096);
    luaL_argcheck(lua, size > 0 && size <= REGION_MAX, 2, "size is 1 to 16777216 octets");
    region = iw_memory_register(
        memory, 0, iw_dut_option_integer(lua, "to", 0x10000), size, iw_dut_option_rights(lua));
    if (!region)
        return luaL_error(lua, "region: not enough memory, or it goes beyond 2^64");
    fill = iw_dut_option_octets(lua, "fill", &octets);
    for (uint64_t i = 0; octets > 0 && i < size; i++)
        region->octets[i] = (uint8_t)fill[i % octets];
    if (iw_dut_option_flag(lua, "elsewhere", false))
        region->stream = &other_stream;
    push_region(lua, region);
    return 1;
}

/* The region that the table at `index` tells of. */
static struct iw_region *region_at(lua_State *lua, int index) {
    struct iw_region *region;

    luaL_checktype(lua, index, LUA_TTABLE);
    lua_getfield(lua, index, "stag");
    region = iw_memory_find(iw_reference_memory(agent(lua)), (uint32_t)luaL_checkinteger(lua, -1));
    if (!region)
        luaL_error(lua, "the device has no such region");
    lua_pop(lua, 1);
    return region;
}

static int read_memory(lua_State *lua) {
    const struct iw_region *region = region_at(lua, 2);
    lua_Integer offset = luaL_checkinteger(lua, 3), length = luaL_checkinteger(lua, 4);

    luaL_argcheck(lua,
        offset >= 0 && length >= 0 && (uint64_t)offset <= region->size &&
            (uint64_t)length <= region->size - (uint64_t)offset,
        3, "outside of the region");
    lua_pushlstring(lua, (const char *)region->octets + offset, (size_t)length);
    return 1;
}

/* ---- what the ULP does ---- */

static int post_receives(lua_State *lua) {
    static const char *const names[] = {"count", "size", NULL};
    struct iw_reference *reference = agent(lua);
    struct iw_endpoint_config *config = iw_reference_settings(reference);
    uint32_t count, size;

    iw_dut_option_check(lua, "post", names);
    count = (uint32_t)iw_dut_option_integer(lua, "count", 1);
    size = (uint32_t)iw_dut_option_integer(lua, "size", 4096);
    if (iw_reference_endpoint(reference)) {
        iw_endpoint_receives(iw_reference_endpoint(reference), count, size);
    } else {
        config->receive_count = count;
        config->receive_octets = size;
    }
    return 0;
}

static int take_delivery(lua_State *lua, int status, lua_KContext context) {
    struct iw_dut *dut = self(lua);
    struct iw_task *task = iw_task_current(lua);
    struct delivery *delivery = dut->first;
    char kind[32];

    (void)status;
    if (!delivery && !task->timed_out)
        return iw_task_wait(lua, &dut->arrivals, context, take_delivery);
    iw_task_timeout(task, 0);
    if (!delivery)
        return iw_lua_failure_raise(lua, IW_LUA_FAILURE_EXPECTATION,
            "the device delivered no message to its ULP", "a message delivered to the ULP", "silence");
    lua_createtable(lua, 0, 3);
    lua_pushstring(lua, iw_lua_event_kind(delivery->opcode, kind));
    lua_setfield(lua, -2, "kind");
    lua_pushinteger(lua, delivery->msn);
    lua_setfield(lua, -2, "msn");
    lua_pushlstring(lua, (const char *)delivery->data, delivery->octets);
    lua_setfield(lua, -2, "data");
    dut->first = delivery->next;
    if (!dut->first)
        dut->last = &dut->first;
    dut->pending--;
    free(delivery);
    return 1;
}

static int await_delivery(lua_State *lua) {
    static const char *const names[] = {"timeout", NULL};

    agent(lua);
    iw_dut_option_check(lua, "received", names);
    iw_task_timeout(iw_task_current(lua), iw_task_timeout_option(lua, 2));
    return take_delivery(lua, LUA_OK, 0);
}

static int count_pending(lua_State *lua) {
    agent(lua);
    lua_pushinteger(lua, self(lua)->pending);
    return 1;
}

static int post(lua_State *lua, const struct iw_post *post) {
    if (iw_endpoint_post(endpoint(lua), post) != IW_OK)
        return iw_lua_failure_raise(lua, IW_LUA_FAILURE_ENVIRONMENT, "not enough memory", NULL, NULL);
    return 0;
}

static int send(lua_State *lua) {
    static const char *const names[] = {"data", "se", "invalidate", NULL};
    static const uint8_t opcodes[2][2] = {
        {IW_RDMAP_OP_SEND, IW_RDMAP_OP_SEND_INV}, {IW_RDMAP_OP_SEND_SE, IW_RDMAP_OP_SEND_SE_INV}};
    struct iw_post message = {0};
    bool invalidates;

    iw_dut_option_check(lua, "send", names);
    message.invalidate_stag = (uint32_t)iw_dut_option_integer(lua, "invalidate", 0);
    invalidates = lua_getfield(lua, 2, "invalidate") != LUA_TNIL;
    lua_pop(lua, 1);
    message.opcode = opcodes[iw_dut_option_flag(lua, "se", false)][invalidates];
    message.payload = (const uint8_t *)iw_dut_option_octets(lua, "data", &message.payload_octets);
    return post(lua, &message);
}

static int write_message(lua_State *lua) {
    static const char *const names[] = {"data", "stag", "to", NULL};
    struct iw_post message = {.opcode = IW_RDMAP_OP_RDMA_WRITE};

    iw_dut_option_check(lua, "write", names);
    message.stag = (uint32_t)iw_dut_option_integer(lua, "stag", 0);
    message.to = iw_dut_option_integer(lua, "to", 0);
    message.payload = (const uint8_t *)iw_dut_option_octets(lua, "data", &message.payload_octets);
    return post(lua, &message);
}

static int read_message(lua_State *lua) {
    static const char *const names[] = {"sink", "source_stag", "source_to", "size", NULL};
    struct iw_post message = {.opcode = IW_RDMAP_OP_READ_REQUEST};
    const struct iw_region *sink;

    iw_dut_option_check(lua, "read", names);
    lua_getfield(lua, 2, "sink");
    sink = region_at(lua, lua_gettop(lua));
    message.read.sink_stag = sink->stag;
    message.read.sink_to = sink->base;
    message.read.size = (uint32_t)iw_dut_option_integer(lua, "size", sink->size);
    message.read.source_stag = (uint32_t)iw_dut_option_integer(lua, "source_stag", 0);
    message.read.source_to = iw_dut_option_integer(lua, "source_to", 0);
    return post(lua, &message);
}

static int close_connection(lua_State *lua) {
    iw_endpoint_close(endpoint(lua));
    return 0;
}

void iw_dut_push(lua_State *lua, struct iw_dut *dut) {
    static const luaL_Reg methods[] = {{"connect", connect_to_device}, {"tcp", tcp_to_device},
        {"accept", accept_startup}, {"accept_tcp", accept_tcp}, {"configure", configure},
        {"region", new_region}, {"memory", read_memory}, {"post", post_receives},
        {"received", await_delivery}, {"pending", count_pending}, {"send", send}, {"write", write_message},
        {"read", read_message}, {"close", close_connection}, {NULL, NULL}};

    lua_newtable(lua);
    lua_pushstring(lua, dut->host);
    lua_setfield(lua, -2, "host");
    lua_pushinteger(lua, dut->port);
    lua_setfield(lua, -2, "port");
    dut->handle = lua_newuserdatauv(lua, sizeof *dut->handle, 0);
    *dut->handle = dut;
    dut->lua = lua;
    lua_pushvalue(lua, -1);
    dut->reference_of_handle = luaL_ref(lua, LUA_REGISTRYINDEX);
    luaL_setfuncs(lua, methods, 1);
}
