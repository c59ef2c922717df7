#include "iw_lua_send.h"

#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "iw_lua_event.h"
#include "iw_lua_failure.h"
#include "iw_lua_region.h"

enum { BACKLOG_MAX = 4 << 20 }; /* octets and messages that may wait for TCP before the script does */

/* A message handed to the endpoint, with what shall be otherwise in its segments. */
struct iw_lua_post {
    struct iw_lua_post *next;
    uint64_t id;
    unsigned segments; /* written so far */
    struct iw_lua_override override;
};

static unsigned adjust(void *user, struct iw_emit *emit) {
    struct iw_lua_post *post = user;

    post->segments++;
    if (post->override.segment != 0 && post->override.segment != post->segments)
        return 1;
    iw_lua_override_fpdu(&post->override, emit);
    return post->override.times;
}

void iw_lua_send_done(struct iw_lua_connection *connection, uint64_t id) {
    struct iw_lua_post **link = &connection->posts;

    while (*link != NULL && (*link)->id != id)
        link = &(*link)->next;
    struct iw_lua_post *post = *link;
    if (post == NULL)
        return;
    *link = post->next;
    free(post);
}

void iw_lua_send_dispose(struct iw_lua_connection *connection) {
    while (connection->posts != NULL)
        iw_lua_send_done(connection, connection->posts->id);
}

/* ---- options ---- */

/* Leaves the options at index 2: the table there, or an empty one for none. */
static void take_options(lua_State *lua) {
    lua_settop(lua, 2);
    if (lua_isnil(lua, 2)) {
        lua_newtable(lua);
        lua_replace(lua, 2);
    }
    luaL_checktype(lua, 2, LUA_TTABLE);
}

static bool flag_option(lua_State *lua, const char *name) {
    lua_getfield(lua, 2, name);
    bool flag = lua_toboolean(lua, -1);
    lua_pop(lua, 1);
    return flag;
}

/* The octets of the option; the string stays in the table. */
static const char *octets_option(lua_State *lua, const char *name, size_t *length) {
    const char *octets = NULL;

    *length = 0;
    if (lua_getfield(lua, 2, name) != LUA_TNIL) {
        if (lua_type(lua, -1) != LUA_TSTRING)
            luaL_error(lua, "%s takes octets (a string)", name);
        octets = lua_tolstring(lua, -1, length);
    }
    lua_pop(lua, 1);
    return octets;
}

static bool is_tagged(lua_State *lua, uint8_t opcode) {
    bool tagged = opcode < IW_RDMAP_OP_COUNT && iw_opcodes[opcode].tagged;

    if (lua_getfield(lua, 2, "t") != LUA_TNIL)
        tagged = lua_isinteger(lua, -1) ? lua_tointeger(lua, -1) != 0 : lua_toboolean(lua, -1);
    lua_pop(lua, 1);
    return tagged;
}

static void read_override(lua_State *lua, const char *method, uint8_t opcode, const char *const *options,
    struct iw_lua_override *override) {
    struct iw_lua_layouts layouts;
    struct iw_lua_names names = {0};

    iw_lua_override_layouts(opcode, is_tagged(lua, opcode), &layouts);
    iw_lua_names_add(&names, options);
    iw_lua_override_add_names(&names);
    iw_lua_value_add_names(&layouts, &names);
    iw_lua_names_check(lua, 2, &names, method, false);
    iw_lua_override_read(lua, 2, &layouts, override);
}

static int environment(lua_State *lua, enum iw_status status) {
    if (status == IW_OK)
        return 0;
    return iw_lua_failure_raise(lua, IW_LUA_FAILURE_ENVIRONMENT,
        status == IW_ERR_NOMEM ? "not enough memory" : "the message cannot be sent", NULL, NULL);
}

/* ---- messages by the endpoint ---- */

