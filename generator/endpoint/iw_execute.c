#include "iw_execute.h"

#include <string.h>

#include "iw_atomic.h"
#include "iw_name.h"

/* An error without a code is catastrophic for the stream, like a misaligned Atomic in RFC 7306 8.2. */

enum { ATOM = 8 }; /* octets of the operand of an Atomic Operation or Atomic Write */

struct execution {
    struct iw_memory *memory;
    struct iw_access access;
    unsigned extensions;
    const struct iw_execute_request *request;
    struct iw_execute_answer *answer;
    union iw_header header; /* the decoded RDMAP header of the request */
};

/* Checks the access. Returns an enum iw_error or IW_NO_ERROR. Without an error, sets `at` to the 64 bits of
 * the target; NULL if a check was skipped and the target does not exist. */
static int execution_find_atom(struct execution *execution, unsigned rights, uint8_t **at) {
    struct iw_access *access = &execution->access;

    access->rights = rights;
    int error = iw_memory_check_target(execution->memory, access);
    *at = error == IW_NO_ERROR ? iw_memory_fetch(execution->memory, access->stag, access->to, ATOM) : NULL;
    if (*at != NULL && (uintptr_t)*at % ATOM != 0 && !(access->skip & IW_MEMORY_ALIGNMENT))
        error = IW_ERROR_RDMAP_CATASTROPHIC_STREAM;
    return error;
}

static bool execution_supports_atomic(const struct execution *execution, uint8_t aopcode) {
    return aopcode == IW_AOPCODE_FETCHADD || aopcode == IW_AOPCODE_CMPSWAP ||
           (aopcode == IW_AOPCODE_SWAP && (execution->extensions & IW_EXT_STORM));
}

