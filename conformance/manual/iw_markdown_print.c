#include <ctype.h>
#include <string.h>

#include "iw_markdown.h"

/* Markdown as text for a terminal. */

enum { PRINT_COLUMNS = 79, PRINT_TAG_MAX = 24, PRINT_WORD_OCTETS = 512 };

/* Fills lines that begin in column `indent`. */
struct fill {
    FILE *out;
    size_t indent, column;
    char word[PRINT_WORD_OCTETS];
    size_t octets;
};

/* Columns of UTF-8 text: its octets but those that continue a character. */
static size_t print_columns(const char *text, size_t length) {
    size_t columns = 0;

    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)text[i] & 0xC0) != 0x80;
    return columns;
}

static void fill_flush(struct fill *fill) {
    size_t columns = print_columns(fill->word, fill->octets);

    if (fill->octets == 0)
        return;
    if (fill->column > fill->indent && fill->column + 1 + columns > PRINT_COLUMNS) {
        putc('\n', fill->out);
        fill->column = 0;
    }
    if (fill->column > fill->indent)
        fill->column += (size_t)fprintf(fill->out, " ");
    for (; fill->column < fill->indent; fill->column++)
        putc(' ', fill->out);
    fwrite(fill->word, 1, fill->octets, fill->out);
    fill->column += columns;
    fill->octets = 0;
}

static void fill_end(struct fill *fill) {
    fill_flush(fill);
    if (fill->column > 0)
        putc('\n', fill->out);
    fill->column = 0;
}

/* A blank in code ends no word, so that a command is not broken where it is short. */
static void fill_piece(void *user, char font, const char *text, size_t length) {
    struct fill *fill = user;

    if (font == 'C')
        fill_piece(user, 'R', "`", 1);
    for (size_t i = 0; i < length; i++) {
        if (isspace((unsigned char)text[i]) && (font != 'C' || fill->octets > PRINT_TAG_MAX))
            fill_flush(fill);
        else if (fill->octets < sizeof fill->word)
            fill->word[fill->octets++] = text[i] == '\n' ? ' ' : text[i];
        if (fill->octets == sizeof fill->word)
            fill_flush(fill);
    }
    if (font == 'C')
        fill_piece(user, 'R', "`", 1);
}

static void print_filled(FILE *out, const char *tag, size_t indent, const char *text, size_t length) {
    struct fill fill = {.out = out, .indent = indent};

    fill.column = (size_t)fprintf(out, "%s", tag);
    iw_markdown_pieces(text, length, fill_piece, &fill);
    fill_end(&fill);
}

static void print_title(struct fill *fill, const char **titles, const char *end) {
    const char *title;
    size_t length;

    if (*titles == NULL || !iw_markdown_cell(titles, end, &title, &length) || length == 0)
        return;
    iw_markdown_pieces(title, length, fill_piece, fill);
    fill_piece(fill, 'R', ": ", 2);
}

static void print_row(FILE *out, size_t indent, const char *titles, const char **at, const char *end) {
    struct fill fill = {.out = out, .indent = 2};
    const char *cell;
    size_t length;

    if (titles != NULL)
        iw_markdown_cell(&titles, end, &cell, &length);
    for (size_t i = 0; iw_markdown_cell(at, end, &cell, &length); i++) {
        if (i > 0) {
            fill_flush(&fill);
            if (i > 1 || fill.column + 2 > indent)
                fill_end(&fill);
            fill.indent = indent;
            if (length > 0)
                print_title(&fill, &titles, end);
        }
        iw_markdown_pieces(cell, length, fill_piece, &fill);
    }
    fill_end(&fill);
}

/* The column of the second cell: after the longest first cell that is not too long. */
static size_t print_second_column(const char *at, const char *end) {
    size_t indent = 4, length;
    const char *cell;

    while (at < end) {
        if (iw_markdown_cell(&at, end, &cell, &length) && length <= PRINT_TAG_MAX && length + 4 > indent)
            indent = length + 4;
        while (iw_markdown_cell(&at, end, &cell, &length))
            ;
    }
    return indent;
}

static void print_table(FILE *out, const char *text, size_t length) {
    const char *at = text, *end = text + length, *titles = iw_markdown_titles(&at, end);
    size_t indent = print_second_column(at, end);

    while (at < end)
        print_row(out, indent, titles, &at, end);
}

static void print_code(FILE *out, const char *text, size_t length) {
    bool indented = length >= 4 && memcmp(text, "    ", 4) == 0, begins = true;

    for (size_t i = 0; i < length; i++) {
        if (begins && !indented && text[i] != '\n')
            fputs("    ", out);
        putc(text[i], out);
        begins = text[i] == '\n';
    }
    if (!begins)
        putc('\n', out);
}

static void print_block(FILE *out, const struct iw_markdown_block *block) {
    switch (block->kind) {
    case IW_MARKDOWN_HEADING:
    case IW_MARKDOWN_PARAGRAPH:
        print_filled(out, "", 0, block->text, block->length);
        break;
    case IW_MARKDOWN_ITEM:
        print_filled(out, "- ", 2, block->text, block->length);
        break;
    case IW_MARKDOWN_CODE:
        print_code(out, block->text, block->length);
        break;
    case IW_MARKDOWN_TABLE:
        print_table(out, block->text, block->length);
        break;
    }
}

void iw_markdown_print(FILE *out, const char *text, size_t length) {
    const char *at = text;
    struct iw_markdown_block block;
    bool item = false;

    for (bool first = true; iw_markdown_next(&at, text + length, &block); first = false) {
        if (!first && !(item && block.kind == IW_MARKDOWN_ITEM))
            putc('\n', out);
        item = block.kind == IW_MARKDOWN_ITEM;
        print_block(out, &block);
    }
}
