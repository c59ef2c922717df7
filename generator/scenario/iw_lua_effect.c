#include "iw_lua_connection.h"

enum effect {
    FIELDS,   /* of the DDP header and its control octet */
    HEADER,   /* of the RDMAP header */
    ENHANCED, /* of the enhanced data of a startup frame */
    CRC,
    CRC_FLIP,
    PAD_VALUE,
    FPDUPTR,
    FPDUPTR_SHIFT,
    MARKER_RESERVED,
    NO_MARKERS,
    CUT,
    SPLIT,
    EFFECT_COUNT,
};

static const char *const texts[EFFECT_COUNT] = {
    [FIELDS] = "fields of the DDP header: ulpdu is sent as given",
    [HEADER] = "fields of the RDMAP header: there is no such header in what is sent",
    [ENHANCED] = "fields of the enhanced data: the startup frame has none",
    [CRC] = "crc: no CRC is sent",
    [CRC_FLIP] = "crc_flip: no CRC is sent",
    [PAD_VALUE] = "pad_value: there is no PAD",
    [FPDUPTR] = "fpduptr: no Marker falls into what is sent",
    [FPDUPTR_SHIFT] = "fpduptr_shift: no Marker with an FPDUPTR of its own falls into what is sent",
    [MARKER_RESERVED] = "marker_reserved: no Marker falls into what is sent",
    [NO_MARKERS] = "no_markers: Markers are not in use",
    [CUT] = "cut: what is sent is shorter",
    [SPLIT] = "split: what is sent ends with the first piece, or before",
};

static unsigned bit(bool there, enum effect effect) {
    return there ? 1u << effect : 0;
}

static enum effect effect_of(const struct iw_field *field) {
    bool control = field->layout == iw_layout_rdmap_control || field->layout == iw_layout_rdmap_control5;

    if (iw_layouts[field->layout].protocol == IW_PROTOCOL_DDP || control ||
        field->layout == iw_layout_rdmap_invalidate)
        return FIELDS;
    return field->layout == iw_layout_mpa_enhanced ? ENHANCED : HEADER;
}

static unsigned effect_wanted_fields(const struct iw_lua_override *override) {
    unsigned wanted = 0;

    for (size_t i = 0; i < override->values.count; i++)
        if (override->values.values[i].field->layout != iw_layout_mpa_startup)
            wanted |= bit(true, effect_of(override->values.values[i].field));
    return wanted;
}

unsigned iw_lua_effect_wanted(const struct iw_lua_override *override) {
    const struct iw_fpdu_parts *parts = &override->parts;

    return effect_wanted_fields(override) | bit((parts->overrides & IW_FPDU_SET_CRC) != 0, CRC) |
           bit(parts->crc_flip != 0, CRC_FLIP) | bit(parts->pad_value != 0, PAD_VALUE) |
           bit((parts->overrides & IW_FPDU_SET_FPDUPTR) != 0, FPDUPTR) |
           bit(parts->fpduptr_shift != 0, FPDUPTR_SHIFT) | bit(parts->marker_reserved != 0, MARKER_RESERVED) |
           bit((parts->overrides & IW_FPDU_NO_MARKERS) != 0, NO_MARKERS) | bit(override->shortened, CUT) |
           bit(override->split_count > 0, SPLIT);
}

static unsigned effect_found_fields(const struct iw_emit *emit) {
    uint8_t opcode = emit->segment.opcode;
    enum iw_layout_id header = opcode < IW_RDMAP_OP_COUNT ? iw_opcodes[opcode].header : IW_LAYOUT_NONE;

    if (emit->kind == IW_EMIT_STARTUP)
        return bit(emit->enhanced, ENHANCED);
    if (emit->kind != IW_EMIT_FPDU || emit->bare)
        return 0;
    return bit(true, FIELDS) |
           bit(header != IW_LAYOUT_NONE && emit->header_octets >= iw_layouts[header].octets, HEADER);
}

static unsigned effect_found_markers(const struct iw_fpdu_parts *parts, const struct iw_fpdu_shape *shape) {
    bool set = (parts->overrides & IW_FPDU_SET_FPDUPTR) != 0;

    if (parts->overrides & IW_FPDU_NO_MARKERS)
        return bit(shape->marked, NO_MARKERS); /* allowed even if no Marker falls into the FPDU */
    if (shape->markers == 0)
        return 0;
    return bit(true, MARKER_RESERVED) | bit(set, FPDUPTR) | bit(!set, FPDUPTR_SHIFT);
}

unsigned iw_lua_effect_found(const struct iw_lua_connection *connection,
    const struct iw_lua_override *override, const struct iw_emit *emit) {
    size_t waiting;
    struct iw_fpdu_shape shape = iw_endpoint_measure(connection->endpoint, emit, &waiting);
    size_t sent = emit->shortened && emit->cut < shape.octets ? emit->cut : shape.octets;
    bool crc = emit->kind == IW_EMIT_FPDU && (emit->parts.overrides & IW_FPDU_NO_CRC) == 0 &&
               sent + iw_mpa_crc_octets > shape.octets;

    if (override->times == 0)
        return effect_found_fields(emit);
    return effect_found_fields(emit) | effect_found_markers(&emit->parts, &shape) | bit(crc, CRC) |
           bit(crc, CRC_FLIP) | bit(shape.pad > 0, PAD_VALUE) | bit(override->cut <= shape.octets, CUT) |
           bit(override->split_count > 0 && override->split[0] < waiting + sent, SPLIT);
}

const char *iw_lua_effect_text(unsigned missing) {
    for (int i = 0; i < EFFECT_COUNT; i++)
        if (missing >> i & 1)
            return texts[i];
    return NULL;
}
