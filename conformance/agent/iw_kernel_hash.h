#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_hash_name.h"

/* Hashes of memory: CRC32C of our own, SHA by the kernel (AF_ALG), so that the agent needs no library for it.
 */

/* Writes the hash of the octets to `value`. Returns its length in octets, or 0 with errno if the kernel
 * cannot compute it: EAFNOSUPPORT without AF_ALG, EPERM or EACCES where a program must not use it, ENOENT
 * without the algorithm, EIO for a partial transfer. */
size_t iw_kernel_hash(
    enum iw_hash hash, const uint8_t *octets, size_t count, uint8_t value[IW_HASH_OCTETS_MAX]);
