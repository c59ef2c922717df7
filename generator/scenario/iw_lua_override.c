#include "iw_lua_override.h"

#include <string.h>

#include "iw_lua_member.h"

enum { ABSENT = -1 }; /* stands for an absent option whose values start at 0 */

static const char *const names_of_tcp[] = {"times", "cut", "split", "merge", NULL};
static const char *const names_of_framing[] = {"segment", "pad_octets", "pad_value", "crc_flip", "no_crc",
    "fpduptr_shift", "no_markers", "marker_reserved", NULL};

/* Known opcodes above Fh use a control octet with a 5-bit opcode (draft-talpey-rdma-commit-01 3.1). */
static enum iw_layout_id override_control_of(uint8_t opcode) {
    return opcode > 0xF && opcode < IW_RDMAP_OP_COUNT ? iw_layout_rdmap_control5 : iw_layout_rdmap_control;
}

void iw_lua_override_layouts(uint8_t opcode, bool tagged, struct iw_lua_layouts *layouts) {
    enum iw_layout_id header = opcode < IW_RDMAP_OP_COUNT ? iw_opcodes[opcode].header : IW_LAYOUT_NONE;
    size_t count = 0;

    layouts->id[count++] = tagged ? iw_layout_ddp_tagged : iw_layout_ddp_untagged;
    layouts->id[count++] = override_control_of(opcode);
    if (!tagged)
        layouts->id[count++] = iw_layout_rdmap_invalidate;
    if (header != IW_LAYOUT_NONE)
        layouts->id[count++] = header;
    layouts->id[count++] = iw_layout_mpa_fpdu;
    layouts->id[count++] = iw_layout_mpa_crc;
    layouts->id[count++] = iw_layout_mpa_marker;
    layouts->count = count;
}

static void override_read_framing(lua_State *lua, int options, struct iw_fpdu_parts *parts) {
    lua_Integer pad_octets = iw_lua_member_integer(lua, options, "pad_octets", ABSENT, 0, UINT8_MAX);

    if (pad_octets != ABSENT) {
        parts->overrides |= IW_FPDU_SET_PAD_OCTETS;
        parts->pad_octets = (uint8_t)pad_octets;
    }
    parts->pad_value = (uint8_t)iw_lua_member_integer(lua, options, "pad_value", 0, 0, UINT8_MAX);
    parts->crc_flip = (uint32_t)iw_lua_member_integer(lua, options, "crc_flip", 0, 0, UINT32_MAX);
    parts->fpduptr_shift =
        (int16_t)iw_lua_member_integer(lua, options, "fpduptr_shift", 0, INT16_MIN, INT16_MAX);
    parts->marker_reserved = (uint16_t)iw_lua_member_integer(
        lua, options, "marker_reserved", parts->marker_reserved, 0, UINT16_MAX);
    if (iw_lua_member_flag(lua, options, "no_crc", false))
        parts->overrides |= IW_FPDU_NO_CRC;
    if (iw_lua_member_flag(lua, options, "no_markers", false))
        parts->overrides |= IW_FPDU_NO_MARKERS;
}

static void override_read_split(lua_State *lua, int options, struct iw_lua_override *override) {
    lua_getfield(lua, options, "split");
    if (lua_isinteger(lua, -1)) {
        lua_createtable(lua, 1, 0);
        lua_insert(lua, -2);
        lua_rawseti(lua, -2, 1);
    }
    if (!lua_isnil(lua, -1)) {
        if (!lua_istable(lua, -1) || lua_rawlen(lua, -1) > IW_EMIT_SPLIT_MAX)
            luaL_error(lua, "split takes a list of at most %d numbers of octets", (int)IW_EMIT_SPLIT_MAX);
        size_t count = lua_rawlen(lua, -1);
        for (size_t i = 0; i < count; i++) {
            lua_rawgeti(lua, -1, (lua_Integer)i + 1);
            if (!lua_isinteger(lua, -1) || lua_tointeger(lua, -1) <= 0)
                luaL_error(lua, "split takes numbers of octets");
            override->split[override->split_count++] = (size_t)lua_tointeger(lua, -1);
            lua_pop(lua, 1);
        }
    }
    lua_pop(lua, 1);
}

/* Removes a framing field from the header values and returns it: the FPDU writer writes it. */
static uint64_t override_take_framing_field(
    struct iw_lua_override *override, enum iw_field_id field, enum iw_fpdu_override set) {
    if (iw_lua_value_find(&override->values, &iw_fields[field]) != NULL)
        override->parts.overrides |= set;
    return iw_lua_override_take(override, field, 0);
}

static void override_take_framing_fields(struct iw_lua_override *override) {
    struct iw_fpdu_parts *parts = &override->parts;

    parts->ulpdu_length =
        (uint16_t)override_take_framing_field(override, iw_field_mpa_fpdu_ulpdu_length, IW_FPDU_SET_LENGTH);
    parts->crc = (uint32_t)override_take_framing_field(override, iw_field_mpa_crc_crc, IW_FPDU_SET_CRC);
    parts->fpduptr =
        (uint16_t)override_take_framing_field(override, iw_field_mpa_marker_fpduptr, IW_FPDU_SET_FPDUPTR);
    parts->marker_reserved = (uint16_t)iw_lua_override_take(override, iw_field_mpa_marker_reserved, 0);
}

