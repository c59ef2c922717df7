#ifndef IW_LUA_ASSOCIATION_EVENT_H
#define IW_LUA_ASSOCIATION_EVENT_H

#include <lua.h>

#include "iw_lua_names.h"
#include "iw_sctp_link.h"

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

/* Converts the Function Code of a control chunk to its kind, and back (-1: unknown kind). */
const char *iw_lua_association_event_kind(unsigned function);
int iw_lua_association_event_function(const char *kind);

const struct iw_lua_names *iw_lua_association_event_kinds(void);
const struct iw_lua_names *iw_lua_association_event_names(void);

/* "shutdown", "aborted", "failed". */
const char *iw_lua_association_event_end(enum iw_sctp_link_end end);

/* Each pushes one table. */
void iw_lua_association_event_push(lua_State *lua, const struct iw_sctp_message *message);
void iw_lua_association_event_push_end(
    lua_State *lua, enum iw_sctp_link_end end, const char *text, uint64_t time_ns);

#endif
