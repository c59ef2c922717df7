#ifndef IW_LUA_ASSOCIATION_H
#define IW_LUA_ASSOCIATION_H

#include <stdbool.h>

#include <lua.h>

#include "iw_association_watch.h"
#include "iw_ddp_association.h"
#include "iw_lua_queue.h"
#include "iw_scenario.h"

/* An SCTP association as scripts have it: the chunks of DDP that come on it, for the script itself or for
 * connections on its DDP Streams. */

enum { IW_LUA_ASSOCIATION_WAITING_MAX = 1024 }; /* sessions that the peer has asked for, and nobody taken */

struct iw_lua_association {
    struct iw_scenario_part part;
    struct iw_scenario *scenario;
    struct iw_ddp_association *association; /* NULL: it is gone */
    struct iw_association_watch *watch;     /* its own, or that of the listener that it has come by, or with
                                               `inner` has opened it to */
    bool opener;
    bool inner; /* its other end is the scenario's, too */
    bool own[2];
    bool sessions; /* an Initiate makes a connection, for a:accept */
    bool open;     /* it has been */
    bool over;
    enum iw_sctp_link_end end;
    uint16_t asked;                /* streams that the script wanted */
    struct iw_sctp_link_peer peer; /* once open */
    struct iw_waitable opening;
    struct iw_lua_queue inbox;
    struct iw_waitable arrivals; /* of sessions */
    struct iw_port *ports[IW_LUA_ASSOCIATION_WAITING_MAX];
    uint16_t streams[IW_LUA_ASSOCIATION_WAITING_MAX]; /* of each */
    size_t first, count;
    char text[IW_SCTP_LINK_TEXT_OCTETS]; /* why it is over */
};

/* What the script asks of an association before there is one: `link` without its tap. */
struct iw_lua_association_config {
    struct iw_sctp_link_config link;
    bool sessions;
};

/* Begins to open an association to `where` and pushes it. `inner` is what watches that end if it is the
 * scenario's too, or NULL. Raises an error if it cannot be. */
struct iw_lua_association *iw_lua_association_connect(lua_State *lua, const struct iw_sctp_where *where,
    const struct iw_lua_association_config *config, struct iw_association_watch *inner);

/* The association that a listener has come by, open already, as a part of the scenario. It takes what the
 * handlers of the listener tell of it. Called by iw_scenario_call, raises an error if there is no memory. */
struct iw_lua_association *iw_lua_association_adopt(lua_State *lua, struct iw_scenario *scenario,
    struct iw_ddp_association *association, struct iw_association_watch *watch,
    const struct iw_lua_association_config *config, bool inner);

/* Raises an error if the association has not that stream: of a peer that has fewer than the script wanted, it
 * is none of the script's mistakes. */
void iw_lua_association_check_stream(
    lua_State *lua, const struct iw_lua_association *association, const char *method, uint16_t stream);

/* Handlers of struct iw_ddp_association_handlers, with the association for `user`. */
bool iw_lua_association_message(
    void *user, struct iw_ddp_association *association, const struct iw_sctp_message *message);
void iw_lua_association_session(
    void *user, struct iw_ddp_association *association, uint16_t stream, struct iw_port *port);
void iw_lua_association_ended(
    void *user, struct iw_ddp_association *association, enum iw_sctp_link_end end, const char *text);

void iw_lua_association_push(lua_State *lua, struct iw_lua_association *association);

/* The association at `index`, which packets from now on name the running task's step for. */
struct iw_lua_association *iw_lua_association_check(lua_State *lua, int index);

/* The same, which has to be open: raises an error of the environment if it never was, and a failure if it is
 * no more. */
struct iw_lua_association *iw_lua_association_check_open(lua_State *lua, int index);

/* Waits until it is open or over; the association is at `index` 1 of the stack. Then leaves it on top. */
int iw_lua_association_await(lua_State *lua, int status, lua_KContext context);

/* The part that is an association, or NULL. */
struct iw_lua_association *iw_lua_association_of(struct iw_scenario_part *part);

void iw_lua_association_open(lua_State *lua);

#endif
