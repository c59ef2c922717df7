#ifndef IW_SCTP_PACKET_H
#define IW_SCTP_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_sctp.h"
#include "iw_tcp_segment.h"

/* The chunks of an SCTP packet, as far as DDP over SCTP has to know of them (RFC 9260 3, RFC 8260 2.1). */

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
    IW_SCTP_CHUNK_OCTETS = 4,   /* what all chunks begin with */
    IW_SCTP_DATA_OCTETS = 16,   /* a DATA chunk up to its user data */
    IW_SCTP_I_DATA_OCTETS = 20, /* the same of an I-DATA chunk */
};

enum { IW_SCTP_PARAMETER_ADAPTATION = 0xC006 }; /* of INIT and INIT ACK: RFC 5061 4.2.6 */

struct iw_sctp_chunk {
    uint8_t type; /* enum iw_sctp_chunk_type, or another */
    uint8_t flags;
    const uint8_t *value; /* behind the four octets that all chunks begin with */
    uint32_t length;      /* of the value, as the chunk says */
    uint32_t captured;    /* and how many octets of it are there */
};

struct iw_sctp_chunks {
    const uint8_t *octets;
    uint32_t captured;
    uint32_t length;
};

/* The next chunk of what stands behind the common header. False at the end: no chunk is left, its header is
 * not there, or its length contradicts the packet. */
bool iw_sctp_chunk_next(struct iw_sctp_chunks *chunks, struct iw_sctp_chunk *chunk);

/* An INIT or INIT ACK. Returns false if its fixed part is not there. */
struct iw_sctp_init {
    uint32_t tag;               /* that packets to its sender are to carry */
    uint32_t tsn;               /* of its sender's first DATA chunk */
    struct iw_sctp_setup setup; /* but for the frame */
    const uint8_t *parameters;  /* as far as they were captured */
    uint32_t parameters_captured;
    uint32_t parameters_length;
};
bool iw_sctp_init_decode(const struct iw_sctp_chunk *chunk, struct iw_sctp_init *init);

/* The next address that the sender of the INIT says it has beside the one that its packet came from (RFC 9260
 * 3.3.2.1), without a port. `init` forgets what it has told. False: there is none left. */
bool iw_sctp_init_address(struct iw_sctp_init *init, struct iw_tcp_address *address);

/* A DATA or I-DATA chunk. Returns false if its header is not there. */
struct iw_sctp_data {
    bool ordered;
    bool first; /* B: the user data begin with it */
    bool last;  /* E: and end */
    uint16_t stream;
    uint32_t tsn;
    uint32_t ppid; /* where the user data begin: an I-DATA chunk has it only there */
    const uint8_t *octets;
    uint32_t length;
    uint32_t captured;
};
bool iw_sctp_data_decode(const struct iw_sctp_chunk *chunk, struct iw_sctp_data *data);

/* A SACK or a SHUTDOWN: the last TSN of those received without a gap. Returns false if it is not there. */
/* Reads the first gap of a SACK: which TSNs its sender lacks, and which later ones it has (RFC 9260 3.3.4).
 * Returns false if the SACK has no gap or is truncated. Leaves the frame to the caller. */
bool iw_sctp_ack_gap_decode(const struct iw_sctp_chunk *chunk, struct iw_sctp_gap *gap);

/* Whether the SACK acknowledges chunks after that TSN as well (RFC 9260 3.3.4), or is truncated. */
bool iw_sctp_ack_has_gaps(const struct iw_sctp_chunk *chunk);

bool iw_sctp_ack_decode(const struct iw_sctp_chunk *chunk, uint32_t *tsn);

#endif
