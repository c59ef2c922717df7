#ifndef IW_TEXT_H
#define IW_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A text in memory, printed as to a file. open_memstream does the same, but drops octets without a word when
 * memory runs out. */

struct iw_text {
    FILE *out;    /* to print to */
    char *octets; /* what has been flushed, with a NUL after it; NULL: nothing yet */
    size_t length;
    size_t capacity;
    bool failed; /* there was no memory for all of it */
};

/* Opens an empty text, which stays where it is in memory. False: no memory; then iw_text_close does
 * nothing. */
bool iw_text_open(struct iw_text *text);

/* What has been printed stands in `octets` now. False: not all of it does. */
bool iw_text_flush(struct iw_text *text);

/* Closes the text and returns it whole, for the caller to free. NULL: no memory for all of it. */
char *iw_text_close(struct iw_text *text);

#endif
