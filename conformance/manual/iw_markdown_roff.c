#include <string.h>

#include "iw_markdown.h"

/* Markdown as a part of a manual page. A table is a list of its rows: tbl would need a preprocessor, and its
 * columns are too narrow for sentences. */

static void roff_piece(void *user, char font, const char *text, size_t length) {
    struct iw_roff *roff = user;

    if (font != 'R')
        iw_roff_font(roff, font == 'I' ? 'I' : 'B');
    iw_roff_text(roff, text, length);
    if (font != 'R')
        iw_roff_font(roff, 'R');
}

static void roff_title(struct iw_roff *roff, const char **titles, const char *end) {
    const char *title;
    size_t length;

    if (*titles == NULL || !iw_markdown_cell(titles, end, &title, &length) || length == 0)
        return;
    iw_markdown_pieces(title, length, roff_piece, roff);
    iw_roff_text(roff, ": ", 2);
}

static void roff_row(struct iw_roff *roff, const char *titles, const char **at, const char *end) {
    const char *cell;
    size_t length;

    if (!iw_markdown_cell(at, end, &cell, &length))
        return;
    iw_roff_request(roff, ".TP");
    if (length > 0)
        iw_markdown_pieces(cell, length, roff_piece, roff);
    else
        iw_roff_text(roff, "\xc2\xa0", 2); /* a row needs a tag */
    if (titles != NULL)
        iw_markdown_cell(&titles, end, &cell, &length);
    iw_roff_end_line(roff);
    for (bool first = true; iw_markdown_cell(at, end, &cell, &length); first = false) {
        if (!first && length > 0)
            iw_roff_request(roff, ".br");
        roff_title(roff, &titles, end);
        iw_markdown_pieces(cell, length, roff_piece, roff);
        iw_roff_end_line(roff);
    }
}

static void roff_table(struct iw_roff *roff, const char *text, size_t length) {
    const char *at = text, *end = text + length, *titles = iw_markdown_titles(&at, end);

    while (at < end)
        roff_row(roff, titles, &at, end);
}

static void roff_block(struct iw_roff *roff, const struct iw_markdown_block *block) {
    switch (block->kind) {
    case IW_MARKDOWN_HEADING:
        if (block->level > 1)
            iw_roff_section(roff, block->level == 2 ? ".SH" : ".SS", block->text, block->length);
        break;
    case IW_MARKDOWN_PARAGRAPH:
        iw_roff_paragraph(roff);
        iw_markdown_pieces(block->text, block->length, roff_piece, roff);
        break;
    case IW_MARKDOWN_ITEM:
        iw_roff_request(roff, ".IP \\(bu 2");
        iw_markdown_pieces(block->text, block->length, roff_piece, roff);
        break;
    case IW_MARKDOWN_CODE:
        iw_roff_paragraph(roff);
        iw_roff_verbatim(roff, block->text, block->length);
        break;
    case IW_MARKDOWN_TABLE:
        roff_table(roff, block->text, block->length);
        break;
    }
}

void iw_markdown_roff(struct iw_roff *roff, const char *text, size_t length) {
    const char *at = text;
    struct iw_markdown_block block;

    while (iw_markdown_next(&at, text + length, &block))
        roff_block(roff, &block);
    iw_roff_end_line(roff);
}
