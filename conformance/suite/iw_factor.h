#ifndef IW_FACTOR_H
#define IW_FACTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lua.h>

/* The factors of a case: settings under which the same conversation can be held. In the case's table
 *
 *     factors = {{name="crc", values={"both", "peer"}, claims={[2]="no-crc"}}, ...}
 *
 * each has up to IW_FACTOR_VALUES_MAX values, and a claim (docs/profile.md) that a device has to make for one
 * of them, if any. A choice of one value of each is a combination, written as digits that count the values
 * from 0: "0100". The case's function gets it as a table, {crc="peer", ...}.
 *
 * Or `factors="seed"`: the case makes the steps of its conversation of a number, which it gets as
 * {seed=4711}, written in decimal digits. With {seed=4711, limit=3}, "4711-3", it takes no more than the
 * first three of them. */

enum { IW_FACTORS_MAX = 16, IW_FACTOR_VALUES_MAX = 10 };

struct iw_factor {
    const char *name;
    size_t value_count;
    const char *claims[IW_FACTOR_VALUES_MAX]; /* or NULL: any device will do */
};

struct iw_factors {
    bool seeded; /* a seed instead of a list */
    struct iw_factor list[IW_FACTORS_MAX];
    size_t count;
    int values; /* reference of the table in the registry */
};

/* A combination, or a seed. */
struct iw_choice {
    uint8_t levels[IW_FACTORS_MAX]; /* index of the value of each factor */
    uint64_t seed;                  /* up to 2^63 - 1 */
    unsigned limit;                 /* steps, 1 to IW_CHOICE_LIMIT_MAX; 0: as many as the seed makes */
};

enum { IW_CHOICE_LIMIT_MAX = 99, IW_CHOICE_TEXT_OCTETS = 24 };

/* Reads the member "factors" of the table, if there is one, into `factors`. Raises an error that names what
 * is wrong. Texts are those of the table, which must stay. */
void iw_factors_read(lua_State *lua, int table, const char *id, struct iw_factors *factors);

/* Pushes the table for a choice: the value of each factor by its name. */
void iw_factors_push(lua_State *lua, const struct iw_factors *factors, const struct iw_choice *choice);

/* Reads the digits. False if these are not as many, or one names no value, or the seed is too large. */
bool iw_factors_parse(const struct iw_factors *factors, const char *digits, struct iw_choice *choice);

/* Writes them. */
void iw_factors_format(
    const struct iw_factors *factors, const struct iw_choice *choice, char text[IW_CHOICE_TEXT_OCTETS]);

/* Writes the values that are not the first of their factor, as many as there is room for: "crc=peer
 * mulpdu=256". */
void iw_factors_words(lua_State *lua, const struct iw_factors *factors, const struct iw_choice *choice,
    char *text, size_t octets);

#endif
