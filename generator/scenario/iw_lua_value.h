#pragma once

#include "iw_layout.h"
#include "iw_lua_names.h"

/* Converts header fields by name between Lua tables and octets, for every field of iw_layout.def.
 *
 * A script names a field by its name ("msn"), by the end of its filter name ("rtr_c") or by its filter name
 * without "iwarp." ("mpa.rtr_c"). */

enum { IW_LUA_LAYOUTS_MAX = 8, IW_LUA_VALUES_MAX = 64 };

/* The headers of one message. A name that several headers share means the field of the first. */
struct iw_lua_layouts {
    enum iw_layout_id id[IW_LUA_LAYOUTS_MAX];
    size_t count;
};

extern const struct iw_lua_layouts iw_lua_value_startup; /* of a startup frame with enhanced data */

/* The value that a script gives to a field. */
struct iw_lua_value {
    const struct iw_field *field;
    uint64_t number;
    uint8_t octets[16]; /* all octets of a KEY or OCTETS field */
};

struct iw_lua_values {
    struct iw_lua_value values[IW_LUA_VALUES_MAX];
    size_t count;
};

/* Sets `names` to the short names, at most two, of a field among `layouts`. Returns their number. */
size_t iw_lua_value_names(
    const struct iw_lua_layouts *layouts, const struct iw_field *field, const char *names[2]);
void iw_lua_value_add_names(const struct iw_lua_layouts *layouts, struct iw_lua_names *names);

/* Reads values for fields of `layouts` from the table at `table`; ignores other keys. Raises an error for an
 * invalid value. */
void iw_lua_value_read(
    lua_State *lua, int table, const struct iw_lua_layouts *layouts, struct iw_lua_values *values);
const struct iw_lua_value *iw_lua_value_find(
    const struct iw_lua_values *values, const struct iw_field *field);

/* Writes the values that belong to `layout` into its header at `octets`. */
void iw_lua_value_put(const struct iw_lua_values *values, enum iw_layout_id layout, uint8_t *octets);

/* Sets the fields of `layout` (one of `layouts`; its header is at `octets`) in the table on top of the stack,
 * by their short names: flags as booleans, KEY and OCTETS as strings, others as (signed) integers. */
void iw_lua_value_push(
    lua_State *lua, const struct iw_lua_layouts *layouts, enum iw_layout_id layout, const uint8_t *octets);
