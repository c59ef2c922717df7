#include "iw_wrap_word.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_bits.h"
#include "iw_crc32c.h"

static const char *recipe;
static unsigned line;
static const struct iw_vector_set *vectors;

void iw_wrap_words_begin(const char *path, const struct iw_vector_set *of) {
    recipe = path;
    line = 0;
    vectors = of;
}

void iw_wrap_words_line(void) {
    line++;
}

_Noreturn void iw_wrap_fail(const char *what, const char *word) {
    fprintf(stderr, "%s:%u: %s: %s\n", recipe, line, what, word);
    exit(1);
}

unsigned long iw_wrap_number(const char *word) {
    char *end;
    unsigned long value = strtoul(word, &end, 0);

    if (!isdigit((unsigned char)word[0]) || *end != '\0' || value > UINT32_MAX)
        iw_wrap_fail("not a number", word);
    return value;
}

void iw_wrap_append(struct iw_wrap_octets *octets, const uint8_t *at, size_t count) {
    if (count > sizeof octets->at - octets->count)
        iw_wrap_fail("too many octets for one packet", "");
    memcpy(octets->at + octets->count, at, count);
    octets->count += count;
}

void iw_wrap_append32(struct iw_wrap_octets *octets, uint32_t value) {
    iw_wrap_append(octets,
        (uint8_t[]){(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value},
        4);
}

void iw_wrap_append_hex(struct iw_wrap_octets *octets, const char *digits) {
    unsigned value;
    uint8_t octet;

    for (; *digits != '\0'; digits += 2) {
        if (!isxdigit((unsigned char)digits[0]) || !isxdigit((unsigned char)digits[1]) ||
            sscanf(digits, "%2x", &value) != 1)
            iw_wrap_fail("not hexadecimal octets", digits);
        octet = (uint8_t)value;
        iw_wrap_append(octets, &octet, 1);
    }
}

/* Reads the suffix of an id: none, ".ulpdu" for the ULPDU of the FPDU (RFC 5044 4.1), or "[FROM:TO]". */
static void append_part(struct iw_wrap_octets *octets, const struct iw_vector *vector, const char *part) {
    unsigned from = 0;
    unsigned to = (unsigned)vector->length;

    if (strcmp(part, ".ulpdu") == 0) {
        from = 2;
        to = 2 + ((unsigned)vector->octets[0] << 8 | vector->octets[1]);
    } else if (*part != '\0' && sscanf(part, "[%u:%u]", &from, &to) != 2) {
        iw_wrap_fail("not .ulpdu or [FROM:TO]", part);
    }
    if (from > to || to > vector->length)
        iw_wrap_fail("the octets are not within the vector", part);
    iw_wrap_append(octets, vector->octets + from, to - from);
}

/* Reads hexadecimal octets, or "=ID": the octets of a vector, used as payload that contains FPDUs. */
static void append_part_of_fpdu(struct iw_wrap_octets *octets, const char *part) {
    const struct iw_vector *vector;

    if (part[0] != '=') {
        iw_wrap_append_hex(octets, part);
        return;
    }
    vector = iw_vector_find(vectors, part + 1);
    if (vector == NULL)
        iw_wrap_fail("no such vector", part);
    iw_wrap_append(octets, vector->octets, vector->length);
}

/* An FPDU around the ULPDU (RFC 5044 4.1), whose octets are written as "HEX" or as "HEX*TIMES", with "+"
 * between them. */
static void append_fpdu(struct iw_wrap_octets *octets, char *ulpdu) {
    static const uint8_t zero[4];
    uint8_t *fpdu = octets->at + octets->count;
    size_t before = octets->count;
    char *rest;

    iw_wrap_append(octets, zero, 2);
    for (char *part = strtok_r(ulpdu, "+", &rest); part != NULL; part = strtok_r(NULL, "+", &rest)) {
        char *times = strchr(part, '*');
        unsigned long count = times == NULL ? 1 : iw_wrap_number(times + 1);

        if (times != NULL)
            *times = '\0';
        for (unsigned long i = 0; i < count; i++)
            append_part_of_fpdu(octets, part);
    }
    iw_bits_put(fpdu, 0, 16, octets->count - before - 2);
    iw_wrap_append(octets, zero, (4 - (octets->count - before) % 4) % 4);
    iw_wrap_append(octets, zero, 4);
    iw_bits_put(octets->at + octets->count - 4, 0, 32, iw_crc32c(fpdu, octets->count - before - 4));
}

/* Reads octets as above, or "ULPDU[FROM:TO]": octets FROM to TO of the FPDU. */
static void append_cut_fpdu(struct iw_wrap_octets *octets, char *ulpdu) {
    char *part = strchr(ulpdu, '[');
    size_t before = octets->count;
    unsigned from = 0;
    unsigned to = 0;

    if (part == NULL) {
        append_fpdu(octets, ulpdu);
        return;
    }
    if (sscanf(part, "[%u:%u]", &from, &to) != 2)
        iw_wrap_fail("not [FROM:TO]", part);
    *part = '\0';
    append_fpdu(octets, ulpdu);
    if (from > to || to > octets->count - before)
        iw_wrap_fail("the octets are not within the FPDU", ulpdu);
    memmove(octets->at + before, octets->at + before + from, to - from);
    octets->count = before + to - from;
}

static void append_item(struct iw_wrap_octets *octets, char *item) {
    char id[8] = "";
    const struct iw_vector *vector;

    if (strncmp(item, "fpdu:", 5) == 0) {
        append_cut_fpdu(octets, item + 5);
        return;
    }
    if (strncmp(item, "hex:", 4) == 0) {
        iw_wrap_append_hex(octets, item + 4);
        return;
    }
    sscanf(item, "%7[A-Z0-9]", id);
    vector = iw_vector_find(vectors, id);
    if (vector == NULL)
        iw_wrap_fail("no such vector", item);
    append_part(octets, vector, item + strlen(id));
}

/* "F02*22": 22 copies of an item. */
static void append_word(struct iw_wrap_octets *octets, char *word) {
    char *times = strncmp(word, "fpdu:", 5) == 0 ? NULL : strchr(word, '*');
    unsigned long count = times == NULL ? 1 : iw_wrap_number(times + 1);

    if (times != NULL)
        *times = '\0';
    for (unsigned long i = 0; i < count; i++)
        append_item(octets, word);
}

void iw_wrap_take_octets(struct iw_wrap_octets *octets, char **words, unsigned count) {
    octets->count = 0;
    for (unsigned i = 0; i < count; i++)
        append_word(octets, words[i]);
}
