#include "iw_printer_state.h"

#include <inttypes.h>
#include <string.h>

static bool field_equal(const struct iw_field *field, const uint8_t *octets, const uint8_t *natural) {
    if (field->bits <= 64)
        return iw_field_get(field, octets) == iw_field_get(field, natural);
    return memcmp(octets + field->bit / 8, natural + field->bit / 8, field->bits / 8u) == 0;
}

static void put_field_name(
    struct iw_printer *printer, const struct iw_lua_layouts *layouts, const struct iw_field *field) {
    char quoted[64];
    const char *names[2] = {quoted};

    snprintf(quoted, sizeof quoted, "[\"%s\"]", field->filter);
    iw_lua_value_names(layouts, field, names);
    iw_printer_name(printer, names[0]);
}

static void put_field_value(struct iw_printer *printer, const struct iw_field *field, const uint8_t *octets) {
    bool whole = field->kind == IW_KIND_OCTETS || field->kind == IW_KIND_KEY;
    uint64_t value = whole ? 0 : iw_field_get(field, octets);

    if (whole)
        iw_printer_octets(printer, octets + field->bit / 8, field->bits / 8u);
    else if (field->kind == IW_KIND_FLAG)
        fputs(value != 0 ? "true" : "false", printer->text);
    else if (field->kind == IW_KIND_HEX && value > 9)
        fprintf(printer->text, "0x%" PRIx64, value);
    else
        fprintf(printer->text, "%" PRIu64, value);
}

/* Whether the field is the STag in a request header, which refers to the peer's memory. */
static bool printer_field_names_memory(const struct iw_field *field) {
    return strcmp(field->name, "stag") == 0 && iw_layouts[field->layout].protocol == IW_PROTOCOL_RDMAP &&
           field->layout != iw_layout_rdmap_invalidate;
}

void iw_printer_fields(struct iw_printer *printer, enum iw_layout_id layout,
    const struct iw_lua_layouts *layouts, const uint8_t *octets, const uint8_t *natural) {
    const struct iw_layout *row = &iw_layouts[layout];
    uint32_t stag = 0;
    bool memory = false;

    for (size_t i = 0; i < row->field_count; i++) {
        const struct iw_field *field = &iw_fields[row->first_field + i];

        if (natural != NULL && field_equal(field, octets, natural))
            continue;
        put_field_name(printer, layouts, field);
        if (printer_field_names_memory(field)) {
            memory = true;
            stag = (uint32_t)iw_field_get(field, octets);
            iw_printer_stag(printer, stag);
        } else if (memory && strcmp(field->name, "to") == 0) {
            iw_printer_to(printer, stag, iw_field_get(field, octets));
        } else {
            put_field_value(printer, field, octets);
        }
    }
}

static size_t printer_field_find_stag(const struct iw_printer *printer, uint32_t stag) {
    size_t i = 0;

    while (i < printer->stags.count && printer->stags.list[i].stag != stag)
        i++;
    return i;
}

void iw_printer_note_stag(struct iw_printer *printer, uint32_t stag, const uint64_t *to) {
    size_t i = printer_field_find_stag(printer, stag);

    if (i == IW_PRINTER_STAGS_MAX)
        return;
    if (i == printer->stags.count)
        printer->stags.list[printer->stags.count++] = (struct iw_printer_stag){.stag = stag};
    if (to != NULL && (!printer->stags.list[i].has_to || *to < printer->stags.list[i].to)) {
        printer->stags.list[i].has_to = true;
        printer->stags.list[i].to = *to;
    }
}

void iw_printer_stag(struct iw_printer *printer, uint32_t stag) {
    size_t i = printer_field_find_stag(printer, stag);

    if (i < printer->stags.count)
        fprintf(printer->text, "stag[%zu]", i + 1);
    else
        fprintf(printer->text, "0x%08" PRIx32, stag);
}

void iw_printer_to(struct iw_printer *printer, uint32_t stag, uint64_t to) {
    size_t i = printer_field_find_stag(printer, stag);

    if (i == printer->stags.count || !printer->stags.list[i].has_to)
        fprintf(printer->text, "0x%" PRIx64, to);
    else if (to == printer->stags.list[i].to)
        fprintf(printer->text, "to[%zu]", i + 1);
    else
        fprintf(printer->text, "to[%zu] + %" PRIu64, i + 1, to - printer->stags.list[i].to);
}
