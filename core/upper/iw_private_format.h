#pragma once

#include "iw_ulp_identify.h"

/* The private data of startup frames (RFC 5044 7.1.1), without enhanced data, as the protocols above RDMAP
 * lay them out. */

/* The rows of iw_private_field.def. Those of SMB Direct are for implementations of MPA without enhanced data.
 */
enum iw_private_field {
#define IW_PRIVATE_FIELD(symbol, name, filter, bits, base, help) IW_PRIVATE_##symbol,
#include "iw_private_field.def"
    IW_PRIVATE_FIELD_COUNT
};

enum {
    IW_PRIVATE_RPC_IDENTIFIER = 0xF6AB0E18, /* the Format Identifier (RFC 8797 4.1) */
    IW_PRIVATE_RPC_INVALIDATION = 0x01,     /* in its Flags: R, Remote Invalidation is supported */
};

struct iw_private_part {
    enum iw_private_field field;
    uint8_t at;     /* offset in the private data */
    uint8_t octets; /* 1, 2 or 4 */
};

enum { IW_PRIVATE_PARTS_MAX = 5 };

struct iw_private_format {
    const char *title; /* such as "RPC-over-RDMA" */
    bool little_endian;
    uint8_t octets; /* least length of the private data */
    uint8_t part_count;
    struct iw_private_part part[IW_PRIVATE_PARTS_MAX];
};

extern const struct iw_private_format iw_private_rpc;  /* RFC 8797 4.1 */
extern const struct iw_private_format iw_private_smbd; /* SMB Direct: IRD and ORD in network byte order */

/* Which startup frame carries the private data. */
struct iw_private_carrier {
    enum iw_ulp_protocol protocol; /* of the connection, as far as it is known */
    uint16_t port;                 /* of the responder; 0: unknown */
    bool request;                  /* false: a Reply */
    bool rejected;                 /* the Reply has R=1 */
};

/* Returns the format of `octets` octets of private data; NULL if it is unknown. */
const struct iw_private_format *iw_private_format_find(
    const struct iw_private_carrier *carrier, const uint8_t *data, size_t octets);

/* Returns the format of private data that is of SMB Direct; NULL if it has another length. Some
 * implementations write IRD and ORD with the least significant octet first. It is theirs if both numbers fit
 * 14 bits, as those of MPA's enhanced data do (RFC 6581 6), in that order only. */
const struct iw_private_format *iw_private_smbd_find(const uint8_t *data, size_t octets);

uint32_t iw_private_value(
    const struct iw_private_format *format, const struct iw_private_part *part, const uint8_t *data);

/* The value of a field that the format has. */
uint32_t iw_private_get(
    const struct iw_private_format *format, enum iw_private_field field, const uint8_t *data);

/* The octets that a value of Send Size or Receive Size stands for. */
uint32_t iw_private_rpc_octets(uint32_t size);

/* The field's name in its specification, such as "HRQSIZE". */
const char *iw_private_field_name(enum iw_private_field field);

/* Writes the value in the field's base: "4096", or "0x0001" with all digits of the field. */
enum { IW_PRIVATE_TEXT_OCTETS = 16 };
const char *iw_private_text(enum iw_private_field field, uint32_t value, char text[IW_PRIVATE_TEXT_OCTETS]);

/* Writes what the value means, such as "4096 octets"; "" if the value says it all. */
enum { IW_PRIVATE_MEANING_OCTETS = 64 };
const char *iw_private_meaning(
    enum iw_private_field field, uint32_t value, char text[IW_PRIVATE_MEANING_OCTETS]);