static int await_room(lua_State *lua, int status, lua_KContext context) {
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_task *task = iw_scenario_task(connection->scenario);

    (void)status;
    if (connection->closed || iw_endpoint_backlog(connection->endpoint) <= BACKLOG_MAX) {
        iw_task_timeout(task, 0);
        return 0;
    }
    if (task->timed_out)
        return iw_lua_failure_raise(lua, IW_LUA_FAILURE_EXPECTATION, "the peer takes no more octets",
            "that it reads what is sent", "silence");
    return iw_task_wait(lua, &connection->room, context, await_room);
}

/* Adjusting costs a call for each segment, which most messages do not need. */
static bool changes_nothing(const struct iw_lua_override *override) {
    static const struct iw_lua_override none = {.times = 1};

    return override->values.count == 0 && override->times == 1 && !override->shortened &&
           override->split_count == 0 && memcmp(&override->parts, &none.parts, sizeof none.parts) == 0;
}

static int post(lua_State *lua, struct iw_lua_connection *connection, struct iw_post *post,
    const struct iw_lua_override *override) {
    post->id = ++connection->last_id;
    if (!changes_nothing(override)) {
        struct iw_lua_post *kept = calloc(1, sizeof *kept);
        if (kept == NULL)
            return environment(lua, IW_ERR_NOMEM);
        kept->id = post->id;
        kept->override = *override;
        kept->next = connection->posts;
        connection->posts = kept;
        post->adjust = adjust;
        post->adjust_user = kept;
    }
    enum iw_status status = iw_endpoint_post(connection->endpoint, post);
    if (status != IW_OK) {
        iw_lua_send_done(connection, post->id);
        return environment(lua, status);
    }
    iw_task_timeout(iw_task_current(lua), iw_task_timeout_option(lua, 2));
    return await_room(lua, LUA_OK, 0);
}

static const char *const data_option[] = {"data", NULL};

/* STag and TO are those of the message, not of each of its segments. */
static void take_address(struct iw_lua_override *override, struct iw_post *post) {
    uint64_t number;

    if (iw_lua_override_take(override, iw_field_ddp_tagged_stag, &number))
        post->stag = (uint32_t)number;
    iw_lua_override_take(override, iw_field_ddp_tagged_to, &post->to);
}

static void set_payload(lua_State *lua, const char *name, struct iw_post *post) {
    size_t length;

    post->payload = (const uint8_t *)octets_option(lua, name, &length);
    post->payload_octets = length;
}

static int send(lua_State *lua) {
    static const char *const options[] = {"data", "se", "invalidate", NULL};
    static const uint8_t opcodes[2][2] = {
        {IW_RDMAP_OP_SEND, IW_RDMAP_OP_SEND_INV}, {IW_RDMAP_OP_SEND_SE, IW_RDMAP_OP_SEND_SE_INV}};
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_lua_override override;
    struct iw_post message = {0};

    take_options(lua);
    bool invalidates = lua_getfield(lua, 2, "invalidate") != LUA_TNIL;
    message.invalidate_stag = invalidates ? (uint32_t)luaL_checkinteger(lua, -1) : 0;
    lua_pop(lua, 1);
    message.opcode = opcodes[flag_option(lua, "se")][invalidates];
    read_override(lua, "send", message.opcode, options, &override);
    set_payload(lua, "data", &message);
    return post(lua, connection, &message, &override);
}

static int write_message(lua_State *lua) {
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_post message = {.opcode = IW_RDMAP_OP_RDMA_WRITE};
    struct iw_lua_override override;

    take_options(lua);
    read_override(lua, "write", message.opcode, data_option, &override);
    take_address(&override, &message);
    set_payload(lua, "data", &message);
    return post(lua, connection, &message, &override);
}

