#include "iw_lua_association.h"

#include <string.h>

#include "iw_lua_failure.h"
#include "iw_lua_member.h"
#include "iw_lua_value.h"
#include "iw_name.h"

enum { OCTETS_MAX = 65536 }; /* octets of one message of user data */

static const struct iw_lua_layouts enhanced_layouts = {{iw_layout_mpa_enhanced}, 1};

struct chunk {
    uint16_t stream;
    bool ordered;
    uint32_t ppid;
    uint8_t octets[OCTETS_MAX];
    size_t length;
};

static void lua_chunk_put(lua_State *lua, struct chunk *chunk, const void *octets, size_t length) {
    if (length > OCTETS_MAX - chunk->length)
        luaL_error(lua, "more octets than a chunk can have");
    if (length > 0)
        memcpy(chunk->octets + chunk->length, octets, length);
    chunk->length += length;
}

/* Writes the option ssn. By default, it is the stream's next DDP-SSN, which is incremented if used. */
static void association_send_chunk_put_ssn(
    lua_State *lua, struct chunk *chunk, struct iw_ddp_association *association) {
    uint16_t next = iw_ddp_association_ssn(association, chunk->stream);
    struct iw_sctp_segment header = {
        .ssn = (uint16_t)iw_lua_member_integer(lua, 2, "ssn", next, 0, UINT16_MAX)};
    uint8_t octets[iw_sctp_segment_octets];

    if (header.ssn == next)
        iw_ddp_association_set_ssn(association, chunk->stream, (uint16_t)(next + 1));
    iw_sctp_segment_encode(&header, octets);
    lua_chunk_put(lua, chunk, octets, sizeof octets);
}

static void association_send_chunk_read_options(lua_State *lua, struct chunk *chunk, uint32_t ppid) {
    chunk->stream = (uint16_t)iw_lua_member_integer(lua, 2, "stream", 0, 0, UINT16_MAX);
    chunk->ordered = iw_lua_member_flag(lua, 2, "ordered", false);
    chunk->ppid = (uint32_t)iw_lua_member_integer(lua, 2, "ppid", ppid, 0, UINT32_MAX);
    chunk->length = 0;
}

static int chunk_send(
    lua_State *lua, const char *method, struct iw_lua_association *association, const struct chunk *chunk) {
    struct iw_sctp_link *link = iw_ddp_association_link(association->association);

    iw_lua_association_check_stream(lua, association, method, chunk->stream);
    enum iw_status status =
        iw_sctp_link_send(link, chunk->stream, chunk->ppid, chunk->ordered, chunk->octets, chunk->length);
    if (status == IW_ERR_ARGUMENT)
        return luaL_error(lua, "%s: a message needs at least one octet", method);
    return iw_lua_failure_status(lua, status);
}

static unsigned association_send_kind_option(lua_State *lua) {
    int exact = 1;
    lua_Integer function = -1;

    if (lua_getfield(lua, 2, "kind") == LUA_TNUMBER)
        function = lua_tointegerx(lua, -1, &exact);
    else if (lua_type(lua, -1) == LUA_TSTRING)
        function = iw_lua_association_event_function(lua_tostring(lua, -1));
    if (!exact || function < 0 || function > UINT16_MAX)
        luaL_error(lua,
            "a:control: kind takes \"initiate\", \"accept\", \"reject\", \"terminate\", "
            "\"enhanced_initiate\", "
            "\"enhanced_accept\", \"enhanced_reject\" or a Function Code, not %s",
            luaL_tolstring(lua, -1, NULL));
    lua_pop(lua, 1);
    return (unsigned)function;
}

