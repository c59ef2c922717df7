#include "iw_lua_value.h"

#include <assert.h>
#include <string.h>

#include <lauxlib.h>

const struct iw_lua_layouts iw_lua_value_startup = {{iw_layout_mpa_startup, iw_layout_mpa_enhanced}, 2};

static const char *value_end_of_filter(const struct iw_field *field) {
    const char *dot = strrchr(field->filter, '.');

    return dot == NULL ? field->filter : dot + 1;
}

static bool value_whole_octets(const struct iw_field *field) {
    return field->kind == IW_KIND_OCTETS || field->kind == IW_KIND_KEY;
}

/* Whether fields of this layout have no short names. Every untagged header has the Invalidate STag, but
 * "stag" must mean the STag that a message addresses. */
static bool value_has_no_short_names(enum iw_layout_id layout) {
    return layout == iw_layout_rdmap_invalidate;
}

/* The first field with that name, else the first field whose filter name ends with it. */
static const struct iw_field *value_owner_of(const struct iw_lua_layouts *layouts, const char *name) {
    for (size_t i = 0; i < layouts->count; i++) {
        const struct iw_field *field = iw_field_find(layouts->id[i], name);
        if (field != NULL && !value_has_no_short_names(layouts->id[i]))
            return field;
    }
    for (size_t i = 0; i < layouts->count; i++) {
        const struct iw_layout *layout = &iw_layouts[layouts->id[i]];
        for (size_t j = 0; j < layout->field_count; j++)
            if (strcmp(value_end_of_filter(&iw_fields[layout->first_field + j]), name) == 0)
                return &iw_fields[layout->first_field + j];
    }
    return NULL;
}

size_t iw_lua_value_names(
    const struct iw_lua_layouts *layouts, const struct iw_field *field, const char *names[2]) {
    const char *end = value_end_of_filter(field);
    size_t count = 0;

    if (value_owner_of(layouts, field->name) == field)
        names[count++] = field->name;
    if (strcmp(end, field->name) != 0 && value_owner_of(layouts, end) == field)
        names[count++] = end;
    return count;
}

/* Adds all names: a name that two fields share is valid, and means one of them. */
void iw_lua_value_add_names(const struct iw_lua_layouts *layouts, struct iw_lua_names *names) {
    for (size_t i = 0; i < layouts->count; i++) {
        const struct iw_layout *layout = &iw_layouts[layouts->id[i]];
        for (size_t j = 0; j < layout->field_count; j++) {
            const struct iw_field *field = &iw_fields[layout->first_field + j];
            if (!value_has_no_short_names(layouts->id[i]))
                iw_lua_names_add_one(names, field->name);
            iw_lua_names_add_one(names, value_end_of_filter(field));
            iw_lua_names_add_one(names, field->filter);
        }
    }
}

/* Reads the value on top of the stack. */
static uint64_t value_read_field_number(lua_State *lua, const struct iw_field *field) {
    int exact;

    if (lua_isboolean(lua, -1))
        return (uint64_t)lua_toboolean(lua, -1);
    if (lua_type(lua, -1) != LUA_TNUMBER)
        luaL_error(lua, "%s takes an integer, not a %s", field->name, luaL_typename(lua, -1));
    lua_Integer number = lua_tointegerx(lua, -1, &exact);
    if (!exact)
        luaL_error(lua, "%s takes an integer, not %f", field->name, lua_tonumber(lua, -1));
    if (field->bits < 64 && ((uint64_t)number >> field->bits) != 0)
        luaL_error(lua, "%s: %I has more than %d bits", field->name, (LUAI_UACINT)number, (int)field->bits);
    return (uint64_t)number;
}

static void read_field_value(lua_State *lua, const struct iw_field *field, struct iw_lua_values *values) {
    struct iw_lua_value value = {.field = field};

    if (values->count == IW_LUA_VALUES_MAX)
        luaL_error(lua, "too many fields");
    if (value_whole_octets(field)) {
        size_t length = 0;
        const char *octets = lua_type(lua, -1) == LUA_TSTRING ? lua_tolstring(lua, -1, &length) : NULL;
        assert(field->bits <= 8 * sizeof value.octets);
        if (octets == NULL || length != field->bits / 8u)
            luaL_error(lua, "%s takes a string of %d octets", field->name, field->bits / 8);
        memcpy(value.octets, octets, length);
    } else {
        value.number = value_read_field_number(lua, field);
    }
    values->values[values->count++] = value;
}

/* Pushes the table's value for the field, or nil. Returns whether there is a value. */
static bool push_field_value(
    lua_State *lua, int table, const struct iw_lua_layouts *layouts, const struct iw_field *field) {
    const char *end = value_end_of_filter(field);

    if (lua_getfield(lua, table, field->name) != LUA_TNIL && value_owner_of(layouts, field->name) == field)
        return true;
    lua_pop(lua, 1);
    if (lua_getfield(lua, table, end) != LUA_TNIL && value_owner_of(layouts, end) == field)
        return true;
    lua_pop(lua, 1);
    return lua_getfield(lua, table, field->filter) != LUA_TNIL;
}

void iw_lua_value_read(
    lua_State *lua, int table, const struct iw_lua_layouts *layouts, struct iw_lua_values *values) {
    table = lua_absindex(lua, table);
    for (size_t i = 0; i < layouts->count; i++) {
        const struct iw_layout *layout = &iw_layouts[layouts->id[i]];
        for (size_t j = 0; j < layout->field_count; j++) {
            const struct iw_field *field = &iw_fields[layout->first_field + j];
            if (push_field_value(lua, table, layouts, field))
                read_field_value(lua, field, values);
            lua_pop(lua, 1);
        }
    }
}

const struct iw_lua_value *iw_lua_value_find(
    const struct iw_lua_values *values, const struct iw_field *field) {
    for (size_t i = 0; i < values->count; i++)
        if (values->values[i].field == field)
            return &values->values[i];
    return NULL;
}

void iw_lua_value_put(const struct iw_lua_values *values, enum iw_layout_id layout, uint8_t *octets) {
    for (size_t i = 0; i < values->count; i++) {
        const struct iw_lua_value *value = &values->values[i];
        if (value->field->layout != layout)
            continue;
        if (value_whole_octets(value->field))
            memcpy(octets + value->field->bit / 8, value->octets, value->field->bits / 8);
        else
            iw_field_put(value->field, octets, value->number);
    }
}

void iw_lua_value_push(
    lua_State *lua, const struct iw_lua_layouts *layouts, enum iw_layout_id layout, const uint8_t *octets) {
    for (size_t j = 0; j < iw_layouts[layout].field_count; j++) {
        const struct iw_field *field = &iw_fields[iw_layouts[layout].first_field + j];
        const char *names[2];
        size_t count = iw_lua_value_names(layouts, field, names);
        for (size_t k = 0; k < count; k++) {
            if (value_whole_octets(field))
                lua_pushlstring(lua, (const char *)octets + field->bit / 8, field->bits / 8);
            else if (field->kind == IW_KIND_FLAG)
                lua_pushboolean(lua, iw_field_get(field, octets) != 0);
            else
                lua_pushinteger(lua, (lua_Integer)iw_field_get(field, octets));
            lua_setfield(lua, -2, names[k]);
        }
    }
}
