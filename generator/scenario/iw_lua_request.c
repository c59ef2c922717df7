#include "iw_lua_send.h"

#include <lauxlib.h>

#include "iw_lua_connection.h"
#include "iw_lua_option.h"
#include "iw_name.h"

/* Each method fills in the header as its document defines it, from its named options; header fields set by
 * name override that, as in every message. */

/* A request whose only options are header fields. */
static const char *const raw[] = {NULL};

static uint64_t number_option(lua_State *lua, const char *name, uint64_t otherwise) {
    uint64_t number = otherwise;
    int exact = 1;

    if (lua_getfield(lua, 2, name) != LUA_TNIL)
        number = (uint64_t)lua_tointegerx(lua, -1, &exact);
    if (!exact)
        luaL_error(lua, "%s takes an integer", name);
    lua_pop(lua, 1);
    return number;
}

static int post_request(
    lua_State *lua, const char *method, uint8_t opcode, const uint8_t *header, const char *const *options) {
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_post message = {.opcode = opcode, .header = header};
    struct iw_lua_override override;

    iw_lua_option_override(lua, method, opcode, options, &override);
    if (options != raw)
        iw_lua_option_needs_stag(lua, method, &override, iw_field_find(iw_opcodes[opcode].header, "stag"));
    if (opcode == IW_RDMAP_OP_VERIFY_REQUEST)
        iw_lua_send_payload(lua, "hash", &message);
    return iw_lua_send_post(lua, connection, &message, &override);
}

/* ---- RFC 7306 ---- */

/* Compare Data and Compare Mask as 5.2.1 requires for operations that do not compare. */
static struct iw_atomic_request new_atomic(lua_State *lua, uint8_t aopcode) {
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);

    iw_lua_names_table(lua, 2);
    return (struct iw_atomic_request){.aopcode = aopcode,
        .identifier = (uint32_t)connection->posts.last_id + 1,
        .compare_mask = UINT64_MAX};
}

static int post_atomic_request(
    lua_State *lua, const char *method, const struct iw_atomic_request *request, const char *const *options) {
    uint8_t header[iw_atomic_request_octets];

    iw_atomic_request_encode(request, header);
    return post_request(lua, method, IW_RDMAP_OP_ATOMIC_REQUEST, header, options);
}

static int request_fetch_add(lua_State *lua) {
    static const char *const options[] = {"add", "add_mask", NULL};
    struct iw_atomic_request request = new_atomic(lua, IW_AOPCODE_FETCHADD);

    request.data = number_option(lua, "add", 0);
    request.mask = number_option(lua, "add_mask", 0);
    return post_atomic_request(lua, "fetch_add", &request, options);
}

static int request_cmp_swap(lua_State *lua) {
    static const char *const options[] = {"swap", "swap_mask", "compare", NULL};
    struct iw_atomic_request request = new_atomic(lua, IW_AOPCODE_CMPSWAP);

    request.data = number_option(lua, "swap", 0);
    request.mask = number_option(lua, "swap_mask", UINT64_MAX);
    request.compare_data = number_option(lua, "compare", 0);
    return post_atomic_request(lua, "cmp_swap", &request, options);
}

static int request_swap(lua_State *lua) {
    static const char *const options[] = {"swap", NULL};
    struct iw_atomic_request request = new_atomic(lua, IW_AOPCODE_SWAP);

    request.data = number_option(lua, "swap", 0);
    request.mask = UINT64_MAX;
    return post_atomic_request(lua, "swap", &request, options);
}

static int request_atomic(lua_State *lua) {
    struct iw_atomic_request request = new_atomic(lua, IW_AOPCODE_FETCHADD);

    return post_atomic_request(lua, "atomic", &request, raw);
}

/* ---- draft-talpey-rdma-commit-01 ---- */

/* A Flush without a disposition asks for persistence. */
static int request_flush(lua_State *lua) {
    static const char *const options[] = {NULL};
    struct iw_flush_request request = {0};
    uint8_t header[iw_flush_request_octets];

    iw_lua_names_table(lua, 2);
    request.p = lua_getfield(lua, 2, "g") == LUA_TNIL;
    lua_pop(lua, 1);
    iw_flush_request_encode(&request, header);
    return post_request(lua, "flush", IW_RDMAP_OP_FLUSH_REQUEST, header, options);
}

static int request_verify(lua_State *lua) {
    static const char *const options[] = {"hash", NULL};
    static const uint8_t header[iw_verify_request_octets];

    iw_lua_names_table(lua, 2);
    return post_request(lua, "verify", IW_RDMAP_OP_VERIFY_REQUEST, header, options);
}

static int request_atomic_write(lua_State *lua) {
    static const char *const options[] = {NULL};
    struct iw_atomic_write_request request = {.length = 8};
    uint8_t header[iw_atomic_write_request_octets];

    iw_lua_names_table(lua, 2);
    iw_atomic_write_request_encode(&request, header);
    return post_request(lua, "atomic_write", IW_RDMAP_OP_ATOMIC_WRITE_REQUEST, header, options);
}

void iw_lua_request_open(lua_State *lua) {
    static const luaL_Reg methods[] = {{"fetch_add", request_fetch_add}, {"cmp_swap", request_cmp_swap},
        {"swap", request_swap}, {"atomic", request_atomic}, {"flush", request_flush},
        {"verify", request_verify}, {"atomic_write", request_atomic_write}, {NULL, NULL}};

    luaL_setfuncs(lua, methods, 0);
}
