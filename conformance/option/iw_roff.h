#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes a manual page in the macros of man(7), for man-db and mandoc. */

enum { IW_ROFF_WORD_OCTETS = 512 };

struct iw_roff {
    FILE *out;
    size_t column;                  /* letters in the current line of the file */
    char word[IW_ROFF_WORD_OCTETS]; /* incomplete word, escaped */
    size_t octets;
    bool titled; /* the last request was a heading, after which no paragraph begins */
};

/* Writes the title line: "CHECK" in section 1. */
void iw_roff_begin(struct iw_roff *roff, FILE *out, const char *title, int section);

/* Ends the current line. */
void iw_roff_end_line(struct iw_roff *roff);

/* Writes a request, such as ".TP", on a line of its own. `format` is not escaped. */
void iw_roff_request(struct iw_roff *roff, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Begins a section (".SH"), or a part of one (".SS"), with the title `text`. */
void iw_roff_section(struct iw_roff *roff, const char *request, const char *text, size_t length);

/* Begins a paragraph. */
void iw_roff_paragraph(struct iw_roff *roff);

/* Writes text that is filled: blanks and line ends separate words. */
void iw_roff_text(struct iw_roff *roff, const char *text, size_t length);

/* Changes the font of the text that follows: 'R', 'B' or 'I'. */
void iw_roff_font(struct iw_roff *roff, char font);

/* Writes lines as they are. The last one may lack its line end. */
void iw_roff_verbatim(struct iw_roff *roff, const char *text, size_t length);
