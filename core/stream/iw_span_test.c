#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "iw_span.h"

/* Every octet of one to five spans, each of a different size. */
static void finds_the_span_of_every_octet(void **state) {
    static const struct iw_span spans[] = {{.at = 0, .octets = 1}, {.at = 1, .octets = 4},
        {.at = 5, .octets = 2}, {.at = 7, .octets = 1}, {.at = 8, .octets = 3}};
    static const uint8_t holder[] = {0, 1, 1, 1, 1, 2, 2, 3, 4, 4, 4};

    (void)state;
    for (uint32_t count = 1; count <= 5; count++)
        for (uint32_t at = 0; at < spans[count - 1].at + spans[count - 1].octets; at++)
            assert_ptr_equal(iw_span_find(spans, count, at), &spans[holder[at]]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_span_of_every_octet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
