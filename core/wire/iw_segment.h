#pragma once

#include "iw_opcode.h"

/* One DDP Segment with its RDMAP header: the ULPDU of one FPDU, or the user data of a DDP Segment Chunk
 * after the DDP-SSN (RFC 5041 4, RFC 5040 4). */
struct iw_segment {
    bool tagged;   /* T */
    bool last;     /* L */
    bool five_bit; /* the control octet was read with a 5-bit opcode (draft-talpey-rdma-commit-01 3.1) */
    bool header_missing; /* the segment is too short for the opcode's RDMAP header, or truncated before it */
    uint8_t rsvd;        /* 4 bits */
    uint8_t dv;          /* 2 bits */
    uint8_t control;     /* the whole RDMAP control octet */
    uint8_t rv;          /* 2 bits */
    uint8_t rsv;         /* 2 bits; with five_bit 1 bit */
    uint8_t opcode;
    uint8_t ddp_octets;    /* 14 or 18 */
    uint8_t header_octets; /* octets of the RDMAP header, after the DDP header; 0: none, or header_missing */
    uint16_t length;       /* ULPDU_Length */
    uint16_t payload_octets;    /* octets after the headers, as sent */
    uint16_t payload_captured;  /* captured octets of the payload */
    uint32_t stag;              /* tagged */
    uint64_t to;                /* tagged */
    uint32_t invalidate_stag;   /* untagged: RsvdULP[8:39] */
    uint32_t qn;                /* untagged */
    uint32_t msn;               /* untagged */
    uint32_t mo;                /* untagged */
    const struct iw_opcode *op; /* NULL if neither RFC 5040 nor an enabled extension defines the opcode */
    const uint8_t *header;      /* the RDMAP header: header_octets octets */
    const uint8_t *payload;     /* payload_captured octets */
};

/* Decodes a segment of `length` octets; the first `captured` of them are at `octets`. T selects the DDP
 * header, and the opcode selects the RDMAP header. Returns false if the DDP header is incomplete: then only
 * `length`, and with at least one octet `tagged`, `last`, `rsvd`, `dv` and `ddp_octets`, are set. */
bool iw_segment_decode(
    const uint8_t *octets, size_t captured, size_t length, unsigned extensions, struct iw_segment *segment);

/* Whether T and QN match the opcode; true if the opcode is unknown (RFC 5040 4.1). In a tagged segment, the
 * RDMAP header of an untagged opcode is neither decoded nor header_missing. */
bool iw_segment_opcode_fits(const struct iw_segment *segment);

/* Whether a decoded segment belongs to a Send: T and QN match the opcode, and the payload is that of the ULP
 * (RFC 5040 4.2). Immediate Data has no such payload. */
bool iw_segment_is_send(const struct iw_segment *segment);

static inline bool iw_segment_is_rfc7306(const struct iw_segment *segment) {
    return segment->op != NULL && segment->op->extension == IW_EXT_RFC7306;
}

/* A layout within the DDP header, and the octet at which it begins. */
struct iw_segment_part {
    enum iw_layout_id layout;
    uint8_t at;
};

enum { IW_SEGMENT_PARTS_MAX = 3 };

/* Lists the layouts in a decoded DDP header: the header itself, the RDMAP control octet in RsvdULP and, with
 * some opcodes, the Invalidate STag in RsvdULP (RFC 5040 4.1). Returns the number of layouts. */
unsigned iw_segment_parts(
    const struct iw_segment *segment, struct iw_segment_part parts[IW_SEGMENT_PARTS_MAX]);

/* Encodes the DDP header from the members of `segment`, and returns its size of 14 or 18 octets. */
size_t iw_segment_encode_ddp(const struct iw_segment *segment, uint8_t octets[iw_ddp_untagged_octets]);

/* Decodes a complete DDP header into the members that iw_segment_encode_ddp reads. The caller sets
 * `segment->tagged`, which selects the header. */
void iw_segment_decode_ddp(const uint8_t *octets, struct iw_segment *segment);

/* Returns the RDMAP control octet; an opcode above Fh uses the lower reserved bit. */
uint8_t iw_segment_control(uint8_t rv, uint8_t rsv, uint8_t opcode);
