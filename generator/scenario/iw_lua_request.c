#include "iw_lua_connection.h"

#include <stdint.h>

#include "iw_lua_member.h"
#include "iw_name.h"

/* Each method builds the header that its document defines from its named options. Header fields that the
 * script sets by name take precedence, as in every message. */

struct request {
    const char *method;
    uint8_t opcode;
    bool stag_optional;     /* the script may leave out the STag */
    uint8_t aopcode;        /* of an atomic operation */
    const char *options[4]; /* ends with NULL; of an atomic operation: data, mask, compare data */
    uint64_t mask;          /* default of the mask */
};

static const struct request requests[] = {
    {"fetch_add", IW_RDMAP_OP_ATOMIC_REQUEST, false, IW_AOPCODE_FETCHADD, {"add", "add_mask"}, 0},
    {"cmp_swap", IW_RDMAP_OP_ATOMIC_REQUEST, false, IW_AOPCODE_CMPSWAP, {"swap", "swap_mask", "compare"},
        UINT64_MAX},
    {"swap", IW_RDMAP_OP_ATOMIC_REQUEST, false, IW_AOPCODE_SWAP, {"swap"}, UINT64_MAX},
    {"atomic", IW_RDMAP_OP_ATOMIC_REQUEST, true, IW_AOPCODE_FETCHADD, {NULL}, 0},
    {"flush", IW_RDMAP_OP_FLUSH_REQUEST, false, 0, {NULL}, 0},
    {"verify", IW_RDMAP_OP_VERIFY_REQUEST, false, 0, {"hash"}, 0},
    {"atomic_write", IW_RDMAP_OP_ATOMIC_WRITE_REQUEST, false, 0, {NULL}, 0},
};

static uint64_t lua_request_number_option(lua_State *lua, const char *name, uint64_t otherwise) {
    uint64_t number = otherwise;
    int exact = 1;

    if (name == NULL)
        return otherwise;
    if (lua_getfield(lua, 2, name) != LUA_TNIL)
        number = (uint64_t)lua_tointegerx(lua, -1, &exact);
    if (!exact)
        luaL_error(lua, "%s takes an integer", name);
    lua_pop(lua, 1);
    return number;
}

/* Compare Data is 0 and Compare Mask all ones, as RFC 7306 5.2.1 requires if nothing is compared. */
static void lua_request_encode_atomic(
    lua_State *lua, const struct request *request, uint32_t identifier, uint8_t *header) {
    const struct iw_atomic_request atomic = {.aopcode = request->aopcode,
        .identifier = identifier,
        .data = lua_request_number_option(lua, request->options[0], 0),
        .mask = lua_request_number_option(lua, request->options[1], request->mask),
        .compare_data = lua_request_number_option(lua, request->options[2], 0),
        .compare_mask = UINT64_MAX};

    iw_atomic_request_encode(&atomic, header);
}

/* P is set by default unless the script gives G: the Flush asks for persistence. */
static void lua_request_encode_flush(lua_State *lua, uint8_t *header) {
    const struct iw_flush_request flush = {.p = lua_getfield(lua, 2, "g") == LUA_TNIL};

    lua_pop(lua, 1);
    iw_flush_request_encode(&flush, header);
}

static int post_request(lua_State *lua) {
    const struct request *request = lua_touserdata(lua, lua_upvalueindex(1));
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    uint8_t header[IW_EMIT_HEADER_MAX] = {0};
    struct iw_post message = {.opcode = request->opcode, .header = header};
    struct iw_lua_override override;

    iw_lua_names_table(lua, 2);
    if (request->opcode == IW_RDMAP_OP_ATOMIC_REQUEST)
        lua_request_encode_atomic(lua, request, (uint32_t)connection->posts.last_id + 1, header);
    else if (request->opcode == IW_RDMAP_OP_FLUSH_REQUEST)
        lua_request_encode_flush(lua, header);
    else if (request->opcode == IW_RDMAP_OP_ATOMIC_WRITE_REQUEST)
        iw_atomic_write_request_encode(&(struct iw_atomic_write_request){.length = 8}, header);
    iw_lua_override_message(lua, request->method, request->opcode, request->options, &override);
    if (!request->stag_optional)
        iw_lua_override_needs_stag(
            lua, request->method, &override, iw_field_find(iw_opcodes[request->opcode].header, "stag"));
    if (request->opcode == IW_RDMAP_OP_VERIFY_REQUEST)
        iw_lua_send_payload(lua, "hash", &message);
    return iw_lua_send_post(lua, connection, &message, &override);
}

void iw_lua_request_open(lua_State *lua) {
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        lua_pushlightuserdata(lua, (void *)(uintptr_t)&requests[i]);
        lua_pushcclosure(lua, post_request, 1);
        lua_setfield(lua, -2, requests[i].method);
    }
}
