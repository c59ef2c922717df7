#include "iw_lua_connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_lua_failure.h"
#include "iw_lua_member.h"
#include "iw_lua_event.h"
#include "iw_name.h"

enum { BACKLOG_MAX = 4 << 20 }; /* limit of iw_endpoint_backlog: above it the script waits */

/* A message posted to the endpoint, with changes to its segments. */
struct iw_lua_post {
    struct iw_lua_post *next;
    const struct iw_lua_connection *connection;
    uint64_t id;
    unsigned segments; /* written so far */
    unsigned missing;  /* changes without effect so far; see iw_lua_effect_wanted */
    struct iw_result place;
    struct iw_lua_override override;
};

static unsigned lua_send_adjust_segment(void *user, struct iw_emit *emit) {
    struct iw_lua_post *post = user;

    post->segments++;
    if (post->override.segment != 0 && post->override.segment != post->segments)
        return 1;
    iw_lua_override_fpdu(&post->override, emit);
    if (post->missing != 0)
        post->missing &= ~iw_lua_effect_found(post->connection, &post->override, emit);
    return post->override.times;
}

/* Reports a script mistake if an option of the message has changed no segment. */
static void lua_send_check_changes(const struct iw_lua_post *post) {
    struct iw_scenario *scenario = post->connection->scenario;
    char text[64];

    if (post->override.segment > post->segments) {
        snprintf(
            text, sizeof text, "segment = %u: the message has %u", post->override.segment, post->segments);
        iw_scenario_mistake(scenario, &post->place, text);
    } else if (post->missing != 0) {
        iw_scenario_mistake(scenario, &post->place, iw_lua_effect_text(post->missing));
    }
}

/* Posts are sent in order, so the post is usually the first; but a later post may be flushed earlier. */
void iw_lua_send_done(struct iw_lua_connection *connection, uint64_t id, bool sent) {
    struct iw_lua_post **link = &connection->posts.first;

    while (*link != NULL && (*link)->id < id)
        link = &(*link)->next;
    struct iw_lua_post *post = *link;
    if (post == NULL || post->id != id)
        return;
    *link = post->next;
    if (post->next == NULL)
        connection->posts.last = link;
    if (sent)
        lua_send_check_changes(post);
    iw_result_dispose(&post->place);
    free(post);
}

void iw_lua_send_dispose(struct iw_lua_connection *connection) {
    while (connection->posts.first != NULL)
        iw_lua_send_done(connection, connection->posts.first->id, false);
}

static int await_send_capacity(lua_State *lua, int status, lua_KContext context) {
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_task *task = iw_scenario_task(connection->scenario);

    (void)status;
    if (connection->inbox.queue.closed || iw_endpoint_backlog(connection->endpoint) <= BACKLOG_MAX) {
        iw_task_timeout(task, 0);
        return 0;
    }
    if (task->timed_out)
        return iw_lua_failure_raise(
            lua, IW_SCENARIO_FAILED, "the peer accepts no further octets", "a peer that reads", "silence");
    return iw_task_wait(lua, &connection->posts.progress, context, await_send_capacity);
}

/* Whether the post needs no adjust callback, which costs a call per segment. */
static bool lua_send_changes_nothing(const struct iw_lua_override *override) {
    static const struct iw_lua_override none = {.times = 1};

    return override->values.count == 0 && override->segment == 0 && override->times == 1 &&
           !override->shortened && override->split_count == 0 && !override->merge &&
           memcmp(&override->parts, &none.parts, sizeof none.parts) == 0;
}

/* Posts the message with the changes of `override`; waits while too much is queued for TCP. A method must
 * return its result; the connection must be at index 1, the options at index 2. */