void iw_lua_override_read(
    lua_State *lua, int options, const struct iw_lua_layouts *layouts, struct iw_lua_override *override) {
    options = lua_absindex(lua, options);
    memset(override, 0, sizeof *override);
    iw_lua_value_read(lua, options, layouts, &override->values);
    override_take_framing_fields(override);
    override_read_framing(lua, options, &override->parts);
    override->segment = (unsigned)iw_lua_member_integer(lua, options, "segment", 0, 1, INT32_MAX);
    override->times = (unsigned)iw_lua_member_integer(lua, options, "times", 1, 0, 1000);
    lua_Integer cut = iw_lua_member_integer(lua, options, "cut", ABSENT, 0, INT32_MAX);
    override->shortened = cut != ABSENT;
    override->cut = override->shortened ? (size_t)cut : 0;
    override_read_split(lua, options, override);
    override->merge = iw_lua_member_flag(lua, options, "merge", false);
}

void iw_lua_override_options(lua_State *lua, int options, const char *method, const char *const *others,
    const struct iw_lua_layouts *layouts, struct iw_lua_override *override) {
    struct iw_lua_names names = {0};

    iw_lua_names_add(&names, others);
    iw_lua_names_add(&names, names_of_tcp);
    if (layouts != &iw_lua_value_startup)
        iw_lua_names_add(&names, names_of_framing);
    iw_lua_value_add_names(layouts, &names);
    iw_lua_names_check(lua, options, &names, method, false);
    iw_lua_override_read(lua, options, layouts, override);
}

static bool override_is_tagged(lua_State *lua, uint8_t opcode) {
    bool tagged = opcode < IW_RDMAP_OP_COUNT && iw_opcodes[opcode].tagged;

    if (lua_getfield(lua, 2, "t") != LUA_TNIL)
        tagged = lua_isinteger(lua, -1) ? lua_tointeger(lua, -1) != 0 : lua_toboolean(lua, -1);
    lua_pop(lua, 1);
    return tagged;
}

void iw_lua_override_message(lua_State *lua, const char *method, uint8_t opcode, const char *const *options,
    struct iw_lua_override *override) {
    struct iw_lua_layouts layouts;

    iw_lua_override_layouts(opcode, override_is_tagged(lua, opcode), &layouts);
    iw_lua_override_options(lua, 2, method, options, &layouts, override);
}

void iw_lua_override_needs_stag(lua_State *lua, const char *method, const struct iw_lua_override *override,
    const struct iw_field *field) {
    /* A script that sets T may choose a DDP header without this STag. */
    if (lua_getfield(lua, 2, "t") == LUA_TNIL && iw_lua_value_find(&override->values, field) == NULL)
        luaL_error(lua, "%s needs %s of a region of the peer", method, field->name);
    lua_pop(lua, 1);
}

uint64_t iw_lua_override_take(struct iw_lua_override *override, enum iw_field_id field, uint64_t otherwise) {
    struct iw_lua_values *values = &override->values;
    const struct iw_lua_value *found = iw_lua_value_find(values, &iw_fields[field]);

    if (found == NULL)
        return otherwise;
    uint64_t number = found->number;
    values->values[found - values->values] = values->values[--values->count];
    return number;
}

void iw_lua_override_tcp(const struct iw_lua_override *override, struct iw_emit *emit) {
    emit->shortened = override->shortened;
    emit->cut = override->cut;
    emit->split_count = override->split_count;
    emit->merge = override->merge;
    memcpy(emit->split, override->split, sizeof emit->split);
}

void iw_lua_override_fpdu(const struct iw_lua_override *override, struct iw_emit *emit) {
    const struct iw_lua_values *values = &override->values;
    const struct iw_lua_value *tagged = iw_lua_value_find(values, &iw_fields[iw_field_ddp_tagged_t]);
    const struct iw_lua_value *untagged = iw_lua_value_find(values, &iw_fields[iw_field_ddp_untagged_t]);
    const struct iw_lua_value *t = tagged != NULL ? tagged : untagged;
    struct iw_segment *segment = &emit->segment;
    uint8_t octets[iw_ddp_untagged_octets] = {0};
    enum iw_layout_id header =
        segment->opcode < IW_RDMAP_OP_COUNT ? iw_opcodes[segment->opcode].header : IW_LAYOUT_NONE;

    if (t != NULL) /* selects the tagged or the untagged header */
        segment->tagged = t->number != 0;
    iw_segment_encode_ddp(segment, octets);
    iw_lua_value_put(values, segment->tagged ? iw_layout_ddp_tagged : iw_layout_ddp_untagged, octets);
    iw_lua_value_put(values, override_control_of(segment->opcode), octets + 1);
    if (!segment->tagged)
        iw_lua_value_put(values, iw_layout_rdmap_invalidate, octets + 2);
    iw_segment_decode_ddp(octets, segment);
    if (header != IW_LAYOUT_NONE && emit->header_octets >= iw_layouts[header].octets)
        iw_lua_value_put(values, header, emit->header);
    emit->parts = override->parts;
    iw_lua_override_tcp(override, emit);
}

void iw_lua_override_startup(const struct iw_lua_override *override, struct iw_emit *emit) {
    uint8_t octets[iw_mpa_startup_octets];

    iw_mpa_startup_encode(&emit->startup, octets);
    iw_lua_value_put(&override->values, iw_layout_mpa_startup, octets);
    iw_mpa_startup_decode(octets, &emit->startup);
    iw_mpa_enhanced_encode(&emit->enhanced_data, octets);
    iw_lua_value_put(&override->values, iw_layout_mpa_enhanced, octets);
    iw_mpa_enhanced_decode(octets, &emit->enhanced_data);
    iw_lua_override_tcp(override, emit);
}
