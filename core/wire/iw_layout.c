#include "iw_layout.h"

#include <assert.h>
#include <string.h>

#define IW_LAYOUT(layout, title, size, protocol, clause)                                                     \
    void iw_##layout##_decode(const uint8_t octets[size], struct iw_##layout *header) {
#define IW_FIELD(layout, field, type, label, filter, bit, bits, kind, clause)                                \
    header->field = (type)iw_bits_get(octets, bit, bits);
#define IW_OCTETS(layout, field, label, filter, octet, size, kind, clause)                                   \
    memcpy(header->field, octets + (octet), size);
#define IW_LAYOUT_END(layout) }
#include "iw_layout.def"

#define IW_LAYOUT(layout, title, size, protocol, clause)                                                     \
    void iw_##layout##_encode(const struct iw_##layout *header, uint8_t octets[size]) {
#define IW_FIELD(layout, field, type, label, filter, bit, bits, kind, clause)                                \
    iw_bits_put(octets, bit, bits, header->field);
#define IW_OCTETS(layout, field, label, filter, octet, size, kind, clause)                                   \
    memcpy(octets + (octet), header->field, size);
#define IW_LAYOUT_END(layout) }
#include "iw_layout.def"

const struct iw_field iw_fields[IW_FIELD_COUNT] = {
#define IW_LAYOUT(layout, title, octets, protocol, clause)
#define IW_FIELD(layout, field, type, label, filter, bit, bits, kind, clause)                                \
    {#field, label, filter, clause, iw_layout_##layout, IW_KIND_##kind, bit, bits},
#define IW_OCTETS(layout, field, label, filter, octet, octets, kind, clause)                                 \
    {#field, label, filter, clause, iw_layout_##layout, IW_KIND_##kind, 8 * (octet), 8 * (octets)},
#include "iw_layout.def"
};

/* Structs with one octet for each field: their sizeof is the number of fields. */
#define IW_LAYOUT(layout, title, octets, protocol, clause) struct layout##_count {
#define IW_FIELD(layout, field, type, label, filter, bit, bits, kind, clause) uint8_t field;
#define IW_OCTETS(layout, field, label, filter, octet, octets, kind, clause) uint8_t field;
#define IW_LAYOUT_END(layout)                                                                                \
    }                                                                                                        \
    ;
#include "iw_layout.def"

const struct iw_layout iw_layouts[IW_LAYOUT_COUNT] = {
#define IW_LAYOUT(layout, title, octets, protocol, clause)                                                   \
    {#layout, title, clause, IW_PROTOCOL_##protocol, octets, iw_first_##layout,                              \
        sizeof(struct layout##_count)},
#include "iw_layout.def"
};

void iw_layout_decode(enum iw_layout_id layout, const uint8_t *octets, union iw_header *header) {
    switch (layout) {
#define IW_LAYOUT(layout, title, octet_count, protocol, clause)                                              \
    case iw_layout_##layout:                                                                                 \
        iw_##layout##_decode(octets, &header->layout);                                                       \
        break;
#include "iw_layout.def"
    case IW_LAYOUT_NONE:
        break;
    }
}

const struct iw_field *iw_field_find(enum iw_layout_id layout, const char *name) {
    const struct iw_layout *row = &iw_layouts[layout];

    for (unsigned i = 0; i < row->field_count; i++) {
        const struct iw_field *field = &iw_fields[row->first_field + i];

        if (strcmp(field->name, name) == 0)
            return field;
    }
    return NULL;
}

void iw_field_put(const struct iw_field *field, uint8_t *octets, uint64_t value) {
    assert(field->bits <= 64);
    iw_bits_put(octets, field->bit, field->bits, value);
}
