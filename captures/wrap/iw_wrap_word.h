#pragma once

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

/* Starts the recipe at `path`, whose items name vectors of `vectors`. Borrows both until the program ends. */
void iw_wrap_words_begin(const char *path, const struct iw_vector_set *vectors);

/* Starts the next line of the recipe. */
void iw_wrap_words_line(void);

/* Prints recipe, line, `what` and `word`, and exits with 1. */
_Noreturn void iw_wrap_fail(const char *what, const char *word);

/* The word as a number, decimal or as in C; below 2^32. */
unsigned long iw_wrap_number(const char *word);

/* Appends octets, a number of 32 bits in network order, or octets written as hexadecimal digits. */
void iw_wrap_append(struct iw_wrap_octets *octets, const uint8_t *at, size_t count);
void iw_wrap_append32(struct iw_wrap_octets *octets, uint32_t value);
void iw_wrap_append_hex(struct iw_wrap_octets *octets, const char *digits);

/* Sets `octets` to those of `count` items (captures/README.md). Changes the words. */
void iw_wrap_take_octets(struct iw_wrap_octets *octets, char **words, unsigned count);
