#ifndef IW_LUA_CONNECTION_H
#define IW_LUA_CONNECTION_H

#include <stdbool.h>

#include <lua.h>

#include "iw_assembly.h"
#include "iw_association_watch.h"
#include "iw_ddp_association.h"
#include "iw_endpoint.h"
#include "iw_lua_override.h"
#include "iw_lua_place.h"
#include "iw_lua_queue.h"
#include "iw_scenario.h"
#include "iw_task.h"
#include "iw_watch.h"

/* A connection as scripts have it: an endpoint, the events that its peer's messages become, and those who
 * wait for them. */

enum iw_lua_connection_state {
    IW_LUA_CONNECTION_OPENING, /* TCP or the automatic startup is under way */
    IW_LUA_CONNECTION_READY,   /* the script has it */
    IW_LUA_CONNECTION_REFUSED, /* the startup came to nothing */
    IW_LUA_CONNECTION_FAILED,  /* TCP was never open; `text` */
};

struct iw_lua_post;

/* Of a connection that is a DDP Stream Session. */
struct iw_lua_connection_session {
    const struct iw_ddp_association *association; /* NULL: it is none */
    uint16_t stream;
    struct iw_association_watch *watch; /* of the association */
    bool own, peers;                    /* packets, as that sees them, which are commented by this end */
};

struct iw_lua_connection {
    struct iw_scenario_part part;
    struct iw_scenario *scenario;
    struct iw_endpoint *endpoint;
    struct iw_watch *watch; /* NULL if the other end is the scenario's too and is watched */
    struct iw_lua_connection_session session;
    struct iw_lua_connection *other; /* that end, or this one's opener; NULL as long as it is not known */
    char *comment;          /* opener without a watch: of the packets to come, until the other end is known */
    unsigned number;        /* from 1, 0 if it has no watch of its own */
    iw_emit_filter *filter; /* of the scenario's, or NULL; with what it is called, and that's end */
    void *filter_user;
    void (*filter_end)(void *state);
    bool own[2]; /* sides that the scenario plays, by enum iw_side */
    enum iw_lua_connection_state state;
    bool automatic;      /* the endpoint goes through the startup by itself */
    uint16_t inner_port; /* opener: of the scenario's own listener that it connects to, or 0 */
    uint8_t *private_data;
    bool connected;                 /* TCP was open */
    const char *shut;               /* the method by which the script has ended what is sent, or NULL */
    bool error_told;                /* the last event tells of the error that the endpoint reports next */
    bool read_rtr;                  /* the answer to the RTR is awaited */
    struct iw_lua_override startup; /* of the startup frame that the endpoint sends by itself */
    struct iw_lua_place place;      /* that `startup` comes from, if it is to change anything */
    struct iw_waitable opening;
    struct iw_lua_queue inbox;
    struct iw_waitable room; /* for more messages to be sent */
    int facts;               /* reference of what is found under c.startup and c.terms */
    struct iw_assembly assembly[IW_QN_COUNT];
    unsigned segments[IW_QN_COUNT]; /* of the message that is being put together */
    uint8_t *tagged;                /* payload of the tagged message */
    size_t tagged_octets, tagged_capacity;
    bool tagged_lost; /* there was more of it than is kept */
    uint64_t tagged_to;
    unsigned tagged_segments;               /* 0: none has begun */
    struct iw_lua_post *posts, **last_post; /* that are still to be sent, with what is otherwise in them */
    uint64_t last_id;
    uint64_t completed; /* the last one that is complete */
    char text[IW_PORT_TEXT_OCTETS];
};

/* How a connection comes about: an endpoint to be connected, or an accepted port. */
struct iw_lua_connection_config {
    struct iw_endpoint_config endpoint;
    struct iw_lua_override startup;
    const char *host; /* with `port`, to connect */
    uint16_t number;
    struct iw_port *port;                     /* accepted; taken over in any case */
    bool inner;                               /* the other end is in the same scenario */
    struct iw_lua_connection_session session; /* of the port */
};

/* Makes a connection of the running scenario and pushes it; it is still opening. Raises an error if it cannot
 * be. */
struct iw_lua_connection *iw_lua_connection_new(
    lua_State *lua, const struct iw_lua_connection_config *config);

/* The connection that is this part of its scenario, or NULL. */
struct iw_lua_connection *iw_lua_connection_of(struct iw_scenario_part *part);

/* The connection at `index`, which packets from now on name the running task's step for. */
struct iw_lua_connection *iw_lua_connection_check(lua_State *lua, int index);

/* The one on top of the stack, as the value of the option `name`. */
struct iw_lua_connection *iw_lua_connection_option(lua_State *lua, const char *name);

/* Waits until it has opened; the connection is at `index` 1 of the stack. Then leaves it on top, or raises an
 * error: ENVIRONMENT if there is no TCP connection, EXPECTATION if the startup failed. */
int iw_lua_connection_await(lua_State *lua, int status, lua_KContext context);

/* Whether a connection of the scenario to its own listener at `port` awaits being accepted; one that did
 * counts as accepted from then on. */
bool iw_lua_connection_claim(struct iw_scenario *scenario, uint16_t port);

/* Raises an error if the script has closed or reset it: what it asks for now is not sent. */
void iw_lua_connection_need_open(lua_State *lua, const struct iw_lua_connection *connection);

void iw_lua_connection_open(lua_State *lua);

#endif
