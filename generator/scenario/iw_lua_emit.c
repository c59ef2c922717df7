#include "iw_lua_connection.h"

#include <string.h>

#include "iw_lua_member.h"
#include "iw_lua_event.h"
#include "iw_lua_failure.h"

/* Sends the item as often as the override says. Raises an error if an option changes nothing. */
static int emit_by_hand(lua_State *lua, struct iw_lua_connection *connection, const struct iw_emit *what,
    const struct iw_lua_override *override) {
    unsigned missing = iw_lua_effect_wanted(override);
    enum iw_status status = IW_OK;

    iw_lua_connection_need_open(lua, connection);
    if (override->segment > 1)
        luaL_error(lua, "segment = %d: a message sent by hand is one", (int) override->segment);
    if (override->times == 0)
        missing &= ~iw_lua_effect_found(connection, override, what);
    for (unsigned i = 0; i < override->times && status == IW_OK; i++) {
        missing &= ~iw_lua_effect_found(connection, override, what);
        status = iw_endpoint_emit(connection->endpoint, what);
    }
    if (missing != 0)
        luaL_error(lua, "%s", iw_lua_effect_text(missing));
    return iw_lua_failure_status(lua, status);
}

/* Rejects the options data, payload and header together with `ulpdu`, which replaces them. */
static void lua_emit_reject_parts(lua_State *lua) {
    static const char *const parts[] = {"data", "payload", "header"};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (lua_getfield(lua, 2, parts[i]) != LUA_TNIL)
            luaL_error(lua, "%s: ulpdu is all that is sent", parts[i]);
        lua_pop(lua, 1);
    }
}

static int lua_emit_fpdu(lua_State *lua) {
    static const char *const options[] = {"kind", "data", "payload", "header", "ulpdu", NULL};
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_lua_override override;
    struct iw_emit what;
    size_t length;

    iw_lua_names_table(lua, 2);
    uint8_t opcode = iw_lua_event_opcode(lua, "fpdu");
    iw_lua_override_message(lua, "fpdu", opcode, options, &override);
    iw_endpoint_prepare_fpdu(connection->endpoint, opcode, &what);
    const char *header = iw_lua_member_octets(lua, 2, "header", &length);
    if (header != NULL) {
        if (length > IW_EMIT_HEADER_MAX)
            return luaL_error(lua, "header takes at most %d octets", (int)IW_EMIT_HEADER_MAX);
        memcpy(what.header, header, length);
        what.header_octets = length;
    }
    enum iw_layout_id layout = opcode < IW_RDMAP_OP_COUNT ? iw_opcodes[opcode].header : IW_LAYOUT_NONE;
    bool header_has_data = layout != IW_LAYOUT_NONE && iw_field_find(layout, "data") != NULL;
    what.payload = (const uint8_t *)iw_lua_member_octets(
        lua, 2, header_has_data ? "payload" : "data", &what.payload_octets);
    iw_lua_override_fpdu(&override, &what);
    const char *ulpdu = iw_lua_member_octets(lua, 2, "ulpdu", &length);
    if (ulpdu != NULL) {
        lua_emit_reject_parts(lua);
        what.bare = true;
        what.header_octets = 0;
        what.payload = (const uint8_t *)ulpdu;
        what.payload_octets = length;
    }
    return emit_by_hand(lua, connection, &what, &override);
}

/* c:terminate{layer=, etype=, code=, data=}; data begins with the DDP Segment Length. */
static int lua_emit_terminate(lua_State *lua) {
    static const char *const data_only[] = {"data", NULL};
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_lua_override override;
    struct iw_emit what;

    iw_lua_names_table(lua, 2);
    iw_lua_override_message(lua, "terminate", IW_RDMAP_OP_TERMINATE, data_only, &override);
    iw_endpoint_prepare_fpdu(connection->endpoint, IW_RDMAP_OP_TERMINATE, &what);
    what.payload = (const uint8_t *)iw_lua_member_octets(lua, 2, "data", &what.payload_octets);
    iw_lua_override_fpdu(&override, &what);
    return emit_by_hand(lua, connection, &what, &override);
}

static int lua_emit_startup(lua_State *lua, const char *method, const uint8_t *key) {
    static const char *const options[] = {"private_data", "enhanced", NULL};
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_lua_override override;
    struct iw_emit what;

    iw_lua_names_table(lua, 2);
    iw_lua_override_options(lua, 2, method, options, &iw_lua_value_startup, &override);
    iw_endpoint_prepare_startup(connection->endpoint, &what);
    memcpy(what.startup.key, key, sizeof what.startup.key);
    if (lua_getfield(lua, 2, "enhanced") != LUA_TNIL) {
        what.enhanced = iw_lua_member_flag(lua, 2, "enhanced", false);
        what.startup.s = what.enhanced;
        if (what.enhanced && what.startup.rev < 2)
            what.startup.rev = 2;
    }
    size_t length;
    const char *data = iw_lua_member_octets(lua, 2, "private_data", &length);
    if (data != NULL) {
        what.payload = (const uint8_t *)data;
        what.payload_octets = length;
    }
    what.startup.pd_length =
        (uint16_t)(what.payload_octets + (what.enhanced ? (size_t)iw_mpa_enhanced_octets : 0));
    iw_lua_override_startup(&override, &what);
    return emit_by_hand(lua, connection, &what, &override);
}

