#include "iw_suggest.h"

#include <stdint.h>
#include <string.h>

enum { SUGGEST_PREFIX_MIN = 2 }; /* a single letter begins too many names */

void iw_suggest_init(struct iw_suggest *suggest, const char *word) {
    *suggest = (struct iw_suggest){word, NULL, SIZE_MAX};
}

static size_t suggest_least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* The optimal string alignment distance: a row for each letter of `a`; a swap needs the last but one row. */
size_t iw_suggest_distance(const char *a, const char *b) {
    size_t rows[3][IW_SUGGEST_LENGTH_MAX + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    size_t length = strlen(b);

    for (size_t j = 0; j <= length; j++)
        last[j] = j;
    for (size_t i = 0; a[i] != '\0'; i++) {
        size_t *free_row = before;

        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            row[j + 1] = suggest_least(suggest_least(row[j], last[j + 1]) + 1, last[j] + (a[i] != b[j]));
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
                row[j + 1] = suggest_least(row[j + 1], before[j - 1] + 1);
        }
        before = last;
        last = row;
        row = free_row;
    }
    return last[length];
}

void iw_suggest_consider(struct iw_suggest *suggest, const char *name) {
    size_t length = strlen(suggest->word), limit = length < 6 ? 1 : length / 3, distance;

    if (length == 0 || length > IW_SUGGEST_LENGTH_MAX || strlen(name) > IW_SUGGEST_LENGTH_MAX)
        return;
    distance = length >= SUGGEST_PREFIX_MIN && strncmp(suggest->word, name, length) == 0
                   ? 1
                   : iw_suggest_distance(suggest->word, name);
    if (distance > limit || distance >= suggest->distance || distance >= strlen(name))
        return;
    suggest->name = name;
    suggest->distance = distance;
}
