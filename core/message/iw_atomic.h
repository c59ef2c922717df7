#ifndef IW_ATOMIC_H
#define IW_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_layout.h"

/* What an Atomic Operation makes of the 64 bits that it is done on (RFC 7306 5.1.1 and 5.1.2; Swap:
 * draft-ietf-storm-rdmap-ext-01 5.1.2). The numbers are those of the wire, whatever the byte order of the
 * memory. */

/* The Remote Data Value after `request` has met `original`, the Original Remote Data Value. False, with
 * nothing written, if the AOpCode is none that these documents define. */
bool iw_atomic_result(const struct iw_atomic_request *request, uint64_t original, uint64_t *result);

#endif
