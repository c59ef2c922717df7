#pragma once

#include "iw_error.h"
#include "iw_layout.h"
#include "iw_segment.h"

/* The Terminate Message (RFC 5040 4.8). */

/* Returns the error of a Terminate Header. */
static inline uint16_t iw_terminate_error(const struct iw_terminate *control) {
    return iw_error_triple(control->layer, control->etype, control->code);
}

/* A Terminate Message after its DDP header. `has_ddp` follows the D bit and `has_rdmap` the R bit. The DDP
 * Segment Length is present if D is set (RFC 5040 4.8), and optional if only M is set. If the message is too
 * short for an included header, its `has_` flag is false and `truncated` is set. */
struct iw_terminate_message {
    struct iw_terminate control;
    bool has_length;
    bool has_ddp;
    bool has_rdmap;
    bool truncated;
    uint16_t segment_length;          /* DDP Segment Length as sent */
    struct iw_segment terminated;     /* the included DDP header, decoded */
    const uint8_t *terminated_octets; /* the included DDP header: `terminated.ddp_octets` octets */
    const uint8_t *rdmap_octets;      /* the included Read Request header: iw_read_request_octets octets */
    size_t used;                      /* octets of the message that were decoded */
};

/* Decodes `length` octets after the DDP header. Returns false if the Terminate Header is incomplete. */
bool iw_terminate_message_decode(
    const uint8_t *octets, size_t length, unsigned extensions, struct iw_terminate_message *message);

/* Decodes a Terminate with each octet filled from the lowest bit, as compilers for little-endian machines lay
 * out bit-fields (Linux siw). Layer and EType are then swapped, and M, D and R are the lowest bits of the
 * third octet. Returns true if only those reserved bits are set, the table has the error, and exactly the
 * headers that M, D and R announce follow. Otherwise `message` is undefined. */
bool iw_terminate_message_reversed(
    const uint8_t *octets, size_t length, unsigned extensions, struct iw_terminate_message *message);
bool iw_segment_terminate_reversed(
    const struct iw_segment *segment, unsigned extensions, struct iw_terminate_message *message);

/* Decodes the captured part of a Terminate after its DDP header. Returns false and leaves `message`
 * unchanged if the segment is not a Terminate or its Terminate Header is incomplete. */
bool iw_segment_terminate(
    const struct iw_segment *segment, unsigned extensions, struct iw_terminate_message *message);
