#include "iw_load.h"

#include <stdlib.h>
#include <string.h>

enum { WEIGHT_MAX = 1000000 };

static const char *const names[IW_LOAD_OP_COUNT] = {[IW_LOAD_WRITE] = "write",
    [IW_LOAD_READ] = "read",
    [IW_LOAD_SEND] = "send",
    [IW_LOAD_ATOMIC] = "atomic",
    [IW_LOAD_FLUSH] = "flush",
    [IW_LOAD_VERIFY] = "verify",
    [IW_LOAD_ATOMIC_WRITE] = "atomic_write"};

const char *iw_load_op_name(enum iw_load_op op) {
    return names[op];
}

static int mix_op_of_name(const char *name, size_t length) {
    for (int i = 0; i < IW_LOAD_OP_COUNT; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return i;
    return -1;
}

static unsigned mix_weight_of(const char *text, size_t length) {
    char *end = NULL;
    unsigned long weight = 0;

    if (length > 0 && text[0] >= '0' && text[0] <= '9')
        weight = strtoul(text, &end, 10);
    return weight >= 1 && weight <= WEIGHT_MAX && end == text + length ? (unsigned)weight : 0;
}

static void mix_report_unknown_op(const char *name, size_t length, char *error, size_t error_octets) {
    int used = snprintf(error, error_octets, "unknown operation '%.*s': there are", (int)length, name);

    for (int i = 0; i < IW_LOAD_OP_COUNT && used >= 0 && (size_t)used < error_octets; i++)
        used += snprintf(error + used, error_octets - (size_t)used, "%s%s",
            i == 0                      ? " "
            : i == IW_LOAD_OP_COUNT - 1 ? " and "
                                        : ", ",
            names[i]);
}

bool iw_load_mix_parse(const char *text, struct iw_load_mix *mix, char *error, size_t error_octets) {
    memset(mix, 0, sizeof *mix);
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        size_t name = strcspn(at, "=,");
        int op = mix_op_of_name(at, name);
        unsigned weight = name < length ? mix_weight_of(at + name + 1, length - name - 1) : 1;

        if (op < 0) {
            mix_report_unknown_op(at, name, error, error_octets);
            return false;
        }
        if (weight == 0 || mix->weights[op] != 0) {
            snprintf(error, error_octets,
                weight == 0 ? "'%.*s' has no weight from 1 to 1000000" : "'%.*s' is given twice", (int)length,
                at);
            return false;
        }
        mix->weights[op] = weight;
        at += length;
        if (*at == '\0')
            return true;
    }
}

/* Each operation gains its weight as credit. The operation with the most credit is next, and loses the sum of
 * all weights (smooth weighted round robin). */
enum iw_load_op iw_load_mix_next(struct iw_load_mix *mix) {
    long total = 0;
    int best = 0;

    for (int i = 0; i < IW_LOAD_OP_COUNT; i++) {
        total += mix->weights[i];
        mix->credits[i] += mix->weights[i];
        if (mix->weights[i] > 0 && (mix->weights[best] == 0 || mix->credits[i] > mix->credits[best]))
            best = i;
    }
    mix->credits[best] -= total;
    return (enum iw_load_op)best;
}
