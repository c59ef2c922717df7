
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_lua_connection.h"
#include "iw_lua_event.h"
#include "iw_lua_member.h"

enum { MESSAGE_MAX = 64 << 20 }; /* octets of a reassembled message */

struct delivery {
    struct iw_lua_connection *connection;
    struct iw_lua_message message; /* only `event` is set if the event is not a message */
};

void iw_lua_inbox_init(lua_State *lua, struct iw_lua_connection *connection) {
    connection->inbox.facts = LUA_NOREF;
    for (size_t i = 0; i < IW_QN_COUNT; i++)
        iw_assembly_init(&connection->inbox.assembly[i], MESSAGE_MAX);
    iw_lua_queue_init(lua, &connection->inbox.queue, "the peer");
    lua_newtable(lua);
    connection->inbox.facts = luaL_ref(lua, LUA_REGISTRYINDEX);
}

void iw_lua_inbox_dispose(struct iw_lua_connection *connection) {
    lua_State *lua = iw_script_lua(iw_scenario_config(connection->scenario)->script);

    for (size_t i = 0; i < IW_QN_COUNT; i++)
        iw_assembly_dispose(&connection->inbox.assembly[i]);
    free(connection->inbox.tagged.octets);
    iw_lua_queue_dispose(lua, &connection->inbox.queue);
    luaL_unref(lua, LUA_REGISTRYINDEX, connection->inbox.facts);
}

static void inbox_set_fact(lua_State *lua, struct iw_lua_connection *connection, const char *name) {
    lua_rawgeti(lua, LUA_REGISTRYINDEX, connection->inbox.facts);
    lua_insert(lua, -2);
    lua_setfield(lua, -2, name);
    lua_pop(lua, 1);
}

static int inbox_deliver_startup(lua_State *lua) {
    struct delivery *delivery = lua_touserdata(lua, 1);
    struct iw_lua_connection *connection = delivery->connection;
    enum iw_startup_key key = delivery->message.event->startup->key;

    iw_lua_event_push_startup(lua, delivery->message.event);
    if (key != IW_STARTUP_UNKNOWN) {
        lua_pushvalue(lua, -1);
        inbox_set_fact(lua, connection, "startup");
    }
    /* After an automatic startup the script gets no event; the frame is in c.startup. */
    if (!connection->automatic)
        iw_lua_queue_put(lua, &connection->inbox.queue);
    return 0;
}

static int inbox_deliver_terms(lua_State *lua) {
    struct delivery *delivery = lua_touserdata(lua, 1);
    const struct iw_terms *terms = delivery->message.event->terms;

    lua_createtable(lua, 0, 8);
    iw_lua_member_set_boolean(lua, "markers_out", terms->markers_out);
    iw_lua_member_set_boolean(lua, "markers_in", terms->markers_in);
    iw_lua_member_set_boolean(lua, "crc", terms->crc);
    iw_lua_member_set_boolean(lua, "enhanced", terms->enhanced);
    iw_lua_member_set_boolean(lua, "peer_to_peer", terms->peer_to_peer);
    iw_lua_member_set_integer(lua, "revision", terms->revision);
    iw_lua_member_set_integer(lua, "ird", terms->ird);
    iw_lua_member_set_integer(lua, "ord", terms->ord);
    inbox_set_fact(lua, delivery->connection, "terms");
    return 0;
}

static int inbox_deliver_message(lua_State *lua) {
    struct delivery *delivery = lua_touserdata(lua, 1);

    iw_lua_event_push_message(lua, &delivery->message);
    iw_lua_queue_put(lua, &delivery->connection->inbox.queue);
    return 0;
}

static int inbox_deliver_other(lua_State *lua) {
    struct delivery *delivery = lua_touserdata(lua, 1);

    if (delivery->message.event->kind == IW_EVENT_CLOSED)
        iw_lua_event_push_close(lua, delivery->message.event);
    else
        iw_lua_event_push_octets(lua, delivery->message.event);
    iw_lua_queue_put(lua, &delivery->connection->inbox.queue);
    return 0;
}

/* Drops the RTR from the queue: it belongs to the startup, so the script must not see it. */
static int inbox_drop_last(lua_State *lua) {
    struct delivery *delivery = lua_touserdata(lua, 1);

    iw_lua_queue_drop_last(lua, &delivery->connection->inbox.queue);
    return 0;
}

static void inbox_deliver(
    struct iw_lua_connection *connection, lua_CFunction how, struct iw_lua_message message) {
    struct delivery delivery = {connection, message};

    iw_scenario_call(connection->scenario, how, &delivery);
}

static void inbox_deliver_event(
    struct iw_lua_connection *connection, lua_CFunction how, const struct iw_event *event) {
    inbox_deliver(connection, how, (struct iw_lua_message){.event = event});
}

