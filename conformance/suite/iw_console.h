#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "iw_pattern.h"

/* Finds crash reports in a file to which another program writes the console or log of the device. */

enum { IW_CONSOLE_LINE_OCTETS = 200 };

struct iw_console;

/* Opens the regular file at `path`; ignores its present contents. Messages of a Linux kernel crash, and lines
 * that match `more` (borrowed, or NULL), report a crash. Returns NULL with a line in `error` on failure. */
struct iw_console *iw_console_new(
    const char *path, const struct iw_pattern *more, char *error, size_t error_octets);
void iw_console_free(struct iw_console *console);

/* Reads the lines appended since the last call; a truncated or replaced file is read from its start. Returns
 * true if a line reports a crash: `line` is then the first such line, printable and perhaps truncated. */
bool iw_console_read(struct iw_console *console, char line[IW_CONSOLE_LINE_OCTETS]);

/* Prints the console text around the crash that iw_console_read found last: up to 10 lines before it and the
 * text after it, at most 16 KiB in all. Each line starts with "console: ". */
void iw_console_put_excerpt(FILE *out, const struct iw_console *console);
