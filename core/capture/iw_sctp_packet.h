#pragma once

#include "iw_sctp.h"
#include "iw_tcp_segment.h"

/* The chunks of an SCTP packet, as far as DDP over SCTP needs them (RFC 9260 3, RFC 8260 2.1). */

enum iw_sctp_chunk_type {
    IW_SCTP_DATA = 0,
    IW_SCTP_INIT = 1,
    IW_SCTP_INIT_ACK = 2,
    IW_SCTP_SACK = 3,
    IW_SCTP_ABORT = 6,
    IW_SCTP_SHUTDOWN = 7,
    IW_SCTP_SHUTDOWN_ACK = 8,
    IW_SCTP_SHUTDOWN_COMPLETE = 14,
    IW_SCTP_I_DATA = 64,
};

/* Sizes in octets. */
enum {
    IW_SCTP_CHUNK_OCTETS = 4,   /* the common header of chunks */
    IW_SCTP_DATA_OCTETS = 16,   /* the header of a DATA chunk */
    IW_SCTP_I_DATA_OCTETS = 20, /* the header of an I-DATA chunk */
};

enum {
    IW_SCTP_PARAMETER_ADAPTATION = 0xC006
}; /* Adaptation Layer Indication of INIT and INIT ACK: RFC 5061 4.2.6 */

struct iw_sctp_chunk {
    uint8_t type; /* enum iw_sctp_chunk_type, or an unlisted type */
    uint8_t flags;
    const uint8_t *value; /* octets after the common header of chunks */
    uint32_t length;      /* of the value, as stated in the chunk */
    uint32_t captured;    /* octets at `value` */
};

struct iw_sctp_chunks {
    const uint8_t *octets;
    uint32_t captured;
    uint32_t length;
};

/* Reads the next chunk, and removes it from `chunks`, which begin after the common header of the packet.
 * Returns false if no chunk is left, its header is truncated, or its length exceeds the packet. */
bool iw_sctp_chunk_next(struct iw_sctp_chunks *chunks, struct iw_sctp_chunk *chunk);

/* An INIT or INIT ACK. iw_sctp_init_decode returns false if its fixed part is truncated. */
struct iw_sctp_init {
    uint32_t tag;                     /* Verification Tag of packets to its sender */
    uint32_t tsn;                     /* TSN of the first DATA chunk of its sender */
    struct iw_sctp_setup setup;       /* `frame` is not set */
    struct iw_sctp_chunks parameters; /* parameters have the same form as chunks */
};
bool iw_sctp_init_decode(const struct iw_sctp_chunk *chunk, struct iw_sctp_init *init);

/* Reads the next address parameter of the INIT (RFC 9260 3.3.2.1): a further address of its sender, without a
 * port. Removes it from `init`. Returns false if no address is left. */
bool iw_sctp_init_address(struct iw_sctp_init *init, struct iw_tcp_address *address);

/* A DATA or I-DATA chunk. iw_sctp_data_decode returns false if its header is truncated. */
struct iw_sctp_data {
    bool ordered;
    bool first; /* flag B: the chunk begins user data */
    bool last;  /* flag E: the chunk ends user data */
    uint16_t stream;
    uint32_t tsn;
    uint32_t ppid; /* valid with `first`: other I-DATA chunks lack it */
    const uint8_t *octets;
    uint32_t length;
    uint32_t captured;
};
bool iw_sctp_data_decode(const struct iw_sctp_chunk *chunk, struct iw_sctp_data *data);

/* Reads the first gap of a SACK: which TSNs its sender lacks, and which later TSNs it has (RFC 9260 3.3.4).
 * Returns false if the chunk is no SACK, has no gap or is truncated. The caller sets `gap->frame`. */
bool iw_sctp_ack_gap_decode(const struct iw_sctp_chunk *chunk, struct iw_sctp_gap *gap);

/* Whether the SACK has gaps (RFC 9260 3.3.4); true also if it is truncated within its fixed fields. */
bool iw_sctp_ack_has_gaps(const struct iw_sctp_chunk *chunk);

/* Reads the Cumulative TSN Ack of a SACK or SHUTDOWN. Returns false if it is truncated. */
bool iw_sctp_ack_decode(const struct iw_sctp_chunk *chunk, uint32_t *tsn);