static int read_message(lua_State *lua) {
    static const char *const options[] = {"region", NULL};
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_post message = {.opcode = IW_RDMAP_OP_READ_REQUEST};
    struct iw_lua_override override;
    uint64_t number;

    take_options(lua);
    read_override(lua, "read", message.opcode, options, &override);
    if (lua_getfield(lua, 2, "region") != LUA_TNIL) {
        const struct iw_region *region = iw_lua_region_check(lua, -1);
        message.read.sink_stag = region->stag;
        message.read.sink_to = region->base;
        message.read.size = (uint32_t)region->size;
    }
    if (iw_lua_override_take(&override, iw_field_read_request_sink_stag, &number))
        message.read.sink_stag = (uint32_t)number;
    if (iw_lua_override_take(&override, iw_field_read_request_size, &number))
        message.read.size = (uint32_t)number;
    if (iw_lua_override_take(&override, iw_field_read_request_source_stag, &number))
        message.read.source_stag = (uint32_t)number;
    iw_lua_override_take(&override, iw_field_read_request_sink_to, &message.read.sink_to);
    iw_lua_override_take(&override, iw_field_read_request_source_to, &message.read.source_to);
    return post(lua, connection, &message, &override);
}

/* The kind of message of the option `kind`, or else of the option opcode. */
static uint8_t kind_option(lua_State *lua, const char *method) {
    struct iw_lua_names kinds = {0};
    int opcode = -1;

    if (lua_getfield(lua, 2, "kind") == LUA_TNIL) {
        lua_getfield(lua, 2, "opcode");
        opcode = (int)luaL_optinteger(lua, -1, IW_RDMAP_OP_SEND) & 0xFF;
        lua_pop(lua, 2);
        return (uint8_t)opcode;
    }
    const char *kind = luaL_checkstring(lua, -1);
    opcode = iw_lua_event_opcode(kind);
    if (opcode < 0) {
        iw_lua_event_add_kinds(&kinds);
        const char *nearest = iw_lua_names_nearest(&kinds, kind);
        luaL_error(lua, "%s: '%s' is no message%s%s%s", method, kind,
            nearest == NULL ? "" : " (did you mean '", nearest == NULL ? "" : nearest,
            nearest == NULL ? "" : "'?)");
    }
    lua_pop(lua, 1);
    return (uint8_t)opcode;
}

/* c:message{kind=, ...}: any message, whatever its header. */
static int any_message(lua_State *lua) {
    static const char *const options[] = {"kind", "data", "payload", NULL};
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_lua_override override;
    struct iw_post message = {0};

    take_options(lua);
    message.opcode = kind_option(lua, "message");
    read_override(lua, "message", message.opcode, options, &override);
    take_address(&override, &message);
    set_payload(lua, "payload", &message);
    enum iw_layout_id header =
        message.opcode < IW_RDMAP_OP_COUNT ? iw_opcodes[message.opcode].header : IW_LAYOUT_NONE;
    if (message.payload == NULL && (header == IW_LAYOUT_NONE || iw_field_find(header, "data") == NULL))
        set_payload(lua, "data", &message);
    return post(lua, connection, &message, &override);
}

static int immediate(lua_State *lua) {
    static const char *const options[] = {"se", NULL};
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_lua_override override;
    struct iw_post message = {0};

    take_options(lua);
    message.opcode = flag_option(lua, "se") ? IW_RDMAP_OP_IMMEDIATE_SE : IW_RDMAP_OP_IMMEDIATE;
    read_override(lua, "immediate", message.opcode, options, &override);
    return post(lua, connection, &message, &override);
}

/* ---- at once ---- */

static int emit(
    lua_State *lua, struct iw_lua_connection *connection, const struct iw_emit *what, unsigned times) {
    enum iw_status status = IW_OK;

    for (unsigned i = 0; i < times && status == IW_OK && !connection->closed; i++)
        status = iw_endpoint_emit(connection->endpoint, what);
    return environment(lua, status);
}

