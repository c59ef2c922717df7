#pragma once

#include "iw_layout.h"
#include "iw_segment.h"

/* Terminate errors (iw_terminate.def), and the Terminate Message (RFC 5040 4.8). */

/* layer << 12 | etype << 8 | code: the first two octets of the Terminate Header. */
enum iw_error {
#define IW_ETYPE(layer, etype, name)
#define IW_ERROR(symbol, layer, etype, code, name, clause)                                                   \
    IW_ERROR_##symbol = (layer) << 12 | (etype) << 8 | (code),
#include "iw_terminate.def"
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

/* Returns the error of a Terminate Header. */
static inline uint16_t iw_terminate_error(const struct iw_terminate *control) {
    return iw_error_triple(control->layer, control->etype, control->code);
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

/* A Terminate Message after its DDP header. `has_ddp` follows the D bit and `has_rdmap` the R bit. The DDP
 * Segment Length is present if D is set (RFC 5040 4.8), and optional if only M is set. If the message is too
 * short for an included header, its `has_` flag is false and `truncated` is set. */
struct iw_terminate_message {
    struct iw_terminate control;
    bool has_length;
    bool has_ddp;
    bool has_rdmap;
    bool truncated;
    uint16_t segment_length;          /* DDP Segment Length as sent */
    struct iw_segment terminated;     /* the included DDP header, decoded */
    const uint8_t *terminated_octets; /* the included DDP header: `terminated.ddp_octets` octets */
    const uint8_t *rdmap_octets;      /* the included Read Request header: iw_read_request_octets octets */
    size_t used;                      /* octets of the message that were decoded */
};

/* Decodes `length` octets after the DDP header. Returns false if the Terminate Header is incomplete. */
bool iw_terminate_message_decode(
    const uint8_t *octets, size_t length, unsigned extensions, struct iw_terminate_message *message);

/* Decodes a Terminate with each octet filled from the lowest bit, as compilers for little-endian machines lay
 * out bit-fields (Linux siw). Layer and EType are then swapped, and M, D and R are the lowest bits of the
 * third octet. Returns true if only those reserved bits are set, the table has the error, and exactly the
 * headers that M, D and R announce follow. Otherwise `message` is undefined. */
bool iw_terminate_message_reversed(
    const uint8_t *octets, size_t length, unsigned extensions, struct iw_terminate_message *message);
bool iw_segment_terminate_reversed(
    const struct iw_segment *segment, unsigned extensions, struct iw_terminate_message *message);

/* Decodes the captured part of a Terminate after its DDP header. Returns false and leaves `message`
 * unchanged if the segment is not a Terminate or its Terminate Header is incomplete. */
bool iw_segment_terminate(
    const struct iw_segment *segment, unsigned extensions, struct iw_terminate_message *message);
