#include "iw_vector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

static int nibble_of(char digit) {
    const char *digits = "0123456789abcdef";
    const char *at = digit == '\0' ? NULL : strchr(digits, digit);

    return at == NULL ? -1 : (int)(at - digits);
}

static bool read_hex(const char *hex, struct iw_vector *vector) {
    if (strlen(hex) != 2 * vector->length)
        return false;
    vector->octets = malloc(vector->length);
    if (vector->octets == NULL)
        return false;
    for (size_t i = 0; i < vector->length; i++) {
        int high = nibble_of(hex[2 * i]);
        int low = nibble_of(hex[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        vector->octets[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static bool read_vector(json_t *entry, struct iw_vector *vector) {
    const char *id;
    const char *hex;
    json_int_t length;

    if (json_unpack(entry, "{s:s, s:I, s:s}", "id", &id, "length", &length, "hex", &hex) != 0)
        return false;
    if (strlen(id) >= sizeof vector->id || length <= 0 || length > UINT16_MAX)
        return false;
    strcpy(vector->id, id);
    vector->length = (size_t)length;
    return read_hex(hex, vector);
}

bool iw_vector_set_init(struct iw_vector_set *set, const char *path) {
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    bool good;

    memset(set, 0, sizeof *set);
    if (root == NULL)
        fprintf(stderr, "%s:%d: %s\n", path, error.line, error.text);
    if (json_array_size(root) > 0)
        set->vectors = calloc(json_array_size(root), sizeof *set->vectors);
    good = set->vectors != NULL;
    for (size_t i = 0; good && i < json_array_size(root); i++) {
        set->count++;
        good = read_vector(json_array_get(root, i), &set->vectors[i]);
        if (!good)
            fprintf(stderr, "%s: vector %zu is not well formed\n", path, i + 1);
    }
    json_decref(root);
    if (!good)
        iw_vector_set_dispose(set);
    return good;
}

void iw_vector_set_dispose(struct iw_vector_set *set) {
    for (size_t i = 0; i < set->count; i++)
        free(set->vectors[i].octets);
    free(set->vectors);
    memset(set, 0, sizeof *set);
}

const struct iw_vector *iw_vector_find(const struct iw_vector_set *set, const char *id) {
    for (size_t i = 0; i < set->count; i++)
        if (strcmp(set->vectors[i].id, id) == 0)
            return &set->vectors[i];
    return NULL;
}

size_t iw_vector_count(const struct iw_vector_set *set, char letter) {
    size_t found = 0;

    for (size_t i = 0; i < set->count; i++)
        found += set->vectors[i].id[0] == letter;
    return found;
}
