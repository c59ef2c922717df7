#ifndef IW_LUA_INBOX_H
#define IW_LUA_INBOX_H

#include "iw_endpoint.h"
#include "iw_lua_queue.h"

/* Turns what an endpoint reports into events in its connection's queue. */

struct iw_lua_connection;

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

void iw_lua_inbox_init(lua_State *lua, struct iw_lua_connection *connection);
void iw_lua_inbox_dispose(struct iw_lua_connection *connection);

/* Queues what the script sees of an event of the endpoint. */
void iw_lua_inbox_take(struct iw_lua_connection *connection, const struct iw_event *event);

#endif
