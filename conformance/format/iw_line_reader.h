#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_status.h"

/* Reads a file line by line, with bounded memory: a hostile file may be one endless line. */

struct iw_line_reader {
    FILE *in;       /* set by the caller, who closes it */
    uint32_t limit; /* octets of a line, with its newline; set by the caller, who zeroes all members below */

    char *text;           /* the line, with its newline, followed by NUL; it may contain NUL octets */
    size_t octets;        /* of the line; a last line without newline is a line */
    uint64_t number;      /* of the line, from 1 */
    enum iw_status error; /* why the last call of iw_line_reader_next failed; IW_OK: the file has ended */
    int error_number;     /* errno of IW_ERR_IO */
    uint32_t capacity;
};

/* Reads the next line. Returns false at the end of the file, and after an error: IW_ERR_FORMAT (the line is
 * longer than the limit), IW_ERR_IO or IW_ERR_NOMEM. Do not call it again after an error. */
bool iw_line_reader_next(struct iw_line_reader *reader);

/* Frees the text. The reader can read again from the start of the file after rewind(in). */
void iw_line_reader_clear(struct iw_line_reader *reader);

/* Writes why the last call failed, such as "longer than 4096 octets". */
enum { IW_LINE_READER_ERROR_OCTETS = 64 };
void iw_line_reader_error(const struct iw_line_reader *reader, char text[IW_LINE_READER_ERROR_OCTETS]);