static void inbox_deliver_segment(struct iw_lua_connection *connection, const struct iw_event *event) {
    const struct iw_segment *segment = event->segment;

    inbox_deliver(connection, inbox_deliver_message,
        (struct iw_lua_message){event, segment->payload, segment->payload_captured, 1, segment->to});
}

/* Appends the payload. If it is longer than MESSAGE_MAX or memory runs out, the whole payload is lost. */
static void inbox_keep_tagged(struct iw_lua_tagged *tagged, const struct iw_segment *segment) {
    size_t at = tagged->length;

    tagged->length += segment->payload_captured;
    tagged->lost = tagged->lost || tagged->length > MESSAGE_MAX ||
                   !iw_array_reserve(&tagged->octets, &tagged->capacity, tagged->length, 1);
    if (!tagged->lost && segment->payload_captured > 0)
        memcpy(tagged->octets + at, segment->payload, segment->payload_captured);
}

static void inbox_take_tagged(struct iw_lua_connection *connection, const struct iw_event *event) {
    const struct iw_segment *segment = event->segment;
    struct iw_lua_tagged *tagged = &connection->inbox.tagged;

    if (tagged->segments++ == 0) {
        tagged->length = 0;
        tagged->lost = false;
        tagged->to = segment->to;
    }
    inbox_keep_tagged(tagged, segment);
    if (!segment->last)
        return;
    const uint8_t *data = tagged->length == 0 ? segment->payload : tagged->octets;
    const struct iw_lua_message message = {
        event, tagged->lost ? NULL : data, tagged->length, tagged->segments, tagged->to};
    tagged->segments = 0;
    inbox_deliver(connection, inbox_deliver_message, message);
}

static void inbox_take_untagged(struct iw_lua_connection *connection, const struct iw_event *event) {
    const struct iw_segment *segment = event->segment;
    uint32_t qn = segment->qn;
    const uint8_t *octets;
    size_t length;

    connection->inbox.segments[qn]++;
    switch (iw_assembly_segment(&connection->inbox.assembly[qn], segment, &octets, &length)) {
    case IW_ASSEMBLY_PART:
        return;
    case IW_ASSEMBLY_BROKEN:
        inbox_deliver_segment(connection, event);
        break;
    case IW_ASSEMBLY_WHOLE:
        inbox_deliver(connection, inbox_deliver_message,
            (struct iw_lua_message){event, octets, length, connection->inbox.segments[qn], 0});
    }
    connection->inbox.segments[qn] = 0;
}

static bool inbox_is_answer_to_rtr(struct iw_lua_connection *connection, const struct iw_segment *segment) {
    if (!connection->inbox.rtr_response_pending || segment->opcode != IW_RDMAP_OP_READ_RESPONSE ||
        segment->payload_octets != 0)
        return false;
    connection->inbox.rtr_response_pending = false;
    return true;
}

static void inbox_take_fpdu(struct iw_lua_connection *connection, const struct iw_event *event) {
    const struct iw_segment *segment = event->segment;

    connection->inbox.error_reported = event->error != IW_NO_ERROR;
    if (segment == NULL)
        inbox_deliver_event(connection, inbox_deliver_other, event);
    else if (event->fpdu->crc == IW_CRC_BAD)
        inbox_deliver_segment(connection, event);
    else if (inbox_is_answer_to_rtr(connection, segment))
        return;
    else if (segment->tagged)
        inbox_take_tagged(connection, event);
    else if (segment->qn < IW_QN_COUNT)
        inbox_take_untagged(connection, event);
    else
        inbox_deliver_segment(connection, event);
}

void iw_lua_inbox_take(struct iw_lua_connection *connection, const struct iw_event *event) {
    static const lua_CFunction deliveries[IW_EVENT_CLOSED + 1] = {[IW_EVENT_STARTUP] = inbox_deliver_startup,
        [IW_EVENT_ESTABLISHED] = inbox_deliver_terms,
        [IW_EVENT_RTR] = inbox_drop_last,
        [IW_EVENT_OCTETS] = inbox_deliver_other,
        [IW_EVENT_ERROR] = inbox_deliver_other,
        [IW_EVENT_CLOSED] = inbox_deliver_other};
    bool repeated = event->kind == IW_EVENT_ERROR && connection->inbox.error_reported;

    if (event->kind == IW_EVENT_FPDU)
        inbox_take_fpdu(connection, event);
    else if (deliveries[event->kind] != NULL && !repeated)
        inbox_deliver_event(connection, deliveries[event->kind], event);
    if (event->kind == IW_EVENT_STARTUP || event->kind == IW_EVENT_ESTABLISHED ||
        event->kind == IW_EVENT_ERROR)
        connection->inbox.error_reported = event->kind == IW_EVENT_STARTUP;
}
