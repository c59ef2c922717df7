#ifndef IW_FACTOR_H
#define IW_FACTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lua.h>

/* The factors of a case: settings under which the same exchange can run, or a seed from which the case
 * generates its steps (conformance/cases/README.md). "0100" is a combination: the index of each factor's
 * value, from 0. "4711-3" is the first three steps of seed 4711. */

enum { IW_FACTORS_MAX = 16, IW_FACTOR_VALUES_MAX = 10 };

struct iw_factor {
    const char *name;
    size_t value_count;
    const char *claims[IW_FACTOR_VALUES_MAX]; /* NULL: needs no claim */
};

struct iw_factors {
    bool seeded; /* takes a seed instead of a list */
    struct iw_factor list[IW_FACTORS_MAX];
    size_t count;
    int values; /* reference of the table in the registry */
};

/* A combination, or a seed. */
struct iw_choice {
    uint8_t levels[IW_FACTORS_MAX]; /* index of the value of each factor */
    uint64_t seed;                  /* up to 2^63 - 1 */
    unsigned limit;                 /* steps, 1 to IW_CHOICE_LIMIT_MAX; 0: all steps of the seed */
};

enum { IW_CHOICE_LIMIT_MAX = 99, IW_CHOICE_TEXT_OCTETS = 24 };

/* Reads the optional member "factors" of the table into `factors`. Raises an error that names the
 * mistake. The strings belong to the table, which must outlive `factors`. */
void iw_factors_read(lua_State *lua, int table, const char *id, struct iw_factors *factors);

/* Pushes the table of a choice: the value of each factor by its name. */
void iw_factors_push(lua_State *lua, const struct iw_factors *factors, const struct iw_choice *choice);

/* Parses the digits. Returns false if their number, a value, the seed or its limit is invalid. */
bool iw_factors_parse(const struct iw_factors *factors, const char *digits, struct iw_choice *choice);

/* Formats the choice as digits. */
void iw_factors_format(
    const struct iw_factors *factors, const struct iw_choice *choice, char text[IW_CHOICE_TEXT_OCTETS]);

/* Writes the values that are not the first of their factor: "crc=peer mulpdu=256"; or the limit of a seed:
 * "the first 3 steps". Truncates the text to the buffer. */
void iw_factors_words(lua_State *lua, const struct iw_factors *factors, const struct iw_choice *choice,
    char *text, size_t octets);

#endif
