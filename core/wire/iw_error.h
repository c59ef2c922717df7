#pragma once

#include <stddef.h>
#include <stdint.h>

/* The errors that a Terminate can state (iw_error.def). */

/* layer << 12 | etype << 8 | code: the first two octets of the Terminate Header. */
enum iw_error {
#define IW_ETYPE(layer, etype, name)
#define IW_ERROR(symbol, layer, etype, code, name, clause)                                                   \
    IW_ERROR_##symbol = (layer) << 12 | (etype) << 8 | (code),
#include "iw_error.def"
};

struct iw_error_row {
    uint16_t triple; /* enum iw_error */
    const char *name;
    const char *clause;
};

extern const struct iw_error_row iw_error_rows[];
extern const size_t iw_error_row_count;

static inline uint16_t iw_error_triple(uint8_t layer, uint8_t etype, uint8_t code) {
    return (uint16_t)(layer << 12 | (etype & 0xF) << 8 | code);
}

static inline uint8_t iw_error_layer(uint16_t triple) {
    return (uint8_t)(triple >> 12);
}

static inline uint8_t iw_error_etype(uint16_t triple) {
    return triple >> 8 & 0xF;
}

static inline uint8_t iw_error_code(uint16_t triple) {
    return (uint8_t)triple;
}

/* Returns the table row of an error, or NULL. Layer 0, EType 0 and layer 1, EType 3 accept any code. */
const struct iw_error_row *iw_error_find(uint16_t triple);

/* Writes layer, EType and Error Code in hexadecimal, as in the figures of RFC 5040 4.8: "2/0/02". */
enum { IW_ERROR_TEXT_OCTETS = 12 };
void iw_error_text(uint16_t triple, char text[IW_ERROR_TEXT_OCTETS]);

/* The LLP of DDP. The errors of layer 2 are those of MPA (RFC 5044 8); none is defined for SCTP. */
enum iw_llp { IW_LLP_MPA, IW_LLP_SCTP };

/* Return a name, or NULL if the table has none. Over SCTP, errors of layer 2 have their own texts. */
const char *iw_error_name(enum iw_llp llp, uint16_t triple);
const char *iw_error_layer_name(uint8_t layer);
const char *iw_error_etype_name(enum iw_llp llp, uint8_t layer, uint8_t etype);
