#include "iw_show.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "iw_name.h"
#include "iw_error.h"

void iw_show_octets(FILE *out, const uint8_t *octets, size_t count, size_t limit) {
    size_t shown = count < limit ? count : limit;

    for (size_t i = 0; i < shown; i++)
        fprintf(out, "%02x", octets[i]);
    if (shown < count)
        fputs("...", out);
}

/* Replaces control characters, except `kept`: C0, DEL, and C1 in UTF-8. */
static void show_without_controls(FILE *out, const char *text, char kept) {
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text, next = (unsigned char)text[1];

        if (c == 0xc2 && next >= 0x80 && next < 0xa0) {
            fputc('?', out);
            text++;
        } else {
            fputc((c < ' ' && c != kept) || c == 0x7f ? '?' : c, out);
        }
    }
}

void iw_show_text(FILE *out, const char *text) {
    show_without_controls(out, text, '\n');
}

void iw_show_name(FILE *out, const char *name) {
    show_without_controls(out, name, '\0');
}

/* Returns the length in octets of the UTF-8 character at `text`, which is not empty; 0 if it is invalid. The
 * rows are those of UTF8-char in RFC 3629 4: overlong forms and surrogates are not in them. */
static size_t show_utf8_octets(const unsigned char *text) {
    static const struct {
        unsigned char head, last_head;     /* first octet: from, to */
        unsigned char second, last_second; /* second octet: from, to; later ones are 80h to BFh */
        size_t octets;
    } rows[] = {{0x00, 0x7f, 0, 0, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t octets = 1;

        if (text[0] < rows[i].head || text[0] > rows[i].last_head)
            continue;
        if (rows[i].octets > 1 && text[1] >= rows[i].second && text[1] <= rows[i].last_second)
            octets++;
        while (octets >= 2 && octets < rows[i].octets && (text[octets] & 0xc0) == 0x80)
            octets++;
        return octets == rows[i].octets ? octets : 0;
    }
    return 0;
}

void iw_show_line(char *to, size_t octets, const char *from) {
    size_t length = 0;

    while (*from != '\0') {
        unsigned char c = (unsigned char)from[0], next = (unsigned char)from[1];
        size_t count = show_utf8_octets((const unsigned char *)from);
        bool control = c < ' ' || c == 0x7f || (c == 0xc2 && next < 0xa0);

        if (length + (control || count == 0 ? 1 : count) >= octets)
            break;
        if (control || count == 0)
            to[length++] = c == '\n' || c == '\t' ? ' ' : '?';
        else
            for (size_t i = 0; i < count; i++)
                to[length++] = from[i];
        from += count > 0 ? count : 1;
    }
    to[length] = '\0';
}

static void show_key(FILE *out, const uint8_t *key, size_t octets) {
    for (size_t i = 0; i < octets; i++)
        if (!isprint(key[i])) {
            iw_show_octets(out, key, octets, octets);
            return;
        }
    fwrite(key, 1, octets, out);
}

void iw_show_field(FILE *out, const struct iw_field *field, const uint8_t *header) {
    const uint8_t *octets = header + field->bit / 8;

    switch (field->kind) {
    case IW_KIND_KEY:
        show_key(out, octets, field->bits / 8u);
        break;
    case IW_KIND_OCTETS:
        iw_show_octets(out, octets, field->bits / 8u, field->bits / 8u);
        break;
    case IW_KIND_FLAG:
    case IW_KIND_DEC:
    case IW_KIND_FUNCTION:
        fprintf(out, "%" PRIu64, iw_field_get(field, header));
        break;
    case IW_KIND_HEX:
    case IW_KIND_OPCODE:
    case IW_KIND_LAYER:
    case IW_KIND_ETYPE:
    case IW_KIND_CODE:
    case IW_KIND_AOPCODE:
        fprintf(out, "0x%0*" PRIx64, /* two digits for each octet that the field occupies */
            2 * ((field->bit + field->bits - 1) / 8 - field->bit / 8 + 1), iw_field_get(field, header));
    }
}

/* The error names depend on the first two octets of the Terminate Header (RFC 5040 4.8). */
static const char *show_terminate_field_name(const struct iw_field *field, const uint8_t *header) {
    uint16_t triple;

    if (field->layout != iw_layout_terminate)
        return NULL;
    triple = (uint16_t)(header[0] << 8 | header[1]);
    if (field->kind == IW_KIND_LAYER)
        return iw_error_layer_name(iw_error_layer(triple));
    if (field->kind == IW_KIND_ETYPE)
        return iw_error_etype_name(IW_LLP_MPA, iw_error_layer(triple), iw_error_etype(triple));
    return field->kind == IW_KIND_CODE ? iw_error_name(IW_LLP_MPA, triple) : NULL;
}

void iw_show_field_named(FILE *out, const struct iw_field *field, const uint8_t *header) {
    const char *name;

    iw_show_field(out, field, header);
    if (field->kind == IW_KIND_KEY || field->kind == IW_KIND_OCTETS)
        return;
    name = show_terminate_field_name(field, header);
    if (!name)
        name = iw_value_name(field->kind, iw_field_get(field, header));
    if (name)
        fprintf(out, " (%s)", name);
}

void iw_show_time(uint64_t time_ns, char text[IW_SHOW_TIME_OCTETS]) {
    time_t seconds = (time_t)(time_ns / 1000000000u);
    struct tm date;
    size_t length;

    if (!gmtime_r(&seconds, &date))
        memset(&date, 0, sizeof date);
    length = strftime(text, IW_SHOW_TIME_OCTETS, "%Y-%m-%dT%H:%M:%S", &date);
    snprintf(text + length, IW_SHOW_TIME_OCTETS - length, ".%09uZ", (unsigned)(time_ns % 1000000000u));
}
