#ifndef IW_SESSION_WAIT_H
#define IW_SESSION_WAIT_H

#include "iw_sctp.h"

/* Chunks of one side of a DDP Stream that wait for earlier ones, in the order of DDP-SSNs. */

struct iw_session_held {
    struct iw_session_held *next;
    uint16_t ssn;
    struct iw_sctp_message message;
    uint8_t octets[];
};

/* All zero: empty. */
struct iw_session_wait {
    struct iw_session_held *first, *last;
    unsigned count;
};

enum iw_session_kept {
    IW_SESSION_KEPT,
    IW_SESSION_KEPT_ALREADY, /* a chunk with this DDP-SSN is already held */
    IW_SESSION_NO_MEMORY,
};

/* Keeps a copy of the chunk. DDP-SSNs are ordered by how far they are ahead of `next`, on a circle of 16
 * bits. */
enum iw_session_kept iw_session_wait_keep(
    struct iw_session_wait *wait, uint16_t next, uint16_t ssn, const struct iw_sctp_message *message);

/* Removes the first chunk, which the caller frees. The list must not be empty. */
struct iw_session_held *iw_session_wait_take(struct iw_session_wait *wait);

/* Frees all chunks. */
void iw_session_wait_clear(struct iw_session_wait *wait);

#endif
