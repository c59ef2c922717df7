#pragma once

#include <stdio.h>

#include "iw_layout.h"

/* Prints one field of the header at `header`, in the format of Wireshark's columns. Flags, function codes and
 * decimal fields: in decimal. Other numbers: in hexadecimal with all digits of their octets. Octets: without
 * separators. A key: as text if it is printable. `header` must hold all octets of the layout. */
void iw_show_field(FILE *out, const struct iw_field *field, const uint8_t *header);

/* Like iw_show_field, followed by the name of the value, if it has one: "3 (Send)". */
void iw_show_field_named(FILE *out, const struct iw_field *field, const uint8_t *header);

/* Prints the first `limit` octets in hexadecimal, then "..." if there are more. */
void iw_show_octets(FILE *out, const uint8_t *octets, size_t count, size_t limit);

/* Prints untrusted text to a terminal: replaces control characters, except newlines, by '?'. */
void iw_show_text(FILE *out, const char *text);

/* The same for a name within a line, such as that of a file: newlines become '?', too. */
void iw_show_name(FILE *out, const char *name);

/* Writes `from` as one line to `to`, which has `octets` octets (at least 1): newlines and tabs become blanks,
 * other control characters and octets that are not UTF-8 become '?', and the text is truncated after the last
 * complete character that fits. `to` may be `from`. */
void iw_show_line(char *to, size_t octets, const char *from);

/* Writes the time in UTC, for example "2026-01-31T12:00:00.123456789Z". */
enum { IW_SHOW_TIME_OCTETS = 40 };
void iw_show_time(uint64_t time_ns, char text[IW_SHOW_TIME_OCTETS]);