static int lua_emit_request(lua_State *lua) {
    return lua_emit_startup(lua, "request", iw_startup_key_request);
}

static int lua_emit_reply(lua_State *lua) {
    return lua_emit_startup(lua, "reply", iw_startup_key_reply);
}

/* c:octets(octets, {split={...}}): sends each part in a separate TCP segment. */
static int lua_emit_octets(lua_State *lua) {
    static const char *const options[] = {"cut", "split", "merge", NULL};
    static const struct iw_lua_layouts none = {.count = 0};
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_lua_override override = {.times = 1};
    struct iw_emit what = {.kind = IW_EMIT_OCTETS};

    what.payload = (const uint8_t *)luaL_checklstring(lua, 2, &what.payload_octets);
    if (!lua_isnoneornil(lua, 3)) {
        luaL_checktype(lua, 3, LUA_TTABLE);
        iw_lua_names_allow(lua, 3, options, "octets");
        iw_lua_override_read(lua, 3, &none, &override);
        iw_lua_override_tcp(&override, &what);
    }
    return emit_by_hand(lua, connection, &what, &override);
}

static int lua_emit_full(lua_State *lua) {
    static const char *const options[] = {
        "markers_in", "markers_out", "crc", "enhanced", "peer_to_peer", "ird", "ord", "revision", NULL};
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);

    if (lua_isnoneornil(lua, 2)) {
        iw_endpoint_full(connection->endpoint, NULL);
        return 0;
    }
    iw_lua_names_table(lua, 2);
    iw_lua_names_allow(lua, 2, options, "full");
    struct iw_terms terms = {.crc = true, .ird = 8, .ord = 8, .revision = 1};
    terms.markers_in = iw_lua_member_flag(lua, 2, "markers_in", false);
    terms.markers_out = iw_lua_member_flag(lua, 2, "markers_out", false);
    terms.enhanced = iw_lua_member_flag(lua, 2, "enhanced", false);
    terms.peer_to_peer = iw_lua_member_flag(lua, 2, "peer_to_peer", false);
    terms.crc = iw_lua_member_flag(lua, 2, "crc", terms.crc);
    terms.ird = (uint16_t)iw_lua_member_integer(lua, 2, "ird", terms.ird, 0, UINT16_MAX);
    terms.ord = (uint16_t)iw_lua_member_integer(lua, 2, "ord", terms.ord, 0, UINT16_MAX);
    terms.revision = (uint8_t)iw_lua_member_integer(lua, 2, "revision", terms.revision, 0, UINT8_MAX);
    iw_endpoint_full(connection->endpoint, &terms);
    return 0;
}

static int lua_emit_leave(lua_State *lua) {
    iw_endpoint_leave(iw_lua_connection_check(lua, 1)->endpoint);
    return 0;
}

static int lua_emit_enter(lua_State *lua) {
    iw_endpoint_await_startup(iw_lua_connection_check(lua, 1)->endpoint);
    return 0;
}

/* c:close(), or c:close{now=true}, which sends FIN before queued messages. */
static int lua_emit_close(lua_State *lua) {
    static const char *const options[] = {"now", NULL};
    const struct iw_emit fin = {.kind = IW_EMIT_CLOSE};
    enum iw_status status = IW_OK;
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);

    iw_lua_names_table(lua, 2);
    iw_lua_names_allow(lua, 2, options, "close");
    bool now = iw_lua_member_flag(lua, 2, "now", false);
    if (now)
        status = iw_endpoint_emit(connection->endpoint, &fin);
    else
        iw_endpoint_close(connection->endpoint);
    connection->shut = now ? "close{now=true}" : "close()";
    return iw_lua_failure_status(lua, status);
}

static int lua_emit_reset(lua_State *lua) {
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);

    iw_endpoint_reset(connection->endpoint);
    iw_lua_endpoint_end(connection);
    connection->shut = "reset()";
    return 0;
}

/* c:receives(count, octets): posts more receive buffers. */
static int lua_emit_receives(lua_State *lua) {
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    lua_Integer count = luaL_checkinteger(lua, 2), size = luaL_checkinteger(lua, 3);

    luaL_argcheck(lua, count >= 0 && count < UINT32_MAX, 2, "the count must be from 0 to 4294967294");
    luaL_argcheck(lua, size >= 0 && size <= UINT32_MAX, 3, "the size must be from 0 to 4294967295");
    return iw_lua_failure_status(
        lua, iw_endpoint_receives(connection->endpoint, (uint32_t)count, (uint32_t)size));
}

void iw_lua_emit_open(lua_State *lua) {
    static const luaL_Reg methods[] = {{"fpdu", lua_emit_fpdu}, {"terminate", lua_emit_terminate},
        {"request", lua_emit_request}, {"reply", lua_emit_reply}, {"octets", lua_emit_octets},
        {"full", lua_emit_full}, {"leave", lua_emit_leave}, {"enter", lua_emit_enter},
        {"close", lua_emit_close}, {"reset", lua_emit_reset}, {"receives", lua_emit_receives}, {NULL, NULL}};

    luaL_setfuncs(lua, methods, 0);
}
