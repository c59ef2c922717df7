#include "iw_listing.h"

#include <string.h>

static void listing_print_value(const json_t *value, int width, FILE *out) {
    if (json_is_string(value)) {
        fprintf(out, "%-*s", width, json_string_value(value));
    } else if (json_is_array(value)) {
        const json_t *text;
        size_t i;

        json_array_foreach(value, i, text) {
            width -= fprintf(out, "%s%s", i > 0 ? ", " : "", json_string_value(text));
        }
        fprintf(out, "%*s", width > 0 ? width : 0, "");
    } else {
        char *text = json_is_null(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY);

        fprintf(out, "%*s", width, text ? text : "");
        free(text);
    }
}

/* Prints the columns with `between` between them. `wide`: pads them to their width. */
static void listing_print_columns(
    const struct iw_listing_printer *printer, const json_t *row, const char *between, bool wide) {
    const struct iw_listing *listing = printer->listing;
    const char *aside = listing->aside ? json_string_value(json_object_get(row, listing->aside)) : NULL;

    for (const struct iw_listing_column *column = listing->columns; column->key; column++) {
        if (column > listing->columns)
            fputs(between, printer->out);
        listing_print_value(json_object_get(row, column->key), wide ? column->width : 0, printer->out);
    }
    if (aside && aside[0])
        fprintf(printer->out, " (%s)", aside);
}

void iw_listing_add(const struct iw_listing_printer *printer, json_t *row) {
    switch (printer->format) {
    case IW_LISTING_TEXT:
        listing_print_columns(printer, row, " ", true);
        break;
    case IW_LISTING_JSONL:
        json_dumpf(row, printer->out, JSON_COMPACT);
        break;
    case IW_LISTING_MARKDOWN:
        fputs("| ", printer->out);
        listing_print_columns(printer, row, " | ", false);
        fputs(" |", printer->out);
        break;
    }
    fputc('\n', printer->out);
    json_decref(row);
}

bool iw_listing_format_find(const char *name, enum iw_listing_format *format) {
    static const char *const formats[] = {
        [IW_LISTING_TEXT] = "text", [IW_LISTING_JSONL] = "jsonl", [IW_LISTING_MARKDOWN] = "markdown"};

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i], name) == 0) {
            *format = (enum iw_listing_format)i;
            return true;
        }
    return false;
}

void iw_listing_begin(const struct iw_listing_printer *printer) {
    const struct iw_listing_column *columns = printer->listing->columns;

    if (printer->format != IW_LISTING_MARKDOWN)
        return;
    for (size_t i = 0; columns[i].key; i++)
        fprintf(printer->out, "| %s ", columns[i].key);
    fputs("|\n", printer->out);
    for (size_t i = 0; columns[i].key; i++)
        fputs("|---", printer->out);
    fputs("|\n", printer->out);
}

int iw_listing_print(const struct iw_listing *listing, enum iw_listing_format format, FILE *out) {
    const struct iw_listing_printer printer = {listing, format, out};

    iw_listing_begin(&printer);
    return listing->rows(&printer);
}
