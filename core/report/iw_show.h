#ifndef IW_SHOW_H
#define IW_SHOW_H

#include <stdint.h>
#include <stdio.h>

#include "iw_layout.h"
#include "iw_tcp_segment.h"

/* Values as text. */

/* A field of a header at `header`, which holds the whole layout of the field, as Wireshark prints it in
 * columns: flags and decimals as such, all other numbers hexadecimal with as many digits as the octets have
 * that they stand in, octets without separators, a key as the text it is if it is printable. */
void iw_show_field(FILE *out, const struct iw_field *field, const uint8_t *header);

/* The same, with the name of the value behind it where it has one: "3 (Send)". */
void iw_show_field_named(FILE *out, const struct iw_field *field, const uint8_t *header);

/* Hexadecimal digits of the octets, the first `limit` of them, then "..." if there are more. */
void iw_show_octets(FILE *out, const uint8_t *octets, size_t count, size_t limit);

/* A text that may come from anywhere, for a terminal: control characters, which it might obey, become '?',
 * but for ends of lines. */
void iw_show_text(FILE *out, const char *text);

/* The same as one line, ends of lines and tabs being blanks, and of UTF-8 whole characters only: as much of
 * it as `to` of `octets`, at least 1, has room for. `to` may be `from`. */
void iw_show_line(char *to, size_t octets, const char *from);

/* "10.0.0.1:4791", "[fe80::1]:4791" */
enum { IW_SHOW_ADDRESS_OCTETS = 64 };
void iw_show_address(const struct iw_tcp_address *address, char text[IW_SHOW_ADDRESS_OCTETS]);

/* "2026-01-31T12:00:00.123456789Z" */
enum { IW_SHOW_TIME_OCTETS = 40 };
void iw_show_time(uint64_t time_ns, char text[IW_SHOW_TIME_OCTETS]);

#endif
