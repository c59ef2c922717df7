#include "iw_printer_state.h"

#include <inttypes.h>
#include <string.h>

/* Prints calls and their options. Octets become Lua expressions: text, repetitions or hexadecimal digits. */

enum {
    PERIOD_MAX = 256, /* octets of a repeated pattern */
    RUN_MIN = 32,     /* shortest run of one octet that is written as a repetition */
    PARTS_MAX = 40,   /* parts joined by "..", each of which needs a Lua register */
    LINE_OCTETS = 32, /* octets in a line of digits */
};

static bool printer_octets_is_text(const uint8_t *octets, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (octets[i] < 0x20 || octets[i] > 0x7E)
            return false;
    return true;
}

static void octets_put_text(FILE *out, const uint8_t *octets, size_t length) {
    putc('"', out);
    for (size_t i = 0; i < length; i++) {
        if (octets[i] == '"' || octets[i] == '\\')
            putc('\\', out);
        putc(octets[i], out);
    }
    putc('"', out);
}

static void printer_octets_put_digits(struct iw_printer *printer, const uint8_t *octets, size_t length) {
    FILE *out = printer->text;
    bool lines = length > LINE_OCTETS;

    printer->digits += length;
    fputs(lines ? "hex[[" : "hex\"", out);
    for (size_t i = 0; i < length; i++) {
        if (lines && i % LINE_OCTETS == 0)
            fputs("\n  ", out);
        else if (i > 0 && i % 4 == 0)
            putc(' ', out);
        fprintf(out, "%02x", octets[i]);
    }
    fputs(lines ? "]]" : "\"", out);
}

static void printer_octets_put_plain(struct iw_printer *printer, const uint8_t *octets, size_t length) {
    if (printer_octets_is_text(octets, length))
        octets_put_text(printer->text, octets, length);
    else
        printer_octets_put_digits(printer, octets, length);
}

/* The length of the shortest pattern that is repeated at least twice and makes up all octets, even if the
 * last repetition is cut. Returns 0 without such a pattern, or for less than RUN_MIN octets. */
static size_t printer_octets_period_of(const uint8_t *octets, size_t length) {
    if (length < RUN_MIN)
        return 0;
    for (size_t period = 1; period <= PERIOD_MAX && 2 * period <= length; period++)
        if (memcmp(octets, octets + period, length - period) == 0)
            return period;
    return 0;
}

static void printer_octets_put_repeated(
    struct iw_printer *printer, const uint8_t *octets, size_t period, size_t times) {
    if (period == 1 && !printer_octets_is_text(octets, 1))
        fprintf(printer->text, "(\"\\x%02x\")", octets[0]);
    else {
        putc('(', printer->text);
        printer_octets_put_plain(printer, octets, period);
        putc(')', printer->text);
    }
    fprintf(printer->text, ":rep(%zu)", times);
}

static size_t printer_octets_run_at(const uint8_t *octets, size_t length) {
    size_t run = 1;

    while (run < length && octets[run] == octets[0])
        run++;
    return run;
}

/* The length of the first part: a run long enough for a repetition, or what precedes the next such run. */
static size_t printer_octets_part_at(const uint8_t *octets, size_t length, bool *repeated) {
    size_t end = printer_octets_run_at(octets, length);

    *repeated = end >= RUN_MIN;
    while (!*repeated && end < length) {
        size_t run = printer_octets_run_at(octets + end, length - end);

        if (run >= RUN_MIN)
            break;
        end += run;
    }
    return end;
}

static size_t printer_octets_count_parts(const uint8_t *octets, size_t length) {
    size_t parts = 0;
    bool repeated;

    for (size_t at = 0; at < length; at += printer_octets_part_at(octets + at, length - at, &repeated))
        parts++;
    return parts;
}

static void octets_put_parts(struct iw_printer *printer, const uint8_t *octets, size_t length) {
    for (size_t at = 0, part; at < length; at += part) {
        bool repeated;

        part = printer_octets_part_at(octets + at, length - at, &repeated);
        if (at > 0)
            fputs(" .. ", printer->text);
        if (repeated)
            printer_octets_put_repeated(printer, octets + at, 1, part);
        else
            printer_octets_put_plain(printer, octets + at, part);
    }
}

void iw_printer_put_octets(struct iw_printer *printer, const uint8_t *octets, size_t length) {
    fputs("c:octets(", printer->text);
    iw_printer_octets(printer, octets, length);
    putc(')', printer->text);
}

void iw_printer_octets(struct iw_printer *printer, const uint8_t *octets, size_t length) {
    size_t period = printer_octets_period_of(octets, length);

    if (period > 0) {
        printer_octets_put_repeated(printer, octets, period, length / period);
        if (length % period > 0) {
            fputs(" .. ", printer->text);
            printer_octets_put_plain(printer, octets, length % period);
        }
    } else if (length >= RUN_MIN && printer_octets_count_parts(octets, length) <= PARTS_MAX) {
        octets_put_parts(printer, octets, length);
    } else {
        printer_octets_put_plain(printer, octets, length);
    }
}

void iw_printer_call(struct iw_printer *printer, const char *call) {
    fprintf(printer->text, "%s{", call);
    printer->first = true;
}

void iw_printer_name(struct iw_printer *printer, const char *name) {
    fprintf(printer->text, "%s%s = ", printer->first ? "" : ", ", name);
    printer->first = false;
}

void iw_printer_flag(struct iw_printer *printer, const char *name, bool value) {
    iw_printer_name(printer, name);
    fputs(value ? "true" : "false", printer->text);
}

void iw_printer_number(struct iw_printer *printer, const char *name, uint64_t value) {
    iw_printer_name(printer, name);
    fprintf(printer->text, value > 9 ? "0x%" PRIx64 : "%" PRIu64, value);
}

void iw_printer_decimal(struct iw_printer *printer, const char *name, int64_t value) {
    iw_printer_name(printer, name);
    fprintf(printer->text, "%" PRId64, value);
}

void iw_printer_data(struct iw_printer *printer, const char *name, const uint8_t *octets, size_t length) {
    if (length == 0)
        return;
    iw_printer_name(printer, name);
    iw_printer_octets(printer, octets, length);
}
