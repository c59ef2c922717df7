#ifndef IW_SEGMENT_H
#define IW_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_opcode.h"

/* One DDP Segment with its RDMAP header: the ULPDU of one FPDU, or the user data of a DDP Segment Chunk
 * behind the DDP-SSN (RFC 5041 4, RFC 5040 4). */
struct iw_segment {
    bool tagged;   /* T */
    bool last;     /* L */
    bool five_bit; /* the control octet was read with a 5-bit opcode (draft-talpey-rdma-commit-01 3.1) */
    bool header_missing; /* the message has an RDMAP header, but the segment is too short for it, or was cut
                            before it */
    uint8_t rsvd;        /* 4 bits */
    uint8_t dv;          /* 2 bits */
    uint8_t control;     /* the RDMAP control octet, whole */
    uint8_t rv;          /* 2 bits */
    uint8_t rsv;         /* 2 bits; 1 with five_bit */
    uint8_t opcode;
    uint8_t ddp_octets;         /* 14 or 18 */
    uint8_t header_octets;      /* RDMAP header behind the DDP header: 0 if it has none or header_missing */
    uint16_t length;            /* ULPDU_Length */
    uint16_t payload_octets;    /* what follows the headers, on the wire */
    uint16_t payload_captured;  /* and how much of it is there */
    uint32_t stag;              /* tagged */
    uint64_t to;                /* tagged */
    uint32_t invalidate_stag;   /* untagged: RsvdULP[8:39] */
    uint32_t qn;                /* untagged */
    uint32_t msn;               /* untagged */
    uint32_t mo;                /* untagged */
    const struct iw_opcode *op; /* NULL if no document in force defines the opcode */
    const uint8_t *header;      /* the RDMAP header: header_octets octets */
    const uint8_t *payload;     /* payload_captured octets */
};

/* Decodes a segment of `length` octets of which the first `captured` are at `octets`. The RDMAP header is
 * that of the opcode, wherever T says the opcode can stand. Returns false if the DDP header is not whole:
 * then only `length`, and from the first octet on `tagged`, `last`, `rsvd`, `dv` and `ddp_octets`, are set.
 */
bool iw_segment_decode(
    const uint8_t *octets, size_t captured, size_t length, unsigned extensions, struct iw_segment *segment);

/* T and QN are those of the opcode, as far as it is known (RFC 5040 4.1). Where they are not, the header that
 * the opcode has is not decoded if T forbids it, and not header_missing either. */
bool iw_segment_opcode_fits(const struct iw_segment *segment);

/* Whether a decoded segment is of a Send: T and QN are those of its opcode, and the payload is the ULP's (RFC
 * 5040 4.2). Immediate Data has none. */
bool iw_segment_is_send(const struct iw_segment *segment);

/* A layout that stands in the DDP header, and the octet at which it begins. */
struct iw_segment_part {
    enum iw_layout_id layout;
    uint8_t at;
};

enum { IW_SEGMENT_PARTS_MAX = 3 };

/* The layouts of a decoded segment's DDP header: its own, and those of what RDMAP has put into its RsvdULP
 * fields, the control octet and with some opcodes the Invalidate STag (RFC 5040 4.1). Returns how many. */
unsigned iw_segment_parts(
    const struct iw_segment *segment, struct iw_segment_part parts[IW_SEGMENT_PARTS_MAX]);

/* Writes the DDP header of 14 or 18 octets as `tagged`, `last`, `rsvd`, `dv`, `control` and the fields of the
 * model say. Returns its size. */
size_t iw_segment_encode_ddp(const struct iw_segment *segment, uint8_t octets[iw_ddp_untagged_octets]);

/* Reads these again from a header that is whole, of the model that `tagged` says. */
void iw_segment_decode_ddp(const uint8_t *octets, struct iw_segment *segment);

/* The RDMAP control octet of version, reserved bits and opcode; an opcode above Fh takes the lower reserved
 * bit. */
uint8_t iw_segment_control(uint8_t rv, uint8_t rsv, uint8_t opcode);

#endif
