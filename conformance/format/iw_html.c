#include "iw_html.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

/* Returns the length of the first character of `text`; 0 if it is not valid in HTML. Accepts only the
 * shortest form, no surrogates, and no values above U+10FFFF (RFC 3629 3, 4). */
static size_t html_character_octets(const unsigned char *text) {
    static const struct {
        unsigned char first, last; /* range of the first octet */
        unsigned char low, high;   /* range of the second octet */
        size_t octets;
    } rows[] = {
        {0xc2, 0xdf, 0x80, 0xbf, 2},
        {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3},
        {0xed, 0xed, 0x80, 0x9f, 3},
        {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4},
        {0xf1, 0xf3, 0x80, 0xbf, 4},
        {0xf4, 0xf4, 0x80, 0x8f, 4},
    };

    if (text[0] < 0x80)
        return text[0] >= 0x20 && text[0] != 0x7f;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (text[0] < rows[i].first || text[0] > rows[i].last)
            continue;
        if (text[1] < rows[i].low || text[1] > rows[i].high)
            return 0;
        for (size_t at = 2; at < rows[i].octets; at++)
            if ((text[at] & 0xc0) != 0x80)
                return 0;
        /* U+0080 to U+009F are control characters too. */
        return text[0] == 0xc2 && text[1] < 0xa0 ? 0 : rows[i].octets;
    }
    return 0;
}

static void html_put_text(FILE *out, const char *text) {
    static const char *const escapes[UCHAR_MAX + 1] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"};

    while (*text != '\0') {
        size_t octets = html_character_octets((const unsigned char *)text);
        const char *escape = escapes[(unsigned char)*text];

        if (octets == 0)
            fputs("\xef\xbf\xbd", out);
        else if (escape != NULL)
            fputs(escape, out);
        else
            fwrite(text, 1, octets, out);
        text += octets > 0 ? octets : 1;
    }
}

void iw_html_print(FILE *out, const char *format, ...) {
    va_list arguments;
    const char *next;

    va_start(arguments, format);
    for (; (next = strchr(format, '%')) != NULL; format = next) {
        fwrite(format, 1, (size_t)(next - format), out);
        next++;
        if (*next == '%') {
            fputc(*next++, out);
        } else if (*next == 's') {
            html_put_text(out, va_arg(arguments, const char *));
            next++;
        } else {
            assert(*next == 'u' || strncmp(next, "zu", 2) == 0 || strncmp(next, PRIu64, strlen(PRIu64)) == 0);
            fprintf(out, "%" PRIu64,
                *next == 'u'   ? va_arg(arguments, unsigned)
                : *next == 'z' ? va_arg(arguments, size_t)
                               : va_arg(arguments, uint64_t));
            next = strchr(next, 'u') + 1;
        }
    }
    fputs(format, out);
    va_end(arguments);
}

void iw_html_fill(
    FILE *out, const char *text, void (*put)(void *user, const char *name, size_t length), void *user) {
    const char *place;

    for (; (place = strstr(text, "{{")) != NULL; text = strstr(place, "}}") + 2) {
        fwrite(text, 1, (size_t)(place - text), out);
        place += 2;
        put(user, place, (size_t)(strstr(place, "}}") - place));
    }
    fputs(text, out);
}

void iw_html_table_begin(FILE *out, const char *title, const char *const *columns) {
    iw_html_print(out,
        "<div class=\"scroll\" role=\"region\" aria-labelledby=\"%s\" tabindex=\"0\">\n<table>\n<thead><tr>",
        title);
    for (; *columns != NULL; columns++) {
        bool number = **columns == '#';

        iw_html_print(
            out, "<th scope=\"col\" class=\"%s\">%s</th>", number ? "number" : "text", *columns + number);
    }
    iw_html_print(out, "</tr></thead>\n<tbody>\n");
}

void iw_html_table_end(FILE *out) {
    iw_html_print(out, "</tbody>\n</table>\n</div>\n");
}

void iw_html_bar(FILE *out, const struct iw_html_part *parts, size_t count) {
    static const unsigned width = 240;
    unsigned long total = 0, before = 0;

    for (size_t i = 0; i < count; i++)
        total += parts[i].count;
    iw_html_print(out,
        "<svg class=\"bar\" preserveAspectRatio=\"none\" viewBox=\"0 0 %u 12\" width=\"%u\" height=\"12\" "
        "aria-hidden=\"true\">",
        width, width);
    for (size_t i = 0; i < count && total > 0; i++) {
        unsigned left = (unsigned)(before * width / total), right;

        before += parts[i].count;
        right = (unsigned)(before * width / total);
        if (right > left && parts[i].class != NULL)
            iw_html_print(out, "<rect class=\"%s\" x=\"%u\" width=\"%u\" height=\"12\"/>", parts[i].class,
                left, right - left);
    }
    iw_html_print(out, "</svg>");
}