/* Modifies the 64 bits atomically for all users of the memory, including other threads (RFC 7306 5.3). */
static uint64_t execute_atom_modify(const struct iw_atomic_request *request, uint64_t *atom) {
    uint64_t original = __atomic_load_n(atom, __ATOMIC_SEQ_CST);
    uint64_t result;

    do
        iw_atomic_result(request, original, &result);
    while (!__atomic_compare_exchange_n(atom, &original, result, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return original;
}

static uint64_t execute_atom_modify_unaligned(const struct iw_atomic_request *request, uint8_t *at) {
    uint64_t original, result;

    memcpy(&original, at, ATOM);
    iw_atomic_result(request, original, &result);
    memcpy(at, &result, ATOM);
    return original;
}

static int execute_atomic(struct execution *execution) {
    const struct iw_atomic_request *request = &execution->header.atomic_request;
    uint8_t *at;

    if (!execution_supports_atomic(execution, request->aopcode))
        return IW_ERROR_RDMAP_UNEXPECTED_OPCODE;
    int error = execution_find_atom(execution, IW_RIGHT_ATOMIC, &at);
    if (error != IW_NO_ERROR || at == NULL)
        return error;
    execution->answer->original = (uintptr_t)at % ATOM == 0
                                      ? execute_atom_modify(request, (uint64_t *)(void *)at)
                                      : execute_atom_modify_unaligned(request, at);
    return IW_NO_ERROR;
}

static int execute_write(struct execution *execution) {
    const struct iw_atomic_write_request *request = &execution->header.atomic_write_request;
    uint8_t *at;

    if (request->length != ATOM)
        return IW_ERROR_RDMAP_CATASTROPHIC_STREAM;
    int error = execution_find_atom(execution, IW_RIGHT_WRITE, &at);
    if (error != IW_NO_ERROR || at == NULL)
        return error;
    if ((uintptr_t)at % ATOM == 0)
        __atomic_store_n((uint64_t *)(void *)at, request->data, __ATOMIC_SEQ_CST);
    else
        memcpy(at, &request->data, ATOM);
    return IW_NO_ERROR;
}

/* Checks the access. Returns an enum iw_error or IW_NO_ERROR. Without an error, sets `region`, and `at` to
 * the range's offset in the backing; NULL if a check was skipped and the range is not in a region. */
static int execution_find_region(
    struct execution *execution, unsigned rights, struct iw_region **region, uint64_t *at) {
    struct iw_access *access = &execution->access;

    access->rights = rights;
    int error = iw_memory_check_target(execution->memory, access);
    const uint8_t *octets = error == IW_NO_ERROR ? iw_memory_fetch(execution->memory, access->stag,
                                                       access->to, (size_t)access->length)
                                                 : NULL;
    *region = octets == NULL ? NULL : iw_memory_find(execution->memory, access->stag);
    *at = octets == NULL ? 0 : (uint64_t)(octets - (*region)->backing->octets);
    return error;
}

static int execute_flush(struct execution *execution) {
    const struct iw_access *access = &execution->access;
    const struct iw_flush_request *request = &execution->header.flush_request;
    unsigned rights = (request->p ? IW_RIGHT_PERSIST : 0u) | (request->g ? IW_RIGHT_EXPOSE : 0u);
    struct iw_region *region;
    uint64_t at;
    int error = execution_find_region(execution, rights, &region, &at);

    if (error != IW_NO_ERROR)
        return error;
    if (request->g)
        __atomic_thread_fence(__ATOMIC_SEQ_CST); /* memory is visible to all processors */
    if (request->p && region != NULL && !(access->skip & IW_MEMORY_PERSIST) &&
        !iw_backing_persist(region->backing, at, access->length))
        return IW_ERROR_RDMAP_CATASTROPHIC_STREAM;
    return IW_NO_ERROR;
}

/* Whether the request's hash equals the memory's; true if it has no hash or the check is skipped. */
static bool execution_hash_matches(const struct execution *execution) {
    const struct iw_execute_request *request = execution->request;
    const struct iw_execute_answer *answer = execution->answer;

    if (request->hash_octets == 0 || (execution->access.skip & IW_MEMORY_HASH))
        return true;
    return request->hash_octets == answer->hash_octets &&
           memcmp(request->hash, answer->hash, answer->hash_octets) == 0;
}

static int execute_verify(struct execution *execution) {
    struct iw_execute_answer *answer = execution->answer;
    struct iw_region *region;
    uint64_t at;
    int error = execution_find_region(execution, IW_RIGHT_VERIFY, &region, &at);

    if (error != IW_NO_ERROR)
        return error;
    if (region != NULL && region->hash != IW_HASH_NONE) {
        if (!iw_backing_hash(region->backing, region->hash, at, execution->access.length, answer->hash))
            return IW_ERROR_RDMAP_CATASTROPHIC_STREAM;
        answer->hash_octets = iw_hash_octets(region->hash);
    }
    return execution_hash_matches(execution) ? IW_NO_ERROR : IW_ERROR_RDMAP_CATASTROPHIC_STREAM;
}

static int execution_perform(struct execution *execution) {
    switch ((enum iw_request)execution->request->opcode) {
    case IW_REQUEST_ATOMIC:
        return execute_atomic(execution);
    case IW_REQUEST_FLUSH:
        return execute_flush(execution);
    case IW_REQUEST_VERIFY:
        return execute_verify(execution);
    case IW_REQUEST_ATOMIC_WRITE:
        return execute_write(execution);
    case IW_REQUEST_READ: /* the endpoint answers Reads itself, in pieces */
        break;
    }
    return IW_ERROR_RDMAP_UNEXPECTED_OPCODE;
}

/* A request other than Atomic may name an STag to invalidate after it is executed. If this STag must not be
 * invalidated, the request is not executed. */
int iw_execute(struct iw_memory *memory, const struct iw_access *access, unsigned extensions,
    const struct iw_execute_request *request, struct iw_execute_answer *answer) {
    struct execution execution = {
        .memory = memory, .access = *access, .extensions = extensions, .request = request, .answer = answer};
    const struct iw_opcode *op = &iw_opcodes[request->opcode];
    struct iw_access invalidated = *access;
    bool invalidates = op->invalidate == IW_INVALIDATE_OPTIONAL && request->invalidate_stag != 0;
    int error = IW_NO_ERROR;

    memset(answer, 0, sizeof *answer);
    iw_layout_decode(op->header, request->header, &execution.header);
    answer->target = iw_opcode_target(op, request->header);
    execution.access.stag = answer->target.stag;
    execution.access.to = answer->target.to;
    execution.access.length = answer->target.length;
    invalidated.stag = request->invalidate_stag;
    if (invalidates)
        error = iw_memory_check_invalidate(memory, &invalidated);
    if (error == IW_NO_ERROR)
        error = execution_perform(&execution);
    if (error == IW_NO_ERROR && invalidates)
        iw_memory_invalidate(memory, request->invalidate_stag);
    return error;
}
