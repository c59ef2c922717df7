#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "iw_shard.h"

static void a_shard_is_number_and_count(void **state) {
    static const char *const wrong[] = {"", "1", "/", "1/", "/2", "0/2", "3/2", "1/0", "1/10001", "1/2/3",
        "a/b", "-1/2", " 1/2", "1/2 ", "11111111111111111111/2"};
    struct iw_shard shard;

    (void)state;
    assert_true(iw_shard_read("2/3", &shard));
    assert_int_equal(shard.number, 2);
    assert_int_equal(shard.count, 3);
    assert_true(iw_shard_read("10000/10000", &shard));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(iw_shard_read(wrong[i], &shard));
}

static bool read_with(const char *total, const char *index, struct iw_shard *shard, char error[128]) {
    if (total)
        setenv("TEST_TOTAL_SHARDS", total, 1);
    else
        unsetenv("TEST_TOTAL_SHARDS");
    if (index)
        setenv("TEST_SHARD_INDEX", index, 1);
    else
        unsetenv("TEST_SHARD_INDEX");
    return iw_shard_of_environment(shard, error, 128);
}

static void the_environment_counts_from_zero(void **state) {
    struct iw_shard shard;
    char error[128];

    (void)state;
    assert_true(read_with(NULL, NULL, &shard, error));
    assert_int_equal(shard.count, 0);
    assert_true(read_with("3", "0", &shard, error));
    assert_int_equal(shard.number, 1);
    assert_int_equal(shard.count, 3);
    assert_false(read_with("3", NULL, &shard, error));
    assert_string_equal(error, "the environment has TEST_TOTAL_SHARDS without TEST_SHARD_INDEX");
    assert_false(read_with(NULL, "0", &shard, error));
    assert_string_equal(error, "the environment has TEST_SHARD_INDEX without TEST_TOTAL_SHARDS");
    assert_false(read_with("0", "0", &shard, error));
    assert_string_equal(error, "TEST_TOTAL_SHARDS takes a number from 1 to 10000, not 0");
    assert_false(read_with("3", "3", &shard, error));
    assert_string_equal(error, "TEST_SHARD_INDEX takes a number from 0 to 2, not 3");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shard_is_number_and_count),
        cmocka_unit_test(the_environment_counts_from_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
