#pragma once

#include <stdbool.h>
#include <stddef.h>

/* An unordered set of texts, each as often as it was added. */

struct iw_bundle_texts {
    char **list;
    size_t count;
    bool incomplete; /* too many texts, or memory ran out */
};

/* Adds the text, which the set then owns. NULL: memory ran out. */
void iw_bundle_texts_add(struct iw_bundle_texts *texts, char *text);
void iw_bundle_texts_clear(struct iw_bundle_texts *texts);

/* Call it after the last text, before iw_bundle_texts_count. */
void iw_bundle_texts_sort(struct iw_bundle_texts *texts);
/* Returns how often the set has the text. */
size_t iw_bundle_texts_count(const struct iw_bundle_texts *texts, const char *text);
