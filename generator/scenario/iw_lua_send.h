#ifndef IW_LUA_SEND_H
#define IW_LUA_SEND_H

#include "iw_lua_connection.h"

/* Methods of a connection that post messages to the endpoint, which orders and segments them (MSN, MO,
 * MULPDU): send, write, read, immediate, message. */

/* Posts the message with the changes of `override`; waits while too much is queued for TCP. A method must
 * return its result; the connection must be at index 1, the options at index 2. */
int iw_lua_send_post(lua_State *lua, struct iw_lua_connection *connection, struct iw_post *post,
    const struct iw_lua_override *override);

/* Makes the octets of that option the payload. */
void iw_lua_send_payload(lua_State *lua, const char *name, struct iw_post *post);

/* Adds the methods to the metatable on top of the stack. */
void iw_lua_send_open(lua_State *lua);

/* The endpoint has sent the post of that id completely, or flushed it. */
void iw_lua_send_done(struct iw_lua_connection *connection, uint64_t id, bool sent);

/* Releases the posts that the endpoint will not finish. */
void iw_lua_send_dispose(struct iw_lua_connection *connection);

/* ---- iw_lua_emit.c ---- */

/* Methods of a connection that send immediately, in any phase, exactly what the script says (request,
 * reply, fpdu, terminate, octets), and those that change its state (full, leave, close, reset, receives). */

/* Adds the methods to the metatable on top of the stack. */
void iw_lua_emit_open(lua_State *lua);

/* ---- iw_lua_request.c ---- */

/* The methods of a connection for requests of RFC 7306 and draft-talpey-rdma-commit-01: fetch_add, cmp_swap,
 * swap, atomic, flush, verify, atomic_write. */

/* Adds the methods to the metatable on top of the stack. */
void iw_lua_request_open(lua_State *lua);

/* ---- iw_lua_effect.c ---- */

/* Detects overrides that change nothing: a fault that cannot apply is a mistake in the script. */

/* The set of options of the override that must change something. */
unsigned iw_lua_effect_wanted(const struct iw_lua_override *override);

/* The options that change something in what the connection is about to send; `emit` already contains the
 * override. */
unsigned iw_lua_effect_found(const struct iw_lua_connection *connection,
    const struct iw_lua_override *override, const struct iw_emit *emit);

/* The message for the first option in `missing`, such as "pad_value: there is no PAD"; NULL if the set is
 * empty. */
const char *iw_lua_effect_text(unsigned missing);

#endif
