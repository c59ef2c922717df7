#ifndef IW_LUA_VALUE_H
#define IW_LUA_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lua.h>

#include "iw_layout.h"
#include "iw_lua_names.h"

/* Header fields by name between Lua tables and octets, for every field of iw_layout.def.
 *
 * A field goes by its name ("msn"), by the end of its filter name ("rtr_c", "invalidate_stag") or by all of
 * that, without "iwarp." ("mpa.rtr_c"). Where layouts of one message share a name it is that of the first
 * layout that has it. */

enum { IW_LUA_LAYOUTS_MAX = 8, IW_LUA_VALUES_MAX = 64 };

/* The headers of one message, in the order of the wire. */
struct iw_lua_layouts {
    enum iw_layout_id id[IW_LUA_LAYOUTS_MAX];
    size_t count;
};

/* Values that fields shall have. */
struct iw_lua_value {
    const struct iw_field *field;
    uint64_t number;
    uint8_t octets[16]; /* of KEY and OCTETS, which are given whole */
};

struct iw_lua_values {
    struct iw_lua_value values[IW_LUA_VALUES_MAX];
    size_t count;
};

/* The short names of a field among `layouts`, of which layouts->id[at] is its own: as many as there are, at
 * the most two, in `names`. */
size_t iw_lua_value_names(
    const struct iw_lua_layouts *layouts, size_t at, const struct iw_field *field, const char *names[2]);

/* Adds every name that a field of `layouts` goes by. */
void iw_lua_value_add_names(const struct iw_lua_layouts *layouts, struct iw_lua_names *names);

/* Takes the values of the table at `table` for fields of `layouts`; other keys are left alone. Raises an
 * error for what does not fit: "msn: 4294967296 has more than 32 bits". */
void iw_lua_value_read(
    lua_State *lua, int table, const struct iw_lua_layouts *layouts, struct iw_lua_values *values);

/* The value for that field, or NULL. */
const struct iw_lua_value *iw_lua_value_find(
    const struct iw_lua_values *values, const struct iw_field *field);

/* Writes those of the values that belong to `layout` into its header at `octets`. */
void iw_lua_value_put(const struct iw_lua_values *values, enum iw_layout_id layout, uint8_t *octets);

/* Sets the fields of layouts->id[at], whose header is at `octets`, in the table on top of the stack, by their
 * short names. Flags become booleans, the others integers (a value above 2^63 - 1 wraps, as Lua has it), KEY
 * and OCTETS strings. */
void iw_lua_value_push(
    lua_State *lua, const struct iw_lua_layouts *layouts, size_t at, const uint8_t *octets);

#endif
