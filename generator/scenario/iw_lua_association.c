#include "iw_lua_association.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_lua_connection.h"
#include "iw_lua_expect.h"
#include "iw_lua_failure.h"
#include "iw_lua_member.h"
#include "iw_name.h"

static const char association_name[] = "iw.association";

struct association_delivery {
    struct iw_lua_association *association;
    const struct iw_sctp_message *message;
};

static int association_deliver_message(lua_State *lua) {
    const struct association_delivery *delivery = lua_touserdata(lua, 1);

    iw_lua_association_event_push(lua, delivery->message);
    iw_lua_queue_put(lua, &delivery->association->inbox);
    return 0;
}

static int association_deliver_end(lua_State *lua) {
    struct iw_lua_association *association = lua_touserdata(lua, 1);
    const struct iw_loop *loop = iw_scenario_config(association->view.scenario)->loop;

    iw_lua_association_event_push_end(lua, association->end, association->text, iw_loop_time_ns(loop));
    iw_lua_queue_put(lua, &association->inbox);
    return 0;
}

/* If the message begins a session, the next DDP-SSN to send is 0 (RFC 5043 6.1). */
static void lua_association_begin_ssn_count(
    struct iw_lua_association *association, const struct iw_sctp_message *message) {
    struct iw_sctp_session session;

    if (message->ppid == IW_SCTP_PPID_CONTROL &&
        iw_sctp_session_decode(message->octets, message->captured, &session) &&
        (session.header.function == IW_SCTP_INITIATE || session.header.function == IW_SCTP_ENHANCED_INITIATE))
        iw_ddp_association_set_ssn(association->association, message->stream, 0);
}

/* Gives the message to the script as an event, unless it belongs to a connection of the script, or `sessions`
 * is set. */
bool iw_lua_association_message(
    void *user, struct iw_ddp_association *ddp, const struct iw_sctp_message *message) {
    struct iw_lua_association *association = user;
    struct association_delivery delivery = {association, message};

    if (association->sessions || iw_lua_session_on(association->view.scenario, ddp, message->stream))
        return false;
    lua_association_begin_ssn_count(association, message);
    iw_scenario_call(association->view.scenario, association_deliver_message, &delivery);
    return true;
}

void iw_lua_association_session(
    void *user, struct iw_ddp_association *ddp, uint16_t stream, struct iw_port *port) {
    struct iw_lua_association *association = user;
    size_t at = (association->first + association->count) % IW_LUA_ASSOCIATION_WAITING_MAX;

    (void)ddp;
    if (association->count == IW_LUA_ASSOCIATION_WAITING_MAX) {
        iw_port_free(port);
        return;
    }
    association->ports[at] = port;
    association->streams[at] = stream;
    association->count++;
    iw_waitable_wake(&association->arrivals);
}

static void association_take_opened(void *user, struct iw_ddp_association *ddp) {
    struct iw_lua_association *association = user;

    association->open = true;
    association->peer = *iw_sctp_link_peer(iw_ddp_association_link(ddp));
    iw_waitable_end(&association->opening);
}

void iw_lua_association_ended(
    void *user, struct iw_ddp_association *ddp, enum iw_sctp_link_end end, const char *text) {
    struct iw_lua_association *association = user;

    (void)ddp;
    if (association->over)
        return; /* already ended, by a timeout (iw_lua_association_await) */
    if (!association->opener)
        association->association = NULL; /* an accepted association frees itself */
    association->over = true;
    association->end = end;
    snprintf(association->text, sizeof association->text, "%s", text);
    iw_scenario_call(association->view.scenario, association_deliver_end, association);
    iw_waitable_end(&association->opening);
    iw_waitable_end(&association->arrivals);
    iw_lua_queue_close(&association->inbox);
    iw_scenario_changed(association->view.scenario);
}

static void association_finish(void *object) {
    struct iw_lua_association *association = object;

    if (association->association != NULL && !association->over)
        iw_ddp_association_close(association->association);
}

static bool association_settled(void *object) {
    const struct iw_lua_association *association = object;

    return association->association == NULL || association->over || !association->open;
}

static bool lua_association_has_own_watch(const struct iw_lua_association *association) {
    return association->opener && !association->inner && association->watch != NULL;
}

static void association_conclude(void *object) {
    const struct iw_lua_association *association = object;

    if (lua_association_has_own_watch(association))
        iw_association_watch_finish(association->watch);
}

