#ifndef IW_EXECUTE_H
#define IW_EXECUTE_H

#include <stddef.h>
#include <stdint.h>

#include "iw_memory.h"

/* What a responder does for the requests on queue 1 that are more than a Read: Atomic, Flush, Verify, Atomic
 * Write (RFC 7306 5, draft-talpey-rdma-commit-01 3.1). */

enum { IW_EXECUTE_HEADER_MAX = iw_atomic_request_octets };

/* A request as it came. */
struct iw_execute_request {
    uint8_t opcode;
    uint32_t invalidate_stag;
    uint8_t header[IW_EXECUTE_HEADER_MAX];
    uint8_t hash[IW_HASH_OCTETS_MAX]; /* VERIFY: its beginning if it is longer */
    size_t hash_octets;               /* 0: none */
};

/* What it targets. */
struct iw_execute_target {
    uint32_t stag;
    uint64_t to;
    uint32_t length;
};

/* What there is to tell, beside that it was done. */
struct iw_execute_answer {
    struct iw_execute_target target; /* whether it was done or not */
    uint64_t original;               /* ATOMIC */
    uint8_t hash[IW_HASH_OCTETS_MAX];
    size_t hash_octets; /* VERIFY */
};

/* Does what is asked for on `memory`, with `access` for stream, domain and checks to be left out, and
 * AOpCodes as `extensions` have them. What is done is done when it returns: a flush waits for the medium.
 * Returns IW_NO_ERROR, or the enum iw_error for a Terminate; then the octets are as they were. 64-bit values
 * are in the byte order of this machine, the target (RFC 7306 5.1.1). */
int iw_execute(struct iw_memory *memory, const struct iw_access *access, unsigned extensions,
    const struct iw_execute_request *request, struct iw_execute_answer *answer);

#endif
