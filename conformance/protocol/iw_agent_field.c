#include "iw_agent_field.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_hex.h"

void iw_agent_refuse(
    struct iw_agent_request *request, const char *code, const char *field, const char *format, ...) {
    va_list arguments;
    size_t length = 0;

    if (request->code)
        return;
    request->code = code;
    request->field = field;
    if (field)
        length = (size_t)snprintf(request->text, sizeof request->text, "%s ", field);
    va_start(arguments, format);
    vsnprintf(request->text + length, sizeof request->text - length, format, arguments);
    va_end(arguments);
}

/* ---- values ---- */

static const json_t *field_find(const struct iw_agent_request *request, const char *field) {
    return request->code ? NULL : json_object_get(request->object, field);
}

bool iw_agent_has(const struct iw_agent_request *request, const char *field) {
    return field_find(request, field) != NULL;
}

void iw_agent_need(struct iw_agent_request *request, const char *field) {
    if (!iw_agent_has(request, field))
        iw_agent_refuse(request, "argument", field, "is missing");
}

uint64_t iw_agent_integer(
    struct iw_agent_request *request, const char *field, uint64_t low, uint64_t high, uint64_t otherwise) {
    const json_t *value = field_find(request, field);
    json_int_t number = json_integer_value(value);

    if (!value)
        return otherwise;
    if (json_is_integer(value) && number >= 0 && (uint64_t)number >= low && (uint64_t)number <= high)
        return (uint64_t)number;
    iw_agent_refuse(request, "argument", field, "takes an integer from %llu to %llu", (unsigned long long)low,
        (unsigned long long)high);
    return otherwise;
}

bool iw_agent_wide_read(const char *text, uint64_t *value) {
    bool prefixed = text && strncmp(text, "0x", 2) == 0;
    size_t digits = prefixed ? strspn(text + 2, "0123456789abcdefABCDEF") : 0;

    if (digits < 1 || digits > 16 || text[2 + digits])
        return false;
    *value = strtoull(text, NULL, 16);
    return true;
}

uint64_t iw_agent_wide(struct iw_agent_request *request, const char *field, uint64_t otherwise) {
    const json_t *value = field_find(request, field);
    uint64_t number;

    if (!value)
        return otherwise;
    if (iw_agent_wide_read(json_string_value(value), &number))
        return number;
    iw_agent_refuse(request, "argument", field, "takes \"0x\" and 1 to 16 hexadecimal digits, as a text");
    return otherwise;
}

bool iw_agent_flag(struct iw_agent_request *request, const char *field, bool otherwise) {
    const json_t *value = field_find(request, field);

    if (!value)
        return otherwise;
    if (json_is_boolean(value))
        return json_is_true(value);
    iw_agent_refuse(request, "argument", field, "takes true or false");
    return otherwise;
}

const char *iw_agent_text(struct iw_agent_request *request, const char *field, const char *otherwise) {
    const json_t *value = field_find(request, field);

    if (!value)
        return otherwise;
    if (json_is_string(value))
        return json_string_value(value);
    iw_agent_refuse(request, "argument", field, "takes a text");
    return otherwise;
}

bool iw_agent_octets_read(const char *text, uint8_t *octets, size_t most, size_t *count) {
    size_t length = strlen(text);

    if (length % 2 != 0 || length / 2 > most)
        return false;
    *count = length / 2;
    for (size_t i = 0; i < *count; i++) {
        int high = iw_hex_digit(text[2 * i]), low = iw_hex_digit(text[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        octets[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

const uint8_t *iw_agent_octets(
    struct iw_agent_request *request, const char *field, size_t most, size_t *octets) {
    const char *text = iw_agent_text(request, field, "");
    uint8_t *kept;

    *octets = 0;
    if (request->code || request->octet_count == IW_AGENT_OCTETS_KEPT)
        return NULL;
    kept = malloc(strlen(text) / 2 + 1);
    if (!kept) {
        iw_agent_refuse(request, "memory", field, "exceeds the available memory");
        return NULL;
    }
    request->octets[request->octet_count++] = kept;
    if (iw_agent_octets_read(text, kept, most, octets))
        return kept;
    *octets = 0;
    iw_agent_refuse(
        request, "argument", field, "takes at most %zu octets, two hexadecimal digits each", most);
    return NULL;
}

/* ---- names ---- */

static void agent_field_reject_name(struct iw_agent_request *request, const char *field,
    const char *const *names, bool list, const json_t *value) {
    char known[160] = "";
    const char *given = json_string_value(value);

    for (size_t i = 0, length = 0; names[i] && length < sizeof known; i++)
        length +=
            (size_t)snprintf(known + length, sizeof known - length, "%s%s", i > 0 ? ", " : "", names[i]);
    iw_agent_refuse(request, "argument", field, "takes %s %s%s%.40s", list ? "a list of" : "one of", known,
        given ? ", not " : "", given ? given : "");
}

static bool agent_field_name_index(const char *const *names, const json_t *value, unsigned *index) {
    const char *text = json_string_value(value);

    for (*index = 0; text && names[*index]; ++*index)
        if (strcmp(names[*index], text) == 0)
            return true;
    return false;
}

unsigned iw_agent_choice(
    struct iw_agent_request *request, const char *field, const char *const *names, unsigned otherwise) {
    const json_t *value = field_find(request, field);
    unsigned index;

    if (!value)
        return otherwise;
    if (agent_field_name_index(names, value, &index))
        return index;
    agent_field_reject_name(request, field, names, false, value);
    return otherwise;
}

unsigned iw_agent_set(
    struct iw_agent_request *request, const char *field, const char *const *names, unsigned otherwise) {
    const json_t *list = field_find(request, field);
    unsigned set = 0;

    if (!list)
        return otherwise;
    if (!json_is_array(list))
        agent_field_reject_name(request, field, names, true, NULL);
    for (size_t i = 0; i < json_array_size(list); i++) {
        unsigned index;

        if (agent_field_name_index(names, json_array_get(list, i), &index))
            set |= 1u << index;
        else
            agent_field_reject_name(request, field, names, true, json_array_get(list, i));
    }
    return request->code ? otherwise : set;
}

/* ---- as JSON ---- */

json_t *iw_agent_wide_json(uint64_t value) {
    return json_sprintf("0x%llx", (unsigned long long)value);
}

json_t *iw_agent_octets_json(const uint8_t *octets, size_t count) {
    static const char digits[] = "0123456789abcdef";
    char *text = malloc(2 * count + 1);
    json_t *json;

    if (!text)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = digits[octets[i] >> 4];
        text[2 * i + 1] = digits[octets[i] & 0xF];
    }
    text[2 * count] = '\0';
    json = json_stringn_nocheck(text, 2 * count);
    free(text);
    return json;
}

json_t *iw_agent_set_json(const char *const *names, unsigned set) {
    json_t *list = json_array();

    for (unsigned i = 0; names[i]; i++)
        if (set & 1u << i)
            json_array_append_new(list, json_string(names[i]));
    return list;
}