static void association_release(void *object) {
    struct iw_lua_association *association = object;

    for (; association->count > 0; association->count--) {
        iw_port_free(association->ports[association->first]);
        association->first = (association->first + 1) % IW_LUA_ASSOCIATION_WAITING_MAX;
    }
    if (association->opener)
        iw_ddp_association_free(association->association);
    if (lua_association_has_own_watch(association))
        iw_association_watch_free(association->watch);
    iw_lua_queue_dispose(
        iw_script_lua(iw_scenario_config(association->view.scenario)->script), &association->inbox);
    free(association);
}

struct iw_lua_association *iw_lua_association_of(struct iw_scenario_object *object) {
    return object->release == association_release ? object->self : NULL;
}

static unsigned association_number_session(void *user) {
    const struct iw_lua_association_view *view = user;

    return iw_scenario_connection(view->scenario);
}

static void association_observe(void *user, unsigned number, const struct iw_monitor_event *event) {
    const struct iw_lua_association_view *view = user;

    iw_scenario_observe(view->scenario, number, view->own, event);
}

struct iw_association_watch *iw_lua_association_watch(struct iw_lua_association_view *view, bool opener) {
    const struct iw_scenario_config *scenario = iw_scenario_config(view->scenario);
    const struct iw_association_watch_config config = {.recorder = scenario->recorder,
        .opener = opener,
        .disguised = scenario->disguise != NULL,
        .extensions = scenario->extensions & ~scenario->unlawful,
        .number = association_number_session,
        .sink = association_observe,
        .user = view};

    return iw_association_watch_new(&config);
}

static struct iw_lua_association *association_make(lua_State *lua, struct iw_scenario *scenario) {
    struct iw_lua_association *association = calloc(1, sizeof *association);

    if (association == NULL)
        luaL_error(lua, "not enough memory");
    association->object = (struct iw_scenario_object){.self = association,
        .finish = association_finish,
        .settled = association_settled,
        .conclude = association_conclude,
        .release = association_release};
    association->view.scenario = scenario;
    association->inbox.events = LUA_NOREF;
    association->opening.what = "an SCTP association to open";
    association->arrivals.what = "a session";
    return association;
}

struct iw_lua_association *iw_lua_association_connect(lua_State *lua, const struct iw_sctp_where *where,
    const struct iw_lua_association_config *config, struct iw_association_watch *inner) {
    static const struct iw_ddp_association_handlers handlers = {association_take_opened,
        iw_lua_association_message, iw_lua_association_session, iw_lua_association_ended};
    struct iw_scenario *scenario = iw_scenario_current(lua);
    struct iw_sctp_stack *stack = iw_scenario_sctp(scenario);
    struct iw_lua_association *association = association_make(lua, scenario);
    struct iw_ddp_association_config ddp = {
        .link = config->link, .policy.omitted_checks = IW_DDP_CHECK_SET(INDICATION)};

    association->opener = true;
    association->inner = inner != NULL;
    association->view.own[IW_SIDE_A] = true;
    association->asked = config->link.streams;
    association->sessions = config->sessions;
    bool fits = iw_scenario_add(scenario, &association->object);
    iw_lua_queue_init(lua, &association->inbox, "the peer");
    association->watch = inner != NULL ? inner : iw_lua_association_watch(&association->view, true);
    if (!fits || stack == NULL || association->watch == NULL)
        iw_lua_failure_raise(
            lua, IW_SCENARIO_ENVIRONMENT, fits ? "not enough memory" : "too many connections", NULL, NULL);
    if (inner == NULL) { /* otherwise the listening end watches all packets */
        ddp.link.tap = iw_association_watch_packet;
        ddp.link.tap_user = association->watch;
    }
    association->association =
        iw_ddp_association_connect(stack, where, &ddp, &handlers, association, association->text);
    if (association->association == NULL)
        iw_lua_failure_raise(lua, IW_SCENARIO_UNREACHED, association->text, NULL, NULL);
    iw_lua_association_push(lua, association);
    return association;
}

struct iw_lua_association *iw_lua_association_adopt(lua_State *lua, struct iw_scenario *scenario,
    struct iw_ddp_association *ddp, struct iw_association_watch *watch,
    const struct iw_lua_association_config *config, bool inner) {
    struct iw_lua_association *association = association_make(lua, scenario);

    association->association = ddp;
    association->watch = watch;
    association->asked = config->link.streams;
    association->sessions = config->sessions;
    association->inner = inner;
    association->view.own[IW_SIDE_B] = true;
    iw_scenario_add(scenario, &association->object);
    association_take_opened(association, ddp);
    iw_lua_queue_init(lua, &association->inbox, "the peer");
    return association;
}

void iw_lua_association_push(lua_State *lua, struct iw_lua_association *association) {
    iw_scenario_push(lua, association->view.scenario, association, association_name);
}

