#include "iw_atomic.h"

#include "iw_name.h"

/* Each mask bit marks the most significant bit of a field, and no carry leaves a field (RFC 7306 5.1.1). So
 * the addition omits the marked bits; the exclusive or adds them without their own carry. */
static uint64_t atomic_fetch_add(uint64_t original, uint64_t data, uint64_t mask) {
    return ((original & ~mask) + (data & ~mask)) ^ ((original ^ data) & mask);
}

bool iw_atomic_result(const struct iw_atomic_request *request, uint64_t original, uint64_t *result) {
    bool equal = ((request->compare_data ^ original) & request->compare_mask) == 0;

    switch (request->aopcode) {
    case IW_AOPCODE_FETCHADD:
        *result = atomic_fetch_add(original, request->data, request->mask);
        return true;
    case IW_AOPCODE_SWAP:
        *result = request->data;
        return true;
    case IW_AOPCODE_CMPSWAP:
        *result = equal ? (original & ~request->mask) | (request->data & request->mask) : original;
        return true;
    default:
        return false;
    }
}
