#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Command lines with placeholders, such as "rping -c -a {host} -p {port}". A brace that no name follows, or
 * that follows a $, is the shell's. */

struct iw_matrix_value {
    const char *name;  /* without braces */
    const char *value; /* NULL: nothing is known; the command cannot be made */
};

/* Returns the first placeholder of the text that is not among the names, as a text without braces of at most
 * `octets` in `name`; false without one. */
bool iw_matrix_text_unknown(
    const char *text, const struct iw_matrix_value *values, size_t count, char *name, size_t octets);

/* Returns whether the text has the placeholder `name`. */
bool iw_matrix_text_has(const char *text, const char *name);

/* Returns the text with values for its placeholders, quoted for a shell where necessary, which the caller
 * frees. NULL if memory runs out, or if a placeholder has no value. */
char *iw_matrix_text_fill(const char *text, const struct iw_matrix_value *values, size_t count);

/* Returns the text as one word of a shell, which the caller frees. NULL if memory runs out. */
char *iw_matrix_text_quote(const char *text);
