#ifndef IW_CRC32C_H
#define IW_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The CRC of MPA: CRC-32C as in iSCSI digests, least significant octet first on the wire (RFC 5044 4.4). A
 * value of this module is the four octets as they stand on the wire, read in order: the FPDU that ends 52 23
 * 99 83 has CRC 0x52239983. */

/* A computation over pieces: start with iw_crc32c_begin, update in stream order, end. */
static inline uint32_t iw_crc32c_begin(void) {
    return 0xFFFFFFFF;
}

uint32_t iw_crc32c_update(uint32_t state, const uint8_t *octets, size_t count);

uint32_t iw_crc32c_end(uint32_t state);

/* All at once. */
uint32_t iw_crc32c(const uint8_t *octets, size_t count);

/* The same by plain C, whatever the library in use: iw_crc32c_update is this when built without ISA-L. */
uint32_t iw_crc32c_update_portable(uint32_t state, const uint8_t *octets, size_t count);

#endif
