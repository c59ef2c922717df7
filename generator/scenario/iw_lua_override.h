#ifndef IW_LUA_OVERRIDE_H
#define IW_LUA_OVERRIDE_H

#include <lua.h>

#include "iw_emit.h"
#include "iw_lua_value.h"

/* What a script wants to be otherwise in something it sends. */

struct iw_lua_override {
    struct iw_lua_values values; /* of header fields */
    struct iw_fpdu_parts parts;  /* of the framing; see iw_emit.parts */
    unsigned segment;            /* only in the segment of this number, from 1; 0: in all */
    unsigned times;              /* how often it is sent; 1 is normal */
    bool shortened;
    size_t cut;
    size_t split[IW_EMIT_SPLIT_MAX];
    size_t split_count;
    bool merge;
};

/* The headers of a message with that opcode, those of framing included. */
void iw_lua_override_layouts(uint8_t opcode, bool tagged, struct iw_lua_layouts *layouts);

/* Adds the options that iw_lua_override_read takes besides header fields: for a startup frame those only that
 * say how it goes to TCP. */
void iw_lua_override_add_names(struct iw_lua_names *names, bool startup);

/* Reads the table at `options`, fields of `layouts` among it. Raises an error for what does not fit. */
void iw_lua_override_read(
    lua_State *lua, int options, const struct iw_lua_layouts *layouts, struct iw_lua_override *override);

/* Whether it has a value for the field. */
bool iw_lua_override_has(const struct iw_lua_override *override, const struct iw_field *field);

/* Takes the value for a field out of the override. Returns false, and leaves `number`, if there is none. */
bool iw_lua_override_take(struct iw_lua_override *override, enum iw_field_id field, uint64_t *number);

/* Changes an FPDU. */
void iw_lua_override_fpdu(const struct iw_lua_override *override, struct iw_emit *emit);

/* How it goes to TCP, only. */
void iw_lua_override_tcp(const struct iw_lua_override *override, struct iw_emit *emit);

/* Changes a startup frame. */
void iw_lua_override_startup(const struct iw_lua_override *override, struct iw_emit *emit);

#endif
