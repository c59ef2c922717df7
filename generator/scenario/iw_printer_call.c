#include "iw_printer_state.h"

#include <inttypes.h>

/* Prints calls of a script and their options. */

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
