#include "iw_matrix_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_text.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+=,-";

/* Returns the next placeholder, at its brace, and the length of its name; NULL without one. */
static const char *matrix_text_next(const char *text, size_t *length) {
    for (const char *at = strchr(text, '{'); at != NULL; at = strchr(at + 1, '{')) {
        *length = strspn(at + 1, letters);
        if (*length > 0 && at[1 + *length] == '}' && (at == text || at[-1] != '$'))
            return at;
    }
    return NULL;
}

static const struct iw_matrix_value *matrix_text_find(
    const char *name, size_t length, const struct iw_matrix_value *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strlen(values[i].name) == length && memcmp(values[i].name, name, length) == 0)
            return &values[i];
    return NULL;
}

bool iw_matrix_text_unknown(
    const char *text, const struct iw_matrix_value *values, size_t count, char *name, size_t octets) {
    size_t length;

    for (const char *at = matrix_text_next(text, &length); at != NULL; at = matrix_text_next(at + 1, &length))
        if (matrix_text_find(at + 1, length, values, count) == NULL) {
            snprintf(name, octets, "%.*s", (int)length, at + 1);
            return true;
        }
    return false;
}

bool iw_matrix_text_has(const char *text, const char *name) {
    const struct iw_matrix_value value = {.name = name};
    size_t length;

    for (const char *at = matrix_text_next(text, &length); at != NULL; at = matrix_text_next(at + 1, &length))
        if (matrix_text_find(at + 1, length, &value, 1) != NULL)
            return true;
    return false;
}

static void matrix_text_put_word(FILE *out, const char *word) {
    if (word[0] != '\0' && strspn(word, plain) == strlen(word)) {
        fputs(word, out);
        return;
    }
    putc('\'', out);
    for (; *word != '\0'; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            putc(*word, out);
    putc('\'', out);
}

char *iw_matrix_text_fill(const char *text, const struct iw_matrix_value *values, size_t count) {
    struct iw_text filled;
    bool known = true;
    size_t length;
    char *octets;

    if (!iw_text_open(&filled))
        return NULL;
    for (const char *at = matrix_text_next(text, &length); at != NULL; at = matrix_text_next(text, &length)) {
        const struct iw_matrix_value *value = matrix_text_find(at + 1, length, values, count);

        fprintf(filled.out, "%.*s", (int)(at - text), text);
        known &= value != NULL && value->value != NULL;
        if (value != NULL && value->value != NULL)
            matrix_text_put_word(filled.out, value->value);
        text = at + length + 2;
    }
    fputs(text, filled.out);
    octets = iw_text_close(&filled);
    if (known)
        return octets;
    free(octets);
    return NULL;
}

char *iw_matrix_text_quote(const char *text) {
    struct iw_text quoted;

    if (!iw_text_open(&quoted))
        return NULL;
    matrix_text_put_word(quoted.out, text);
    return iw_text_close(&quoted);
}
