#ifndef IW_AGENT_FIELD_H
#define IW_AGENT_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/* The fields of a request to an agent. The first thing that is wrong with it is kept, with the name of the
 * field; from then on every function gives what it would without the field. */

enum { IW_AGENT_TEXT_OCTETS = 256, IW_AGENT_OCTETS_KEPT = 2 };

struct iw_agent_request {
    const json_t *object;
    json_t *answer;   /* an object, to be filled */
    const char *code; /* of the error, or NULL */
    const char *field;
    char text[IW_AGENT_TEXT_OCTETS];
    uint8_t *octets[IW_AGENT_OCTETS_KEPT];
    unsigned octet_count;
};

/* `object` is borrowed. False if there is no memory. */
bool iw_agent_request_init(struct iw_agent_request *request, const json_t *object);
void iw_agent_request_dispose(struct iw_agent_request *request);

/* Makes the request an error: `code` as docs/agent.md has it; `field` may be NULL, and is static. */
void iw_agent_refuse(struct iw_agent_request *request, const char *code, const char *field,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

bool iw_agent_has(const struct iw_agent_request *request, const char *field);

/* Refuses the request without the field. */
void iw_agent_need(struct iw_agent_request *request, const char *field);

/* An integer from `low` to `high`, of at most 63 bits. */
uint64_t iw_agent_integer(
    struct iw_agent_request *request, const char *field, uint64_t low, uint64_t high, uint64_t otherwise);

/* 64 bits: "0x" and 1 to 16 hexadecimal digits. */
uint64_t iw_agent_wide(struct iw_agent_request *request, const char *field, uint64_t otherwise);

bool iw_agent_flag(struct iw_agent_request *request, const char *field, bool otherwise);

/* A text without NUL; as long as the request. */
const char *iw_agent_text(struct iw_agent_request *request, const char *field, const char *otherwise);

/* Octets, two hexadecimal digits each, at most `most`; as long as the request. None without the field. */
const uint8_t *iw_agent_octets(
    struct iw_agent_request *request, const char *field, size_t most, size_t *octets);

/* One of `names`, which ends with NULL: its index. */
unsigned iw_agent_choice(
    struct iw_agent_request *request, const char *field, const char *const *names, unsigned otherwise);

/* A list of some of `names`: bit 1 << index for each. */
unsigned iw_agent_set(
    struct iw_agent_request *request, const char *field, const char *const *names, unsigned otherwise);

/* The same values as JSON; NULL if there is no memory. */
json_t *iw_agent_wide_json(uint64_t value);
json_t *iw_agent_octets_json(const uint8_t *octets, size_t count);
json_t *iw_agent_set_json(const char *const *names, unsigned set);

/* Reads the form of iw_agent_octets_json into `octets`. False if `text` is not of that form, or more than
 * `most`. */
bool iw_agent_octets_read(const char *text, uint8_t *octets, size_t most, size_t *count);
bool iw_agent_wide_read(const char *text, uint64_t *value);

#endif
