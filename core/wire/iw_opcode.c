#include "iw_opcode.h"

#include <assert.h>

/* Constants that only the rows of iw_opcode.def use. */
enum { TAGGED = 1, UNTAGGED = 0, NONE = IW_QN_NONE };
enum { iw_layout_NONE = IW_LAYOUT_NONE };

enum {
#define IW_REQUEST(name, value, title, header, ...) iw_field_##header##_NONE = IW_FIELD_NONE,
#include "iw_opcode.def"
};

const struct iw_opcode iw_opcodes[IW_RDMAP_OP_COUNT] = {
#define IW_OPCODE(name, value, title, model, queue, header, payload, invalidate, extension, clause)          \
    [value] = {#name, title, clause, value, model, queue, (enum iw_layout_id)iw_layout_##header,             \
        IW_PAYLOAD_##payload, IW_INVALIDATE_##invalidate, IW_RDMAP_OP_NONE, IW_EXT_##extension,              \
        IW_FIELD_NONE, IW_FIELD_NONE, IW_FIELD_NONE, IW_FIELD_NONE},
#define FIELD(layout, field) (enum iw_field_id) iw_field_##layout##_##field
#define IW_REQUEST(                                                                                          \
    name, value, title, header, payload, invalidate, extension, clause, stag, to, length, sink)              \
    [value] = {#name "_REQUEST", title, clause, value, UNTAGGED, IW_QN_REQUEST, iw_layout_##header,          \
        IW_PAYLOAD_##payload, IW_INVALIDATE_##invalidate, IW_RDMAP_OP_##name##_RESPONSE, IW_EXT_##extension, \
        FIELD(header, stag), FIELD(header, to), FIELD(header, length), FIELD(header, sink)},
#include "iw_opcode.def"
};

const struct iw_opcode *iw_opcode_find(uint8_t value, unsigned extensions) {
    if (value >= IW_RDMAP_OP_COUNT)
        return NULL;

    const struct iw_opcode *op = &iw_opcodes[value];

    /* RFC 7306 derives from draft-ietf-storm-rdmap-ext-01, whose section 4.1 defines the same opcodes. */
    if (op->extension == IW_EXT_RFC7306 && (extensions & IW_EXT_STORM))
        return op;
    return op->extension == IW_EXT_BASE || (op->extension & extensions) ? op : NULL;
}

uint16_t iw_opcode_min_ulpdu(const struct iw_opcode *op) {
    unsigned octets = op->tagged ? iw_ddp_tagged_octets : iw_ddp_untagged_octets;

    if (op->header != IW_LAYOUT_NONE)
        octets += iw_layouts[op->header].octets;
    return (uint16_t)octets;
}

struct iw_target iw_opcode_target(const struct iw_opcode *op, const uint8_t *header) {
    struct iw_target target = {0};

    if (op->stag == IW_FIELD_NONE)
        return target;
    target.stag = (uint32_t)iw_field_get(&iw_fields[op->stag], header);
    target.to = iw_field_get(&iw_fields[op->to], header);
    target.length = sizeof(uint64_t);
    if (op->length != IW_FIELD_NONE)
        target.length = (uint32_t)iw_field_get(&iw_fields[op->length], header);
    return target;
}

/* `opcode_answers` has a bit for each opcode that answers another opcode. */
static_assert(IW_RDMAP_OP_COUNT <= 32, "a bit for each opcode");
static const uint32_t opcode_answers = 0
#define IW_REQUEST(name, ...) | UINT32_C(1) << IW_RDMAP_OP_##name##_RESPONSE
#include "iw_opcode.def"
    ;

uint8_t iw_opcode_answered(uint8_t value) {
    if (value >= IW_RDMAP_OP_COUNT || (opcode_answers >> value & 1) == 0)
        return IW_RDMAP_OP_NONE;
    for (uint8_t i = 0; i < IW_RDMAP_OP_COUNT; i++)
        if (iw_opcodes[i].answer == value)
            return i;
    return IW_RDMAP_OP_NONE;
}
