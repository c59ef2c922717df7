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

bool iw_bundle_texts_have(const struct iw_bundle_texts *texts, const char *text) {
    return texts->count > 0 &&
           bsearch(&text, texts->list, texts->count, sizeof *texts->list, bundle_texts_compare) != NULL;
}
