#ifndef IW_HTML_H
#define IW_HTML_H

#include <stdio.h>

/* HTML with texts of any origin: octets of a capture, names of files. */

/* Writes `format` as HTML. It may contain %s, %u, %zu, "%" PRIu64 and %% only. Texts of %s are escaped for
 * elements and quoted attributes; each octet of a control character or of invalid UTF-8 becomes U+FFFD. */
__attribute__((format(printf, 2, 3))) void iw_html_print(FILE *out, const char *format, ...);

/* Prints a template, and calls `put` for each {{name}} in it. */
void iw_html_fill(
    FILE *out, const char *text, void (*put)(void *user, const char *name, size_t length), void *user);

/* Begins a table in a scrollable region, labelled by the element with id `title`. The columns end with
 * NULL; a '#' marks columns of numbers. Print the rows of tbody between the two calls. */
void iw_html_table_begin(FILE *out, const char *title, const char *const *columns);
void iw_html_table_end(FILE *out);

#endif
