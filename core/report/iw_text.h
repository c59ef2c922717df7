#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A stream that writes to memory. Unlike open_memstream, it detects octets lost when memory runs out. */

struct iw_text {
    FILE *out;    /* the stream to print to */
    char *octets; /* the flushed text, followed by NUL; NULL: nothing yet */
    size_t length;
    uint32_t capacity;
    bool failed; /* a part of the text is missing because memory ran out */
};

/* Opens a text, which must not move. Returns false if memory runs out; iw_text_close then does nothing. */
bool iw_text_open(struct iw_text *text);

/* Flushes the text to `octets`. Returns false if a part is missing. */
bool iw_text_flush(struct iw_text *text);

/* Closes the text and returns it; the caller must free it. Returns NULL if a part is missing. */
char *iw_text_close(struct iw_text *text);

/* Returns the formatted text, which the caller must free; NULL if memory runs out. */
char *iw_text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
