#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lua.h>

/* The factors of a case: settings that vary while the exchange stays the same. Instead, a case can take a
 * seed, from which it generates its steps (conformance/cases/README.md). A text names each choice. "0100":
 * the index of the value of each factor, from 0. "4711-3": the first three steps of seed 4711. */

enum { IW_FACTORS_MAX = 16, IW_FACTOR_VALUES_MAX = 10 };

struct iw_factor {
    const char *name;
    size_t value_count;
    const char *claims[IW_FACTOR_VALUES_MAX]; /* claim that each value needs; NULL: none */
};

struct iw_factors {
    bool seeded; /* the case takes a seed; `list` is then empty */
    struct iw_factor list[IW_FACTORS_MAX];
    size_t count;
    int values; /* registry reference of the Lua list of factors */
};

/* A combination of factor values (`levels`), or a seed (`seed`, `limit`). */
struct iw_choice {
    uint8_t levels[IW_FACTORS_MAX]; /* index of the value of each factor */
    uint64_t seed;                  /* up to 2^63 - 1 */
    unsigned limit;                 /* number of steps, up to IW_CHOICE_LIMIT_MAX; 0: all */
};

enum { IW_CHOICE_LIMIT_MAX = 99, IW_CHOICE_TEXT_OCTETS = 24 };

/* Sets *factors from the optional member `factors` of the case at stack index `table`. `id` names the case in
 * error messages. Raises a Lua error if it is invalid. The table must outlive *factors. */
void iw_factors_read(lua_State *lua, int table, const char *id, struct iw_factors *factors);

/* Pushes the table for a choice: the value of each factor by name; or `seed` and, if set, `limit`. */
void iw_factors_push(lua_State *lua, const struct iw_factors *factors, const struct iw_choice *choice);

/* Parses a choice, such as "0100" or "4711-3". Returns false if these factors do not allow it. */
bool iw_factors_parse(const struct iw_factors *factors, const char *digits, struct iw_choice *choice);

/* Writes the text of a choice, as iw_factors_parse reads it. */
void iw_factors_format(
    const struct iw_factors *factors, const struct iw_choice *choice, char text[IW_CHOICE_TEXT_OCTETS]);

/* Describes the choice for people, truncated to the buffer: the values that are not the first of their factor
 * ("crc=peer mulpdu=256"), or the limit of a seed ("the first 3 steps"); "" without settings and limit. */
void iw_factors_words(lua_State *lua, const struct iw_factors *factors, const struct iw_choice *choice,
    char *text, size_t octets);
