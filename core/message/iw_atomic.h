#pragma once

#include <stdbool.h>

#include "iw_layout.h"

/* The result of an Atomic Operation on 64 bits (RFC 7306 5.1.1 and 5.1.2; Swap:
 * draft-ietf-storm-rdmap-ext-01 5.1.2). Values are integers, whatever the byte order of the memory. */

/* Applies `request` to `original`, the Original Remote Data Value; `*result` is the new Remote Data Value.
 * Returns false, with `*result` unchanged, if the AOpCode is not defined. */
bool iw_atomic_result(const struct iw_atomic_request *request, uint64_t original, uint64_t *result);
