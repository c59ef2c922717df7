#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "iw_roff.h"

/* Reads the Markdown of docs/: headings, paragraphs, lists, tables, fenced and indented code; in them code,
 * bold and italic text, links, images and anchors. */

enum iw_markdown_kind {
    IW_MARKDOWN_HEADING,
    IW_MARKDOWN_PARAGRAPH,
    IW_MARKDOWN_ITEM,  /* of a list */
    IW_MARKDOWN_CODE,  /* lines to keep as they are */
    IW_MARKDOWN_TABLE, /* its rows, for iw_markdown_cell */
};

struct iw_markdown_block {
    enum iw_markdown_kind kind;
    int level; /* of a heading: 1 for "#" */
    const char *text;
    size_t length;
};

/* Takes the first block of the text at *at, which ends at `end`, and moves *at after it. Returns false at the
 * end of the text. The table of contents of a page (items that are links to the same page), images and
 * comments are skipped. */
bool iw_markdown_next(const char **at, const char *end, struct iw_markdown_block *block);

/* Takes the next cell of the row at *at. Returns false at the end of the row, and moves *at after its line.
 */
bool iw_markdown_cell(const char **at, const char *end, const char **cell, size_t *length);

/* Moves *at from a table after its titles and the line below them. Returns the row of titles if rows need
 * them: they have more than two cells. Otherwise the first cell says enough, and NULL is returned. */
const char *iw_markdown_titles(const char **at, const char *end);

/* Receives a piece of text in the font 'R', 'B' (bold), 'I' (italic) or 'C' (code). */
typedef void iw_markdown_piece(void *user, char font, const char *text, size_t length);

/* Splits text into pieces without markup: of a link its text remains. */
void iw_markdown_pieces(const char *text, size_t length, iw_markdown_piece *piece, void *user);

/* Prints the blocks as text of 79 columns. */
void iw_markdown_print(FILE *out, const char *text, size_t length);

/* Writes the blocks as a part of a manual page. */
void iw_markdown_roff(struct iw_roff *roff, const char *text, size_t length);