struct iw_lua_association *iw_lua_association_check(lua_State *lua, int index) {
    struct iw_lua_association *association = iw_scenario_check(lua, index, association_name);
    char comment[IW_LUA_COMMENT_OCTETS];

    if (iw_lua_comment_text(association->view.scenario, comment))
        iw_association_watch_comment(association->watch, !association->inner || !association->opener,
            !association->inner || association->opener, comment);
    return association;
}

static void association_check_opened(lua_State *lua, const struct iw_lua_association *association) {
    if (!association->open)
        iw_lua_failure_raise(lua, IW_SCENARIO_UNREACHED,
            association->text[0] == '\0' ? "no SCTP association" : association->text, NULL, NULL);
}

struct iw_lua_association *iw_lua_association_check_open(lua_State *lua, int index) {
    struct iw_lua_association *association = iw_lua_association_check(lua, index);

    association_check_opened(lua, association);
    if (association->over)
        iw_lua_failure_raise(
            lua, IW_SCENARIO_FAILED, "the association has ended", "an open association", association->text);
    return association;
}

void iw_lua_association_check_stream(
    lua_State *lua, const struct iw_lua_association *association, const char *method, uint16_t stream) {
    uint16_t count = association->peer.outbound;

    if (stream < count)
        return;
    if (stream >= association->asked)
        luaL_error(
            lua, "%s: the association has streams 0 to %d, not %d", method, (int)count - 1, (int)stream);
    lua_pushfstring(lua, "%s: the peer accepts streams 0 to %d, not %d", method, (int)count - 1, (int)stream);
    iw_lua_failure_raise(lua, IW_SCENARIO_INAPPLICABLE, lua_tostring(lua, -1), NULL, NULL);
}

int iw_lua_association_await(lua_State *lua, int status, lua_KContext context) {
    struct iw_lua_association *association = iw_lua_association_check(lua, 1);
    struct iw_task *task = iw_task_current(lua);

    (void)status;
    if (!association->open && !association->over && !task->timed_out)
        return iw_task_wait(lua, &association->opening, context, iw_lua_association_await);
    iw_task_timeout(task, 0);
    if (!association->open && !association->over) {
        iw_ddp_association_abort(association->association);
        iw_lua_association_ended(association, association->association, IW_SCTP_LINK_FAILED,
            "the peer does not answer the request for an SCTP association");
    }
    lua_settop(lua, 1);
    return 1;
}

static void association_push_peer(lua_State *lua, const struct iw_lua_association *association) {
    const struct iw_sctp_link_peer *peer = &association->peer;

    association_check_opened(lua, association);
    lua_createtable(lua, 0, 4);
    iw_lua_member_set_boolean(lua, "indicated", peer->indicated);
    iw_lua_member_set_integer(lua, "indication", peer->indication);
    iw_lua_member_set_integer(lua, "outbound", peer->outbound);
    iw_lua_member_set_integer(lua, "inbound", peer->inbound);
}

/* Pushes a method, or the value of a member: `open`; `over`, how the association ended; `text`; `peer`. */
static int index_association(lua_State *lua) {
    struct iw_lua_association *association = iw_scenario_check(lua, 1, association_name);
    const char *name = luaL_checkstring(lua, 2);

    if (luaL_getmetafield(lua, 1, name) != LUA_TNIL)
        return 1;
    if (strcmp(name, "open") == 0)
        lua_pushboolean(lua, association->open && !association->over);
    else if (strcmp(name, "over") == 0 && !association->over)
        lua_pushnil(lua);
    else if (strcmp(name, "over") == 0)
        lua_pushstring(lua, iw_lua_association_event_end(association->end));
    else if (strcmp(name, "text") == 0)
        lua_pushstring(lua, association->text);
    else if (strcmp(name, "peer") == 0)
        association_push_peer(lua, association);
    else
        return luaL_error(lua, "an association has no '%s'", name);
    return 1;
}

static struct iw_lua_queue *association_inbox_of(lua_State *lua, int index) {
    return &iw_lua_association_check(lua, index)->inbox;
}

void iw_lua_association_open(lua_State *lua) {
    static const luaL_Reg members[] = {{"__index", index_association}, {NULL, NULL}};
    static const struct iw_lua_expect_kind expect = {
        association_inbox_of, iw_lua_association_event_kinds, iw_lua_association_event_names};

    iw_lua_member_metatable(lua, association_name, members);
    iw_lua_association_send_open(lua);
    iw_lua_session_open(lua);
    iw_lua_expect_open(lua, &expect);
    lua_pop(lua, 1);
}
