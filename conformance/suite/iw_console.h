#ifndef IW_CONSOLE_H
#define IW_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "iw_pattern.h"

/* The console or log of the device, a file to which another program appends: finds the lines that report a
 * crash of the device. */

enum { IW_CONSOLE_LINE_OCTETS = 200 };

struct iw_console;

/* Opens the regular file at `path`; what it already contains is ignored. Lines that match `more`, unless it
 * is NULL, also report a crash; it is borrowed. Returns NULL with one line in `error` on failure. */
struct iw_console *iw_console_new(
    const char *path, const struct iw_pattern *more, char *error, size_t error_octets);
void iw_console_free(struct iw_console *console);

/* Reads what the file has got since the last call, also if it was truncated or replaced. Returns true if a
 * line reports a crash: then `line` is the first such line, printable and perhaps truncated. */
bool iw_console_read(struct iw_console *console, char line[IW_CONSOLE_LINE_OCTETS]);

/* Prints what surrounded the crash when iw_console_read last found one: 10 lines before it and at most 16
 * KiB, each line after "console: ". */
void iw_console_put_excerpt(FILE *out, const struct iw_console *console);

#endif
