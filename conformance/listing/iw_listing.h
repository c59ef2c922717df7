#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* The tables of `warpcheck list`. A row is a JSON object, printed as one line of JSON or as columns. */

struct iw_listing_column {
    const char *key; /* NULL after the last column */
    int width;       /* minimum width in IW_LISTING_TEXT; numbers are right-aligned */
};

enum iw_listing_format {
    IW_LISTING_TEXT,     /* only the columns, aligned */
    IW_LISTING_JSONL,    /* all members of a row, as JSON */
    IW_LISTING_MARKDOWN, /* only the columns, as a Markdown table */
};

/* How and where a listing is printed. */
struct iw_listing_printer {
    const struct iw_listing *listing;
    enum iw_listing_format format;
    FILE *out;
};

struct iw_listing {
    const char *topic; /* name on the command line, such as "requirements" */
    const struct iw_listing_column *columns;
    const char *aside; /* key of a text to print in parentheses after the last column; NULL: none */
    /* Prints all rows by iw_listing_add. Returns 0, or -1 after one line on stderr. */
    int (*rows)(const struct iw_listing_printer *printer);
};

extern const struct iw_listing iw_listing_layouts;
extern const struct iw_listing iw_listing_opcodes;
extern const struct iw_listing iw_listing_errors;
extern const struct iw_listing iw_listing_upper;
extern const struct iw_listing iw_listing_causes;

/* Converts "text", "jsonl" or "markdown" to a format. Returns false for any other name. */
bool iw_listing_format_find(const char *name, enum iw_listing_format *format);

/* Prints the head of a Markdown table; prints nothing for other formats. */
void iw_listing_begin(const struct iw_listing_printer *printer);

/* Prints a row and releases it. */
void iw_listing_add(const struct iw_listing_printer *printer, json_t *row);

/* Prints the head and all rows. Returns the result of `rows`. */
int iw_listing_print(const struct iw_listing *listing, enum iw_listing_format format, FILE *out);
