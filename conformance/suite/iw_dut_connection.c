#include "iw_dut_state.h"

#include "iw_lua_failure.h"

/* Methods of `dut` that connect to the device. */

int iw_dut_return(lua_State *lua, int status, lua_KContext context) {
    (void)lua;
    (void)status;
    (void)context;
    return 1;
}

void iw_dut_push_call(lua_State *lua, const char *function) {
    lua_settop(lua, 2);
    lua_getglobal(lua, function);
    iw_lua_member_copy(lua, 2);
}

static void dut_connection_set_address(lua_State *lua, const char *host, uint16_t port) {
    iw_lua_member_set_string(lua, "host", host);
    iw_lua_member_set_integer(lua, "port", port);
}

/* Like iw_dut_push_call; also sets the options `host` and `port` to the address of the device. */
static void dut_connection_push_tcp_call(lua_State *lua, const char *function) {
    const struct iw_dut *dut = iw_dut_self(lua);

    iw_dut_push_call(lua, function);
    dut_connection_set_address(lua, dut->config.target.host, dut->port);
}

/* Pauses for the profile's `settle` time, if any: the device may need it before it accepts FPDUs. */
static int dut_connection_settle(lua_State *lua, int status, lua_KContext context) {
    const struct iw_dut *dut = iw_dut_self(lua);
    const struct iw_profile *profile = dut->config.profile;

    (void)status;
    (void)context;
    if (!profile || profile->settle_ms == 0)
        return 1;
    lua_getglobal(lua, "pause");
    lua_pushnumber(lua, profile->settle_ms / 1000.0);
    lua_callk(lua, 1, 0, 0, iw_dut_return);
    return 1;
}

static void dut_connection_set_default(lua_State *lua, const char *name, lua_Integer value) {
    if (lua_getfield(lua, 4, name) == LUA_TNIL) {
        lua_pushinteger(lua, value);
        lua_setfield(lua, 4, name);
    }
    lua_settop(lua, 4);
}

/* dut:connect. Defaults: revision 1, or 2 if the device prefers it or does not claim revision 1; an IRD of at
 * least the ORD that the device claims, because a responder may reject a lower IRD (RFC 6581 9.1). */
static int dut_connection_connect(lua_State *lua) {
    const struct iw_profile *profile = iw_dut_self(lua)->config.profile;

    dut_connection_push_tcp_call(lua, "connect");
    if (profile && (profile->revision == 2 || !(profile->revisions & IW_PROFILE_REVISION_1)))
        dut_connection_set_default(lua, "rev", 2);
    if (profile && profile->ord > IW_ENDPOINT_DEPTH)
        dut_connection_set_default(lua, "ird", profile->ord);
    lua_callk(lua, 1, 1, 0, dut_connection_settle);
    return dut_connection_settle(lua, LUA_OK, 0);
}

static int dut_connection_tcp_to_device(lua_State *lua) {
    dut_connection_push_tcp_call(lua, "tcp");
    lua_callk(lua, 1, 1, 0, iw_dut_return);
    return 1;
}

static void dut_connection_set_sctp_address(lua_State *lua, const struct iw_sctp_where *where) {
    dut_connection_set_address(lua, where->host, where->port);
    if (where->tunnelled)
        iw_lua_member_set_integer(lua, "tunnel", where->tunnel);
}

void iw_dut_push_sctp(lua_State *lua, const struct iw_dut *dut) {
    if (!dut->sctp.host) {
        lua_pushnil(lua);
        return;
    }
    lua_createtable(lua, 0, 3);
    dut_connection_set_sctp_address(lua, &dut->sctp);
}

struct iw_dut *iw_dut_with_sctp(lua_State *lua) {
    struct iw_dut *dut = iw_dut_self(lua);

    if (!dut->sctp.host)
        iw_lua_failure_raise(lua, IW_SCENARIO_UNSUPPORTED,
            "the device's SCTP address is unknown: neither --sctp nor its agent names it", NULL, NULL);
    return dut;
}

static int dut_connection_associate_with_device(lua_State *lua) {
    const struct iw_dut *dut = iw_dut_with_sctp(lua);

    iw_dut_push_call(lua, "associate");
    dut_connection_set_sctp_address(lua, &dut->sctp);
    lua_callk(lua, 1, 1, 0, iw_dut_return);
    return 1;
}

const luaL_Reg iw_dut_connection_methods[] = {{"connect", dut_connection_connect},
    {"tcp", dut_connection_tcp_to_device}, {"associate", dut_connection_associate_with_device}, {NULL, NULL}};
