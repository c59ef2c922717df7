#ifndef IW_HTML_H
#define IW_HTML_H

#include <stdio.h>

/* HTML whose texts may come from anywhere: an octet of a capture, a name of a file. */

/* Writes `format` as HTML. It may have "%" PRIu64, %% and %s, nothing else. A text reads as such in an
 * element and in an attribute in quotes: what HTML would take for its own is escaped, and an octet that is no
 * UTF-8, or is a control character, becomes U+FFFD. */
__attribute__((format(printf, 2, 3))) void iw_html_print(FILE *out, const char *format, ...);

/* Prints a page's template, and in place of each {{name}} in it what `put` prints. */
void iw_html_fill(
    FILE *out, const char *text, void (*put)(void *user, const char *name, size_t length), void *user);

/* A table in a region that scrolls for itself; what has the id `title` names it. The columns end with NULL;
 * those of numbers begin with '#'. Rows of tbody go between the two calls. */
void iw_html_table_begin(FILE *out, const char *title, const char *const *columns);
void iw_html_table_end(FILE *out);

#endif
