#ifndef IW_HTML_H
#define IW_HTML_H

#include <stdio.h>

/* HTML whose texts may come from anywhere: an octet of a capture, a name of a file. */

/* Writes the text so that it reads as such in an element and in an attribute in quotes: what HTML would take
 * for its own is escaped, and an octet that is no UTF-8, or is a control character, becomes U+FFFD. */
void iw_html_text(FILE *out, const char *text);

/* Writes `format` as HTML. It may have %s, which goes through iw_html_text, "%" PRIu64 and %%, nothing else.
 */
__attribute__((format(printf, 2, 3))) void iw_html_print(FILE *out, const char *format, ...);

#endif
