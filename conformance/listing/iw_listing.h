#ifndef IW_LISTING_H
#define IW_LISTING_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Tables of `warpcheck list`: rows are JSON objects, printed one per line, or as columns for people. */

struct iw_listing_column {
    const char *key; /* NULL after the last column */
    int width;       /* width of the column for people; numbers are right-aligned; 0: not padded */
};

enum iw_listing_format {
    IW_LISTING_TEXT,     /* columns for people */
    IW_LISTING_JSONL,    /* all members */
    IW_LISTING_MARKDOWN, /* the columns as a table */
};

/* A listing that is being printed. */
struct iw_listing_printer {
    const struct iw_listing *listing;
    enum iw_listing_format format;
    FILE *out;
};

struct iw_listing {
    const char *topic; /* "requirements" */
    const struct iw_listing_column *columns;
    const char *aside; /* key of a text in parentheses after the last column; NULL: none */
    /* Adds all rows. Returns 0, or -1 with a line on stderr. */
    int (*rows)(const struct iw_listing_printer *printer);
};

extern const struct iw_listing iw_listing_layouts;
extern const struct iw_listing iw_listing_opcodes;
extern const struct iw_listing iw_listing_errors;

/* Finds "text", "jsonl" or "markdown". Returns false for other names. */
bool iw_listing_format_find(const char *name, enum iw_listing_format *format);

/* Prints the head of a Markdown table; nothing in other formats. */
void iw_listing_begin(const struct iw_listing_printer *printer);

/* Prints a row and releases it. */
void iw_listing_add(const struct iw_listing_printer *printer, json_t *row);

/* Prints the head and all rows. Returns what `rows` returned. */
int iw_listing_print(const struct iw_listing *listing, enum iw_listing_format format, FILE *out);

#endif
