#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The MPA CRC: CRC-32C as in iSCSI digests, least significant octet first on the wire (RFC 5044 4.4).
 * Values here are the four wire octets in order: an FPDU that ends with 52 23 99 83 has CRC 0x52239983. */

/* For several buffers: iw_crc32c_begin, iw_crc32c_update for each in stream order, iw_crc32c_end. */
static inline uint32_t iw_crc32c_begin(void) {
    return 0xFFFFFFFF;
}

uint32_t iw_crc32c_update(uint32_t state, const uint8_t *octets, size_t count);

uint32_t iw_crc32c_end(uint32_t state);

/* For octets in one buffer. */
uint32_t iw_crc32c(const uint8_t *octets, size_t count);

/* iw_crc32c_update in plain C, which iw_crc32c_update uses when built without ISA-L. */
uint32_t iw_crc32c_update_portable(uint32_t state, const uint8_t *octets, size_t count);

/* Whether iw_crc32c_update uses ISA-L. */
bool iw_crc32c_with_isal(void);

/* The instructions of this processor that ISA-L has code for, such as "SSE 4.2 and PCLMULQDQ". NULL: none. */
const char *iw_crc32c_instructions(void);