static int send_control(lua_State *lua) {
    static const char *const options[] = {
        "stream", "kind", "ssn", "ordered", "ppid", "enhanced", "private_data", NULL};
    struct iw_lua_association *association = iw_lua_association_check_open(lua, 1);
    struct iw_lua_values values = {0};
    struct iw_lua_names names = {0};
    uint8_t enhanced[iw_mpa_enhanced_octets] = {0};
    struct chunk chunk;
    size_t length;

    iw_lua_names_table(lua, 2);
    iw_lua_names_add(&names, options);
    iw_lua_value_add_names(&enhanced_layouts, &names);
    iw_lua_names_check(lua, 2, &names, "a:control", false);
    unsigned function = association_send_kind_option(lua);
    association_send_chunk_read_options(lua, &chunk, IW_SCTP_PPID_CONTROL);
    iw_lua_value_read(lua, 2, &enhanced_layouts, &values);
    iw_lua_value_put(&values, iw_layout_mpa_enhanced, enhanced);
    if (function == IW_SCTP_INITIATE || function == IW_SCTP_ENHANCED_INITIATE)
        iw_ddp_association_set_ssn(association->association, chunk.stream, 0); /* RFC 5043 6.1 */
    association_send_chunk_put_ssn(lua, &chunk, association->association);
    lua_chunk_put(lua, &chunk, (const uint8_t[]){(uint8_t)(function >> 8), (uint8_t)function}, 2);
    bool has_data = function >= IW_SCTP_ENHANCED_INITIATE && function <= IW_SCTP_ENHANCED_REJECT;
    if (iw_lua_member_flag(lua, 2, "enhanced", has_data))
        lua_chunk_put(lua, &chunk, enhanced, sizeof enhanced);
    const char *private_data = iw_lua_member_octets(lua, 2, "private_data", &length);
    lua_chunk_put(lua, &chunk, private_data, length);
    return chunk_send(lua, "a:control", association, &chunk);
}

static int send_data(lua_State *lua) {
    static const char *const options[] = {"stream", "ssn", "ordered", "ppid", "octets", NULL};
    struct iw_lua_association *association = iw_lua_association_check_open(lua, 1);
    struct chunk chunk;
    size_t length;

    iw_lua_names_table(lua, 2);
    iw_lua_names_allow(lua, 2, options, "a:data");
    association_send_chunk_read_options(lua, &chunk, IW_SCTP_PPID_SEGMENT);
    bool bare = lua_getfield(lua, 2, "ssn") == LUA_TBOOLEAN && !lua_toboolean(lua, -1);
    lua_pop(lua, 1);
    if (!bare)
        association_send_chunk_put_ssn(lua, &chunk, association->association);
    const char *octets = iw_lua_member_octets(lua, 2, "octets", &length);
    lua_chunk_put(lua, &chunk, octets, length);
    return chunk_send(lua, "a:data", association, &chunk);
}

static struct iw_sctp_link *association_send_check_open_link(lua_State *lua) {
    return iw_ddp_association_link(iw_lua_association_check_open(lua, 1)->association);
}

static int association_inject(lua_State *lua) {
    struct iw_sctp_link *link = association_send_check_open_link(lua);
    size_t length;
    const char *chunks = luaL_checklstring(lua, 2, &length);

    luaL_argcheck(lua, length > 0 && length % 4 == 0, 2, "chunks are multiples of four octets");
    if (iw_sctp_link_inject(link, (const uint8_t *)chunks, length) == IW_ERR_ARGUMENT)
        return luaL_argerror(lua, 2, "more octets than fit into a packet");
    return 0;
}

static int association_next_tsn(lua_State *lua) {
    lua_pushinteger(lua, iw_sctp_link_next_tsn(association_send_check_open_link(lua)));
    return 1;
}

static int association_ahead(lua_State *lua) {
    lua_pushinteger(lua, iw_sctp_link_ahead(association_send_check_open_link(lua)));
    return 1;
}

static int association_hold(lua_State *lua) {
    struct iw_sctp_link *link = association_send_check_open_link(lua);

    luaL_checktype(lua, 2, LUA_TBOOLEAN);
    iw_sctp_link_hold(link, lua_toboolean(lua, 2));
    return 0;
}

static int association_close(lua_State *lua) {
    struct iw_lua_association *association = iw_lua_association_check(lua, 1);

    if (association->open && !association->over)
        iw_ddp_association_close(association->association);
    return 0;
}

static int association_abort(lua_State *lua) {
    struct iw_lua_association *association = iw_lua_association_check(lua, 1);

    if (association->association != NULL && !association->over)
        iw_ddp_association_abort(association->association);
    return 0;
}

void iw_lua_association_send_open(lua_State *lua) {
    static const luaL_Reg methods[] = {{"control", send_control}, {"data", send_data},
        {"inject", association_inject}, {"next_tsn", association_next_tsn}, {"hold", association_hold},
        {"ahead", association_ahead}, {"close", association_close}, {"abort", association_abort},
        {NULL, NULL}};

    luaL_setfuncs(lua, methods, 0);
}
