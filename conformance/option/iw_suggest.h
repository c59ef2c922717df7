#pragma once

#include <stddef.h>

/* Finds the name that a user most likely meant by an unknown word: "did you mean". */

enum { IW_SUGGEST_LENGTH_MAX = 63 }; /* longer words and names have no suggestion */

struct iw_suggest {
    const char *word;
    const char *name; /* the nearest name so far; NULL: none is near */
    size_t distance;  /* its distance from the word */
};

void iw_suggest_init(struct iw_suggest *suggest, const char *word);

/* Considers one of the valid names; of equally near names the first stays. A name is near if a third of the
 * word's letters, at least one, has to be inserted, deleted, replaced or swapped with the next one, or if the
 * word is the beginning of the name. Keeps the pointer. */
void iw_suggest_consider(struct iw_suggest *suggest, const char *name);

/* Number of letters to insert, delete, replace or swap with the next one to make `b` from `a`. Both have at
 * most IW_SUGGEST_LENGTH_MAX letters. */
size_t iw_suggest_distance(const char *a, const char *b);
