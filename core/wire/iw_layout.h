#pragma once

#include <assert.h>
#include <stddef.h>

#include "iw_bits.h"

/* The header layouts of iw_layout.def as C: for each layout `x` a `struct iw_x`, its size iw_x_octets, a
 * decoder and an encoder; and the same rows as tables, for code that shows or sets fields by name. */

/* struct iw_mpa_startup, struct iw_ddp_tagged, ...: one member per field, in header order. */
#define IW_LAYOUT(layout, title, octets, protocol, clause) struct iw_##layout {
#define IW_FIELD(layout, field, type, label, filter, bit, bits, kind, clause) type field;
#define IW_OCTETS(layout, field, label, filter, octet, octets, kind, clause) uint8_t field[octets];
#define IW_LAYOUT_END(layout)                                                                                \
    }                                                                                                        \
    ;
#include "iw_layout.def"

/* Any of these structs. */
union iw_header {
#define IW_LAYOUT(layout, title, octets, protocol, clause) struct iw_##layout layout;
#include "iw_layout.def"
};

/* iw_mpa_startup_octets, iw_ddp_tagged_octets, ...: the size of the header on the wire. */
enum {
#define IW_LAYOUT(layout, title, octets, protocol, clause) iw_##layout##_octets = octets,
#include "iw_layout.def"
};

/* iw_x_decode(octets, &x): `octets` holds iw_x_octets octets.
 * iw_x_encode(&x, octets): writes iw_x_octets octets, and drops bits of a member that exceed its field. */
#define IW_LAYOUT(layout, title, size, protocol, clause)                                                     \
    void iw_##layout##_decode(const uint8_t octets[size], struct iw_##layout *header);                       \
    void iw_##layout##_encode(const struct iw_##layout *header, uint8_t octets[size]);
#include "iw_layout.def"

enum iw_layout_id {
#define IW_LAYOUT(layout, title, octets, protocol, clause) iw_layout_##layout,
#include "iw_layout.def"
    IW_LAYOUT_COUNT,
    IW_LAYOUT_NONE = IW_LAYOUT_COUNT,
};

/* iw_field_mpa_startup_key, ...: the index of a field in iw_fields[]. iw_first_x: the index of the first
 * field of layout x. iw_before_x sets the enum back by one, so that the first field equals iw_first_x. */
enum iw_field_id {
#define IW_LAYOUT(layout, title, octets, protocol, clause)                                                   \
    iw_first_##layout, iw_before_##layout = iw_first_##layout - 1,
#define IW_FIELD(layout, field, type, label, filter, bit, bits, kind, clause) iw_field_##layout##_##field,
#define IW_OCTETS(layout, field, label, filter, octet, octets, kind, clause) iw_field_##layout##_##field,
#include "iw_layout.def"
    IW_FIELD_COUNT,
    IW_FIELD_NONE = IW_FIELD_COUNT,
};

enum iw_protocol { IW_PROTOCOL_MPA, IW_PROTOCOL_DDP, IW_PROTOCOL_RDMAP, IW_PROTOCOL_SCTP };

enum iw_field_kind {
    IW_KIND_FLAG,
    IW_KIND_DEC,
    IW_KIND_HEX,
    IW_KIND_OCTETS,
    IW_KIND_KEY,
    IW_KIND_OPCODE,
    IW_KIND_LAYER,
    IW_KIND_ETYPE,
    IW_KIND_CODE,
    IW_KIND_AOPCODE,
    IW_KIND_FUNCTION,
};

struct iw_field {
    const char *name;   /* as in the struct and in scripts: "ulpdu_length" */
    const char *label;  /* as in the specification: "ULPDU_Length" */
    const char *filter; /* after "iwarp." in Wireshark: "mpa.ulpdu_length" */
    const char *clause; /* "RFC 5044 4.1" */
    enum iw_layout_id layout;
    enum iw_field_kind kind;
    uint16_t bit;  /* first bit, from the start of the header */
    uint16_t bits; /* width; over 64 only for OCTETS and KEY */
};

struct iw_layout {
    const char *name;  /* "mpa_startup" */
    const char *title; /* "MPA Request/Reply Frame" */
    const char *clause;
    enum iw_protocol protocol;
    uint16_t octets;
    uint16_t first_field; /* index into iw_fields[] */
    uint16_t field_count;
};

extern const struct iw_field iw_fields[IW_FIELD_COUNT];
extern const struct iw_layout iw_layouts[IW_LAYOUT_COUNT];

/* Decodes a header to the member of `header` for `layout`; does nothing for IW_LAYOUT_NONE. */
void iw_layout_decode(enum iw_layout_id layout, const uint8_t *octets, union iw_header *header);

/* Returns the field `name` of `layout`, or NULL. */
const struct iw_field *iw_field_find(enum iw_layout_id layout, const char *name);

/* Reads a field of at most 64 bits; `octets` holds the whole header. */
static inline uint64_t iw_field_get(const struct iw_field *field, const uint8_t *octets) {
    assert(field->bits <= 64);
    return iw_bits_get(octets, field->bit, field->bits);
}

/* Writes a field of at most 64 bits; `octets` holds the whole header, whose other bits do not change. */
void iw_field_put(const struct iw_field *field, uint8_t *octets, uint64_t value);
