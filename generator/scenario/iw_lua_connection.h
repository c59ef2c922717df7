#pragma once

#include "iw_association_watch.h"
#include "iw_ddp_association.h"
#include "iw_assembly.h"
#include "iw_lua_queue.h"
#include "iw_lua_override.h"
#include "iw_scenario.h"

/* A connection as a script value: an endpoint, its queue of events, and the tasks that wait for them. */

enum iw_lua_connection_state {
    IW_LUA_CONNECTION_OPENING, /* TCP handshake or automatic startup in progress */
    IW_LUA_CONNECTION_READY,   /* usable by the script */
    IW_LUA_CONNECTION_REFUSED, /* the startup failed */
    IW_LUA_CONNECTION_FAILED,  /* the TCP connection failed; see `text` */
};

struct iw_lua_post;

/* For a connection that is a DDP Stream Session. */
struct iw_lua_connection_session {
    const struct iw_ddp_association *association; /* NULL: the connection is over TCP */
    uint16_t stream;
    struct iw_association_watch *watch; /* the association's */
    bool own, peers; /* packets that this end sends (receives) get its step as their comment */
};

/* The filter of the scenario's configuration. */
struct iw_lua_connection_filter {
    iw_emit_filter *call; /* or NULL */
    void *user;
    void (*end)(void *user);
};

/* The startup frame that the endpoint sends. */
struct iw_lua_connection_startup {
    struct iw_lua_override override;
    struct iw_result place; /* script position of `override`; set if an option must have an effect */
    uint8_t *private_data;
};

/* Messages that the script has posted. */
struct iw_lua_connection_posts {
    struct iw_lua_post *first, **last; /* unsent posts that have changes */
    uint64_t last_id;
    uint64_t completed;          /* id of the last completed post */
    struct iw_waitable progress; /* woken when a post is sent or completed */
};

/* The tagged message being reassembled. */
struct iw_lua_tagged {
    uint8_t *octets;
    size_t length; /* of the payload received, also if `lost` */
    uint32_t capacity;
    bool lost; /* payload dropped: over the limit, or out of memory */
    uint64_t to;
    unsigned segments; /* 0: no message in progress */
};

struct iw_lua_inbox {
    struct iw_lua_queue queue;
    int facts;                 /* Lua reference of the table with c.startup and c.terms */
    bool error_reported;       /* the queue already shows the error of the next IW_EVENT_ERROR */
    bool rtr_response_pending; /* the RTR was an RDMA Read Request, and its response has not arrived */
    struct iw_assembly assembly[IW_QN_COUNT];
    unsigned segments[IW_QN_COUNT]; /* received segments of the message in progress, by QN */
    struct iw_lua_tagged tagged;
};

struct iw_lua_connection {
    struct iw_scenario_object object;
    struct iw_scenario *scenario;
    struct iw_endpoint *endpoint;
    struct iw_watch *watch; /* NULL: the association or the scenario's accepting end has the watch */
    struct iw_lua_connection_session session;
    struct iw_lua_connection *other; /* the other end, if it belongs to the scenario; NULL until found */
    char *comment; /* for an opener without a watch: comment of later packets, until the other end is found */
    unsigned number; /* of the connection, from 1; 0 without its own watch */
    bool own[2];     /* sides that the scenario plays, by enum iw_side */
    enum iw_lua_connection_state state;
    bool automatic;      /* the endpoint runs the startup */
    uint16_t inner_port; /* of an opener: port of the scenario's own listener, or 0 */
    bool connected;      /* the TCP connection was established */
    const char *shut;    /* the method by which the script closed the sending direction, or NULL */
    struct iw_lua_connection_filter filter;
    struct iw_lua_connection_startup startup;
    struct iw_waitable opening;
    struct iw_lua_inbox inbox;
    struct iw_lua_connection_posts posts;
    char text[IW_PORT_TEXT_OCTETS];
};

/* How to make a connection: connect an endpoint, or take an accepted port. */
struct iw_lua_connection_config {
    struct iw_endpoint_config endpoint;
    struct iw_lua_override startup;
    const char *host; /* host and port (`number`) to connect to */
    uint16_t number;
    struct iw_port *port;                     /* accepted; the connection takes ownership in every case */
    bool inner;                               /* the other end belongs to the same scenario */
    struct iw_lua_connection_session session; /* of the port */
};

/* Makes a connection of the running scenario and pushes it, still opening. Raises an error on failure. */
struct iw_lua_connection *iw_lua_connection_new(
    lua_State *lua, const struct iw_lua_connection_config *config);

/* The connection of `object`; NULL if `object` is not a connection. */
struct iw_lua_connection *iw_lua_connection_of(struct iw_scenario_object *object);

