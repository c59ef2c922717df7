#include "iw_hash_name.h"

const char *const iw_hash_names[] = {"crc32c", "sha256", "sha512", NULL};

size_t iw_hash_octets(enum iw_hash hash) {
    static const size_t octets[IW_HASH_COUNT] = {
        [IW_HASH_CRC32C] = 4, [IW_HASH_SHA256] = 32, [IW_HASH_SHA512] = IW_HASH_OCTETS_MAX};

    return octets[hash];
}
