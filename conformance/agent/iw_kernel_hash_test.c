#include "iw_kernel_hash.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static void check_is(enum iw_hash hash, const char *text, size_t count, const char *hex) {
    uint8_t value[IW_HASH_OCTETS_MAX];
    char printed[2 * sizeof value + 1] = "";
    size_t length, i;

    errno = 0;
    length = iw_kernel_hash(hash, (const uint8_t *)text, count, value);
    if (length == 0 && (errno == EAFNOSUPPORT || errno == ENOENT || errno == EPERM || errno == EACCES))
        skip();
    for (i = 0; i < length; i++)
        snprintf(printed + 2 * i, 3, "%02x", value[i]);
    assert_string_equal(printed, hex);
}

/* RFC 3720 B.4: the CRC32C of 32 octets of zeros is AA 36 91 8A on the wire. */
static void crc32c_has_the_least_significant_octet_first(void **state) {
    static const char zeros[32];

    (void)state;
    check_is(IW_HASH_CRC32C, zeros, sizeof zeros, "aa36918a");
}

/* FIPS 180-2, appendix B.1 and C.1. */
static void sha_is_that_of_fips_180(void **state) {
    (void)state;
    check_is(IW_HASH_SHA256, "abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_is(IW_HASH_SHA512, "abc", 3,
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
}

/* Also of no octets. */
static void nothing_has_a_hash(void **state) {
    (void)state;
    check_is(IW_HASH_SHA256, "", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

/* The socket of each hash is closed. */
static void hashes_leave_no_descriptor(void **state) {
    uint8_t value[IW_HASH_OCTETS_MAX];
    int before = dup(0), after, i;

    (void)state;
    close(before);
    for (i = 0; i < 20; i++)
        iw_kernel_hash(i % 2 ? IW_HASH_SHA256 : IW_HASH_SHA512, (const uint8_t *)"abc", 3, value);
    after = dup(0);
    close(after);
    assert_int_equal(after, before);
}

/* ---- a kernel that the test plays ---- */

static struct {
    bool plays;
    size_t takes;   /* octets of a send at most */
    size_t returns; /* octets of a hash at most */
    unsigned sends;
} kernel;

int __real_socket(int family, int type, int protocol);
int __wrap_socket(int family, int type, int protocol);
int __real_bind(int tcp, const struct sockaddr *address, socklen_t octets);
int __wrap_bind(int tcp, const struct sockaddr *address, socklen_t octets);
int __real_accept(int tcp, struct sockaddr *address, socklen_t *octets);
int __wrap_accept(int tcp, struct sockaddr *address, socklen_t *octets);
ssize_t __real_send(int tcp, const void *octets, size_t count, int flags);
ssize_t __wrap_send(int tcp, const void *octets, size_t count, int flags);
ssize_t __real_recv(int tcp, void *octets, size_t count, int flags);
ssize_t __wrap_recv(int tcp, void *octets, size_t count, int flags);

int __wrap_socket(int family, int type, int protocol) {
    return kernel.plays ? dup(0) : __real_socket(family, type, protocol);
}

int __wrap_bind(int tcp, const struct sockaddr *address, socklen_t octets) {
    return kernel.plays ? 0 : __real_bind(tcp, address, octets);
}

int __wrap_accept(int tcp, struct sockaddr *address, socklen_t *octets) {
    return kernel.plays ? dup(0) : __real_accept(tcp, address, octets);
}

ssize_t __wrap_send(int tcp, const void *octets, size_t count, int flags) {
    kernel.sends++;
    if (!kernel.plays)
        return __real_send(tcp, octets, count, flags);
    return (ssize_t)(count < kernel.takes ? count : kernel.takes);
}

ssize_t __wrap_recv(int tcp, void *octets, size_t count, int flags) {
    if (!kernel.plays)
        return __real_recv(tcp, octets, count, flags);
    memset(octets, 0xAB, count < kernel.returns ? count : kernel.returns);
    return (ssize_t)(count < kernel.returns ? count : kernel.returns);
}

/* After a partial send, the kernel would begin another hash with the next. */
static void a_partial_transfer_gives_no_hash(void **state) {
    static const uint8_t octets[100];
    uint8_t value[IW_HASH_OCTETS_MAX];

    (void)state;
    kernel.plays = true;
    kernel.sends = 0;
    kernel.takes = 60;
    kernel.returns = 32;
    assert_int_equal(iw_kernel_hash(IW_HASH_SHA256, octets, sizeof octets, value), 0);
    assert_int_equal(errno, EIO);
    assert_int_equal(kernel.sends, 1);
    kernel.takes = 100;
    assert_int_equal(iw_kernel_hash(IW_HASH_SHA256, octets, sizeof octets, value), 32);
    errno = 0;
    assert_int_equal(iw_kernel_hash(IW_HASH_SHA512, octets, sizeof octets, value), 0);
    assert_int_equal(errno, EIO);
    kernel.returns = 64;
    assert_int_equal(iw_kernel_hash(IW_HASH_SHA512, octets, sizeof octets, value), 64);
    kernel.plays = false;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc32c_has_the_least_significant_octet_first),
        cmocka_unit_test(sha_is_that_of_fips_180),
        cmocka_unit_test(nothing_has_a_hash),
        cmocka_unit_test(hashes_leave_no_descriptor),
        cmocka_unit_test(a_partial_transfer_gives_no_hash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
