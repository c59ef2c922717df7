#pragma once

#include "iw_segment.h"

/* Length, CRC-32C and first octets of the payload of a message that DDP may have split (RFC 5041 5.2), to
 * compare two messages without keeping their octets. All zero: no message. */
struct iw_payload_sum {
    uint32_t octets;
    uint32_t state; /* of the CRC; iw_payload_sum_crc gives its value */
    uint32_t first; /* the first four octets, or fewer, as an integer */
    bool placed;    /* the first and all later segments so far came in order */
    bool captured;  /* all octets so far were captured */
    bool ended;     /* the latest segment has L=1 */
};

/* Begins a message with a segment that contains the first octets of the payload. */
void iw_payload_sum_begin(struct iw_payload_sum *sum, const struct iw_segment *segment);

/* Adds a later segment of the message. `header`: octets before the payload that MO counts. */
void iw_payload_sum_add(struct iw_payload_sum *sum, const struct iw_segment *segment, uint8_t header);

/* Whether the payload is complete, and no part of it is missing or out of order. */
bool iw_payload_sum_whole(const struct iw_payload_sum *sum);

/* Returns the CRC-32C of the octets so far; valid only if all were `captured`. */
uint32_t iw_payload_sum_crc(const struct iw_payload_sum *sum);
