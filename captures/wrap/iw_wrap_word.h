#ifndef IW_WRAP_WORD_H
#define IW_WRAP_WORD_H

#include <stddef.h>
#include <stdint.h>

#include "iw_vector.h"

/* The words of a recipe: numbers, and items that stand for octets. A word that does not parse ends the
 * program with exit code 1 and a message that names the recipe and the line. */

enum { IW_WRAP_OCTETS_MAX = 65536 }; /* of one packet */

struct iw_wrap_octets {
    uint8_t at[IW_WRAP_OCTETS_MAX];
    size_t count;
};

/* Begins the recipe at `path` before its first line. Both are borrowed until the program ends; the items of
 * the recipe name vectors of `vectors`. */
void iw_wrap_words_begin(const char *path, const struct iw_vector_set *vectors);

/* The next line of the recipe begins. */
void iw_wrap_words_line(void);

/* Prints recipe, line, `what` and `word`, and exits with 1. */
_Noreturn void iw_wrap_fail(const char *what, const char *word);

/* The number that the word is, decimal or as in C; below 2^32. */
unsigned long iw_wrap_number(const char *word);

/* Appends octets, a number of 32 bits in network order, or octets written as hexadecimal digits. */
void iw_wrap_append(struct iw_wrap_octets *octets, const uint8_t *at, size_t count);
void iw_wrap_append32(struct iw_wrap_octets *octets, uint32_t value);
void iw_wrap_append_hex(struct iw_wrap_octets *octets, const char *digits);

/* Sets `octets` to those of `count` items (captures/README.md). Changes the words. */
void iw_wrap_take_octets(struct iw_wrap_octets *octets, char **words, unsigned count);

#endif
