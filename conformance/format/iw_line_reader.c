#include "iw_line_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"

static bool line_reader_fail(struct iw_line_reader *reader, enum iw_status error) {
    reader->error = error;
    reader->error_number = errno;
    return false;
}

/* Appends the octet, and leaves space for the NUL after it. */
static bool line_reader_add(struct iw_line_reader *reader, int octet) {
    if (reader->octets == reader->limit)
        return line_reader_fail(reader, IW_ERR_FORMAT);
    if (reader->octets + 2 > reader->capacity &&
        !iw_array_reserve(&reader->text, &reader->capacity, reader->octets + 2, 1))
        return line_reader_fail(reader, IW_ERR_NOMEM);
    reader->text[reader->octets++] = (char)octet;
    return true;
}

bool iw_line_reader_next(struct iw_line_reader *reader) {
    int octet;

    reader->octets = 0;
    reader->error = IW_OK;
    reader->number++;
    do {
        octet = getc_unlocked(reader->in);
        if (octet == EOF && ferror(reader->in))
            return line_reader_fail(reader, IW_ERR_IO);
        if (octet != EOF && !line_reader_add(reader, octet))
            return false;
    } while (octet != EOF && octet != '\n');
    if (reader->octets == 0)
        return false;
    reader->text[reader->octets] = '\0';
    return true;
}

void iw_line_reader_clear(struct iw_line_reader *reader) {
    free(reader->text);
    *reader = (struct iw_line_reader){.in = reader->in, .limit = reader->limit};
}

void iw_line_reader_error(const struct iw_line_reader *reader, char text[IW_LINE_READER_ERROR_OCTETS]) {
    if (reader->error == IW_ERR_FORMAT)
        snprintf(text, IW_LINE_READER_ERROR_OCTETS, "longer than %u octets", reader->limit);
    else
        snprintf(text, IW_LINE_READER_ERROR_OCTETS, "%s",
            reader->error == IW_ERR_NOMEM ? "out of memory" : strerror(reader->error_number));
}
