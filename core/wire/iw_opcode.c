#include "iw_opcode.h"

#include <assert.h>
#include <stddef.h>

/* Words of the table that are not constants elsewhere. */
enum { TAGGED = 1, UNTAGGED = 0 };
#define QUEUE_NONE IW_QN_NONE
#define QUEUE_0 IW_QN_SEND
#define QUEUE_1 IW_QN_REQUEST
#define QUEUE_2 IW_QN_TERMINATE
#define QUEUE_3 IW_QN_RESPONSE
enum { iw_layout_NONE = IW_LAYOUT_NONE };

const struct iw_opcode iw_opcodes[IW_RDMAP_OP_COUNT] = {
#define IW_OPCODE(name, value, title, model, queue, header, payload, invalidate, answer, extension, clause)  \
    [value] = {#name, title, clause, value, model, QUEUE_##queue, (enum iw_layout_id)iw_layout_##header,     \
        IW_PAYLOAD_##payload, IW_INVALIDATE_##invalidate, IW_RDMAP_OP_##answer, IW_EXT_##extension},
#include "iw_opcode.def"
};

/* RFC 7306 derives from draft-ietf-storm-rdmap-ext-01, whose section 4.1 defines all of its opcodes. */
static unsigned documents_of(const struct iw_opcode *op) {
    return op->extension == IW_EXT_RFC7306 ? IW_EXT_RFC7306 | IW_EXT_STORM : op->extension;
}

const struct iw_opcode *iw_opcode_find(uint8_t value, unsigned extensions) {
    if (value >= IW_RDMAP_OP_COUNT)
        return NULL;

    const struct iw_opcode *op = &iw_opcodes[value];

    if (op->extension != IW_EXT_BASE && (documents_of(op) & extensions) == 0)
        return NULL;
    return op;
}

uint16_t iw_opcode_min_ulpdu(const struct iw_opcode *op) {
    unsigned octets = op->tagged ? iw_ddp_tagged_octets : iw_ddp_untagged_octets;

    if (op->header != IW_LAYOUT_NONE)
        octets += iw_layouts[op->header].octets;
    return (uint16_t)octets;
}

/* One bit for each opcode that answers another. IW_RDMAP_OP_NONE also has a bit, above those of all
 * opcodes. */
static_assert(IW_RDMAP_OP_COUNT < 32 && IW_RDMAP_OP_NONE % 32 >= IW_RDMAP_OP_COUNT, "a bit for each opcode");
#define IW_OPCODE(name, value, title, model, queue, header, payload, invalidate, answer, extension, clause)  \
    | UINT32_C(1) << IW_RDMAP_OP_##answer % 32
static const uint32_t answers = 0
#include "iw_opcode.def"
    ;

uint8_t iw_opcode_answered(uint8_t value) {
    if (value >= IW_RDMAP_OP_COUNT || (answers >> value & 1) == 0)
        return IW_RDMAP_OP_NONE;
    for (uint8_t i = 0; i < IW_RDMAP_OP_COUNT; i++)
        if (iw_opcodes[i].answer == value)
            return i;
    return IW_RDMAP_OP_NONE;
}
