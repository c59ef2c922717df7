#include "iw_bundle_texts.h"

#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_bundle.h"

enum { TEXTS_MAX = 200000 }; /* maximum events, or findings, of a capture: more than any case causes */

void iw_bundle_texts_add(struct iw_bundle_texts *texts, char *text) {
    if (text != NULL && texts->count == TEXTS_MAX) {
        free(text);
        texts->incomplete = true;
        return;
    }
    if (text == NULL || !iw_array_grow(&texts->list, texts->count, sizeof text)) {
        texts->incomplete = true;
        iw_bundle_note_no_memory();
        free(text);
        return;
    }
    texts->list[texts->count++] = text;
}

void iw_bundle_texts_clear(struct iw_bundle_texts *texts) {
    for (size_t i = 0; i < texts->count; i++)
        free(texts->list[i]);
    free(texts->list);
    *texts = (struct iw_bundle_texts){0};
}

static int bundle_texts_compare(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void iw_bundle_texts_sort(struct iw_bundle_texts *texts) {
    if (texts->count > 0)
        qsort(texts->list, texts->count, sizeof *texts->list, bundle_texts_compare);
}

/* Returns the index of the first text that is `text` or follows it; with `after`, that follows it. */
static size_t bundle_texts_place(const struct iw_bundle_texts *texts, const char *text, bool after) {
    size_t low = 0, high = texts->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(texts->list[middle], text);

        if (order < 0 || (after && order == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t iw_bundle_texts_count(const struct iw_bundle_texts *texts, const char *text) {
    return bundle_texts_place(texts, text, true) - bundle_texts_place(texts, text, false);
}
