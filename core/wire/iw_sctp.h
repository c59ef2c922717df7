#ifndef IW_SCTP_H
#define IW_SCTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_layout.h"

/* User data of the SCTP DATA chunks that carry DDP (RFC 5043 5.2, RFC 6581 7). */

enum {
    IW_SCTP_PPID_SEGMENT = 16, /* DDP Segment Chunk: DDP-SSN, then a DDP Segment (iw_segment_decode) */
    IW_SCTP_PPID_CONTROL = 17, /* DDP Stream Session Control */
};

struct iw_sctp_session {
    struct iw_sctp_control header;
    bool enhanced; /* function codes 5 to 7 with the four octets of enhanced data there (RFC 6581 7) */
    struct iw_mpa_enhanced enhanced_data;
    const uint8_t *private_data; /* behind the enhanced data */
    size_t private_octets;
};

/* Decodes the user data of a DDP Stream Session Control chunk. Returns false if it is shorter than its
 * header. */
bool iw_sctp_session_decode(const uint8_t *octets, size_t length, struct iw_sctp_session *session);

#endif
