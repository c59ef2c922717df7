#include "iw_roff.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

enum { ROFF_LINE_MAX = 78 };

static const char *roff_escape(char letter) {
    switch (letter) {
    case '\\':
        return "\\e";
    case '-': /* otherwise a hyphen, which a reader cannot copy into a command */
        return "\\-";
    case '\'':
        return "\\(aq";
    case '`':
        return "\\(ga";
    case '^':
        return "\\(ha";
    case '~':
        return "\\(ti";
    default:
        return NULL;
    }
}

static void roff_flush_word(struct iw_roff *roff) {
    if (roff->octets == 0)
        return;
    if (roff->column > 0 && roff->column + 1 + roff->octets > ROFF_LINE_MAX) {
        putc('\n', roff->out);
        roff->column = 0;
    }
    if (roff->column > 0) {
        putc(' ', roff->out);
        roff->column++;
    } else if (roff->word[0] == '.') {
        fputs("\\&", roff->out); /* no request */
    }
    fwrite(roff->word, 1, roff->octets, roff->out);
    roff->column += roff->octets;
    roff->octets = 0;
}

static void roff_add(struct iw_roff *roff, const char *text, size_t length) {
    if (roff->octets + length > sizeof roff->word)
        roff_flush_word(roff);
    memcpy(roff->word + roff->octets, text, length);
    roff->octets += length;
    roff->titled = false;
}

void iw_roff_begin(struct iw_roff *roff, FILE *out, const char *title, int section) {
    *roff = (struct iw_roff){.out = out, .titled = true};
    fputs(".TH ", out);
    for (; *title != '\0'; title++)
        if (*title == '-')
            fputs("\\-", out);
        else
            putc(toupper((unsigned char)*title), out);
    fprintf(out, " %d %s \"warpcheck %s\" \"iWARP conformance kit\"\n", section, WARPCHECK_DATE,
        WARPCHECK_VERSION);
}

void iw_roff_end_line(struct iw_roff *roff) {
    roff_flush_word(roff);
    if (roff->column > 0)
        putc('\n', roff->out);
    roff->column = 0;
}

void iw_roff_request(struct iw_roff *roff, const char *format, ...) {
    va_list arguments;

    iw_roff_end_line(roff);
    va_start(arguments, format);
    vfprintf(roff->out, format, arguments);
    va_end(arguments);
    putc('\n', roff->out);
    roff->titled = false;
}

void iw_roff_section(struct iw_roff *roff, const char *request, const char *text, size_t length) {
    iw_roff_end_line(roff);
    fprintf(roff->out, "%s \"", request);
    for (size_t i = 0; i < length; i++) {
        const char *escaped = text[i] == '"' ? "\\(dq" : roff_escape(text[i]);

        if (escaped != NULL)
            fputs(escaped, roff->out);
        else
            putc(text[i], roff->out);
    }
    fputs("\"\n", roff->out);
    roff->titled = true;
}

void iw_roff_paragraph(struct iw_roff *roff) {
    if (roff->titled)
        iw_roff_end_line(roff);
    else
        iw_roff_request(roff, ".PP");
}

void iw_roff_text(struct iw_roff *roff, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        const char *escaped = roff_escape(text[i]);

        if (isspace((unsigned char)text[i]))
            roff_flush_word(roff);
        else if (escaped != NULL)
            roff_add(roff, escaped, strlen(escaped));
        else
            roff_add(roff, text + i, 1);
    }
}

void iw_roff_font(struct iw_roff *roff, char font) {
    roff_add(roff, (char[]){'\\', 'f', font}, 3);
}

void iw_roff_verbatim(struct iw_roff *roff, const char *text, size_t length) {
    bool begins = true;

    iw_roff_request(roff, ".EX");
    for (size_t i = 0; i < length; i++) {
        const char *escaped = roff_escape(text[i]);

        if (begins && text[i] == '.')
            fputs("\\&", roff->out);
        if (escaped != NULL)
            fputs(escaped, roff->out);
        else
            putc(text[i], roff->out);
        begins = text[i] == '\n';
    }
    if (!begins)
        putc('\n', roff->out);
    iw_roff_request(roff, ".EE");
}
