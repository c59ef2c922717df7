#define _GNU_SOURCE
#include "iw_text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"

static bool text_reserve(struct iw_text *text, size_t more) {
    return iw_array_reserve(&text->octets, &text->capacity, text->length + more + 1, 1);
}

/* After a failure all further text is dropped, so that there is no gap. */
static ssize_t text_append(void *cookie, const char *octets, size_t count) {
    struct iw_text *text = cookie;

    if (text->failed || !text_reserve(text, count)) {
        text->failed = true;
        return 0;
    }
    memcpy(text->octets + text->length, octets, count);
    text->length += count;
    text->octets[text->length] = '\0';
    return (ssize_t)count;
}

bool iw_text_open(struct iw_text *text) {
    *text = (struct iw_text){0};
    text->out = fopencookie(text, "w", (cookie_io_functions_t){.write = text_append});
    return text->out != NULL;
}

bool iw_text_flush(struct iw_text *text) {
    if (fflush(text->out) != 0)
        text->failed = true;
    return !text->failed;
}

char *iw_text_format(const char *format, ...) {
    va_list arguments;
    char *text;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    return text;
}

char *iw_text_close(struct iw_text *text) {
    char *octets;

    if (text->out == NULL)
        return NULL;
    if (fclose(text->out) != 0 || !text_reserve(text, 0))
        text->failed = true;
    if (!text->failed)
        text->octets[text->length] = '\0';
    octets = text->failed ? NULL : text->octets;
    if (text->failed)
        free(text->octets);
    *text = (struct iw_text){0};
    return octets;
}
