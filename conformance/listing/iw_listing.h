#ifndef IW_LISTING_H
#define IW_LISTING_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Tables of what the kit knows: rows are JSON objects, printed one per line, or as columns for people. */

struct iw_listing_column {
    const char *key;
    int width; /* of the column for people; numbers are right-aligned; the last column is as wide as its text
                */
};

enum iw_listing_format {
    IW_LISTING_TEXT,     /* columns for people */
    IW_LISTING_JSONL,    /* all members */
    IW_LISTING_MARKDOWN, /* the columns as a table */
};

typedef void iw_listing_row(void *user, json_t *row);

struct iw_listing {
    const char *topic; /* "requirements" */
    const char *summary;
    const struct iw_listing_column *columns;
    size_t column_count;
    const char *aside; /* key of a text in parentheses after the last column; or NULL */
    /* Calls `row` for each row; `row` takes ownership. Returns 0, or -1 with a line on stderr. */
    int (*rows)(iw_listing_row *row, void *user);
};

extern const struct iw_listing iw_listing_layouts;
extern const struct iw_listing iw_listing_opcodes;
extern const struct iw_listing iw_listing_errors;

/* Finds "text", "jsonl" or "markdown". Returns false for other names. */
bool iw_listing_format_find(const char *name, enum iw_listing_format *format);

/* Prints row by row, for a listing without `rows`: iw_listing_begin prints the head; iw_listing_add prints
 * a row and releases it. */
void iw_listing_begin(const struct iw_listing *listing, enum iw_listing_format format, FILE *out);
void iw_listing_add(const struct iw_listing *listing, enum iw_listing_format format, FILE *out, json_t *row);

/* Returns what `rows` returned. */
int iw_listing_print(const struct iw_listing *listing, enum iw_listing_format format, FILE *out);

#endif
