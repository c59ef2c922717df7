#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "iw_trace.h"

/* Segments damaged in transit: their TCP checksum is that of other octets (RFC 9293 3.1). Computed without
 * the checker. */

/* The difference between the checksum in the header of a captured segment and the right one; 0 if it is
 * right, cannot be verified, or was left to the network card. */
uint16_t iw_damage_of(const struct iw_tcp_segment *segment);

/* The sum of 16-bit words of `count` octets (RFC 1071), added to `sum`; the result has at most 16 bits. */
uint32_t iw_damage_sum(uint32_t sum, const uint8_t *octets, size_t count);

/* Marks the first damaged packets as foreign: their receiver discards them. With `read`, the receiver
 * accepts the other damaged packets as sent, so they no longer count as damaged; without, they are removed.
 * `cut`: the capture truncates packets or lacks right checksums, so it shows no damage. */
void iw_damage_settle(struct iw_trace *trace, bool read, bool cut);
