#include "iw_error.h"

#include <stdio.h>

const struct iw_error_row iw_error_rows[] = {
#define IW_ERROR(symbol, layer, etype, code, name, clause) {IW_ERROR_##symbol, name, clause},
#include "iw_error.def"
};

const size_t iw_error_row_count = sizeof iw_error_rows / sizeof *iw_error_rows;

const struct iw_error_row *iw_error_find(uint16_t triple) {
    if (triple >> 8 == IW_ERROR_RDMAP_LOCAL_CATASTROPHIC >> 8 || triple >> 8 == IW_ERROR_DDP_LLP >> 8)
        triple &= 0xFF00;
    for (size_t i = 0; i < iw_error_row_count; i++)
        if (iw_error_rows[i].triple == triple)
            return &iw_error_rows[i];
    return NULL;
}

void iw_error_text(uint16_t triple, char text[IW_ERROR_TEXT_OCTETS]) {
    snprintf(text, IW_ERROR_TEXT_OCTETS, "%x/%x/%02x", iw_error_layer(triple), iw_error_etype(triple),
        iw_error_code(triple));
}

enum { TERMINATE_LAYER_LLP = 2 };

const char *iw_error_name(enum iw_llp llp, uint16_t triple) {
    const struct iw_error_row *row = iw_error_find(triple);

    if (llp == IW_LLP_SCTP && iw_error_layer(triple) == TERMINATE_LAYER_LLP)
        return "none is defined for SCTP";
    return row != NULL ? row->name : NULL;
}

const char *iw_error_layer_name(uint8_t layer) {
    switch (layer) {
#define IW_LAYER(layer, name)                                                                                \
    case layer:                                                                                              \
        return name;
#include "iw_error.def"
    default:
        return NULL;
    }
}

const char *iw_error_etype_name(enum iw_llp llp, uint8_t layer, uint8_t etype) {
    if (llp == IW_LLP_SCTP && layer == TERMINATE_LAYER_LLP)
        return "SCTP Error";
    switch (layer << 8 | etype) {
#define IW_LAYER(layer, name)
#define IW_ETYPE(layer, etype, name)                                                                         \
    case (layer) << 8 | (etype):                                                                             \
        return name;
#include "iw_error.def"
    default:
        return NULL;
    }
}