static int fpdu(lua_State *lua) {
    static const char *const options[] = {"kind", "data", "payload", "header", "ulpdu", NULL};
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_lua_override override;
    struct iw_emit what;
    size_t length;

    take_options(lua);
    uint8_t opcode = kind_option(lua, "fpdu");
    read_override(lua, "fpdu", opcode, options, &override);
    iw_endpoint_prepare_fpdu(connection->endpoint, opcode, &what);
    const char *header = octets_option(lua, "header", &length);
    if (header != NULL) {
        if (length > IW_EMIT_HEADER_MAX)
            return luaL_error(lua, "header takes at most %d octets", (int)IW_EMIT_HEADER_MAX);
        memcpy(what.header, header, length);
        what.header_octets = length;
    }
    enum iw_layout_id layout = opcode < IW_RDMAP_OP_COUNT ? iw_opcodes[opcode].header : IW_LAYOUT_NONE;
    bool header_has_data = layout != IW_LAYOUT_NONE && iw_field_find(layout, "data") != NULL;
    what.payload =
        (const uint8_t *)octets_option(lua, header_has_data ? "payload" : "data", &what.payload_octets);
    iw_lua_override_fpdu(&override, &what);
    const char *ulpdu = octets_option(lua, "ulpdu", &length);
    if (ulpdu != NULL) {
        what.bare = true;
        what.header_octets = 0;
        what.payload = (const uint8_t *)ulpdu;
        what.payload_octets = length;
    }
    return emit(lua, connection, &what, override.times);
}

/* c:terminate{layer=, etype=, code=, ...}; what follows the header, from the DDP Segment Length on, is
 * `data`.
 */
static int terminate(lua_State *lua) {
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_lua_override override;
    struct iw_emit what;

    take_options(lua);
    read_override(lua, "terminate", IW_RDMAP_OP_TERMINATE, data_option, &override);
    iw_endpoint_prepare_fpdu(connection->endpoint, IW_RDMAP_OP_TERMINATE, &what);
    what.payload = (const uint8_t *)octets_option(lua, "data", &what.payload_octets);
    iw_lua_override_fpdu(&override, &what);
    return emit(lua, connection, &what, override.times);
}

static const uint8_t *key_of(enum iw_startup_key key) {
    return key == IW_STARTUP_REQUEST ? iw_startup_key_request : iw_startup_key_reply;
}

static int startup(lua_State *lua, const char *method, enum iw_startup_key key) {
    static const struct iw_lua_layouts layouts = {{iw_layout_mpa_startup, iw_layout_mpa_enhanced}, 2};
    static const char *const options[] = {"private_data", "enhanced", NULL};
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_lua_names names = {0};
    struct iw_lua_override override;
    struct iw_emit what;

    take_options(lua);
    iw_lua_names_add(&names, options);
    iw_lua_override_add_names(&names);
    iw_lua_value_add_names(&layouts, &names);
    iw_lua_names_check(lua, 2, &names, method, false);
    iw_lua_override_read(lua, 2, &layouts, &override);
    iw_endpoint_prepare_startup(connection->endpoint, &what);
    memcpy(what.startup.key, key_of(key), sizeof what.startup.key);
    if (lua_getfield(lua, 2, "enhanced") != LUA_TNIL) {
        what.enhanced = lua_toboolean(lua, -1);
        what.startup.s = what.enhanced;
        if (what.enhanced && what.startup.rev < 2)
            what.startup.rev = 2;
    }
    size_t length;
    const char *data = octets_option(lua, "private_data", &length);
    if (data != NULL) {
        what.payload = (const uint8_t *)data;
        what.payload_octets = length;
    }
    what.startup.pd_length =
        (uint16_t)(what.payload_octets + (what.enhanced ? (size_t)iw_mpa_enhanced_octets : 0));
    iw_lua_override_startup(&override, &what);
    return emit(lua, connection, &what, override.times);
}

static int request(lua_State *lua) {
    return startup(lua, "request", IW_STARTUP_REQUEST);
}

static int reply(lua_State *lua) {
    return startup(lua, "reply", IW_STARTUP_REPLY);
}

