#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_histogram.h"

/* Compares the histogram's quantiles with those of the sorted values. */

enum { COUNT = 20000 };

static struct iw_histogram histogram;
static uint64_t values[COUNT];
static uint64_t state_of_random;

static uint64_t any(void) {
    state_of_random ^= state_of_random << 13;
    state_of_random ^= state_of_random >> 7;
    state_of_random ^= state_of_random << 17;
    return state_of_random;
}

static int by_value(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

static void compare(const char *name) {
    static const double shares[] = {0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 0.9999, 1};

    memset(&histogram, 0, sizeof histogram);
    for (size_t i = 0; i < COUNT; i++)
        iw_histogram_add(&histogram, values[i]);
    qsort(values, COUNT, sizeof *values, by_value);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        size_t place = (size_t)(shares[i] * COUNT);
        uint64_t exact, told = iw_histogram_at(&histogram, shares[i]);

        if ((double)place < shares[i] * COUNT || place == 0)
            place++;
        exact = values[place - 1];
        if (told < exact || told - exact > exact / IW_HISTOGRAM_PARTS)
            fail_msg("%s, %g: %llu instead of %llu", name, shares[i], (unsigned long long)told,
                (unsigned long long)exact);
    }
    assert_int_equal(histogram.least, values[0]);
    assert_int_equal(histogram.most, values[COUNT - 1]);
}

static void quantiles_match_sorted_values(void **state) {
    (void)state;
    state_of_random = 88172645463325252u;
    for (size_t i = 0; i < COUNT; i++)
        values[i] = any();
    compare("all of 64 bits");
    for (size_t i = 0; i < COUNT; i++)
        values[i] = any() >> any() % 64;
    compare("every power of two alike");
    for (size_t i = 0; i < COUNT; i++)
        values[i] = any() % 1000;
    compare("small");
    for (size_t i = 0; i < COUNT; i++)
        values[i] = i % 1000 == 0 ? 5000000 + any() % 1000 : 20000 + any() % 300;
    compare("few that are late");
    for (size_t i = 0; i < COUNT; i++)
        values[i] = UINT64_MAX;
    compare("the largest");
}

/* Values at the edges of the buckets. */
static void values_are_within_the_precision(void **state) {
    (void)state;
    for (unsigned bits = 0; bits < 64; bits++)
        for (int about = -1; about <= 1; about++) {
            uint64_t value = (UINT64_C(1) << bits) + (uint64_t)(int64_t)about;

            memset(&histogram, 0, sizeof histogram);
            iw_histogram_add(&histogram, value);
            iw_histogram_add(&histogram, UINT64_MAX);
            assert_true(iw_histogram_at(&histogram, 0.5) >= value);
            assert_true(iw_histogram_at(&histogram, 0.5) - value <= value / IW_HISTOGRAM_PARTS);
        }
}

static void an_empty_histogram_returns_0(void **state) {
    (void)state;
    memset(&histogram, 0, sizeof histogram);
    assert_int_equal(iw_histogram_at(&histogram, 0.99), 0);
    assert_true(iw_histogram_mean(&histogram) < 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_match_sorted_values),
        cmocka_unit_test(values_are_within_the_precision),
        cmocka_unit_test(an_empty_histogram_returns_0),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
