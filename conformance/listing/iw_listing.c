#include "iw_listing.h"

#include <string.h>

struct printing {
    const struct iw_listing *listing;
    enum iw_listing_format format;
    FILE *out;
};

static void print_value(const json_t *value, int width, bool last, FILE *out) {
    char *text = NULL;

    if (json_is_string(value))
        fprintf(out, "%-*s", last ? 0 : width, json_string_value(value));
    else if (json_is_array(value)) {
        size_t length = 0;

        for (size_t i = 0; i < json_array_size(value); i++)
            length +=
                (size_t)fprintf(out, "%s%s", i ? ", " : "", json_string_value(json_array_get(value, i)));
        if (!last)
            fprintf(out, "%*s", (int)length < width ? width - (int)length : 0, "");
    } else if (value && !json_is_null(value)) {
        text = json_dumps(value, JSON_ENCODE_ANY);
        fprintf(out, "%*s", last ? 0 : width, text ? text : "");
        free(text);
    } else if (!last)
        fprintf(out, "%*s", width, "");
}

static void print_aside(const struct printing *printing, const json_t *row) {
    const char *key = printing->listing->aside;
    const char *text = key ? json_string_value(json_object_get(row, key)) : NULL;

    if (text && *text != '\0')
        fprintf(printing->out, " (%s)", text);
}

/* Prints the columns separated by `between`; `wide`: padded to their width. */
static void print_columns(
    const struct printing *printing, const json_t *row, const char *between, bool wide) {
    const struct iw_listing *listing = printing->listing;

    for (size_t i = 0; i < listing->column_count; i++) {
        const struct iw_listing_column *column = &listing->columns[i];
        bool last = i + 1 == listing->column_count;

        print_value(json_object_get(row, column->key), wide ? column->width : 0, last, printing->out);
        if (!last)
            fputs(between, printing->out);
    }
    print_aside(printing, row);
}

static void listing_print_row(void *user, json_t *row) {
    const struct printing *printing = user;

    switch (printing->format) {
    case IW_LISTING_TEXT:
        print_columns(printing, row, " ", true);
        break;
    case IW_LISTING_JSONL:
        json_dumpf(row, printing->out, JSON_COMPACT);
        break;
    case IW_LISTING_MARKDOWN:
        fputs("| ", printing->out);
        print_columns(printing, row, " | ", false);
        fputs(" |", printing->out);
        break;
    }
    fputc('\n', printing->out);
    json_decref(row);
}

static void listing_print_head(const struct iw_listing *listing, FILE *out) {
    for (size_t i = 0; i < listing->column_count; i++)
        fprintf(out, "| %s ", listing->columns[i].key);
    fputs("|\n", out);
    for (size_t i = 0; i < listing->column_count; i++)
        fputs("|---", out);
    fputs("|\n", out);
}

bool iw_listing_format_find(const char *name, enum iw_listing_format *format) {
    static const char *const names[] = {
        [IW_LISTING_TEXT] = "text", [IW_LISTING_JSONL] = "jsonl", [IW_LISTING_MARKDOWN] = "markdown"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) {
            *format = (enum iw_listing_format)i;
            return true;
        }
    return false;
}

void iw_listing_begin(const struct iw_listing *listing, enum iw_listing_format format, FILE *out) {
    if (format == IW_LISTING_MARKDOWN)
        listing_print_head(listing, out);
}

void iw_listing_add(const struct iw_listing *listing, enum iw_listing_format format, FILE *out, json_t *row) {
    struct printing printing = {listing, format, out};

    listing_print_row(&printing, row);
}

int iw_listing_print(const struct iw_listing *listing, enum iw_listing_format format, FILE *out) {
    struct printing printing = {listing, format, out};

    iw_listing_begin(listing, format, out);
    return listing->rows(listing_print_row, &printing);
}
