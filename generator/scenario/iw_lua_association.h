#pragma once

#include "iw_association_watch.h"
#include "iw_ddp_association.h"
#include "iw_lua_queue.h"
#include "iw_scenario.h"

/* An SCTP association as a script value. Its streams carry chunks of the script, or connections. */

enum { IW_LUA_ASSOCIATION_WAITING_MAX = 1024 }; /* sessions the script has not accepted */

/* The scenario of an association, and the sides that the scenario plays. */
struct iw_lua_association_view {
    struct iw_scenario *scenario;
    bool own[2]; /* sides that the scenario plays, by enum iw_side */
};

struct iw_lua_association {
    struct iw_scenario_object object;
    struct iw_lua_association_view view;
    struct iw_ddp_association *association; /* NULL: freed */
    struct iw_association_watch *watch;     /* its own; the listener's if it was accepted or is `inner` */
    bool opener;
    bool inner;    /* the other end belongs to the same scenario */
    bool sessions; /* an Initiate makes a connection for a:accept */
    bool open;     /* was opened successfully */
    bool over;
    enum iw_sctp_link_end end;
    uint16_t asked;                /* streams requested by the script */
    struct iw_sctp_link_peer peer; /* valid once open */
    struct iw_waitable opening;
    struct iw_lua_queue inbox;
    struct iw_waitable arrivals; /* of new sessions */
    struct iw_port *ports[IW_LUA_ASSOCIATION_WAITING_MAX];
    uint16_t streams[IW_LUA_ASSOCIATION_WAITING_MAX]; /* DDP Stream of each port */
    size_t first, count;
    char text[IW_SCTP_LINK_TEXT_OCTETS]; /* why it ended */
};

/* Options of an association; iw_lua_association_connect sets the tap of `link`. */
struct iw_lua_association_config {
    struct iw_sctp_link_config link;
    bool sessions;
};

/* Creates a watch that reports to the scenario; NULL if memory runs out. `view` must exist until its end. */
struct iw_association_watch *iw_lua_association_watch(struct iw_lua_association_view *view, bool opener);

/* Starts to open an association to `where` and pushes it. `inner`: the watch of the listener at `where` if
 * that listener belongs to the same scenario, else NULL. Raises an error on failure. */
struct iw_lua_association *iw_lua_association_connect(lua_State *lua, const struct iw_sctp_where *where,
    const struct iw_lua_association_config *config, struct iw_association_watch *inner);

/* Adds an accepted association, already open, to the scenario. The listener's handlers forward its
 * events. Called by iw_scenario_call; raises an error if out of memory. */
struct iw_lua_association *iw_lua_association_adopt(lua_State *lua, struct iw_scenario *scenario,
    struct iw_ddp_association *association, struct iw_association_watch *watch,
    const struct iw_lua_association_config *config, bool inner);

/* Raises an error if the association lacks that stream: INAPPLICABLE if the script requested the stream but
 * the peer did not grant it, otherwise a script mistake. */
void iw_lua_association_check_stream(
    lua_State *lua, const struct iw_lua_association *association, const char *method, uint16_t stream);

/* Handlers of struct iw_ddp_association_handlers; `user` is the association. */
bool iw_lua_association_message(
    void *user, struct iw_ddp_association *association, const struct iw_sctp_message *message);
void iw_lua_association_session(
    void *user, struct iw_ddp_association *association, uint16_t stream, struct iw_port *port);
void iw_lua_association_ended(
    void *user, struct iw_ddp_association *association, enum iw_sctp_link_end end, const char *text);

void iw_lua_association_push(lua_State *lua, struct iw_lua_association *association);

/* The association at `index`. Also sets the comment of later packets to the step of the running task. */
struct iw_lua_association *iw_lua_association_check(lua_State *lua, int index);

/* The open association at `index`. Raises UNREACHED if it was never open, FAILED if it has ended. */
struct iw_lua_association *iw_lua_association_check_open(lua_State *lua, int index);

/* Waits until the association at index 1 is open or over, then leaves it on top of the stack. */
int iw_lua_association_await(lua_State *lua, int status, lua_KContext context);

/* The association of `object`; NULL if `object` is not an association. */
struct iw_lua_association *iw_lua_association_of(struct iw_scenario_object *object);

void iw_lua_association_open(lua_State *lua);

/* Registers the globals associate and listen_sctp. */
void iw_lua_associate_open(lua_State *lua);

/* Registers the methods control, data, inject, close, abort, next_tsn, hold and ahead. */
void iw_lua_association_send_open(lua_State *lua);

/* Whether a connection of the scenario has the session on that DDP Stream. */
bool iw_lua_session_on(
    struct iw_scenario *scenario, const struct iw_ddp_association *association, uint16_t stream);

/* Registers the methods connect and accept, which make connections that are DDP Stream Sessions. */
void iw_lua_session_open(lua_State *lua);

/* Events of an association as tables for scripts. Each has `kind`, `time` (seconds since the epoch) and the
 * header fields by name (iw_lua_value.h). The kinds and their other members:
 *
 * - initiate, accept, reject, terminate, enhanced_initiate, enhanced_accept, enhanced_reject, control (any
 * other Function Code): a DDP Stream Session Control chunk; ssn, function_code, the fields of enhanced
 * data, private_data;
 * - segment: a DDP Segment Chunk; ssn, the fields of its DDP and RDMAP headers, data, size;
 * - data: any other user data;
 * - all of these: stream, ppid, ordered (boolean), octets (the whole user data);
 * - end: the association is over; how ("shutdown", "aborted", "failed"), text. */

/* The Function Code of the control chunk of that kind; -1: unknown kind. */
int iw_lua_association_event_function(const char *kind);
const struct iw_lua_names *iw_lua_association_event_kinds(void);
/* The names of members that a:expect accepts. */
const struct iw_lua_names *iw_lua_association_event_names(void);
const char *iw_lua_association_event_end(enum iw_sctp_link_end end);

/* Push an event as a table. */
void iw_lua_association_event_push(lua_State *lua, const struct iw_sctp_message *message);
void iw_lua_association_event_push_end(
    lua_State *lua, enum iw_sctp_link_end end, const char *text, uint64_t time_ns);
