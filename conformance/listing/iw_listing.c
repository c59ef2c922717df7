#include "iw_listing.h"

#include <stdbool.h>
#include <string.h>

struct printing {
    const struct iw_listing *listing;
    bool jsonl;
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

static void print_row(void *user, json_t *row) {
    const struct printing *printing = user;
    const struct iw_listing *listing = printing->listing;

    if (printing->jsonl)
        json_dumpf(row, printing->out, JSON_COMPACT);
    for (size_t i = 0; !printing->jsonl && i < listing->column_count; i++) {
        const struct iw_listing_column *column = &listing->columns[i];
        bool last = i + 1 == listing->column_count;

        print_value(json_object_get(row, column->key), column->width, last, printing->out);
        if (!last)
            fputc(' ', printing->out);
    }
    fputc('\n', printing->out);
    json_decref(row);
}

int iw_listing_print(const struct iw_listing *listing, int jsonl, FILE *out) {
    struct printing printing = {listing, jsonl != 0, out};

    return listing->rows(print_row, &printing);
}
