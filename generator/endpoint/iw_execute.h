#pragma once

#include "iw_memory.h"
#include "iw_segment.h"

/* Executes the requests on queue 1 other than Read: Atomic, Flush, Verify, Atomic Write (RFC 7306 5,
 * draft-talpey-rdma-commit-01 3.1). */

enum { IW_EXECUTE_HEADER_MAX = iw_atomic_request_octets };

struct iw_execute_request {
    uint8_t opcode;
    uint32_t invalidate_stag;
    uint8_t header[IW_EXECUTE_HEADER_MAX];
    uint8_t hash[IW_HASH_OCTETS_MAX]; /* VERIFY: the first IW_HASH_OCTETS_MAX octets of the hash */
    size_t hash_octets;               /* as received, even above IW_HASH_OCTETS_MAX; 0: no hash */
};

/* The result of a request. */
struct iw_execute_answer {
    struct iw_target target; /* also set on an error */
    uint64_t original;       /* ATOMIC */
    uint8_t hash[IW_HASH_OCTETS_MAX];
    size_t hash_octets; /* VERIFY */
};

/* Executes the request on `memory`; `access` gives stream, domain and checks to skip, `extensions` the valid
 * AOpCodes. A Flush to persistence returns once the data is persistent. Returns IW_NO_ERROR; on an error, the
 * iw_error to put into the Terminate, and memory is unchanged. 64-bit values are in the byte order of this
 * machine, the target (RFC 7306 5.1.1). */
int iw_execute(struct iw_memory *memory, const struct iw_access *access, unsigned extensions,
    const struct iw_execute_request *request, struct iw_execute_answer *answer);
