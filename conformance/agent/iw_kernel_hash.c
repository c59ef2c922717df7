#include "iw_kernel_hash.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/if_alg.h>

#include "iw_crc32c.h"

/* In plain C: iw_crc32c needs ISA-L. */
static size_t kernel_hash_crc32c(const uint8_t *octets, size_t count, uint8_t *value) {
    uint32_t crc = htobe32(iw_crc32c_end(iw_crc32c_update_portable(iw_crc32c_begin(), octets, count)));

    memcpy(value, &crc, sizeof crc);
    return sizeof crc;
}

/* Returns a socket for one hash, or -1. */
static int kernel_hash_open(const struct sockaddr_alg *algorithm) {
    int named = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    int operation = -1;

    if (named < 0)
        return -1;
    if (bind(named, (const struct sockaddr *)algorithm, sizeof *algorithm) == 0)
        operation = accept(named, NULL, NULL);
    close(named);
    return operation;
}

/* Sends all octets with one call: after a partial one, the kernel would begin another hash with the next.
 * Returns false if the kernel does not take or return what it has to. */
static bool kernel_hash_compute(
    int operation, const uint8_t *octets, size_t count, uint8_t *value, size_t length) {
    ssize_t done = count > 0 ? send(operation, octets, count, MSG_MORE) : 0;

    if (done >= 0 && (size_t)done == count) {
        done = recv(operation, value, IW_HASH_OCTETS_MAX, 0);
        if (done >= 0 && (size_t)done == length)
            return true;
    }
    if (done >= 0)
        errno = EIO;
    return false;
}

size_t iw_kernel_hash(
    enum iw_hash hash, const uint8_t *octets, size_t count, uint8_t value[IW_HASH_OCTETS_MAX]) {
    struct sockaddr_alg algorithm = {.salg_family = AF_ALG, .salg_type = "hash"};
    size_t length = iw_hash_octets(hash);
    bool computed;
    int operation;

    if (hash == IW_HASH_CRC32C)
        return kernel_hash_crc32c(octets, count, value);
    /* The kernel's names of the algorithms are ours. */
    memccpy(algorithm.salg_name, iw_hash_names[hash - 1], 0, sizeof algorithm.salg_name);
    operation = kernel_hash_open(&algorithm);
    if (operation < 0)
        return 0;
    computed = kernel_hash_compute(operation, octets, count, value, length);
    close(operation);
    return computed ? length : 0;
}
