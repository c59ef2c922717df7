#include "iw_hash.h"

#include <string.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "iw_crc32c.h"

/* The algorithms of libcrypto. */
static const EVP_MD *(*const digests[IW_HASH_COUNT])(void) = {
    [IW_HASH_SHA256] = EVP_sha256, [IW_HASH_SHA512] = EVP_sha512};

const char *iw_hash_name(enum iw_hash hash) {
    return hash == IW_HASH_NONE ? NULL : iw_hash_names[hash - 1];
}

enum iw_hash iw_hash_find(const char *name) {
    for (enum iw_hash hash = IW_HASH_CRC32C; hash < IW_HASH_COUNT; hash++)
        if (strcmp(iw_hash_name(hash), name) == 0)
            return hash;
    return IW_HASH_NONE;
}

bool iw_hasher_begin(struct iw_hasher *hasher, enum iw_hash hash) {
    *hasher = (struct iw_hasher){.hash = hash, .crc = iw_crc32c_begin()};
    if (hash == IW_HASH_NONE || digests[hash] == NULL)
        return hash != IW_HASH_NONE;
    /* libcrypto crashes without its default context, which is missing if memory ran out. */
    if (OSSL_LIB_CTX_get0_global_default() != NULL)
        hasher->context = EVP_MD_CTX_new();
    hasher->failed = hasher->context == NULL || !EVP_DigestInit_ex(hasher->context, digests[hash](), NULL);
    return !hasher->failed;
}

bool iw_hasher_update(struct iw_hasher *hasher, const uint8_t *octets, size_t count) {
    if (hasher->context != NULL && !hasher->failed)
        hasher->failed = !EVP_DigestUpdate(hasher->context, octets, count);
    if (hasher->context != NULL || hasher->failed)
        return !hasher->failed;
    hasher->crc = iw_crc32c_update(hasher->crc, octets, count);
    return true;
}

bool iw_hasher_end(struct iw_hasher *hasher, uint8_t value[IW_HASH_OCTETS_MAX]) {
    bool done = !hasher->failed;
    uint32_t crc = iw_crc32c_end(hasher->crc);

    if (done && hasher->context != NULL)
        done = EVP_DigestFinal_ex(hasher->context, value, NULL);
    for (int i = 0; done && hasher->context == NULL && i < 4; i++)
        value[i] = (uint8_t)(crc >> (24 - 8 * i));
    EVP_MD_CTX_free(hasher->context);
    hasher->context = NULL;
    return done;
}

bool iw_hash_compute(
    enum iw_hash hash, const uint8_t *octets, size_t count, uint8_t value[IW_HASH_OCTETS_MAX]) {
    struct iw_hasher hasher;
    bool done = iw_hasher_begin(&hasher, hash) && iw_hasher_update(&hasher, octets, count);

    return iw_hasher_end(&hasher, value) && done;
}
