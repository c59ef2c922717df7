#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_backing.h"
#include "iw_temporary_test.h"

/* The linker replaces fdatasync by a wrapper that counts the calls and makes them. */
int __real_fdatasync(int file);
int __wrap_fdatasync(int file);

static unsigned syncs;

int __wrap_fdatasync(int file) {
    syncs++;
    return __real_fdatasync(file);
}

static char path[TEMPORARY_PATH];

static int make_file(void **state) {
    int file;

    (void)state;
    file = mkstemp(temporary_path(path, "iw_backing_test"));
    assert_true(file >= 0);
    assert_int_equal(write(file, "0123456789", 10), 10);
    close(file);
    syncs = 0;
    return 0;
}

static int remove_file(void **state) {
    (void)state;
    return unlink(path);
}

static void assert_file(const char *text) {
    char found[64] = "";
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    assert_int_equal(fread(found, 1, sizeof found, file), strlen(text));
    fclose(file);
    assert_string_equal(found, text);
}

static void only_a_flush_reaches_the_file(void **state) {
    struct iw_backing *backing = iw_backing_open(path, 8);

    (void)state;
    assert_memory_equal(backing->octets, "01234567", 8);
    memcpy(backing->octets, "abcdefgh", 8);
    assert_file("0123456789");
    assert_int_equal(syncs, 0);
    assert_true(iw_backing_persist(backing, 2, 3));
    assert_file("01cde56789");
    assert_int_equal(syncs, 1);
    iw_backing_release(backing);
    assert_file("01cde56789");
}

static void a_short_file_grows(void **state) {
    struct iw_backing *backing = iw_backing_open(path, 12);
    struct stat stat_of;

    (void)state;
    assert_int_equal(stat(path, &stat_of), 0);
    assert_int_equal(stat_of.st_size, 12);
    assert_memory_equal(backing->octets, "0123456789\0\0", 12);
    iw_backing_release(backing);
}

/* A full medium: the limit of file size is five octets. */
static void a_failed_flush_is_reported(void **state) {
    struct iw_backing *backing = iw_backing_open(path, 8);
    struct rlimit before, limit;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 5;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    bool outside = iw_backing_persist(backing, 4, 4);
    bool inside = iw_backing_persist(backing, 0, 5);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    assert_false(outside);
    assert_true(inside);
    iw_backing_release(backing);
}

static void a_hash_covers_the_medium(void **state) {
    struct iw_backing *backings[] = {
        iw_backing_new(9, false), iw_backing_new(9, true), iw_backing_open(path, 9)};
    uint8_t value[IW_HASH_OCTETS_MAX];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct iw_backing *backing = backings[i];
        bool persistent = backing->medium != IW_MEDIUM_NONE;
        uint8_t kept[9];

        memcpy(backing->octets, "123456789", 9);
        assert_true(iw_backing_hash(backing, IW_HASH_CRC32C, 0, 9, value));
        assert_true((memcmp(value, "\x83\x92\x06\xe3", 4) != 0) == persistent);
        assert_true(iw_backing_read(backing, 0, kept, 9));
        assert_true((memcmp(kept, "123456789", 9) != 0) == persistent);
        assert_int_equal(iw_backing_persist(backing, 0, 9), persistent);
        assert_true(iw_backing_hash(backing, IW_HASH_CRC32C, 0, 9, value));
        assert_memory_equal(value, "\x83\x92\x06\xe3", 4);
        iw_backing_release(backing);
    }
}

static void hashing_a_truncated_file_fails(void **state) {
    struct iw_backing *backing = iw_backing_open(path, 8);
    uint8_t value[IW_HASH_OCTETS_MAX];

    (void)state;
    assert_int_equal(truncate(path, 4), 0);
    assert_false(iw_backing_hash(backing, IW_HASH_SHA256, 0, 8, value));
    iw_backing_release(backing);
}

static void a_file_has_one_backing(void **state) {
    struct iw_backing *backing = iw_backing_open(path, 8);

    (void)state;
    assert_non_null(backing);
    assert_null(iw_backing_open(path, 8));
    assert_int_equal(errno, EWOULDBLOCK);
    iw_backing_release(backing);
    backing = iw_backing_open(path, 8);
    assert_non_null(backing);
    iw_backing_release(backing);
}

static void the_last_reference_frees(void **state) {
    struct iw_backing *backing = iw_backing_new(8, true);

    (void)state;
    assert_ptr_equal(iw_backing_take(backing), backing);
    iw_backing_release(backing);
    backing->octets[7] = 1;
    iw_backing_release(backing);
    iw_backing_release(NULL);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_file, remove_file)
    const struct CMUnitTest tests[] = {
        TEST(only_a_flush_reaches_the_file),
        TEST(a_short_file_grows),
        TEST(a_failed_flush_is_reported),
        TEST(a_hash_covers_the_medium),
        TEST(hashing_a_truncated_file_fails),
        TEST(a_file_has_one_backing),
        TEST(the_last_reference_frees),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