/* The connection at `index`. Also sets the comment of later packets to the step of the running task. */
struct iw_lua_connection *iw_lua_connection_check(lua_State *lua, int index);

/* The connection on top of the stack, the value of the option `name`. Raises an error for any other value. */
struct iw_lua_connection *iw_lua_connection_option(lua_State *lua, const char *name);

/* Waits until the connection at index 1 has opened, then leaves it on top of the stack. Raises UNREACHED
 * if TCP failed, FAILED if the startup failed. */
int iw_lua_connection_await(lua_State *lua, int status, lua_KContext context);

/* Whether a connection to the scenario's own listener at `port` waits to be accepted; marks it accepted. */
bool iw_lua_connection_claim(struct iw_scenario *scenario, uint16_t port);

/* Raises an error if the script has closed or reset the connection. */
void iw_lua_connection_need_open(lua_State *lua, const struct iw_lua_connection *connection);

void iw_lua_connection_open(lua_State *lua);

/* Fills in `config` from the options of connect, tcp or accept at `options`, if any. Leaves host, port and
 * timeout to the caller. `method` is for error messages. Raises an error for an invalid option. */
void iw_lua_connect_options(
    lua_State *lua, int options, const char *method, bool initiator, struct iw_lua_connection_config *config);

/* Pushes the option `name` of the table at index 1; if it is absent, that member of the global `peer`. */
void iw_lua_connect_peer(lua_State *lua, const char *name);

/* The option `host` of the table at index 1; if absent, peer.host (only with `peers`); else `otherwise`. The
 * value stays on the stack. */
const char *iw_lua_connect_host(lua_State *lua, bool peers, const char *otherwise);

/* Makes the endpoint of the connection and its watch. Returns NULL on failure: the caller then still owns an
 * accepted port, and connection->text says why the peer is unreachable, or is "" if memory ran out. */
struct iw_endpoint *iw_lua_endpoint_new(
    struct iw_lua_connection *connection, const struct iw_lua_connection_config *config);
void iw_lua_endpoint_dispose(struct iw_lua_connection *connection);
void iw_lua_endpoint_abandon(struct iw_lua_connection *connection);

/* Closes the event queue and ends all waits, since no further events will come. */
void iw_lua_endpoint_end(struct iw_lua_connection *connection);

void iw_lua_inbox_init(lua_State *lua, struct iw_lua_connection *connection);
void iw_lua_inbox_dispose(struct iw_lua_connection *connection);
void iw_lua_inbox_take(struct iw_lua_connection *connection, const struct iw_event *event);

enum { IW_LUA_COMMENT_OCTETS = 512 };

/* Writes the comment for packets of the running task. Returns false if there is neither step nor name. */
bool iw_lua_comment_text(struct iw_scenario *scenario, char comment[IW_LUA_COMMENT_OCTETS]);

/* Registers the functions for memory that a script offers to its peers: the global
 *     region{size=, rights="rw", fill=, stag=, to=, verify=, persistent=, file=, over=, at=, stream=,
 *         domain=}
 * and its r.stag, r.to, r.size, r.valid, r:get(offset, length), r:set(offset, octets),
 * r:kept(offset, length), r:invalidate(). Also the global hash(algorithm, octets): what a Verify returns. */
void iw_lua_region_open(lua_State *lua);

/* The region on top of the stack, as value of the option `name`. Raises an error for any other value. */
struct iw_region *iw_lua_region_option(lua_State *lua, const char *name);

/* Registers the methods that post messages to the endpoint, which orders and segments them: send, write,
 * read, immediate, message; fetch_add, cmp_swap, swap, atomic (RFC 7306); flush, verify, atomic_write
 * (draft-talpey-rdma-commit-01); and sent and complete, which wait. */
void iw_lua_send_open(lua_State *lua);

/* Call it when the endpoint has sent the post of that id completely (`sent`), or flushed it. */
void iw_lua_send_done(struct iw_lua_connection *connection, uint64_t id, bool sent);

/* Releases the posts that the endpoint will not finish. */
void iw_lua_send_dispose(struct iw_lua_connection *connection);

/* Registers the methods that send immediately, in any phase, exactly what the script says (request, reply,
 * fpdu, terminate, octets), and those that change the state (full, leave, enter, close, reset, receives). */
void iw_lua_emit_open(lua_State *lua);

/* The set of options of the override that must change something; otherwise the script has a mistake. */
unsigned iw_lua_effect_wanted(const struct iw_lua_override *override);

/* The set of options that change `emit`, which is about to be sent and contains the override. */
unsigned iw_lua_effect_found(const struct iw_lua_connection *connection,
    const struct iw_lua_override *override, const struct iw_emit *emit);

/* The message for the first option in `missing`, or NULL. Example: "pad_value: there is no PAD". */
const char *iw_lua_effect_text(unsigned missing);
