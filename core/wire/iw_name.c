#include "iw_name.h"

#include "iw_opcode.h"
#include "iw_error.h"

static const struct {
    enum iw_field_kind kind;
    uint64_t value;
    const char *name;
} values[] = {
#define IW_VALUE(kind, symbol, value, name) {IW_KIND_##kind, value, name},
#include "iw_value.def"
};

const char *iw_value_name(enum iw_field_kind kind, uint64_t value) {
    if (kind == IW_KIND_OPCODE)
        return value < IW_RDMAP_OP_COUNT ? iw_opcodes[value].title : NULL;
    if (kind == IW_KIND_LAYER)
        return value <= UINT8_MAX ? iw_error_layer_name((uint8_t)value) : NULL;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i].kind == kind && values[i].value == value)
            return values[i].name;
    return NULL;
}