/* c:octets(octets, {split={...}}): each part of the split is a TCP segment of its own. */
static int octets(lua_State *lua) {
    static const char *const options[] = {"cut", "split", NULL};
    static const struct iw_lua_layouts none = {.count = 0};
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    size_t length, done = 0;
    const char *text = luaL_checklstring(lua, 2, &length);
    struct iw_lua_override override = {0};
    enum iw_status status = IW_OK;

    if (!lua_isnoneornil(lua, 3)) {
        struct iw_lua_names names = {0};
        luaL_checktype(lua, 3, LUA_TTABLE);
        iw_lua_names_add(&names, options);
        iw_lua_names_check(lua, 3, &names, "octets", false);
        iw_lua_override_read(lua, 3, &none, &override);
        if (override.shortened && override.cut < length)
            length = override.cut;
    }
    for (size_t i = 0; done < length && status == IW_OK && !connection->closed; i++) {
        size_t part = length - done;
        if (i < override.split_count && override.split[i] < part)
            part = override.split[i];
        status = iw_endpoint_octets(connection->endpoint, (const uint8_t *)text + done, part);
        done += part;
    }
    return environment(lua, status);
}

/* ---- phases ---- */

static int full(lua_State *lua) {
    static const char *const options[] = {
        "markers_in", "markers_out", "crc", "enhanced", "peer_to_peer", "ird", "ord", "revision", NULL};
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_lua_names names = {0};

    if (lua_isnoneornil(lua, 2)) {
        iw_endpoint_full(connection->endpoint, NULL);
        return 0;
    }
    take_options(lua);
    iw_lua_names_add(&names, options);
    iw_lua_names_check(lua, 2, &names, "full", false);
    struct iw_terms terms = {.crc = true, .ird = 8, .ord = 8, .revision = 1};
    terms.markers_in = flag_option(lua, "markers_in");
    terms.markers_out = flag_option(lua, "markers_out");
    terms.enhanced = flag_option(lua, "enhanced");
    terms.peer_to_peer = flag_option(lua, "peer_to_peer");
    if (lua_getfield(lua, 2, "crc") != LUA_TNIL)
        terms.crc = lua_toboolean(lua, -1);
    lua_getfield(lua, 2, "ird");
    terms.ird = (uint16_t)luaL_optinteger(lua, -1, terms.ird);
    lua_getfield(lua, 2, "ord");
    terms.ord = (uint16_t)luaL_optinteger(lua, -1, terms.ord);
    lua_getfield(lua, 2, "revision");
    terms.revision = (uint8_t)luaL_optinteger(lua, -1, terms.revision);
    iw_endpoint_full(connection->endpoint, &terms);
    return 0;
}

static int leave(lua_State *lua) {
    iw_endpoint_leave(iw_lua_connection_check(lua, 1)->endpoint);
    return 0;
}

static int close_connection(lua_State *lua) {
    iw_endpoint_close(iw_lua_connection_check(lua, 1)->endpoint);
    return 0;
}

static int reset(lua_State *lua) {
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);

    iw_endpoint_reset(connection->endpoint);
    iw_lua_connection_end(connection);
    return 0;
}

/* c:receives(count, octets): that many receive buffers more. */
static int receives(lua_State *lua) {
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    lua_Integer count = luaL_checkinteger(lua, 2), size = luaL_checkinteger(lua, 3);

    luaL_argcheck(lua, count >= 0 && count < UINT32_MAX, 2, "not that many");
    luaL_argcheck(lua, size >= 0 && size <= UINT32_MAX, 3, "not that large");
    return environment(lua, iw_endpoint_receives(connection->endpoint, (uint32_t)count, (uint32_t)size));
}

void iw_lua_send_open(lua_State *lua) {
    static const luaL_Reg methods[] = {{"send", send}, {"write", write_message}, {"read", read_message},
        {"immediate", immediate}, {"message", any_message}, {"fpdu", fpdu}, {"terminate", terminate},
        {"request", request}, {"reply", reply}, {"octets", octets}, {"full", full}, {"leave", leave},
        {"close", close_connection}, {"reset", reset}, {"receives", receives}, {NULL, NULL}};

    luaL_setfuncs(lua, methods, 0);
}
