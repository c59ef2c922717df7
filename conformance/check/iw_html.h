#ifndef IW_HTML_H
#define IW_HTML_H

#include <stdio.h>

/* HTML whose texts may come from anywhere: an octet of a capture, a name of a file. */

/* Writes `format` as HTML. It may have "%" PRIu64, %% and %s, nothing else. A text reads as such in an
 * element and in an attribute in quotes: what HTML would take for its own is escaped, and an octet that is no
 * UTF-8, or is a control character, becomes U+FFFD. */
__attribute__((format(printf, 2, 3))) void iw_html_print(FILE *out, const char *format, ...);

#endif
