#pragma once

#include "iw_emit.h"
#include "iw_lua_value.h"

/* Changes that a script makes to what it sends. */
struct iw_lua_override {
    struct iw_lua_values values; /* of header fields */
    struct iw_fpdu_parts parts;  /* framing; see iw_emit.parts */
    unsigned segment;            /* number of the only segment to change, from 1; 0: all */
    unsigned times;              /* how often each changed segment, or the frame, is sent; normally 1 */
    bool shortened;
    size_t cut;
    size_t split[IW_EMIT_SPLIT_MAX];
    size_t split_count;
    bool merge;
};

/* Sets `layouts` to the headers of a message with that opcode, and the framing: ULPDU_Length, CRC, Marker. */
void iw_lua_override_layouts(uint8_t opcode, bool tagged, struct iw_lua_layouts *layouts);

/* Reads from the table at `options` the values of fields of `layouts`, the framing options, and segment,
 * times, cut, split and merge. Ignores other keys. Raises an error for an invalid value. */
void iw_lua_override_read(
    lua_State *lua, int options, const struct iw_lua_layouts *layouts, struct iw_lua_override *override);

/* As iw_lua_override_read; also raises an error for an unknown key. The keys in `others`, which ends with
 * NULL, are allowed. A startup frame has no framing options. */
void iw_lua_override_options(lua_State *lua, int options, const char *method, const char *const *others,
    const struct iw_lua_layouts *layouts, struct iw_lua_override *override);

/* As iw_lua_override_options, for a message with that opcode; the table of options is at index 2. */
void iw_lua_override_message(lua_State *lua, const char *method, uint8_t opcode, const char *const *others,
    struct iw_lua_override *override);

/* Raises an error if the STag `field` is missing, because a script that leaves it out does not mean STag 0.
 * Does nothing if the script sets T. */
void iw_lua_override_needs_stag(
    lua_State *lua, const char *method, const struct iw_lua_override *override, const struct iw_field *field);

/* Removes the value of a field from the override and returns it; `otherwise` if it is not set. */
uint64_t iw_lua_override_take(struct iw_lua_override *override, enum iw_field_id field, uint64_t otherwise);
void iw_lua_override_fpdu(const struct iw_lua_override *override, struct iw_emit *emit);

/* Applies only cut, split and merge. */
void iw_lua_override_tcp(const struct iw_lua_override *override, struct iw_emit *emit);
void iw_lua_override_startup(const struct iw_lua_override *override, struct iw_emit *emit);