static int send_post(lua_State *lua, struct iw_lua_connection *connection, struct iw_post *post,
    const struct iw_lua_override *override) {
    iw_lua_connection_need_open(lua, connection);
    post->id = ++connection->posts.last_id;
    if (!lua_send_changes_nothing(override)) {
        struct iw_lua_post *kept = calloc(1, sizeof *kept);
        if (kept == NULL) {
            connection->posts.last_id--;
            return iw_lua_failure_status(lua, IW_ERR_NOMEM);
        }
        kept->connection = connection;
        kept->id = post->id;
        kept->missing = iw_lua_effect_wanted(override);
        kept->override = *override;
        iw_scenario_place(lua, &kept->place);
        *connection->posts.last = kept;
        connection->posts.last = &kept->next;
        post->adjust = lua_send_adjust_segment;
        post->adjust_user = kept;
    }
    enum iw_status status = iw_endpoint_post(connection->endpoint, post);
    if (status != IW_OK) {
        iw_lua_send_done(connection, connection->posts.last_id--, false);
        return iw_lua_failure_status(lua, status);
    }
    if (iw_endpoint_backlog(connection->endpoint) <= BACKLOG_MAX)
        return 0;
    iw_task_timeout(iw_task_current(lua), iw_task_timeout_option(lua, 2));
    return await_send_capacity(lua, LUA_OK, 0);
}

static const char *const data_option[] = {"data", NULL};

/* STag and TO belong to the message, not to each of its segments. */
static void lua_send_post_take_address(struct iw_lua_override *override, struct iw_post *post) {
    post->stag = (uint32_t)iw_lua_override_take(override, iw_field_ddp_tagged_stag, 0);
    post->to = iw_lua_override_take(override, iw_field_ddp_tagged_to, 0);
}

static void send_payload(lua_State *lua, const char *name, struct iw_post *post) {
    post->payload = (const uint8_t *)iw_lua_member_octets(lua, 2, name, &post->payload_octets);
}

static int send_message(lua_State *lua) {
    static const char *const options[] = {"data", "se", "invalidate", NULL};
    static const uint8_t opcodes[2][2] = {
        {IW_RDMAP_OP_SEND, IW_RDMAP_OP_SEND_INV}, {IW_RDMAP_OP_SEND_SE, IW_RDMAP_OP_SEND_SE_INV}};
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_lua_override override;
    struct iw_post message = {0};

    iw_lua_names_table(lua, 2);
    bool invalidates = lua_getfield(lua, 2, "invalidate") != LUA_TNIL;
    lua_pop(lua, 1);
    message.invalidate_stag = (uint32_t)iw_lua_member_integer(lua, 2, "invalidate", 0, 0, UINT32_MAX);
    message.opcode = opcodes[iw_lua_member_flag(lua, 2, "se", false)][invalidates];
    iw_lua_override_message(lua, "send", message.opcode, options, &override);
    send_payload(lua, "data", &message);
    return send_post(lua, connection, &message, &override);
}

static int send_write(lua_State *lua) {
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_post message = {.opcode = IW_RDMAP_OP_RDMA_WRITE};
    struct iw_lua_override override;

    iw_lua_names_table(lua, 2);
    iw_lua_override_message(lua, "write", message.opcode, data_option, &override);
    iw_lua_override_needs_stag(lua, "write", &override, &iw_fields[iw_field_ddp_tagged_stag]);
    lua_send_post_take_address(&override, &message);
    send_payload(lua, "data", &message);
    return send_post(lua, connection, &message, &override);
}

static int send_read(lua_State *lua) {
    static const char *const options[] = {"region", NULL};
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_post message = {.opcode = IW_RDMAP_OP_READ_REQUEST};
    struct iw_read_request *read = &message.read;
    struct iw_lua_override override;

    iw_lua_names_table(lua, 2);
    iw_lua_override_message(lua, "read", message.opcode, options, &override);
    if (lua_getfield(lua, 2, "region") != LUA_TNIL) {
        const struct iw_region *region = iw_lua_region_option(lua, "region");
        read->sink_stag = region->stag;
        read->sink_to = region->base;
        read->size = (uint32_t)region->size;
    } else if (iw_lua_value_find(&override.values, &iw_fields[iw_field_read_request_sink_stag]) == NULL) {
        luaL_error(lua, "read needs region, or sink_stag: where the answer is placed");
    }
    iw_lua_override_needs_stag(lua, "read", &override, &iw_fields[iw_field_read_request_source_stag]);
    read->sink_stag =
        (uint32_t)iw_lua_override_take(&override, iw_field_read_request_sink_stag, read->sink_stag);
    read->sink_to = iw_lua_override_take(&override, iw_field_read_request_sink_to, read->sink_to);
    read->size = (uint32_t)iw_lua_override_take(&override, iw_field_read_request_size, read->size);
    read->source_stag = (uint32_t)iw_lua_override_take(&override, iw_field_read_request_source_stag, 0);
    read->source_to = iw_lua_override_take(&override, iw_field_read_request_source_to, 0);
    return send_post(lua, connection, &message, &override);
}

