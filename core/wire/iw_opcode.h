#pragma once

#include <stdbool.h>

#include "iw_layout.h"

/* The RDMA Messages of iw_opcode.def. */

enum iw_rdmap_opcode {
#define IW_OPCODE(name, value, ...) IW_RDMAP_OP_##name = value,
#include "iw_opcode.def"
};

/* The opcodes that are requests, for switches that name each of them and have no default. */
enum iw_request {
#define IW_REQUEST(name, value, ...) IW_REQUEST_##name = value,
#include "iw_opcode.def"
};

enum {
    IW_RDMAP_OP_COUNT = 0
#define IW_OPCODE(...) +1
#include "iw_opcode.def"
    ,
    IW_RDMAP_OP_EXPERIMENTAL = 0xF, /* reserved for experiments, although a draft uses it (RFC 6580 3.4) */
    IW_RDMAP_OP_NONE = 0xFF,
};

/* DDP queues (RFC 5040 4.1, RFC 7306 4.1). */
enum {
    IW_QN_SEND = 0,
    IW_QN_REQUEST = 1,
    IW_QN_TERMINATE = 2,
    IW_QN_RESPONSE = 3,
    IW_QN_COUNT = 4,
    IW_QN_TAGGED = IW_QN_COUNT, /* in place of a queue: a tagged message */
    IW_QN_NONE = 0xFF,          /* no queue: a tagged opcode */
};

enum iw_payload { IW_PAYLOAD_NONE, IW_PAYLOAD_ULP, IW_PAYLOAD_HEADERS, IW_PAYLOAD_HASH };

enum iw_invalidate { IW_INVALIDATE_ZERO, IW_INVALIDATE_STAG, IW_INVALIDATE_OPTIONAL };

/* Members of an `extensions` set: documents that add opcodes to RFC 5040, and options for them. */
enum iw_extension {
    IW_EXT_BASE = 0,
    IW_EXT_RFC7306 = 1,     /* opcodes 8h to Bh */
    IW_EXT_COMMIT = 2,      /* draft-talpey-rdma-commit-01: Ch to Fh; 10h, 11h with its QN or length */
    IW_EXT_STORM = 4,       /* draft-ietf-storm-rdmap-ext-01: opcodes 8h to Bh, and AOpCode 1, Swap */
    IW_EXT_OPCODE5 = 8,     /* with COMMIT: the opcode always has 5 bits, as in the draft's figure */
    IW_EXT_DRAFT_NOTE = 16, /* COMMIT is only the default: a note reports its first message */
    IW_EXT_ALL = IW_EXT_RFC7306 | IW_EXT_COMMIT | IW_EXT_STORM,
    IW_EXT_DEFAULT = IW_EXT_RFC7306 | IW_EXT_COMMIT | IW_EXT_DRAFT_NOTE, /* for captures of unknown peers */
};

struct iw_opcode {
    const char *name;  /* "READ_REQUEST" */
    const char *title; /* "RDMA Read Request" */
    const char *clause;
    uint8_t value;
    bool tagged;
    uint8_t qn; /* IW_QN_NONE when tagged */
    enum iw_layout_id header;
    enum iw_payload payload;
    enum iw_invalidate invalidate;
    uint8_t answer;              /* the opcode of its response; IW_RDMAP_OP_NONE: no response */
    enum iw_extension extension; /* opcodes of IW_EXT_RFC7306 also belong to IW_EXT_STORM */
    /* fields of a request; IW_FIELD_NONE for other opcodes: */
    enum iw_field_id stag;   /* STag of the responder's memory */
    enum iw_field_id to;     /* offset in that memory */
    enum iw_field_id length; /* octets of that memory; IW_FIELD_NONE: always 8 octets */
    enum iw_field_id sink;   /* STag of the requester's own memory, or IW_FIELD_NONE */
};

struct iw_target {
    uint32_t stag;
    uint32_t length; /* octets */
    uint64_t to;
};

/* Rows 0 to IW_RDMAP_OP_COUNT - 1, each at the index of its value. */
extern const struct iw_opcode iw_opcodes[IW_RDMAP_OP_COUNT];

/* Returns the row of an opcode; NULL if neither RFC 5040 nor one of `extensions` defines it. */
const struct iw_opcode *iw_opcode_find(uint8_t value, unsigned extensions);

/* Returns the ULPDU_Length of the shortest message with this opcode: DDP header and RDMAP header (RFC 5044
 * 4.1 counts neither pad nor CRC). Messages without payload are exactly this long. */
uint16_t iw_opcode_min_ulpdu(const struct iw_opcode *op);

/* Returns the memory that a request names in its RDMAP header `header`; zeros for other opcodes. */
struct iw_target iw_opcode_target(const struct iw_opcode *op, const uint8_t *header);

/* Returns the opcode that `value` answers (READ_REQUEST for READ_RESPONSE), or IW_RDMAP_OP_NONE. */
uint8_t iw_opcode_answered(uint8_t value);
