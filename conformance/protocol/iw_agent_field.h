#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/* The fields of a request to an agent. The first error is stored with the name of its field. Without the
 * field, or if the request is rejected, a function returns `otherwise`. */

enum { IW_AGENT_TEXT_OCTETS = 256, IW_AGENT_OCTETS_KEPT = 2 };

struct iw_agent_request {
    const json_t *object;
    json_t *answer;   /* the object to fill in */
    const char *code; /* error code; NULL: no error so far */
    const char *field;
    char text[IW_AGENT_TEXT_OCTETS];
    uint8_t *octets[IW_AGENT_OCTETS_KEPT];
    unsigned octet_count;
};

/* Rejects the request with `code` of docs/agent.md, unless it is already rejected. The text is `field` (a
 * static string, or NULL), followed by the formatted text. */
void iw_agent_refuse(struct iw_agent_request *request, const char *code, const char *field,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

bool iw_agent_has(const struct iw_agent_request *request, const char *field);

/* Rejects the request if the field is missing. */
void iw_agent_need(struct iw_agent_request *request, const char *field);

/* An integer from `low` to `high`, of at most 63 bits. */
uint64_t iw_agent_integer(
    struct iw_agent_request *request, const char *field, uint64_t low, uint64_t high, uint64_t otherwise);

/* 64 bits: "0x" and 1 to 16 hexadecimal digits. */
uint64_t iw_agent_wide(struct iw_agent_request *request, const char *field, uint64_t otherwise);

/* A boolean. Any other type is refused. */
bool iw_agent_flag(struct iw_agent_request *request, const char *field, bool otherwise);

/* A string without NUL, valid as long as the request. */
const char *iw_agent_text(struct iw_agent_request *request, const char *field, const char *otherwise);

/* Octets, two hexadecimal digits each, at most `most`; valid as long as the request. Without the field, there
 * are 0 octets. Returns NULL if the request is rejected. */
const uint8_t *iw_agent_octets(
    struct iw_agent_request *request, const char *field, size_t most, size_t *octets);

/* The index of the field's value in `names`, a list that ends with NULL. */
unsigned iw_agent_choice(
    struct iw_agent_request *request, const char *field, const char *const *names, unsigned otherwise);

/* A field that is a list of `names`, as a set: bit 1 << index for each name. */
unsigned iw_agent_set(
    struct iw_agent_request *request, const char *field, const char *const *names, unsigned otherwise);

/* Each formats a value as JSON, in the format that the function of the same name above reads. Returns NULL if
 * memory runs out. */
json_t *iw_agent_wide_json(uint64_t value);
json_t *iw_agent_octets_json(const uint8_t *octets, size_t count);
json_t *iw_agent_set_json(const char *const *names, unsigned set);

/* Parses the format of iw_agent_octets_json into `octets`. Returns false if `text` is malformed or has
 * more than `most` octets. */
bool iw_agent_octets_read(const char *text, uint8_t *octets, size_t most, size_t *count);
bool iw_agent_wide_read(const char *text, uint64_t *value);
