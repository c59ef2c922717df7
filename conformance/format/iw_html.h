#pragma once

#include <stdio.h>

/* Writes HTML with untrusted texts, such as octets of a capture or names of files. */

/* Prints `format`, which may contain only %s, %u, %zu, "%" PRIu64 and %%. Escapes the texts of %s for
 * elements and quoted attributes; each octet of a control character or of invalid UTF-8 becomes U+FFFD. */
__attribute__((format(printf, 2, 3))) void iw_html_print(FILE *out, const char *format, ...);

/* Prints the template `text`; calls `put` in place of each {{name}} in it. */
void iw_html_fill(
    FILE *out, const char *text, void (*put)(void *user, const char *name, size_t length), void *user);

/* Begin and end a table in a scrollable region, which the element with id `title` labels. Print the rows of
 * tbody between the two calls. `columns` ends with NULL; a '#' before its title marks a column of numbers. */
void iw_html_table_begin(FILE *out, const char *title, const char *const *columns);
void iw_html_table_end(FILE *out);

/* Draws a bar of coloured parts, whose widths are proportional to their counts. The text beside it has the
 * numbers. */
struct iw_html_part {
    const char *class; /* of the style sheet; NULL: the part stays empty */
    unsigned count;
};
void iw_html_bar(FILE *out, const struct iw_html_part *parts, size_t count);
