#include "iw_atomic.h"

#include "iw_name.h"

/* A bit of the mask is the most significant one of a field, and nothing is carried out of it: the fields are
 * added without these bits, into which the carry then comes, and these bits without carry (RFC 7306 5.1.1).
 */
static uint64_t fetch_add(uint64_t original, uint64_t data, uint64_t mask) {
    return ((original & ~mask) + (data & ~mask)) ^ ((original ^ data) & mask);
}

bool iw_atomic_result(const struct iw_atomic_request *request, uint64_t original, uint64_t *result) {
    bool equal = ((request->compare_data ^ original) & request->compare_mask) == 0;

    switch (request->aopcode) {
    case IW_AOPCODE_FETCHADD:
        *result = fetch_add(original, request->data, request->mask);
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
