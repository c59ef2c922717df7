#pragma once

#include "iw_agent_field.h"
#include "iw_hash_name.h"

/* Requests about regions of the device's memory (docs/agent.md). */

enum iw_agent_stream {
    IW_AGENT_STREAM_ALL,
    IW_AGENT_STREAM_OTHER,
    IW_AGENT_STREAM_CONNECTION, /* that of the field `connection` */
};

/* The fields of `register`, except `connection`. */
struct iw_agent_registration {
    size_t size;
    uint64_t to;
    uint32_t stag;   /* 0: the device chooses it */
    unsigned rights; /* set of enum iw_agent_right */
    enum iw_hash hash;
    bool persistent;
    bool other_domain;
    enum iw_agent_stream stream;
    const uint8_t *fill; /* valid as long as the request */
    size_t fill_octets;
};

/* `registered`: octets of the session's regions so far. */
struct iw_agent_registration iw_agent_registration_read(
    struct iw_agent_request *request, uint64_t registered);

/* Answers `register`. */
void iw_agent_registration_answer(struct iw_agent_request *request, uint32_t stag, uint64_t to, size_t size);

/* The STag in the field; 0 without it. */
uint32_t iw_agent_stag(struct iw_agent_request *request, const char *field);

/* Rejects the request unless `region`, which the field names, exists. */
void iw_agent_check_region(struct iw_agent_request *request, const char *field, const void *region);

/* The offset in a region of `size` octets; `octets` octets must follow it. */
uint64_t iw_agent_offset(struct iw_agent_request *request, size_t size, uint64_t octets);

/* The offset and number of octets that `read` asks for. Rejects a `medium` that the region does not have. */
uint64_t iw_agent_part(struct iw_agent_request *request, size_t size, bool has_medium, size_t *octets);

/* Executes `write` on a region of `size` octets. */
void iw_agent_write_region(struct iw_agent_request *request, uint8_t *region, size_t size);

/* What `hash` asks for. */
struct iw_agent_hashing {
    uint64_t offset; /* in the region */
    uint64_t size;
    enum iw_hash hash;
};

/* The fields of `hash` for a region of `size` octets. */
struct iw_agent_hashing iw_agent_hashing_read(struct iw_agent_request *request, size_t size);
