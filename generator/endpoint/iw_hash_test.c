#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_hash.h"

/* Values of FIPS 180-4's examples, and of RFC 3720 B.4 for CRC32C. */
static const struct {
    enum iw_hash hash;
    const char *text;
    const char *value;
} known[] = {
    {IW_HASH_CRC32C, "123456789", "\x83\x92\x06\xe3"},
    {IW_HASH_SHA256, "abc",
        "\xba\x78\x16\xbf\x8f\x01\xcf\xea\x41\x41\x40\xde\x5d\xae\x22\x23"
        "\xb0\x03\x61\xa3\x96\x17\x7a\x9c\xb4\x10\xff\x61\xf2\x00\x15\xad"},
    {IW_HASH_SHA512, "abc",
        "\xdd\xaf\x35\xa1\x93\x61\x7a\xba\xcc\x41\x73\x49\xae\x20\x41\x31"
        "\x12\xe6\xfa\x4e\x89\xa9\x7e\xa2\x0a\x9e\xee\xe6\x4b\x55\xd3\x9a"
        "\x21\x92\x99\x2a\x27\x4f\xc1\xa8\x36\xba\x3c\x23\xa3\xfe\xeb\xbd"
        "\x45\x4d\x44\x23\x64\x3c\xe8\x0e\x2a\x9a\xc9\x4f\xa5\x4c\xa4\x9f"},
};

static void hashes_match_published_values(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint8_t value[IW_HASH_OCTETS_MAX];
        struct iw_hasher hasher;

        assert_true(iw_hasher_begin(&hasher, known[i].hash));
        for (const char *at = known[i].text; *at != '\0'; at++)
            assert_true(iw_hasher_update(&hasher, (const uint8_t *)at, 1));
        assert_true(iw_hasher_end(&hasher, value));
        assert_memory_equal(value, known[i].value, iw_hash_octets(known[i].hash));
    }
}

static void names_are_found(void **state) {
    (void)state;
    assert_int_equal(iw_hash_find("sha256"), IW_HASH_SHA256);
    assert_int_equal(iw_hash_find("crc32c"), IW_HASH_CRC32C);
    assert_int_equal(iw_hash_find("md5"), IW_HASH_NONE);
    assert_string_equal(iw_hash_name(IW_HASH_SHA512), "sha512");
    assert_int_equal(iw_hash_octets(IW_HASH_NONE), 0);
}

static void no_algorithm_computes_no_hash(void **state) {
    uint8_t value[IW_HASH_OCTETS_MAX];
    struct iw_hasher hasher;

    (void)state;
    assert_false(iw_hasher_begin(&hasher, IW_HASH_NONE));
    iw_hasher_end(&hasher, value);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_match_published_values),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(no_algorithm_computes_no_hash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
