#include "iw_defect.h"

#include <string.h>

const struct iw_defect iw_defects[] = {
#define IW_DEFECT(name, words, requirement, ...) {name, words, IW_REQ_##requirement, __VA_ARGS__},
#include "iw_defect.def"
#undef IW_DEFECT
};

const size_t iw_defect_count = sizeof iw_defects / sizeof *iw_defects;

const struct iw_defect *iw_defect_find(const char *name) {
    for (size_t i = 0; i < iw_defect_count; i++)
        if (strcmp(iw_defects[i].name, name) == 0)
            return &iw_defects[i];
    return NULL;
}

/* If the layout has the field of the defect. */
static void change_field(const struct iw_defect *defect, enum iw_layout_id layout, uint8_t *header) {
    const struct iw_field *field = iw_field_find(layout, defect->field);

    if (field)
        iw_field_put(
            field, header, defect->add ? iw_field_get(field, header) + defect->value : defect->value);
}

static void change_startup(const struct iw_defect *defect, struct iw_emit *emit) {
    uint8_t octets[iw_mpa_startup_octets];

    iw_mpa_startup_encode(&emit->startup, octets);
    change_field(defect, iw_layout_mpa_startup, octets);
    iw_mpa_startup_decode(octets, &emit->startup);
    iw_mpa_enhanced_encode(&emit->enhanced_data, octets);
    change_field(defect, iw_layout_mpa_enhanced, octets);
    iw_mpa_enhanced_decode(octets, &emit->enhanced_data);
}

/* The Invalidate STag field is not reserved in a message that invalidates. */
static bool means_something(const struct iw_defect *defect, const struct iw_segment *segment) {
    return strcmp(defect->field, "rsvdulp_rest") == 0 && segment->op &&
           segment->op->invalidate != IW_INVALIDATE_ZERO;
}

static void change_headers(const struct iw_defect *defect, struct iw_emit *emit) {
    uint8_t octets[iw_ddp_untagged_octets];
    uint8_t opcode = emit->segment.opcode;
    size_t length;

    if (means_something(defect, &emit->segment))
        return;
    length = iw_segment_encode_ddp(&emit->segment, octets);
    change_field(defect, emit->segment.tagged ? iw_layout_ddp_tagged : iw_layout_ddp_untagged, octets);
    change_field(defect, iw_layout_rdmap_control, octets + 1);
    iw_segment_decode(octets, length, length, IW_EXT_ALL, &emit->segment);
    if (opcode < IW_RDMAP_OP_COUNT && iw_opcodes[opcode].header != IW_LAYOUT_NONE &&
        emit->header_octets >= iw_layouts[iw_opcodes[opcode].header].octets)
        change_field(defect, iw_opcodes[opcode].header, emit->header);
}

static void change_framing(const struct iw_fpdu_parts *defect, struct iw_fpdu_parts *parts) {
    parts->overrides |= defect->overrides;
    parts->crc_flip ^= defect->crc_flip;
    parts->pad_value |= defect->pad_value;
    parts->marker_reserved |= defect->marker_reserved;
    parts->fpduptr_shift = (int16_t)(parts->fpduptr_shift + defect->fpduptr_shift);
}

static bool concerns(const struct iw_defect *defect, const struct iw_emit *emit) {
    switch (emit->kind) {
    case IW_EMIT_STARTUP:
        return defect->of == IW_DEFECT_OF_STARTUP;
    case IW_EMIT_CLOSE:
        return defect->of == IW_DEFECT_OF_CLOSE;
    case IW_EMIT_FPDU:
        break;
    }
    return defect->of == IW_DEFECT_OF_FPDU && (defect->opcode == 0 || emit->segment.opcode == defect->opcode);
}

static unsigned apply(void *user, struct iw_emit *emit) {
    const struct iw_defect *defect = user;
    size_t shorter = defect->shorter;

    if (!concerns(defect, emit))
        return 1;
    if (defect->field && emit->kind == IW_EMIT_STARTUP)
        change_startup(defect, emit);
    if (defect->field && emit->kind == IW_EMIT_FPDU)
        change_headers(defect, emit);
    change_framing(&defect->parts, &emit->parts);
    emit->payload_octets -= emit->payload_octets < shorter ? emit->payload_octets : shorter;
    emit->reset |= defect->reset;
    return defect->times == IW_DEFECT_NEVER ? 0 : defect->times == IW_DEFECT_TWICE ? 2 : 1;
}

void iw_defect_configure(const struct iw_defect *defect, struct iw_endpoint_config *config) {
    if (!defect)
        return;
    config->filter = apply;
    config->filter_user = (void *)(uintptr_t)defect;
    config->skip |= defect->skip;
    if (defect->early)
        config->automatic.rtr = false;
    if (defect->patient)
        config->startup_ms = UINT32_MAX;
}
