#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_load.h"

static void parses_names_and_weights(void **state) {
    struct iw_load_mix mix;
    char error[80];

    (void)state;
    assert_true(iw_load_mix_parse("write=70,read=20,send=10", &mix, error, sizeof error));
    assert_int_equal(mix.weights[IW_LOAD_WRITE], 70);
    assert_int_equal(mix.weights[IW_LOAD_READ], 20);
    assert_int_equal(mix.weights[IW_LOAD_SEND], 10);
    assert_true(iw_load_mix_parse("read", &mix, error, sizeof error));
    assert_int_equal(mix.weights[IW_LOAD_WRITE], 0);
    assert_int_equal(mix.weights[IW_LOAD_READ], 1);
}

static void reports_an_invalid_mix(void **state) {
#define KNOWN ": there are write, read, send, atomic, flush, verify and atomic_write"
    static const struct {
        const char *text, *error;
    } wrong[] = {
        {"", "unknown operation ''" KNOWN},
        {"write=1,", "unknown operation ''" KNOWN},
        {"wrote=1", "unknown operation 'wrote'" KNOWN},
        {"write=0", "'write=0' has no weight from 1 to 1000000"},
        {"write=1000001", "'write=1000001' has no weight from 1 to 1000000"},
        {"read=1,write=-1", "'write=-1' has no weight from 1 to 1000000"},
        {"write=,read=5", "'write=' has no weight from 1 to 1000000"},
        {"write=7x", "'write=7x' has no weight from 1 to 1000000"},
        {"write=1,read,write=2", "'write=2' is given twice"},
    };
    struct iw_load_mix mix;
    char error[200];

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(iw_load_mix_parse(wrong[i].text, &mix, error, sizeof error));
        assert_string_equal(error, wrong[i].error);
    }
}

/* Any ten operations in a row are seven, two and one of each. */
static void spreads_operations_by_weight(void **state) {
    struct iw_load_mix mix;
    char error[80];
    char sequence[61] = "";

    (void)state;
    assert_true(iw_load_mix_parse("write=70,read=20,send=10", &mix, error, sizeof error));
    for (size_t i = 0; i < 60; i++)
        sequence[i] = iw_load_op_name(iw_load_mix_next(&mix))[0];
    for (size_t first = 0; first + 10 <= 60; first++) {
        unsigned counts[256] = {0};

        for (size_t i = first; i < first + 10; i++)
            counts[(unsigned char)sequence[i]]++;
        assert_int_equal(counts['w'], 7);
        assert_int_equal(counts['r'], 2);
        assert_int_equal(counts['s'], 1);
    }
    assert_null(strstr(sequence, "wwwww"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses_names_and_weights),
        cmocka_unit_test(reports_an_invalid_mix),
        cmocka_unit_test(spreads_operations_by_weight),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