/* c:message{kind=, ...}: any message, whatever its header. */
static int lua_send_any_message(lua_State *lua) {
    static const char *const options[] = {"kind", "data", "payload", NULL};
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_lua_override override;
    struct iw_post message = {0};

    iw_lua_names_table(lua, 2);
    message.opcode = iw_lua_event_opcode(lua, "message");
    iw_lua_override_message(lua, "message", message.opcode, options, &override);
    lua_send_post_take_address(&override, &message);
    send_payload(lua, "payload", &message);
    enum iw_layout_id header =
        message.opcode < IW_RDMAP_OP_COUNT ? iw_opcodes[message.opcode].header : IW_LAYOUT_NONE;
    if (header == IW_LAYOUT_NONE || iw_field_find(header, "data") == NULL) {
        if (message.payload == NULL)
            send_payload(lua, "data", &message);
        else if (lua_getfield(lua, 2, "data") != LUA_TNIL)
            luaL_error(lua, "message: data and payload are the same here");
    }
    return send_post(lua, connection, &message, &override);
}

static int send_immediate(lua_State *lua) {
    static const char *const options[] = {"se", NULL};
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_lua_override override;
    struct iw_post message = {0};

    iw_lua_names_table(lua, 2);
    message.opcode =
        iw_lua_member_flag(lua, 2, "se", false) ? IW_RDMAP_OP_IMMEDIATE_SE : IW_RDMAP_OP_IMMEDIATE;
    iw_lua_override_message(lua, "immediate", message.opcode, options, &override);
    return send_post(lua, connection, &message, &override);
}

/* A method that posts a request of RFC 7306 or draft-talpey-rdma-commit-01. It builds the header from its own
 * options; header fields that the script sets by name take precedence. */
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

/* Sets P, to ask for persistence, unless the script gives G. */
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
        send_payload(lua, "hash", &message);
    return send_post(lua, connection, &message, &override);
}

/* Waits until all posts are sent; with `complete`, until all requests are answered, too. */
static int lua_send_await_posts(lua_State *lua, int status, lua_KContext complete) {
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_task *task = iw_task_current(lua);
    bool closed = complete && connection->inbox.queue.closed;
    size_t queued = iw_port_queued(iw_endpoint_port(connection->endpoint));
    bool done = complete ? connection->posts.completed == connection->posts.last_id
                         : iw_endpoint_backlog(connection->endpoint) == queued;

    (void)status;
    if (!done && !closed && !task->timed_out)
        return iw_task_wait(lua, &connection->posts.progress, complete, lua_send_await_posts);
    iw_task_timeout(task, 0);
    if (done)
        return 0;
    return iw_lua_failure_raise(lua, IW_SCENARIO_FAILED,
        complete ? "messages left to complete" : "messages left to send",
        complete ? "all messages sent, and requests answered" : "all messages sent",
        closed ? "close" : "silence");
}

static int lua_send_begin_wait(lua_State *lua, const char *method, bool complete) {
    iw_lua_connection_check(lua, 1);
    iw_task_begin_wait(lua, method);
    return lua_send_await_posts(lua, LUA_OK, complete);
}

/* c:sent{timeout=}: waits until all posted messages are handed to TCP, or are flushed. */
static int lua_sent(lua_State *lua) {
    return lua_send_begin_wait(lua, "sent", false);
}

/* c:complete{timeout=}: waits until all posted messages are sent and all requests are answered, in order. */
static int lua_complete(lua_State *lua) {
    return lua_send_begin_wait(lua, "complete", true);
}

void iw_lua_send_open(lua_State *lua) {
    static const luaL_Reg methods[] = {{"send", send_message}, {"write", send_write}, {"read", send_read},
        {"immediate", send_immediate}, {"message", lua_send_any_message}, {"sent", lua_sent},
        {"complete", lua_complete}, {NULL, NULL}};

    luaL_setfuncs(lua, methods, 0);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        lua_pushlightuserdata(lua, (void *)(uintptr_t)&requests[i]);
        lua_pushcclosure(lua, post_request, 1);
        lua_setfield(lua, -2, requests[i].method);
    }
}
